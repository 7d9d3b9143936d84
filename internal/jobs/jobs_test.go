package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"marsgym/internal/jobs"
)

// square is a task that squares a number.
type square struct{ x, result int }

func (s *square) Run(context.Context) error {
	if s.x < 0 {
		return errNegative
	}
	s.result = s.x * s.x
	return nil
}

func (s *square) Job() (jobs.Job, error)    { return jobs.Job{Kind: "square"}, nil }
func (s *square) Receive(jobs.Result) error { return nil }

var errNegative = errors.New("negative")

func TestLocal(t *testing.T) {
	var tasks []jobs.Task
	for x := range 100 {
		tasks = append(tasks, &square{x: x})
	}
	if err := (jobs.Local{}).Do(t.Context(), tasks); err != nil {
		t.Fatal(err)
	}
	for x, task := range tasks {
		if got := task.(*square).result; got != x*x {
			t.Errorf("%d squared is %d", x, got)
		}
	}
	if err := (jobs.Local{}).Do(t.Context(), []jobs.Task{&square{x: -1}}); !errors.Is(err, errNegative) {
		t.Errorf("error %v; want that of the task", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (jobs.Local{}).Do(ctx, tasks); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want that of the context", err)
	}
}

// TestDigest changes each part of a job in turn.
func TestDigest(t *testing.T) {
	a, b := jobs.NewBlob([]byte("a")), jobs.NewBlob([]byte("b"))
	list := []jobs.Job{
		{Kind: "k", Args: []byte("1"), Inputs: []*jobs.Blob{a, b}},
		{Kind: "k1", Inputs: []*jobs.Blob{a, b}},
		{Kind: "k", Args: []byte("2"), Inputs: []*jobs.Blob{a, b}},
		{Kind: "k", Args: []byte("1"), Inputs: []*jobs.Blob{b, a}},
		{Kind: "k", Args: []byte("1"), Inputs: []*jobs.Blob{a}},
	}
	for i, x := range list {
		for k, y := range list {
			if (x.Digest() == y.Digest()) != (i == k) {
				t.Errorf("jobs %d and %d: %v and %v", i, k, x.Digest(), y.Digest())
			}
		}
	}
	if r := (jobs.Result{Bytes: []byte("1"), Times: []byte("2 s")}); r.Digest() != (jobs.Result{Bytes: r.Bytes}).Digest() {
		t.Error("the digest of a result depends on its times")
	}
}

func TestCache(t *testing.T) {
	var c jobs.Cache[string]
	decoded := 0
	of := func(text string) {
		s, err := c.Of(t.Context(), jobs.NewBlob([]byte(text)), func(b []byte) (string, error) { decoded++; return string(b), nil })
		if s != text || err != nil {
			t.Errorf("%q is %q, %v", text, s, err)
		}
	}
	for _, text := range []string{"a", "b", "a", "c", "d", "a", "e", "a", "b"} { // b is the oldest when e comes
		of(text)
	}
	if decoded != 6 {
		t.Errorf("decoded %d times; want 6: a, b, c, d, e, and b again", decoded)
	}
}

// TestCacheCancelled: who waits for an input that another job decodes can give up, and finds
// it later.
func TestCacheCancelled(t *testing.T) {
	var c jobs.Cache[string]
	begun, release := make(chan struct{}), make(chan struct{})
	input := jobs.NewBlob([]byte("a"))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	slow := func([]byte) (string, error) {
		close(begun)
		<-release
		return "decoded", nil
	}
	if _, err := c.Of(ctx, input, slow); !errors.Is(err, context.Canceled) {
		t.Errorf("the job that decodes: %v", err)
	}
	if _, err := c.Of(ctx, input, slow); !errors.Is(err, context.Canceled) {
		t.Errorf("the job that waits: %v", err)
	}
	close(release)
	if s, err := c.Of(t.Context(), input, slow); s != "decoded" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
}

func TestSlice(t *testing.T) {
	want := []float32{1, -2, 0}
	b := append(jobs.AppendSlice(nil, want), 7)
	got, rest, err := jobs.CutSlice[float32](b)
	if err != nil || !slices.Equal(got, want) || len(rest) != 1 {
		t.Errorf("%v and %v, %v", got, rest, err)
	}
	for n := range len(b) - 1 {
		want := "no length in the remaining 0 bytes"
		if n > 0 {
			want = fmt.Sprintf("3 elements of 4 bytes in the remaining %d bytes", n-1)
		}
		if _, _, err := jobs.CutSlice[float32](b[:n]); err == nil || err.Error() != want {
			t.Errorf("the first %d bytes: %v; want %q", n, err, want)
		}
	}
	for want, b := range map[string][]byte{
		"2147483647 elements of 8 bytes in the remaining 0 bytes": {0xff, 0xff, 0xff, 0xff, 0x07},
		"no length in the remaining 5 bytes":                      {0xff, 0xff, 0xff, 0xff, 0x08}, // 1<<31 + 1<<31 - 1
	} {
		if _, _, err := jobs.CutSlice[float64](b); err == nil || err.Error() != want {
			t.Errorf("%x: %v; want %q", b, err, want)
		}
	}
}
