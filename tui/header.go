package tui

import (
	"fmt"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// drawHeader says which lesson and variant this is and where the cursor stands.
// The position is always shown whole; the name of the program goes first when
// there is little room, and then the title is cut.
func (s *scene) drawHeader(a cells.Area) {
	a.Fill(0, 0, a.Width(), s.sign.rule, dim)
	right := s.position()
	room := a.Width() - right.Width() - 2
	a.PutLine(room, 0, padded(right))

	x := 0
	variant := s.variantTitle()
	if need := cells.Width(s.lesson.Title) + variant.Width() + 6; need+len(" lockstep -") < room {
		x = a.Put(1, 0, " lockstep ", accent|cells.Bold) + 1
	}
	name := s.fit(s.lesson.Title, max(room-x-variant.Width()-6, (room-x)/2))
	x = a.Put(x, 0, " "+name+" ", title)
	if room-x > 6 && variant != nil {
		a.PutLine(x+1, 0, padded(variant.Fit(room-x-4, s.sign.ellipsis)))
	}
}

// variantTitle is the name of the variant, after the sign of its verdict.
func (s *scene) variantTitle() cells.Line {
	if s.variant == "" {
		return nil
	}
	v, ok := s.variantInfo()
	if !ok {
		return cells.Line{{Text: s.variant}}
	}
	sign, look := s.verdict(!v.Broken)
	return cells.Line{{Text: sign + " " + s.variant, Look: look}}
}

// position is the virtual time and the step, with the speed while playing.
func (s *scene) position() cells.Line {
	l := cells.Line{
		{Text: clockText(s.world.At), Look: title},
		{Text: s.sign.separator},
		{Text: fmt.Sprintf("%d/%d", s.step, s.line.len())},
	}
	if s.playing != "" {
		l = append(cells.Line{{Text: s.sign.play + " " + s.playing + " ", Look: accent}}, l...)
	}
	return l
}

// variantInfo is the catalogue's entry of the variant.
func (s *scene) variantInfo() (Variant, bool) {
	for _, v := range s.lesson.Variants {
		if v.Name == s.variant {
			return v, true
		}
	}
	return Variant{}, false
}

func padded(l cells.Line) cells.Line {
	out := append(cells.Line{{Text: " "}}, l...)
	return append(out, cells.Span{Text: " "})
}
