package jobs

import (
	"context"
	"sync"
)

// Cache holds what was decoded from the inputs used last, so that jobs which share an
// input decode it once. The zero value is empty. Many goroutines may use it at once.
type Cache[T any] struct {
	mu      sync.Mutex
	entries []*entry[T] // the latest used last
}

type entry[T any] struct {
	key   Digest
	ended chan struct{} // closed when value and err are set
	value T
	err   error
}

// size is the number of inputs of a kind that a cache holds. Chosen: those of a few
// coordinators at once.
const size = 4

// Of returns what decode makes of an input. It calls decode unless the cache holds the
// result. When ctx is done it returns its error, and decode goes on for others.
func (c *Cache[T]) Of(ctx context.Context, b *Blob, decode func([]byte) (T, error)) (T, error) {
	c.mu.Lock()
	var e *entry[T]
	for i, x := range c.entries {
		if x.key == b.Digest {
			e = x
			c.entries = append(c.entries[:i], c.entries[i+1:]...)
			break
		}
	}
	if e == nil {
		e = &entry[T]{key: b.Digest, ended: make(chan struct{})}
		go func() {
			defer close(e.ended)
			e.value, e.err = decode(b.Bytes)
		}()
	}
	if len(c.entries) == size {
		c.entries = append(c.entries[:0], c.entries[1:]...)
	}
	c.entries = append(c.entries, e)
	c.mu.Unlock()
	select {
	case <-e.ended:
		return e.value, e.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
