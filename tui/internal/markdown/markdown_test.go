package markdown

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

var style = Style{
	Heading: 1, Strong: cells.Bold, Emphasis: cells.Underline, Code: 2, Quote: 3,
	Bullet: "•", Bar: "|",
}

func text(lines []cells.Line) string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Text())
	}
	return strings.Join(out, "\n")
}

func TestRenderLaysOutBlocks(t *testing.T) {
	for _, c := range []struct {
		name, src string
		width     int
		want      string
	}{
		{"paragraphs", "one\ntwo\n\n\nthree", 20, "one two\n\nthree"},
		{"wrapped", "the lock is gone", 9, "the lock\nis gone"},
		{"Chinese lines are joined without a blank", "锁已经\n不在了", 20, "锁已经不在了"},
		{"Chinese and Latin are joined with one", "用 SET\n加锁", 20, "用 SET 加锁"},
		{"heading", "# Why\ntext", 20, "Why\n\ntext"},
		{"list", "- one\n- two and more\n  of it\n  - inner\n1. first", 12,
			"• one\n• two and\n  more of it\n  • inner\n1. first"},
		{"Chinese list item is broken", "- 删除前不检查所有者会误删别人的锁", 16, "• 删除前不检查所\n  有者会误删别人\n  的锁"},
		{"table", "| lock | free after |\n|---|---|\n| redis | 30 s |\n| row | 0 s |", 20,
			"lock   free after\nredis  30 s\nrow    0 s"},
		{"the head of a table is broken first", "| lock | free after |\n|---|---|\n| redis | 30 s |", 13,
			"lock   free\n       after\nredis  30 s"},
		{"a table that is too wide is turned", "| lock | requests | hand-off | free |\n|---|---|---|---|\n| row | 3 | 2ms | 1 |", 14,
			"lock      row\nrequests  3\nhand-off  2ms\nfree      1"},
		{"a table that is too wide even so is a list", "| lock | requests |\n|---|---|\n| redis | 3 |\n| row | 2 |", 12,
			"redis\n• requests:\n  3\n\nrow\n• requests:\n  2"},
		{"quote", "> a quoted\n> text", 9, "| a\n| quoted\n| text"},
		{"code keeps its lines", "```lua\nif x then\n\n  return 1\n```\nend", 20, "| if x then\n| \n|   return 1\n\nend"},
		{"code is cut", "```\nabcdefgh\n```", 6, "| abcd"},
		{"nothing", "\n\n", 20, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := text(Render(c.src, c.width, style)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestRenderGivesLooks(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      cells.Line
	}{
		{"strong", "a **b** c", cells.Line{{Text: "a "}, {Text: "b", Look: cells.Bold}, {Text: " c"}}},
		{"strong that ends in a Chinese full stop", "**锁没了。**于是", cells.Line{{Text: "锁没了。", Look: cells.Bold}, {Text: "于是"}}},
		{"emphasis", "*all* of it", cells.Line{{Text: "all", Look: cells.Underline}, {Text: " of it"}}},
		{"a product is no emphasis", "2*TTL and 3*TTL", cells.Line{{Text: "2*TTL and 3*TTL"}}},
		{"code keeps asterisks", "`**x**`", cells.Line{{Text: "**x**", Look: 2}}},
		{"code in strong", "**a `b`**", cells.Line{{Text: "a ", Look: cells.Bold}, {Text: "b", Look: cells.Bold | 2}}},
		{"escaped", `\*a\*`, cells.Line{{Text: "*"}, {Text: "a"}, {Text: "*"}}},
		{"unclosed", "a ** b `c", cells.Line{{Text: "a ** b `c"}}},
		{"link", "see [the essay](https://example.org/x).", cells.Line{{Text: "see "}, {Text: "the essay <https://example.org/x>"}, {Text: "."}}},
		{"local link", "see [docs](docs/a.md)", cells.Line{{Text: "see "}, {Text: "docs"}}},
		{"heading", "# A", cells.Line{{Text: "A", Look: 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := Render(c.src, 80, style)
			if len(lines) != 1 {
				t.Fatalf("got %d lines", len(lines))
			}
			if len(lines[0]) != len(c.want) {
				t.Fatalf("got %v, want %v", lines[0], c.want)
			}
			for i, s := range lines[0] {
				if s != c.want[i] {
					t.Errorf("span %d: got %v, want %v", i, s, c.want[i])
				}
			}
		})
	}
}

func TestRenderStaysInside(t *testing.T) {
	alphabet := []rune("ab 锁。*`#->1.|[]()\\\n\n")
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.StringOf(rapid.RuneFrom(alphabet)).Draw(t, "src")
		width := rapid.IntRange(12, 40).Draw(t, "width")
		for _, l := range Render(src, width, style) {
			if w := l.Width(); w > width {
				t.Fatalf("line %q takes %d of %d cells", l.Text(), w, width)
			}
		}
	})
}

func BenchmarkRender(b *testing.B) {
	src := strings.Repeat("A 在 300 ms 时**失去**租约，但它的工作要做 400 ms。它醒来后发出 `DEL lock:order:1`。\n\n- one point\n", 8)
	for b.Loop() {
		Render(src, 76, style)
	}
}
