// Package antipattern locks rows wrongly, one way each, to be shown and tested:
// do not use it.
//
// What belongs here: a mistake that a lesson shows, with the sentence that names
// it. What does not: anything that a program could want.
package antipattern
