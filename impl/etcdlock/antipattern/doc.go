// Package antipattern holds locks on etcd that are WRONG, each in one respect: a
// second look or a comparison left out, an error not listened to, a crowd woken
// for one place.
//
// They exist to be watched failing, by lessons, scenarios and tests. Nothing
// else may import them. What surrounds each mistake is as it should be: the key
// is bound to a lease, which is renewed, and a call that fails leaves nothing
// behind.
//
// What belongs here: one type a file, whose doc names the mistake, what it leads
// to, and what to do instead, and the session that all of them use. What does
// not: anything worth copying.
package antipattern
