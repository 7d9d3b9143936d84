// Package jobs divides work into jobs that any process can compute.
//
// A job is a pure function of its kind, arguments and inputs: whoever computes it finds
// the same bytes. An [Executor] computes tasks, which are jobs of the process that needs
// the results: [Local] in the same process, without encoding anything, and package
// cluster in others.
package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"marsgym/internal/parallel"
)

// Digest is the SHA-256 of an input, a result or a job.
type Digest [sha256.Size]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(d)) {
		return fmt.Errorf("a digest has %d digits; want %d", len(text), hex.EncodedLen(len(d)))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// Blob is an input of jobs: bytes and their digest. Several jobs may share it.
type Blob struct {
	Digest Digest
	Bytes  []byte
}

// NewBlob returns the input with these bytes, which must not change any more.
func NewBlob(b []byte) *Blob { return &Blob{sha256.Sum256(b), b} }

// Job describes a computation to other processes.
type Job struct {
	Kind   string
	Args   json.RawMessage // small: the number of a part, a fraction of a run
	Inputs []*Blob         // whatever is large, or shared by many jobs
}

// Digest identifies the job: it covers the kind, the arguments and the digests of the
// inputs.
func (j Job) Digest() Digest {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(j.Kind), j.Args} {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	for _, b := range j.Inputs {
		h.Write(b.Digest[:])
	}
	return Digest(h.Sum(nil))
}

// Task is a job in the process that needs its result.
type Task interface {
	// Run computes the result in this process. When ctx is done it may return its error.
	Run(ctx context.Context) error
	// Job describes the task to other processes.
	Job() (Job, error)
	// Receive takes the result of the job from another process. It returns an error if
	// that is not a possible result.
	Receive(r Result) error
}

// Executor computes tasks.
type Executor interface {
	// Do computes all tasks and returns the first error. After an error some tasks may
	// have their results. Several goroutines may call it at the same time.
	Do(ctx context.Context, tasks []Task) error
}

// Local computes tasks in this process, up to GOMAXPROCS of them at the same time.
type Local struct{}

// Do implements [Executor].
func (Local) Do(ctx context.Context, tasks []Task) error {
	return parallel.ForContext(ctx, len(tasks), 1, func(k, _ int) error { return tasks[k].Run(ctx) })
}

// Func computes jobs of a kind in a process that works for others. It checks args and
// inputs before it uses them. Several goroutines may call it at the same time.
type Func func(ctx context.Context, args []byte, inputs []*Blob) (Result, error)

// Result is what a Func found.
type Result struct {
	Bytes []byte // the same whoever computes the job
	Times []byte // what differs from one process to another, such as times; or nil
}

// Digest identifies the result, without its times.
func (r Result) Digest() Digest { return sha256.Sum256(r.Bytes) }
