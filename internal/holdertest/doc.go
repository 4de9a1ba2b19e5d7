// Package holdertest gives tests a holder of a lock that they can kill and stop:
// a process of its own, which is the test program started a second time.
//
// A test package calls [RunIfHolder] in an init function, with what opens the
// lock; its tests call [Start], or describe the backend in a [Backend] and let
// that do the rest. Signals exist on Unix only, and so does all but RunIfHolder.
//
// What belongs here: the two halves of that process, and what has to hold for
// every lock whose holder dies or stops. What does not: any backend.
package holdertest
