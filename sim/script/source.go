package script

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a scenario file may be at most. Real ones have about 120 lines; the
// limits keep a file that was passed by mistake from costing time and memory.
const (
	MaxBytes    = 1 << 20 // 1 MiB
	MaxLines    = 5_000
	MaxLine     = 1_000 // bytes of one line, without its comment; traces are free
	MaxParams   = 64
	MaxVariants = 64
)

var (
	firstPos = Pos{Line: 1, Col: 1}
	utf8BOM  = []byte("\ufeff")
)

// splitSource checks that src is a text of acceptable size and cuts it into
// lines without their ends; CR LF counts as a line end like LF.
func splitSource(file string, src []byte) ([]string, error) {
	fail := func(pos Pos, msg string) ([]string, error) {
		return nil, Errors{{File: file, Pos: pos, Msg: msg}}
	}
	if len(src) > MaxBytes {
		return fail(firstPos, "larger than 1 MiB: not a scenario")
	}
	text := string(bytes.TrimPrefix(src, utf8BOM))
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
		if at, why := badText(lines[i]); why != "" {
			return fail(Pos{Line: i + 1, Col: at + 1}, "not a text file: "+why)
		}
	}
	if len(lines) > MaxLines {
		return fail(Pos{Line: MaxLines + 1, Col: 1}, "more than 5,000 lines: not a scenario")
	}
	return lines, nil
}

// badText finds what no text contains: bytes that are not UTF-8, and control
// characters, which could also do things to the terminal that shows the file.
// Characters that are not seen themselves but change what is, by turning the
// direction of writing or by ending the line for some programs only, count too:
// a reader has to see what lockstep reads.
func badText(line string) (at int, why string) {
	for i, r := range line {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(line[i:]); size <= 1 {
				return i, "invalid UTF-8"
			}
		}
		if r != '\t' && unicode.IsControl(r) {
			return i, fmt.Sprintf("control character %U", r)
		}
		if unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return i, fmt.Sprintf("invisible character %U", r)
		}
	}
	return 0, ""
}
