package redisstore

import (
	"crypto/sha1" //nolint:gosec // the identity of a Redis script is its SHA-1
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/alicebob/miniredis/v2/proto"
)

// keywords are the argument words that are shown in capitals, as in the Redis
// documentation.
var keywords = []string{"nx", "xx", "px", "ex", "get", "keepttl"}

// command is the name by which faults and counters find a command: the name of
// the script for script calls, the command itself otherwise.
func (n *Node) command(args []string) string {
	if s, ok := n.script(args); ok {
		return s.Name
	}
	return strings.ToUpper(args[0])
}

// describeCommand is the command in one readable line.
func (n *Node) describeCommand(args []string) string {
	words := []string{n.command(args)}
	rest := args[1:]
	if _, ok := n.script(args); ok && len(rest) >= 2 {
		rest = rest[2:] // the script and the number of keys
	}
	for _, a := range rest {
		if slices.Contains(keywords, a) {
			a = strings.ToUpper(a)
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// describeReply is a reply in a few words, as redis-cli would print it.
func describeReply(raw []byte) string {
	if strings.HasPrefix(string(raw), "$-1") || strings.HasPrefix(string(raw), "*-1") {
		return "(nil)" // proto.Parse takes the empty answer for an error
	}
	v, err := proto.Parse(string(raw))
	if err != nil {
		return err.Error()
	}
	return describeValue(v)
}

func describeValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "(nil)"
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = describeValue(e)
		}
		return "[" + strings.Join(parts, " ") + "]"
	default:
		return fmt.Sprint(v)
	}
}

func sha1Hex(s string) string {
	sum := sha1.Sum([]byte(s)) //nolint:gosec // see the import
	return hex.EncodeToString(sum[:])
}
