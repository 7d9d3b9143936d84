package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress is a bar on the last line of a terminal; elsewhere it shows
// nothing. It may be used by many goroutines at once.
type Progress struct {
	w     io.Writer
	mu    sync.Mutex
	bar   *progressbar.ProgressBar // nil if w is not a terminal
	shown time.Time
	note  string // the latest

	share, from float64 // the latest, and that of began
	began       time.Time
}

const (
	barMax   = 10000                  // chosen: hundredths of a percent
	barPause = 100 * time.Millisecond // between two drawings; chosen
)

// NewProgress returns a bar on w, not drawn yet.
func NewProgress(w io.Writer) *Progress {
	f, ok := w.(*os.File)
	return newProgress(w, ok && term.IsTerminal(int(f.Fd())))
}

func newProgress(w io.Writer, terminal bool) *Progress {
	p := &Progress{w: w}
	if terminal {
		p.bar = progressbar.NewOptions(barMax, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(30),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false))
	}
	return p
}

// Set shows the share done, 0 to 1, behind a short note and the time left. It is
// cheap: what comes too fast for the eye is not drawn. A share below half the
// last one begins something new.
func (p *Progress) Set(share float64, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note = note
	if time.Since(p.shown) >= barPause {
		p.draw(share, note)
	}
}

// Stage is Set, but always drawn: for steps that are few and can take long.
func (p *Progress) Stage(share float64, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note = note
	p.draw(share, note)
}

// Add shows more behind the latest note, until the next.
func (p *Progress) Add(note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw(p.share, p.note+note)
}

func (p *Progress) draw(share float64, note string) {
	if p.bar == nil {
		return
	}
	now := time.Now()
	if p.began.IsZero() || share < p.share/2 {
		p.began, p.from = now, share
	}
	p.share, p.shown = share, now
	if took := now.Sub(p.began); took >= time.Second && share > p.from { // before, it is a guess
		left := time.Duration(float64(took) * (1 - share) / (share - p.from))
		note += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	// One short of the end: a bar that was full once is never drawn again.
	p.bar.Set(min(int(share*barMax), barMax-1))
	p.bar.Describe(note)
}

// Write passes b on to the writer of the bar, above it, so that logs and a bar
// can share a terminal.
func (p *Progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	return p.w.Write(b)
}

// Clear removes the bar.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Progress) clear() {
	if p.bar != nil {
		p.bar.Clear()
		p.shown = time.Time{}
	}
}
