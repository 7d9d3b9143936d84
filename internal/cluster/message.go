package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"marsgym/internal/input"
	"marsgym/internal/jobs"
)

// Names of the streams.
const (
	jobStream   = "MARSGYM_JOBS"
	inputStream = "MARSGYM_INPUTS"
)

// Bounds of messages. Chosen: far above what jobs of this module need, and what a process
// may have to hold for another one.
const (
	maxJob     = 128 << 10 // bytes of a job
	maxInputs  = 1 << 10   // of a job
	maxInput   = 512 << 20 // bytes of an input
	maxResult  = 256 << 20 // bytes of a result
	maxHeld    = 2 << 30   // bytes of results that are not complete
	maxReport  = 4 << 10   // bytes of any other text
	inputChunk = 256 << 10 // bytes of a message with a part of an input
)

// jobMessage is a job in the queue.
type jobMessage struct {
	Run    string          `json:"run"`
	Kind   string          `json:"kind"`
	Args   json.RawMessage `json:"args"`
	Inputs []inputName     `json:"inputs"`
}

// inputName names an input.
type inputName struct {
	SHA256 jobs.Digest `json:"sha256"`
	Size   int         `json:"size"`
}

// token is a part of a subject: the name of a run, or of a worker.
var token = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func newJobMessage(run string, j jobs.Job) ([]byte, error) {
	m := jobMessage{Run: run, Kind: j.Kind, Args: j.Args}
	for _, b := range j.Inputs {
		if len(b.Bytes) > maxInput {
			return nil, fmt.Errorf("an input of a job has %d bytes; want at most %d", len(b.Bytes), maxInput)
		}
		m.Inputs = append(m.Inputs, inputName{b.Digest, len(b.Bytes)})
	}
	text, err := json.Marshal(m)
	if err == nil && (len(text) > maxJob || len(m.Inputs) > maxInputs) {
		err = fmt.Errorf("a job has %d bytes and %d inputs; want at most %d and %d", len(text), len(m.Inputs), maxJob, maxInputs)
	}
	return text, err
}

// parseJob reads a job of the queue. Its inputs have no bytes yet.
func parseJob(text []byte) (run string, j jobs.Job, sizes []int, err error) {
	var m jobMessage
	if err := decode(text, maxJob, &m); err != nil {
		return "", j, nil, err
	}
	if !token.MatchString(m.Run) || !token.MatchString(m.Kind) || len(m.Inputs) > maxInputs {
		return "", j, nil, fmt.Errorf("a job of kind %s in run %s with %d inputs", input.Quote(m.Kind), input.Quote(m.Run), len(m.Inputs))
	}
	j = jobs.Job{Kind: m.Kind, Args: m.Args}
	for _, in := range m.Inputs {
		if in.SHA256 == (jobs.Digest{}) {
			return "", j, nil, errors.New("an input without a digest")
		}
		if in.Size < 0 || in.Size > maxInput {
			return "", j, nil, fmt.Errorf("an input of %d bytes; want at most %d", in.Size, maxInput)
		}
		j.Inputs, sizes = append(j.Inputs, &jobs.Blob{Digest: in.SHA256}), append(sizes, in.Size)
	}
	return m.Run, j, sizes, nil
}

// report is what a worker tells a coordinator of a job.
type report struct {
	Job   jobs.Digest `json:"job"`
	Turn  string      `json:"turn"`            // names this delivery of the job to the worker
	Error string      `json:"error,omitempty"` // why it failed
	// Of a chunk of a result, which follows the report:
	Offset int `json:"offset"`
	Size   int `json:"size"`  // bytes of the whole result
	Times  int `json:"times"` // how many of them, at the end, are times
}

// answer is what the coordinator replies.
type answer struct {
	OK    bool   `json:"ok"`
	Later bool   `json:"later,omitempty"` // another worker computes the job, and may fail
	Aside bool   `json:"aside,omitempty"` // the worker is set aside: the job is for another one
	Error string `json:"error,omitempty"`
}

// presence is what a worker tells all coordinators each second.
type presence struct {
	Identity string `json:"identity"`
	Slots    int    `json:"slots"` // jobs that it computes at the same time
}

// appendChunk appends a report, its length before it, and the chunk of a result.
func appendChunk(r report, chunk []byte) ([]byte, error) {
	text, err := json.Marshal(r)
	return append(jobs.AppendSlice(nil, text), chunk...), err
}

// cutReport reads what appendChunk wrote.
func cutReport(b []byte) (r report, chunk []byte, err error) {
	text, chunk, err := jobs.CutSlice[byte](b)
	if err == nil {
		err = decode(text, maxReport, &r)
	}
	if err == nil && r.Job == (jobs.Digest{}) {
		err = errors.New("a report of no job")
	}
	if err == nil && (r.Offset < 0 || r.Size < 0 || r.Size > maxResult || r.Times < 0 || r.Times > r.Size || r.Offset > r.Size || len(chunk) > r.Size-r.Offset) {
		err = fmt.Errorf("%d bytes at %d of a result of %d", len(chunk), r.Offset, r.Size)
	}
	return r, chunk, err
}

// decode reads a JSON document of bounded size.
func decode(text []byte, most int, v any) error {
	if len(text) > most {
		return fmt.Errorf("a message of %d bytes; want at most %d", len(text), most)
	}
	return input.DecodeJSON(text, v)
}

// IdentityToken is the part of subjects that stands for an identity.
func IdentityToken(identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return hex.EncodeToString(sum[:12])
}
