// Package likes is the service of the examples: a person likes a post, and that
// is to count once, however often the button is pressed and however many
// instances of the service are told.
//
// It shows what keeps such data right when the lock around it has failed: a
// unique index, a conditional update, or the key of the request.
//
// What belongs here: the service and its defences. What does not: locks, which
// its callers take, and the defences as building blocks (package sqlfencing).
package likes
