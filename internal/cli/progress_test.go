// In package cli, since newProgress takes a buffer for a terminal.
package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

func TestProgressOnFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := NewProgress(f)
	p.Set(0.5, "half")
	p.Write([]byte("a log line\n"))
	p.Write([]byte("runs/x\x1b[2J\n"))
	p.Clear()
	got, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != "a log line\nruns/x\\x1b[2J\n" {
		t.Errorf("a file got %q, want the log lines alone, without control characters", got)
	}
}

func TestProgressOnTerminal(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, true)

	p.Set(0.5, "half")
	if got := screen(b.String()); !strings.Contains(got, "half") || !strings.Contains(got, "50%") {
		t.Errorf("the bar reads %q, want half and 50%%", got)
	}

	n := b.Len()
	p.Set(0.6, "soon after")
	if b.Len() != n {
		t.Errorf("drawn again at once: %q", b.String()[n:])
	}

	p.Stage(0.7, "the next stage")
	if got := screen(b.String()); !strings.Contains(got, "the next stage") {
		t.Errorf("the bar reads %q, want the next stage", got)
	}

	p.Set(0.8, "too soon to be shown")
	p.Add(", with more")
	if got := screen(b.String()); !strings.Contains(got, "too soon to be shown, with more") || !strings.Contains(got, "70%") {
		t.Errorf("the bar reads %q, want the latest note with more and 70%%", got)
	}

	p.Write([]byte("a log line\n"))
	if got := screen(b.String()); got != "a log line\n" {
		t.Errorf("after a log line the screen reads %q", got)
	}

	for _, done := range []float64{1, 0.25} { // a full bar can start again
		p.Clear()
		p.Set(done, "again")
	}
	if got := screen(b.String()); !strings.Contains(got, "25%") {
		t.Errorf("the bar reads %q, want 25%%", got)
	}
	p.Clear()
	if got := screen(b.String()); got != "a log line\n" {
		t.Errorf("after Clear the screen reads %q", got)
	}
}

// TestProgressWait: work of unknown length has neither a percentage nor a time left, on a terminal
// and in a file, and the bar comes back with the next task.
func TestProgressWait(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			p := newProgress(&b, terminal)
			p.Set(0, "training")
			time.Sleep(31 * time.Second)
			p.Set(1, "training")
			time.Sleep(time.Minute)
			b.Reset()
			p.Wait("evaluating")
			if got := screen(b.String()); !strings.Contains(got, "evaluating") || strings.Contains(got, "%") || strings.Contains(got, "left") {
				t.Errorf("terminal %v: during an evaluation the bar reads %q", terminal, got)
			}
			p.Set(0.25, "a match")
			if got := screen(b.String()); terminal && !strings.HasPrefix(got, "a match  25% |") {
				t.Errorf("after an evaluation the bar reads %q", got)
			}
			p.Wait(strings.Repeat("long ", 100))
			if got := screen(b.String()); len(got) >= 80+len("\n") {
				t.Errorf("the bar takes %d columns: %q", len(got), got)
			}
			p.Clear()
			if got := screen(b.String()); terminal && got != "" {
				t.Errorf("after Clear the screen reads %q", got)
			}
		})
	}
}

func TestProgressTimeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := newProgress(&b, true)
		stage := func(done float64, want string) {
			t.Helper()
			p.Stage(done, "work")
			if got := screen(b.String()); !strings.HasPrefix(got, want) {
				t.Errorf("the bar reads %q, want %q", got, want)
			}
		}
		stage(0.4, "work  40%") // as in a resumed run
		time.Sleep(20 * time.Second)
		stage(0.5, "work, 1m40s left  50%")
		time.Sleep(20 * time.Second)
		stage(0.8, "work, 20s left  80%")
		stage(0, "work   0%") // a new task
		time.Sleep(time.Second)
		stage(0, "work   0%")
		time.Sleep(9 * time.Second)
		stage(0.25, "work, 30s left  25%")
		p.Stage(0.25, strings.Repeat("work ", 20)) // the note is cut, not the time
		if got := screen(b.String()); !strings.Contains(got, "work work, 30s left  25%") || utf8.RuneCountInString(got) >= 80+len("\n") {
			t.Errorf("a long note reads %q", got)
		}
	})
}

// Without a terminal there is no line in the first half minute of a task, and the time
// between lines grows.
func TestProgressLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := newProgress(&b, false)
		const seconds = 600
		for i := range seconds {
			p.Set(0.25+0.75*float64(i)/seconds, "work")
			time.Sleep(time.Second)
		}
		p.Clear()
		p.Set(0, "more")
		time.Sleep(29 * time.Second)
		p.Set(0.5, "more")
		time.Sleep(time.Second)
		p.Stage(0.5, "more")
		p.Add(" of it")
		const want = `work, 9m30s left: 29%
work, 9m0s left: 32%
work, 8m30s left: 36%
work, 8m0s left: 40%
work, 7m30s left: 44%
work, 6m52s left: 48%
work, 6m5s left: 54%
work, 5m6s left: 62%
work, 3m52s left: 71%
work, 2m20s left: 82%
work, 25s left: 97%
more, 30s left: 50%
`
		if b.String() != want {
			t.Errorf("the lines are\n%swant\n%s", b.String(), want)
		}
	})
}

// TestProgressDone: what is done has no time left; other work may follow it.
func TestProgressDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := newProgress(&b, false)
		p.Set(0, "work")
		time.Sleep(time.Minute)
		p.Set(1, "work")
		if got, want := b.String(), "work: 100%\n"; got != want {
			t.Errorf("the line is %q; want %q", got, want)
		}
	})
}

// screen returns what a terminal shows of s: text after a carriage return replaces
// the text of the line.
func screen(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		var cells []rune
		for part := range strings.SplitSeq(line, "\r") {
			if _, after, found := strings.Cut(part, "\x1b[2K"); found { // it erases the line
				cells, part = nil, after
			}
			r := []rune(part)
			cells = append(r, cells[min(len(r), len(cells)):]...)
		}
		lines = append(lines, strings.TrimRight(string(cells), " "))
	}
	return strings.Join(lines, "\n")
}

// TestProgressFits: the bar never takes more than a line of the terminal, which is 80 columns
// wide where that is not known.
func TestProgressFits(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, true)
	for _, note := range []string{strings.Repeat("tabulating runs/", 20), "a\nb\x1b[2J", "火星 " + strings.Repeat("é", 100)} {
		p.Stage(0.5, note)
		for _, part := range strings.FieldsFunc(b.String(), func(r rune) bool { return r == '\r' || r == '\n' }) {
			if n := utf8.RuneCountInString(strings.TrimRight(part, " ")); n >= 80 || strings.ContainsRune(part, 0x1b) {
				t.Errorf("%d columns: %q", n, part)
			}
		}
	}
}
