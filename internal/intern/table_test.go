package intern_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/internal/intern"
)

type key struct {
	a [3]uint8
	b uint32
}

// check compares a table with the map from keys to numbers that it takes the place of.
func check(t *testing.T, table *intern.Table[key], want map[key]uint32) {
	t.Helper()
	if table.Len() != len(want) {
		t.Fatalf("%d keys, want %d", table.Len(), len(want))
	}
	for k, number := range want {
		if got, ok := table.Find(k); !ok || got != number {
			t.Fatalf("key %v has number %d, %v; want %d", k, got, ok, number)
		}
		if got := table.Key(number); got != k {
			t.Fatalf("number %d is key %v, want %v", number, got, k)
		}
	}
}

func TestTable(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 1))
	draw := func(distinct int) key {
		x := dice.IntN(distinct)
		return key{[3]uint8{uint8(x), uint8(x >> 8), 7}, uint32(x) / 3}
	}
	var table intern.Table[key]
	if _, ok := table.Find(key{}); ok {
		t.Error("an empty table has a key")
	}
	for _, size := range []int{1, 12, 13, 100, 4096, 4097, 30_000, 50} { // the last after larger ones
		want := map[key]uint32{}
		for range 3 * size {
			k := draw(size)
			number, known := want[k]
			if !known {
				number = uint32(len(want))
				want[k] = number
			}
			if got, added := table.Add(k); got != number || added == known {
				t.Fatalf("Add(%v) = %d, %v; want %d, %v", k, got, added, number, !known)
			}
		}
		check(t, &table, want)
		more := make([]key, size) // some of them new, some twice
		var numbers []uint32
		for i := range more {
			k := draw(2 * size)
			if _, known := want[k]; !known {
				want[k] = uint32(len(want))
			}
			more[i], numbers = k, append(numbers, want[k])
		}
		if got := table.AddAll([]uint32{7}, more); got[0] != 7 || !slices.Equal(got[1:], numbers) {
			t.Fatalf("AddAll(%v) = %v, want 7 and %v", more, got, numbers)
		}
		check(t, &table, want)
		for range 100 {
			k := draw(4 * size)
			_, known := want[k]
			if _, ok := table.Find(k); ok != known {
				t.Fatalf("Find(%v) reports %v, want %v", k, ok, known)
			}
		}

		to := make([]uint32, len(want))
		for i, x := range dice.Perm(len(want)) {
			to[i] = uint32(x)
		}
		for k, i := range want {
			want[k] = to[i]
		}
		table.Renumber(to)
		check(t, &table, want)

		table.Clear()
		check(t, &table, nil)
		for k := range want {
			if _, ok := table.Find(k); ok {
				t.Fatalf("key %v after Clear", k)
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	var table intern.Table[key]
	add := func() {
		table.Clear()
		for i := range uint32(10_000) {
			table.Add(key{b: i % 7000})
		}
	}
	add()
	if n := testing.AllocsPerRun(10, add); n != 0 {
		t.Errorf("%v allocations, want none once the table has its size", n)
	}
}

func BenchmarkAdd(b *testing.B) {
	for _, size := range []uint32{1000, 1_000_000} {
		keys := make([]key, 4*size) // each four times
		for i := range keys {
			keys[i].b = uint32(i) % size * 2654435761
		}
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		name := map[uint32]string{1000: "thousand", 1_000_000: "million"}[size]
		b.Run(name+"/table", func(b *testing.B) {
			for b.Loop() {
				var t intern.Table[key]
				for _, k := range keys {
					t.Add(k)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(keys)), "ns/key")
		})
		b.Run(name+"/six", func(b *testing.B) {
			var dst []uint32
			for b.Loop() {
				var t intern.Table[key]
				for part := range slices.Chunk(keys, 6) {
					dst = t.AddAll(dst[:0], part)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(keys)), "ns/key")
		})
		b.Run(name+"/map", func(b *testing.B) {
			for b.Loop() {
				t := map[key]uint32{}
				for _, k := range keys {
					if _, ok := t[k]; !ok {
						t[k] = uint32(len(t))
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(keys)), "ns/key")
		})
	}
}
