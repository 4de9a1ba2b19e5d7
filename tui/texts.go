package tui

import "fmt"

// textID names a text of the interface.
type textID int

// The texts. 0 is none.
const (
	_ textID = iota

	txtTooSmall
	txtOpening
	txtRunning
	txtListTitle
	txtLessonCount
	txtNoMatch
	txtVariantBroken
	txtVariantFixed

	txtPaneLanes
	txtPaneNarration
	txtPaneStore
	txtPaneInvariants
	txtPaneCode
	txtQuestion

	txtBeginning
	txtBeforeFirst
	txtNowHolds
	txtHolds
	txtHoldsNoMore
	txtNoMore
	txtKeyDeleted
	txtDeleted
	txtUnderWay
	txtPaused
	txtCrashed
	txtExited
	txtDone

	txtNobodyBelieves
	txtNobodyShort
	txtNoRowLocked
	txtWaitFor
	txtBelieves
	txtBelievesUntil
	txtWorksOn
	txtClaims
	txtStoreSays
	txtStoreShort
	txtFree
	txtNoStore
	txtCounters
	txtCountersShort
	txtPaneCounters
	txtCountRequests
	txtCountWoken
	txtCountWaiting
	txtCountTotal
	txtGroup
	txtGroupShort
	txtFirstClient
	txtAllShown
	txtLastMark
	txtFirstMark
	txtFoundNothing
	txtPartedAt
	txtPartedBelieves
	txtPartedWorks

	txtEmpty
	txtIsEmpty
	txtNoExpiry
	txtWithSession
	txtWatchedBy
	txtSessionHolds
	txtSessionWaits
	txtSessionSees
	txtTimeLeftOf
	txtNoCodeYet
	txtSinceStep
	txtNoInvariants
	txtBrokenAt
	txtBrokenHere
	txtSpeed

	txtHintStep
	txtHintPlay
	txtHintVariant
	txtHintMark
	txtHintPane
	txtHintText
	txtHintBack
	txtHintSearch
	txtHintEnlarge
	txtHintFuture
	txtHintClients
	txtHintChapter
	txtHintChoose
	txtHintOpen
	txtHintFilter
	txtHintQuit
	txtHintLang
	txtHintScroll
	txtHintHelp
	txtHintNow

	txtHelpTitle
	txtHelpKeys
	txtHelpSigns
	txtHelpCount
	txtHelpMouse
	txtWithReason
	txtHelpForward
	txtHelpBackward
	txtHelpFirstStep
	txtHelpLastStep
	txtHelpNextMark
	txtHelpPrevMark
	txtHelpPlay
	txtHelpFaster
	txtHelpSlower
	txtHelpNextVariant
	txtHelpPrevVariant
	txtHelpNextPane
	txtHelpPrevPane
	txtHelpEnlarge
	txtHelpPaneUp
	txtHelpPaneDown
	txtHelpPageUp
	txtHelpPageDown
	txtHelpSearch
	txtHelpNextHit
	txtHelpPrevHit
	txtHelpFuture
	txtHelpNextClients
	txtHelpPrevClients
	txtHelpNextChapter
	txtHelpGlossary
	txtHelpGuide
	txtHelpAnswer
	txtGlossaryTitle
	txtGuideTitle
	txtNoGuide
	txtHintGlossary
	txtHintGuide
	txtHelpPrevChapter
	txtHelpText
	txtHelpBack
	txtHelpOpen
	txtHelpFilter
	txtHelpClearFilter
	txtHelpUp
	txtHelpDown
	txtHelpFirst
	txtHelpLast
	txtHelpQuit
	txtHelpLang
	txtHelpSuspend
	txtHelpHelp

	txtSignHolds
	txtSignDoubts
	txtSignWorks
	txtSignStore
	txtSignGrant
	txtSignAgrees
	txtSignMore
	txtSignPaused
	txtSignCrashed
	txtSignArrived
	txtSignFlying
	txtSignLost
	txtSignCall
	txtSignGap
	txtSignParted
	txtSignBroken
	txtSignMark
	txtSignHit

	txtOneVariant
	txtNothingOpen
	txtNoMarks
	txtNoSearch
	txtNoHits
	txtNoText
	txtNoLesson
	txtNoFilter
	txtNoShell

	numTexts
)

// in is the text in a language.
func (id textID) in(l Lang) string {
	if l == Chinese {
		return texts[id].zh
	}
	return texts[id].en
}

// format is the text in a language with arguments filled in.
func (id textID) format(l Lang, args ...any) string { return fmt.Sprintf(id.in(l), args...) }
