package redislock_test

import (
	"crypto/sha1"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/redislock"
)

func TestScriptsAreTheFiles(t *testing.T) {
	files, err := filepath.Glob("internal/lua/*.lua")
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v, %v", files, err)
	}
	var names []string
	for _, s := range redislock.Scripts() {
		names = append(names, s.Name)
		source, err := os.ReadFile(filepath.Join("internal/lua", s.Name))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha1.Sum(source)
		if s.Source != string(source) || s.SHA != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: source or digest differs from the file", s.Name)
		}
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if !slices.Equal(names, files) {
		t.Errorf("Scripts() = %v, the folder has %v", names, files)
	}
}

func TestLoadMakesTheServerKnowEveryScript(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		s.admin.ScriptFlush(t.Context())
		if err := redislock.Load(t.Context(), s.admin); err != nil {
			t.Fatal(err)
		}
		for _, script := range redislock.Scripts() {
			if known := s.admin.ScriptExists(t.Context(), script.SHA).Val(); !slices.Equal(known, []bool{true}) {
				t.Errorf("%s: the server knows it: %v", script.Name, known)
			}
		}
	})
}
