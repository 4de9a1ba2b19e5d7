package locktest

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

func TestHistoriesAreJudged(t *testing.T) {
	at := func(call, ret int64, in op, done bool) porcupine.Operation {
		return porcupine.Operation{ClientId: in.worker, Input: in, Call: call, Output: done, Return: ret}
	}
	acquire := func(w int) op { return op{worker: w} }
	release := func(w int) op { return op{release: true, worker: w} }
	for name, c := range map[string]struct {
		ops  []porcupine.Operation
		want bool
	}{
		"one after the other": {[]porcupine.Operation{
			at(1, 2, acquire(0), true), at(3, 4, release(0), true), at(5, 6, acquire(1), true), at(7, 8, release(1), true)}, true},
		"a grant during the release": {[]porcupine.Operation{
			at(1, 2, acquire(0), true), at(3, 6, release(0), true), at(4, 5, acquire(1), true)}, true},
		"a grant before the release": {[]porcupine.Operation{
			at(1, 2, acquire(0), true), at(3, 4, acquire(1), true), at(5, 6, release(0), true), at(7, 8, release(1), true)}, false},
		"a refusal": {[]porcupine.Operation{
			at(1, 2, acquire(0), true), at(3, 4, acquire(1), false), at(5, 6, release(0), true)}, true},
		"a release by another": {[]porcupine.Operation{
			at(1, 2, acquire(0), true), at(3, 4, release(1), true)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := porcupine.CheckOperations(mutexModel, c.ops); got != c.want {
				t.Errorf("legal = %v, want %v", got, c.want)
			}
		})
	}
}
