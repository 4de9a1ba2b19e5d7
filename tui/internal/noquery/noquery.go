// Package noquery keeps Bubble Tea from asking the terminal for the colour of its
// background while the process starts. Nothing else belongs here.
//
// Bubble Tea v1 asks in an init function, so every command would, even those that
// show no interface, and each waits up to 5 s in a terminal that does not answer.
// The question is asked through termenv, which leaves a terminal alone when CI is
// set. So the package sets CI before Bubble Tea is initialised; [Over] undoes it.
//
// That it comes before follows from the language's order of initialisation: of
// the packages whose imports are initialised, the first by import path is next.
// This package needs nothing but os. Bubble Tea needs golang.org/x/sys, which
// comes after this one by its path, and has not been initialised before. A
// package that imports Lip Gloss to tell it the background would be too late:
// "github.com/charmbracelet/bubbletea" comes before it by its path as soon as
// Lip Gloss is ready. So do not import anything else here.
package noquery

import "os"

const variable = "CI"

// before is the variable as the user has set it.
var before, wasSet = os.LookupEnv(variable)

func init() {
	if before == "" {
		os.Setenv(variable, "1")
	}
}

// Over gives the environment back as it was. It is for an init function of a
// package that imports Bubble Tea, which is initialised by then.
func Over() {
	if !wasSet {
		os.Unsetenv(variable)
		return
	}
	os.Setenv(variable, before)
}
