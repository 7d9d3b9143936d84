package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"marsgym/internal/input"
)

// Progress is a progress bar on the last line of a terminal. If its writer is not a
// terminal, it writes plain lines, at growing intervals, and none in the first half
// minute of a task. It may be used by many goroutines at once.
type Progress struct {
	w     io.Writer
	mu    sync.Mutex
	bar   *progressbar.ProgressBar // nil if w is not a terminal
	shown time.Time
	line  time.Time // not before it a plain line is written
	note  string    // the latest

	done, from float64 // the latest fraction, and that at the time began
	began      time.Time
}

const (
	barMax   = 10000                  // chosen: hundredths of a percent
	barPause = 100 * time.Millisecond // between two draws; chosen

	// The width of the bar, where there is room, and of what is around it: " 100% |" and "| ",
	// and a column that stays free.
	barWidth, barFrame = 30, 10
	// The width of what is around the note of Wait: a spinner, blanks, and a free column.
	waitFrame = 5

	// The least time before a plain line, and its part of the time of the task so far.
	// Chosen: an hour has some 20 lines.
	linePause, linePart = 30 * time.Second, 4
)

// onStderr is the latest bar on standard error, or nil.
var onStderr atomic.Pointer[Progress]

// NewProgress returns a bar on w. It draws nothing yet.
func NewProgress(w io.Writer) *Progress {
	f, ok := w.(*os.File)
	return newProgress(w, ok && term.IsTerminal(int(f.Fd())) && (!ansiBar || obeysCodes(f)))
}

func newProgress(w io.Writer, terminal bool) *Progress {
	p := &Progress{w: w}
	if w == os.Stderr {
		onStderr.Store(p)
	}
	if terminal {
		p.bar = progressbar.NewOptions(barMax, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(barWidth),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false),
			progressbar.OptionUseANSICodes(ansiBar), progressbar.OptionSetSpinnerChangeInterval(0))
	}
	return p
}

// Columns returns the width of the terminal, or 0 if the writer is none.
func (p *Progress) Columns() int {
	if p.bar == nil {
		return 0
	}
	if f, ok := p.w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return 80 // it is not known
}

// Set shows a short note, the fraction done, 0 to 1, and the time left. It is cheap:
// it does not draw more often than every tenth of a second. A fraction below half
// the last one starts a new task, and a new estimate of the time left.
func (p *Progress) Set(done float64, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note = note
	if time.Since(p.shown) >= barPause {
		p.draw(done, note)
	}
}

// Stage is Set, but always draws. It is for a few steps that can take long.
func (p *Progress) Stage(done float64, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note = note
	p.draw(done, note)
}

// Wait shows a note during work of which neither the fraction done nor the time left is
// known. What follows is a new task.
func (p *Progress) Wait(note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.note, p.done, p.began, p.shown = note, 0, time.Time{}, time.Time{}
	if p.bar == nil {
		if p.line.IsZero() {
			p.line = now.Add(linePause)
		} else if !now.Before(p.line) {
			fmt.Fprintln(p.w, oneLine(note))
			p.line = now.Add(linePause)
		}
		return
	}
	p.bar.Set(0) // the library ends a bar whose number is above its new maximum
	p.bar.ChangeMax(-1)
	p.bar.Describe(cut(oneLine(note), p.Columns()-waitFrame))
}

// Add shows text after the latest note, until the next call.
func (p *Progress) Add(note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw(p.done, p.note+note)
}

func (p *Progress) draw(done float64, note string) {
	now := time.Now()
	note = oneLine(note)
	if p.began.IsZero() || done < p.done/2 {
		p.began, p.from, p.line = now, done, now.Add(linePause)
	}
	p.done, p.shown = done, now
	took, left := now.Sub(p.began), ""
	if took >= time.Second && done > p.from && done < 1 { // earlier the estimate is too rough
		if ns := float64(took) * (1 - done) / (done - p.from); ns < math.MaxInt64 {
			left = fmt.Sprintf(", %v left", time.Duration(ns).Round(time.Second))
		}
	}
	if p.bar == nil {
		if !now.Before(p.line) {
			fmt.Fprintf(p.w, "%s%s: %.0f%%\n", note, left, 100*done)
			p.line = now.Add(max(linePause, took/linePart))
		}
		return
	}
	// The library writes the note, the percentage and the bar in one line, and removes one line
	// only. A fifth of 80 columns leaves room for speed, strength and time left.
	columns := p.Columns()
	bar := min(barWidth, columns/5)
	progressbar.OptionSetWidth(bar)(p.bar)
	if p.bar.GetMax() != barMax {
		p.bar.ChangeMax(barMax) // after Wait
	}
	// One below the end: the library does not draw a bar again that was full once.
	p.bar.Set(min(int(done*barMax), barMax-1))
	room := columns - bar - barFrame
	p.bar.Describe(cut(cut(note, room-len(left))+left, room))
}

func oneLine(note string) string { return strings.ReplaceAll(input.Printable(note), "\n", " ") }

// cut returns the first characters of a note, as many as there is room for.
func cut(note string, room int) string {
	if room = max(0, room); utf8.RuneCountInString(note) > room {
		note = string([]rune(note)[:room])
	}
	return note
}

// Write writes b, which should be whole lines, to the writer of the bar, above the bar, so
// that log lines and a bar can share a terminal. Control characters are escaped, see
// [input.Printable].
func (p *Progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	if _, err := io.WriteString(p.w, input.Printable(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
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
