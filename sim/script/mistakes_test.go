package script

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every mistake is one more line, the 12th, of a file that is right without it.
func TestMistakesInOneLine(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"clinet C: exit", `12:1: unknown directive "clinet": did you mean "client"?`},
		{"frobnicate", `12:1: unknown directive "frobnicate"`},
		{"title Again", `12:1: a second "title" line: there can be only one`},
		{"store redis", `12:1: a second "store" line: there can be only one`},
		{"  release", `12:1: a line that starts with white space goes on with a client whose line before ends in ";" or ":"`},
		{"mark　m at 5s", `12:5: '\u3000' (U+3000) is not ASCII: write ' '`},

		{"param", `12:6: expected NAME=VALUE, found nothing`},
		{"param ttl", `12:10: expected "=", found nothing`},
		{"param ttl=", `12:11: expected a value, found nothing`},
		{"param ttl=5sec", `12:11: ttl: bad duration "5sec": write it like 400ms, 1.5s or 2m`},
		{"param ttl=-5s", `12:11: ttl: negative duration "-5s"`},
		{"param ttl=0", `12:11: ttl: duration "0" is too short: at least 10ms`},
		{"param ttl=9999us", `12:11: ttl: duration "9999us" is too short: at least 10ms`},
		{"param poll=0s", `12:12: poll: duration "0s" is too short: at least 1ms`},
		{"param bound=0s", `12:13: bound: duration "0s" is too short: at least 1ms`},
		{"param pause=10001h", `12:13: bad value "10001h": neither a duration (400ms) nor a number nor a word`},
		{"param renew=yes", `12:13: unknown value of renew "yes": known: on, off`},
		{"param kind=redis/plain-del", `12:12: unknown value of kind "redis/plain-del": did you mean "redis/plain-delete"?`},
		{"param w=2s", `12:7: parameter "w" is defined twice: first on line 4`},
		{"param x=$w", `12:9: a parameter is set to a value, not to another parameter`},
		{"param 1x=2", `12:7: bad name "1x": a letter, then letters, digits, _ and -`},
		{"param a-name-that-is-as-long-as-a-whole-sentence-would-be=2", `12:7: name "a-name-that-is-as-long-as-a-whole-sentence-would-be" is longer than 40 characters`},

		{"param renw=off", `12:7: parameter "renw" is not used anywhere: did you mean "renew"?`},
		{"param pause=5s", `12:7: parameter "pause" is not used anywhere: write $pause where its value belongs`},
		{"param reenw=on\nvariant three reenw=off expect no-violation", `12:7: parameter "reenw" is not used anywhere: did you mean "renew"?`},
		{"param x=5sec!", `12:9: bad value "5sec!": neither a duration (400ms) nor a number nor a word`},

		{"resource likes", `12:15: expected "=", found nothing`},
		{"resource likes=many", `12:16: bad number "many": write it like 5 or -2`},
		{"resource likes=99999999999999999999", `12:16: number "99999999999999999999" is out of range`},
		{"resource likes=1 max=2", `12:18: unknown setting of a resource "max": known: min`},
		{"resource stock=2", `12:10: resource "stock" is defined twice: first on line 5`},
		{"resource redis=2", `12:10: resource "redis" is called as the store is`},
		{"resource likes=$w", `12:16: $w is of type duration: expected the initial value`},

		{"check", `12:6: expected an invariant, found nothing`},
		{"check mutual-exclusio one-at-work", `12:7: unknown invariant "mutual-exclusio": did you mean "mutual-exclusion"?`},
		{"check mutual-exclusion mutual-exclusion", `12:24: "mutual-exclusion" is listed twice`},
		{"check tokens-grow", `7:37: invariant "mutual-exclusion" is not checked in this file; checked are: tokens-grow`},
		{"until later", `12:7: bad duration "later": write it like 400ms, 1.5s or 2m`},
		{"until 0s", `12:7: until: duration "0s" is too short: at least 1ms`},
		{"until 5s 6s", `12:10: unexpected "6s"`},

		{"variant", `12:8: expected the name of a variant, found nothing`},
		{"variant v", `12:10: the verdict is missing: end the line with "expect no-violation" or "expect violation INVARIANT"`},
		{"variant v expcet no-violation", `12:11: expected PARAM=VALUE or "expect", found "expcet": did you mean "expect"?`},
		{"variant v expect nothing", `12:18: unknown verdict "nothing": known: violation, no-violation`},
		{"variant v expect violation", `12:27: expected an invariant, found nothing`},
		{"variant v expect violation tokens-grow mutual-exclusion", `12:40: unexpected "mutual-exclusion"`},
		{"variant v expect violation tokens-grow, tokens-grow", `12:41: "tokens-grow" is listed twice`},
		{"variant v expect violation one-at-work", `12:28: invariant "one-at-work" is not checked in this file; checked are: ` + strings.Join(defaultInvariants(), ", ")},
		{"variant two expect no-violation", `12:9: variant "two" is defined twice: first on line 7`},
		{"variant v tll=5s expect no-violation", `12:11: unknown parameter "tll": did you mean "ttl"?`},
		{"variant v w=5 expect no-violation", `12:13: w: bad duration "5": write it like 400ms, 1.5s or 2m`},
		{"variant v ttl=0s expect no-violation", `12:15: ttl: duration "0s" is too short: at least 10ms`},
		{"variant v w=5s w=6s expect no-violation", `12:16: parameter "w" is defined twice in variant "v": first on line 12`},

		{"client C", `12:9: expected ":", found nothing`},
		{"client C release", `12:10: expected ":", found "release"`},
		{"client none: release", `12:8: a client cannot be called "none": expectations use the word`},
		{"client redis: release", `12:8: client "redis" is called as the store is`},
		{"client stock: release", `12:8: client "stock" is called as a resource is`},
		{"client A: release", `12:8: client "A" is defined twice in variant "one": first on line 8`},
		{"client D when variant=one,two: exit", `12:8: client "D" is defined twice in variant "two": first on line 10`},
		{"client C when variant=tow: exit", `12:23: unknown variant "tow": did you mean "two"?`},
		{"client C when varient=two: exit", `12:15: unknown condition "varient": did you mean "variant"?`},
		{"client C when variant=two,two: exit", `12:27: "two" is listed twice`},
		{"client C:", `12:10: expected a step, found nothing`},
		{"client C: acquire;", `12:19: expected a step, found nothing`},
		{"client C: acquire;; release", `12:19: expected a step, found nothing`},
		{"client C: aquire", `12:11: unknown verb "aquire": did you mean "acquire"?`},
		{"client C: acquire; release；", `12:27: '；' (U+FF1B) is not ASCII: write ';'`},
		{"client C: acquire tttl=5s", `12:19: unknown option of acquire "tttl": did you mean "ttl"?`},
		{"client C: acquire ttl=5s ttl=6s", `12:26: option "ttl" is given twice`},
		{"client C: acquire ttl=5s lease=6s", `12:26: "ttl" and "lease" exclude each other`},
		{"client C: acquire ttl", `12:19: option "ttl" lacks its value: write ttl=VALUE`},
		{"client C: acquire ttl=-5s", `12:23: negative duration "-5s"`},
		{"client C: acquire ttl=10001h", `12:23: duration "10001h" is longer than 10,000 hours`},
		{"client C: acquire ttl=1ms", `12:23: ttl: duration "1ms" is too short: at least 10ms`},
		{"client C: try lease=0s", `12:21: lease: duration "0s" is too short: at least 10ms`},
		{"client C: acquire timeout=0", `12:27: timeout: duration "0" is too short: at least 1ms`},
		{"client C: acquire ttl=$latency", `12:23: latency: duration "1ms" is too short: at least 10ms`},
		{"param s=2ms\nclient C: acquire ttl=$s", `12:9: s: duration "2ms" is too short: at least 10ms`},
		{"param s=2s\nclient C: try lease=$s\nvariant three s=5ms expect no-violation", `14:17: s: duration "5ms" is too short: at least 10ms`},
		{"client C: acquire ttl=+5s", `12:23: bad duration "+5s": write it like 400ms, 1.5s or 2m`},
		{"client C: release now", `12:19: unknown argument of release "now": known: on, read, write`},
		{"client C: release ttl=5s", `12:19: unknown option of release "ttl": known: on`},
		{"client C: work", `12:15: expected a duration after work, found nothing`},
		{"client C: work 5", `12:16: bad duration "5": write it like 400ms, 1.5s or 2m`},
		{"client C: work 5s until-lots", `12:19: unknown argument of work "until-lots": did you mean "until-lost"?`},
		{"client C: work $whoo", `12:16: unknown parameter "whoo": did you mean "who"?`},
		{"client C: work $n", `12:16: $n is of type integer: expected a duration after work`},
		{"client C: work $", `12:16: a name has to follow the $`},
		{"client C: at 5s after 5s release", `12:17: a step has "at" or "after" only once`},
		{"client C: at release", `12:14: bad duration "release": write it like 400ms, 1.5s or 2m`},
		{"client C: at 5s", `12:16: expected a verb, found nothing`},
		{"client C: read stocks", `12:16: unknown resource "stocks": did you mean "stock"?`},
		{"client C: write stock", `12:22: expected "=", found nothing`},
		{"client C: write stock=none", `12:23: bad number "none": write it like 5 or -2`},
		{"client C: crash; release", `12:18: nothing can follow "crash": the client does nothing more`},

		{"fault", `12:6: expected a fault, found nothing`},
		{"fault crsh A at 5s", `12:7: unknown fault "crsh": did you mean "crash"?`},
		{"fault crash", `12:12: expected a client, found nothing`},
		{"fault crash A", `12:14: expected "before", "after" or "at", found nothing`},
		{"fault crash A beofre SET", `12:15: expected "before", "after" or "at", found "beofre": did you mean "before"?`},
		{"fault crash A before STE", `12:22: unknown command "STE": did you mean "SET"?`},
		{"fault crash A before set", `12:22: unknown command "set": did you mean "SET"?`},
		{"fault crash A before SET#0", `12:25: bad number "#0": write #1 to #9999`},
		{"fault crash A before SET#", `12:25: bad number "#": write #1 to #9999`},
		{"fault crash A before", `12:21: expected a command such as SET or SET#2, found nothing`},
		{"fault crash C before SET", `12:13: unknown client "C": known: A, B, D`},
		{"fault crash redis at 5s", `12:13: unknown client "redis": known: A, B, D`},
		{"fault crash D at 5s", `12:13: client "D" takes no part in variant "one": it does when variant=two`},
		{"fault crash A at 5s for 5s", `12:21: unexpected "for"`},
		{"fault pause A after GET", `12:24: expected "for", found nothing`},
		{"fault pause A at 5s for ever", `12:25: bad duration "ever": write it like 400ms, 1.5s or 2m`},
		{"fault drop answer of A SET", `12:12: expected "request" or "reply", found "answer"`},
		{"fault drop reply A SET", `12:18: expected "of", found "A"`},
		{"fault delay reply of A SET until 3s", `12:28: expected "by", found "until"`},
		{"fault jump radis by 5s at 5s", `12:12: unknown client or store "radis": did you mean "redis"?`},
		{"fault partition A,redis A from 1s to 2s", `12:25: "A" is listed twice`},
		{"fault partition A redis from 5s to 5s", `12:36: a partition that begins at 5s cannot end at 5s`},
		{"fault crash A at 5s when variant", `12:33: expected "=", found nothing`},
		{"fault crash A at 5s wehn variant=one", `12:21: unexpected "wehn": did you mean "when"?`},

		{"mark m", `12:7: expected "at", found nothing`},
		{"mark m at 5s when variant=", `12:27: expected a variant, found nothing`},
		{"mark m at $who", `12:11: $who is of type word: expected an instant such as 350ms, or "end"`},

		{"expect", `12:7: expected what to look at, found nothing`},
		{"expect onwer at 5s = A", `12:8: unknown subject "onwer": did you mean "owner"?`},
		{"expect holder at 5s = A", `12:8: unknown subject "holder": known: owner, believers, ttl, value, waiting, wakeups, requests, hand-off, violation, CLIENT.VERB`},
		{"expect C.release = ok", `12:8: unknown client "C": known: A, B, D`},
		{"expect A.relase = ok", `12:10: unknown verb "relase": did you mean "release"?`},
		{"expect A.work#2 = ok", `12:8: client "A" has only 1 of the steps "work" in variant "one"`},
		{"expect A.renew = ok", `12:8: client "A" has no step "renew" in variant "one"`},
		{"expect A.work#x = ok", `12:14: bad number "#x": write #1 to #9999`},
		{"expect D.crash = ok", `12:8: client "D" takes no part in variant "one": it does when variant=two`},
		{"expect A.release = not-hold", `12:20: unknown outcome "not-hold": did you mean "not-held"?`},
		{"expect A.release > ok", `12:20: ">" is for numbers and times: use = or != here`},
		{"expect A.release.took > none", `12:25: ">" is for numbers and times: use = or != here`},
		{"expect A.release = ok, lost", `12:24: A.release is one value, not a list`},
		{"expect A.release.tok = 5s", `12:18: unknown field "tok": did you mean "took"?`},
		{"expect A.release. = ok", `12:18: unknown field "": known: reply, start, at, took`},
		{"expect A.release", `12:17: expected one of = != < <= > >=, found nothing`},
		{"expect A.release =", `12:19: expected an outcome, found nothing`},
		{"expect A.release == ok", `12:19: expected an outcome, found "="`},
		{"expect A.release.at = soon", `12:23: bad duration "soon": write it like 400ms, 1.5s or 2m`},
		{"expect A.sends = 1", `12:15: sends needs a command: sends[SET]`},
		{"expect A.sends[STE] = 1", `12:16: unknown command "STE": did you mean "SET"?`},
		{"expect A.sends[SET = 1", `12:19: a "]" is missing`},
		{"expect A.sends[SET]x = 1", `12:20: unexpected "x"`},
		{"expect A.sends[SET].on = 1s", `12:21: unknown field "on": known: ` + strings.Join(fields("sends"), ", ")},
		{"expect A.sends[SET] = 1s", `12:23: bad number "1s": write it like 5 or -2`},
		{"expect A.token.at = 1", `12:16: unknown field "at": there is none`},
		{"expect owner = A", `12:14: expected "at", found "="`},
		{"expect owner at 5s = C", `12:22: unknown client "C": known: A, B, D`},
		{"expect believers at 5s = A, X1", `12:29: unknown client "X1": known: A, B, D`},
		{"expect value stok at 5s = 1", `12:14: unknown resource "stok": did you mean "stock"?`},
		{"expect violation[x].at = none", `12:18: unknown invariant "x"`},
		{"expect violation[tokens-grow] = none", `12:30: violation[…] needs a field: at`},
		{"expect violation[one-at-work].at = none", `12:8: invariant "one-at-work" is not checked in this file; checked are: ` + strings.Join(defaultInvariants(), ", ")},

		{"trace one", `13:1: a line ---- has to follow the trace line`},
		{"trace one\n----\nmore", `12:1: the trace is not closed by a line ----`},
		{"trace ｏne\n----\nclient B: aquire\n----", `12:7: 'ｏ' (U+FF4F) is not ASCII: write 'o'`},
		{"trace three\n----\n----", `12:7: unknown variant "three": known: one, two`},
		{"trace one\n----\n----\ntrace one\n----\n----", `15:7: variant "one" has a second trace`},
		{"trace two\n----\n----\ntrace one\n----\n----", `15:7: the traces have to stand in the order of the variants: one, two`},
		{"trace one\n----\n----\nmark m at 5s", `15:1: only traces can follow a trace: move this line up`},
	} {
		t.Run(tt.line, func(t *testing.T) {
			src := base + tt.line + "\n"
			if strings.HasPrefix(tt.line, "variant v") {
				src += "expect owner at end = none when variant=v\n"
			}
			if diff := cmp.Diff([]string{tt.want}, mistakes(t, src)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestMistakesOfAWholeFile(t *testing.T) {
	without := func(word string) string {
		var kept []string
		for l := range strings.Lines(base) {
			if !strings.HasPrefix(l, word+" ") {
				kept = append(kept, l)
			}
		}
		return strings.Join(kept, "")
	}
	for _, tt := range []struct{ name, src, want string }{
		{"empty", "", `1:1: nothing in here: a scenario starts with its title`},
		{"only comments", "# one\n\n# two\n", `1:1: nothing in here: a scenario starts with its title`},
		{"no title", without("title"), `1:1: the file has no "title" line`},
		{"no store", without("store"), `1:1: the file has no "store" line`},
		{"no lock", without("lock"), `1:1: the file has no "lock" line`},
		{"no expect", without("expect"), `1:1: the file has no "expect" line`},
		{"title too late", "store redis\ntitle T\n" + strings.TrimPrefix(without("title"), "store redis\n"),
			`2:1: the title has to be the first directive`},
		{"title without text", "title  # T\n" + without("title"), `1:6: the title is missing`},
		{"title too wide", "title " + strings.Repeat("锁", 31) + "\n" + without("title"), `1:7: the title is 62 cells wide: at most 60 fit`},
		{"unknown store", strings.Replace(base, "store redis", "store radis", 1), `2:7: unknown store "radis": did you mean "redis"?`},
		{"lock without key", strings.Replace(base, "lock lock:1", "lock", 1), `3:5: the key of the lock is missing`},
		{"lock listed twice", strings.Replace(base, "lock lock:1", "lock a b a", 1), `3:10: lock "a" is listed twice`},
		{"variant without expect", strings.Replace(base, "at end != $who", "at end != $who when variant=two", 1),
			`6:9: variant "one" has no expect line: at least one has to hold in it`},
		{"step of a later variant", strings.Replace(base, "client D", "client A2", 1) + "client D when variant=one: renew\n" +
			"client D when variant=two: try\nexpect D.renew = ok\n", `14:8: client "D" has no step "renew" in variant "two"`},
		{"continued too far", base + "client C: acquire;\n    release\n    work 1s\n",
			`14:1: a line that starts with white space goes on with a client whose line before ends in ";" or ":"`},
		{"continuation after a blank line", base + "client C: acquire;\n\n    release\n",
			"12:19: expected a step, found nothing\n" +
				`14:1: a line that starts with white space goes on with a client whose line before ends in ";" or ":"`},
		{"everything hangs on a misspelt line", strings.NewReplacer("client A:", "clinet A:", "variant two", "varaint two", "store", "stor").Replace(base) +
			"fault crash A before SET when variant=two\nexpect A.release = ok\ntarce one\n----\nno directive\n----\n",
			"2:1: unknown directive \"stor\": did you mean \"store\"?\n" +
				"7:1: unknown directive \"varaint\": did you mean \"variant\"?\n" +
				"8:1: unknown directive \"clinet\": did you mean \"client\"?\n" +
				"14:1: unknown directive \"tarce\": did you mean \"trace\"?"},
		{"rows of a misspelt client", base + "clinet C: acquire;\n    release\n", `12:1: unknown directive "clinet": did you mean "client"?`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(mistakes(t, tt.src), "\n"); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

// All mistakes come at once, in the order of the file, and each of them once: no
// line below complains because another one was misspelt.
func TestSeveralMistakes(t *testing.T) {
	got := mistakes(t, `title Many mistakes
store redis
lock k
param tll=5 ttl=soon
variant one kind=redis/plain-delet expect violation mutual-exclusion
variant two expect nothing
client A: aquire; work; relese
client B when variant=tow: release ttl=5s; read stock
fault crash A befor SET
expect A.acquire = ok when variant=one
expect A.acquire.at = 5
expect B.release = skiped
`)
	want := []string{
		`4:17: ttl: bad duration "soon": write it like 400ms, 1.5s or 2m`,
		`5:18: unknown value of kind "redis/plain-delet": did you mean "redis/plain-delete"?`,
		`6:20: unknown verdict "nothing": known: violation, no-violation`,
		`7:11: unknown verb "aquire": did you mean "acquire"?`,
		`7:23: expected a duration after work, found nothing`,
		`7:25: unknown verb "relese": did you mean "release"?`,
		`8:36: unknown option of release "ttl": known: on`,
		`8:49: unknown resource "stock": there is none`,
		`9:15: expected "before", "after" or "at", found "befor": did you mean "before"?`,
		`11:23: bad duration "5": write it like 400ms, 1.5s or 2m`,
		`12:20: unknown outcome "skiped": did you mean "skipped"?`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestManyMistakesAreCounted(t *testing.T) {
	_, err := Parse("x.scn", []byte(base+strings.Repeat("nonsense\n", 30)))
	rows := strings.Split(err.Error(), "\n")
	if len(rows) != 21 || rows[20] != "and 10 more" || !strings.HasPrefix(rows[19], "x.scn:31:1: ") {
		t.Errorf("got %d rows, the last of them:\n%s", len(rows), strings.Join(rows[len(rows)-2:], "\n"))
	}
	_, err = Parse("x.scn", []byte(base+strings.Repeat("titel\n", 200)))
	if last := err.(Errors)[199].Error(); last != `x.scn:211:1: unknown directive "titel"` {
		t.Errorf("the 200th of many mistakes still comes with a suggestion: %s", last)
	}
	var one Error
	if !errors.As(err, &one) || one.Pos.Line != 12 {
		t.Errorf("the first mistake as an Error: %v", one)
	}
}

func TestFilesThatAreNoScenarios(t *testing.T) {
	for _, tt := range []struct {
		name, src, want string
	}{
		{"NUL", "title T\nlock a\x00b\n", `2:7: not a text file: control character U+0000`},
		{"binary", "\x7fELF\x02\x01", `1:1: not a text file: control character U+007F`},
		{"Latin-1", "title caf\xe9\n", `1:10: not a text file: invalid UTF-8`},
		{"escape sequence", base + "# \x1b[2J\n", `12:3: not a text file: control character U+001B`},
		{"carriage return within a line", "title a\rb\n", `1:8: not a text file: control character U+000D`},
		{"direction override", "title a\u202eb\n", `1:8: not a text file: invisible character U+202E`},
		{"direction isolate in a comment", base + "# \u2066a\n", `12:3: not a text file: invisible character U+2066`},
		{"zero-width space in a word", base + "client C: ac\u200bquire\n", `12:13: not a text file: invisible character U+200B`},
		{"mark of the direction", base + "trace one\n----\n\u200f\n----\n", `14:1: not a text file: invisible character U+200F`},
		{"line separator", base + "# \u2028title\n", `12:3: not a text file: invisible character U+2028`},
		{"byte order mark within", base + "# \ufeff\n", `12:3: not a text file: invisible character U+FEFF`},
		{"two byte order marks", "\ufeff\ufeff" + base, `1:1: not a text file: invisible character U+FEFF`},
		{"2 MB", strings.Repeat("0123456789abcde\n", 2<<20/16), `1:1: larger than 1 MiB: not a scenario`},
		{"2 MB of zeros", strings.Repeat("\x00", 2<<20), `1:1: larger than 1 MiB: not a scenario`},
		{"too many lines", base + strings.Repeat("\n", 5_000), `5001:1: more than 5,000 lines: not a scenario`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff([]string{tt.want}, mistakes(t, tt.src)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// numbered repeats a line with a number in it.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"variants", base + numbered(MaxVariants+5, "variant v%d expect no-violation"), `74:9: more than 64 of "variant"`},
		{"parameters", base + numbered(MaxParams+5, "param p%d=1"), `73:7: more than 64 of "param"`},
		{"bytes of a line", base + "client C: acquire" + strings.Repeat(" ", MaxLine) + "; release\n", `12:1001: the line is longer than 1,000 bytes`},
		{"bytes of a comment", base + "client C: acquire  # " + strings.Repeat("x", MaxLine) + "\n", ``},
		{"bytes of a trace", base + "trace one\n----\n" + strings.Repeat("x", 2*MaxLine) + "\n----\n", ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(mistakes(t, tt.src), "\n"); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

func TestLargestFile(t *testing.T) {
	src := base + strings.Repeat("\n", MaxLines-strings.Count(base, "\n")-1)
	src += "#" + strings.Repeat("x", MaxBytes-len(src)-2) + "\n"
	if s := mustParse(t, src); len(s.lines) != MaxLines || len(src) != MaxBytes {
		t.Errorf("%d lines of %d bytes", len(s.lines), len(src))
	}
}
