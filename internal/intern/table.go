// Package intern numbers distinct keys. It takes the place of a map from keys to consecutive
// numbers: it stores each key once and hashes it once, whether the key is new or not.
package intern

import (
	"hash/maphash"
)

// blockBits is the logarithm of the number of keys in a block. Chosen: a table of millions never
// copies its keys, and its list of blocks fits into a cache.
const blockBits = 12

// Table numbers distinct keys from 0 in the order in which they are added. The zero value is
// empty and ready for use. Several goroutines may call Find, Key and Len at the same time.
//
// It is a hash table by open addressing with linear probing. The order of its slots differs from
// one process to the next; its numbers do not.
type Table[K comparable] struct {
	seed maphash.Seed
	// slots, 2^b of them, hold 1 + the number of a key in the low b bits and part of its hash in
	// the others, or 0. The part of the hash tells most keys apart without a look at them.
	slots  []uint32
	blocks [][]K // the keys by number, 2^blockBits in each but the last
	n      int

	hashes []uint64 // of AddAll
}

// Len returns the number of keys.
func (t *Table[K]) Len() int { return t.n }

// Key returns the key with a number below Len.
func (t *Table[K]) Key(number uint32) K {
	return t.blocks[number>>blockBits][number&(1<<blockBits-1)]
}

// Find returns the number of a key, and whether the table has it.
func (t *Table[K]) Find(k K) (number uint32, ok bool) {
	if t.n == 0 {
		return 0, false
	}
	_, number, ok = t.find(k, maphash.Comparable(t.seed, k))
	return number, ok
}

// Add returns the number of a key, and whether the key is new.
func (t *Table[K]) Add(k K) (number uint32, added bool) {
	if 4*t.n >= 3*len(t.slots) {
		t.grow()
	}
	h := maphash.Comparable(t.seed, k)
	slot, number, ok := t.find(k, h)
	if !ok {
		number = t.insert(k, slot, h)
	}
	return number, !ok
}

// insert adds a key with hash h, whose place is slot.
func (t *Table[K]) insert(k K, slot, h uint64) (number uint32) {
	number = uint32(t.n)
	t.slots[slot] = t.tag(h) | (number + 1)
	t.n++
	last := int(number >> blockBits)
	if last == len(t.blocks) {
		var block []K
		if last > 0 {
			block = make([]K, 0, 1<<blockBits)
		}
		t.blocks = append(t.blocks, block)
	}
	t.blocks[last] = append(t.blocks[last], k)
	return number
}

// AddAll appends the numbers of keys to dst. It adds those that are new.
//
// In a table beyond the caches this takes a fraction of the time of an Add for each key: the
// processor waits for the slots of all keys at once.
func (t *Table[K]) AddAll(dst []uint32, keys []K) []uint32 {
	for 4*(t.n+len(keys)) > 3*len(t.slots) {
		t.grow()
	}
	t.hashes = t.hashes[:0]
	for _, k := range keys {
		t.hashes = append(t.hashes, maphash.Comparable(t.seed, k))
	}
	mask := uint64(len(t.slots) - 1)
	first := len(dst)
	for _, h := range t.hashes {
		dst = append(dst, t.slots[h&mask])
	}
	for i, h := range t.hashes {
		if x := dst[first+i]; x&^uint32(mask) == t.tag(h) && x != 0 && t.Key(x&uint32(mask)-1) == keys[i] {
			dst[first+i] = x&uint32(mask) - 1
			continue
		}
		slot, number, ok := t.find(keys[i], h)
		if !ok {
			number = t.insert(keys[i], slot, h)
		}
		dst[first+i] = number
	}
	return dst
}

// find returns the number of a key with hash h, or its slot if the table does not have it.
func (t *Table[K]) find(k K, h uint64) (slot uint64, number uint32, ok bool) {
	mask := uint64(len(t.slots) - 1)
	tag := t.tag(h)
	for slot = h & mask; ; slot = (slot + 1) & mask {
		x := t.slots[slot]
		if x == 0 {
			return slot, 0, false
		}
		if x&^uint32(mask) == tag {
			if number = x&uint32(mask) - 1; t.Key(number) == k {
				return slot, number, true
			}
		}
	}
}

// tag returns the part of a hash that a slot holds.
func (t *Table[K]) tag(h uint64) uint32 { return uint32(h>>32) &^ uint32(len(t.slots)-1) }

// grow doubles the slots.
func (t *Table[K]) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	t.slots = make([]uint32, max(16, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	number := uint32(0)
	for _, block := range t.blocks {
		for _, k := range block {
			h := maphash.Comparable(t.seed, k)
			slot := h & mask
			for t.slots[slot] != 0 {
				slot = (slot + 1) & mask
			}
			number++
			t.slots[slot] = t.tag(h) | number
		}
	}
}

// Renumber gives each key i the number to[i]. The numbers are a permutation, which Renumber
// changes to the identity.
func (t *Table[K]) Renumber(to []uint32) {
	mask := uint32(len(t.slots) - 1)
	for slot, x := range t.slots {
		if x != 0 {
			t.slots[slot] = x&^mask | (to[x&mask-1] + 1)
		}
	}
	key := func(i uint32) *K { return &t.blocks[i>>blockBits][i&(1<<blockBits-1)] }
	for i := range to {
		for to[i] != uint32(i) {
			j := to[i]
			a, b := key(uint32(i)), key(j)
			*a, *b = *b, *a
			to[i], to[j] = to[j], to[i]
		}
	}
}

// Clear removes all keys. The memory is reused.
func (t *Table[K]) Clear() {
	clear(t.slots)
	t.n = 0
	for i := range t.blocks {
		t.blocks[i] = t.blocks[i][:0]
	}
}
