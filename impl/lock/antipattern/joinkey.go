package antipattern

import "strings"

// JoinKey is WRONG: it puts the parts of a key together with colons and lets
// colons within a part pass. The parts 1:2 and 3 then make the key that 1 and
// 2:3 make, and who locks the one keeps out who wants the other. Instead: a
// template that escapes what it is filled with, lock.KeyTemplate.
func JoinKey(parts ...string) string { return strings.Join(parts, ":") }
