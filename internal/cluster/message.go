package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
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
	maxJob     = 64 << 10  // bytes of a job
	maxInputs  = 64        // of a job
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
	SHA256 string `json:"sha256"`
	Size   int    `json:"size"`
}

// token is a part of a subject: the name of a run, or of a worker.
var token = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func newJobMessage(run string, j jobs.Job) ([]byte, error) {
	m := jobMessage{Run: run, Kind: j.Kind, Args: j.Args}
	for _, b := range j.Inputs {
		if len(b.Bytes) > maxInput {
			return nil, fmt.Errorf("an input of a job has %d bytes; want at most %d", len(b.Bytes), maxInput)
		}
		m.Inputs = append(m.Inputs, inputName{b.Digest.String(), len(b.Bytes)})
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
		d, err := parseDigest(in.SHA256)
		if err != nil {
			return "", j, nil, err
		}
		if in.Size < 0 || in.Size > maxInput {
			return "", j, nil, fmt.Errorf("an input of %d bytes; want at most %d", in.Size, maxInput)
		}
		j.Inputs, sizes = append(j.Inputs, &jobs.Blob{Digest: d}), append(sizes, in.Size)
	}
	return m.Run, j, sizes, nil
}

// report is what a worker tells a coordinator of a job.
type report struct {
	Job   string `json:"job"`
	Error string `json:"error,omitempty"` // why it failed
	// Of a chunk of a result, which follows the report:
	Offset int `json:"offset"`
	Size   int `json:"size"`  // bytes of the whole result
	Times  int `json:"times"` // of them, the last so many are times
}

// answer is what the coordinator replies.
type answer struct {
	OK    bool   `json:"ok"`
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
func cutReport(b []byte) (r report, d jobs.Digest, chunk []byte, err error) {
	text, chunk, err := jobs.CutSlice[byte](b)
	if err == nil {
		err = decode(text, maxReport, &r)
	}
	if err == nil {
		d, err = parseDigest(r.Job)
	}
	if err == nil && (r.Offset < 0 || r.Size < 0 || r.Size > maxResult || r.Times < 0 || r.Times > r.Size || r.Offset > r.Size || len(chunk) > r.Size-r.Offset) {
		err = fmt.Errorf("%d bytes at %d of a result of %d", len(chunk), r.Offset, r.Size)
	}
	return r, d, chunk, err
}

// decode reads a JSON document of bounded size.
func decode(text []byte, most int, v any) error {
	if len(text) > most {
		return fmt.Errorf("a message of %d bytes; want at most %d", len(text), most)
	}
	return input.DecodeJSON(text, v)
}

func parseDigest(text string) (d jobs.Digest, err error) {
	if len(text) != hex.EncodedLen(len(d)) {
		return d, errors.New("a digest has another length")
	}
	_, err = hex.Decode(d[:], []byte(text))
	return d, err
}

// IdentityToken is the part of subjects that stands for an identity.
func IdentityToken(identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return hex.EncodeToString(sum[:12])
}

// partial is a result of which some chunks have arrived, in order.
type partial struct {
	r      report // the first
	next   int    // offset of the next chunk
	buf    []byte
	digest hash.Hash // of the result without its times, if buf is not kept
}

// add adds a chunk and reports whether the result is complete.
func (p *partial) add(r report, chunk []byte) (complete bool, err error) {
	if r.Offset == 0 { // a worker may begin again
		p.r, p.next, p.buf = r, 0, p.buf[:0]
		if p.digest != nil {
			p.digest.Reset()
		}
	}
	if r.Offset != p.next || r.Size != p.r.Size || r.Times != p.r.Times || len(chunk) == 0 && r.Size > 0 {
		return false, fmt.Errorf("a chunk at %d of %d bytes; want one at %d of %d", r.Offset, r.Size, p.next, p.r.Size)
	}
	if p.digest == nil {
		p.buf = append(p.buf, chunk...)
	} else if left := r.Size - r.Times - p.next; left > 0 {
		p.digest.Write(chunk[:min(left, len(chunk))])
	}
	p.next += len(chunk)
	return p.next == r.Size, nil
}

// result returns the complete result.
func (p *partial) result() jobs.Result {
	n := p.r.Size - p.r.Times
	return jobs.Result{Bytes: p.buf[:n:n], Times: p.buf[n:]}
}
