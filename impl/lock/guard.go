package lock

import (
	"context"
	"reflect"
)

// Guard turns fn into a function that runs it under a lock, whose key is made of
// the argument by a template (see [KeyTemplate]):
//
//	like, err := lock.Guard(locker, "post:like:{post}:{user}", insertLike)
//
// The guarded function waits for the lock as [Do] does, hands fn a context that
// ends with the lease, and returns what fn returned together with the errors of
// Do. Where the waiting is to be bounded, pass a Locker made by [Within].
//
// A template that cannot work for T is [ErrInvalid] here; one that lacks a field
// of one argument is so when the function is called, before anything is locked.
func Guard[T, R any](
	l Locker, template string, fn func(context.Context, T) (R, error), opts ...Option,
) (func(context.Context, T) (R, error), error) {
	t, err := ParseKeyTemplate(template)
	if err != nil {
		return nil, err
	}
	if err := t.checkType(reflect.TypeFor[T]()); err != nil {
		return nil, err
	}
	return func(ctx context.Context, arg T) (result R, err error) {
		key, err := t.Key(arg)
		if err != nil {
			return result, err
		}
		err = Do(ctx, l, key, func(ctx context.Context) (err error) {
			result, err = fn(ctx, arg)
			return err
		}, opts...)
		return result, err
	}, nil
}
