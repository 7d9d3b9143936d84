package jobs

import "sync"

// Cache holds what was decoded from the inputs used last, so that jobs which share an
// input decode it once. The zero value is empty. Many goroutines may use it at once.
type Cache[T any] struct {
	mu      sync.Mutex
	entries []entry[T] // the latest used last
}

type entry[T any] struct {
	key    Digest
	decode func() (T, error) // runs once
}

// size is the number of inputs of a kind that a cache holds. Chosen: those of a few
// coordinators at once.
const size = 4

// Of returns what decode makes of an input. It calls decode unless the cache holds the
// result.
func (c *Cache[T]) Of(b *Blob, decode func([]byte) (T, error)) (T, error) {
	c.mu.Lock()
	e := entry[T]{b.Digest, sync.OnceValues(func() (T, error) { return decode(b.Bytes) })}
	for i, x := range c.entries {
		if x.key == b.Digest {
			e = x
			c.entries = append(c.entries[:i], c.entries[i+1:]...)
			break
		}
	}
	if len(c.entries) == size {
		c.entries = append(c.entries[:0], c.entries[1:]...)
	}
	c.entries = append(c.entries, e)
	c.mu.Unlock()
	return e.decode()
}
