package parallel

import "context"

// Lock is a mutex for long work: who waits for it can give up. [NewLock] returns one.
type Lock chan struct{}

// NewLock returns a lock that nobody holds.
func NewLock() Lock { return make(Lock, 1) }

// Acquire waits for the lock, or returns the error of ctx when that is done.
func (l Lock) Acquire(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release lets the next one have the lock.
func (l Lock) Release() { <-l }
