// In package cluster for what reads foreign messages.
package cluster

import (
	"errors"
	"testing"

	"marsgym/internal/jobs"
)

func FuzzJob(f *testing.F) {
	text, err := newJobMessage("run", jobs.Job{Kind: "k", Args: []byte(`{"part":1}`), Inputs: []*jobs.Blob{jobs.NewBlob([]byte("x"))}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"run": "a.b", "kind": ">"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		run, j, sizes, err := parseJob(b)
		if err == nil && (!token.MatchString(run) || !token.MatchString(j.Kind) || len(sizes) != len(j.Inputs) || len(sizes) > maxInputs) {
			t.Errorf("run %q, job %+v, sizes %v", run, j, sizes)
		}
	})
}

func FuzzReport(f *testing.F) {
	b, err := appendChunk(report{Job: jobs.Job{}.Digest(), Size: 3, Times: 1}, []byte("abc"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 7})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, chunk, err := cutReport(b)
		if err != nil {
			return
		}
		var p partial
		complete, err := p.add(r, chunk)
		if err == nil && complete {
			if all := p.result(); len(all.Bytes)+len(all.Times) != r.Size {
				t.Errorf("%d and %d bytes of a result of %d", len(all.Bytes), len(all.Times), r.Size)
			}
		}
	})
}

// FuzzPartials sends chunks of the results of two jobs by three workers in any order, wrong
// ones and right ones, and compares what is held with the buffers. A worker that then sends a
// whole result in order has it taken.
func FuzzPartials(f *testing.F) {
	f.Add([]byte{0, 0, 4, 4, 1, 4, 4, 2, 4, 4})
	f.Add([]byte{0, 0, 9, 9, 0, 0, 9, 9, 17, 3, 200, 9, 5, 9, 9, 33, 0, 255, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 600
		var ps partials
		held := func() {
			t.Helper()
			sum := 0
			for _, p := range ps.list {
				sum += cap(p.buf)
			}
			if ps.held != sum || ps.held > limit {
				t.Fatalf("%d bytes are held; want %d, and at most %d", ps.held, sum, limit)
			}
		}
		for ; len(b) >= 4; b = b[4:] {
			key := partialKey{jobs.Digest{b[0] & 1}, string('a' + rune(b[0]>>1%3))}
			r := report{Offset: int(b[1]), Size: int(b[3]), Times: int(b[3]) / 2}
			switch b[0] >> 4 {
			case 15:
				ps.drop(func(k partialKey, _ *partial) bool { return k.worker == key.worker })
			case 14:
				ps.remove(key)
			default:
				if p := ps.list[key]; p != nil && b[0]>>4 < 8 {
					r.Offset, r.Size, r.Times = p.next, p.r.Size, p.r.Times
				}
				if r.Offset > r.Size {
					continue // cutReport refuses it
				}
				chunk := make([]byte, min(int(b[2]), r.Size-r.Offset))
				done, _, err := ps.add(key, b[0]>>3&1 == 1, r, chunk, limit)
				if done != nil && (err != nil || done.next != done.r.Size || ps.list[key] != nil) {
					t.Fatalf("%+v is complete, %v", done, err)
				}
				if err != nil && ps.list[key] != nil {
					t.Fatal("the result is kept after an error")
				}
			}
			held()
		}
		ps.drop(func(k partialKey, _ *partial) bool { return k.worker != "honest" })
		if held(); ps.held != 0 {
			t.Fatalf("%d bytes are held of nothing", ps.held)
		}
		for k := range 10 {
			done, greedy, err := ps.add(partialKey{worker: "honest"}, false, report{Offset: 10 * k, Size: 100}, make([]byte, 10), limit)
			if err != nil || greedy != "" || (done != nil) != (k == 9) {
				t.Fatalf("chunk %d: %v, %q, %v", k, done, greedy, err)
			}
		}
	})
}

// TestGreedyWorker has a worker that begins results without end: it loses its own, and others
// lose none.
func TestGreedyWorker(t *testing.T) {
	var ps partials
	add := func(job byte, worker string, n int) (string, error) {
		_, greedy, err := ps.add(partialKey{jobs.Digest{job}, worker}, false, report{Size: 1000}, make([]byte, n), 2000)
		return greedy, err
	}
	if greedy, err := add(0, "honest", 900); greedy != "" || err != nil {
		t.Fatal(greedy, err)
	}
	for job := byte(1); ; job++ {
		if greedy, err := add(job, "greedy", 300); greedy != "" {
			if greedy != "greedy" || !errors.Is(err, errHeld) || job < 3 {
				t.Errorf("after job %d %s is greedy, %v", job, greedy, err)
			}
			break
		}
	}
	done, _, err := ps.add(partialKey{jobs.Digest{0}, "honest"}, false, report{Offset: 900, Size: 1000}, make([]byte, 100), 2000)
	if err != nil || done == nil || ps.held != 0 {
		t.Errorf("the honest result: %v, %v; %d bytes are held", done, err, ps.held)
	}
}
