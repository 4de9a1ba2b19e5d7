package antipattern_test

import (
	"testing"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/lock/antipattern"
)

// likes of different posts by different users.
var one, other = map[string]string{"post": "1:2", "user": "3"}, map[string]string{"post": "1", "user": "2:3"}

func TestJoinedPartsMakeTwoKeysOne(t *testing.T) {
	join := func(like map[string]string) string {
		return antipattern.JoinKey("post:like", like["post"], like["user"])
	}
	if a, b := join(one), join(other); a != b {
		t.Errorf("keys %q and %q, want one: the mistake is gone", a, b)
	}
}

func TestATemplateKeepsThemApart(t *testing.T) {
	template, err := lock.ParseKeyTemplate("post:like:{post}:{user}")
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := template.Key(one)
	b, err2 := template.Key(other)
	if err1 != nil || err2 != nil || a != "post:like:1%3A2:3" || b != "post:like:1:2%3A3" {
		t.Errorf("keys %q, %v and %q, %v", a, err1, b, err2)
	}
}
