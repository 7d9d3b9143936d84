// In package cluster for what reads foreign messages.
package cluster

import (
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
	b, err := appendChunk(report{Job: jobs.Job{}.Digest().String(), Size: 3, Times: 1}, []byte("abc"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 7})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, _, chunk, err := cutReport(b)
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
