package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"marsgym/internal/input"
)

// The exit statuses of every command.
const (
	Done        = 0
	Failed      = 1
	Misuse      = 2
	Interrupted = 130 // as shells report a command that SIGINT ended
)

// Statuses lists the exit statuses with their meaning.
var Statuses = []Entry{
	{"0", "done"},
	{"1", "failed, or the answer could not be written"},
	{"2", "a wrong command line or setting, nothing was done; or a traceback of Go"},
	{"130", "interrupted, by Ctrl-C, SIGTERM or a closed terminal"},
}

// Main runs a command on the process's own arguments and streams, and exits
// with the status that it returns. The first interrupt, SIGTERM or SIGHUP, unless nohup
// ignores that, cancels ctx, so that run can shut down cleanly, and is answered by a line; a second
// one kills the process.
func Main(run func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int) {
	limitMemory()
	ctx, stop := signal.NotifyContext(context.Background(), interrupts()...)
	context.AfterFunc(ctx, func() {
		stop()
		time.Sleep(answerAfter)
		w, line := io.Writer(os.Stderr), ""
		if p := onStderr.Load(); p != nil {
			w = p
		}
		if term.IsTerminal(int(os.Stderr.Fd())) {
			line = "\n" // after the ^C that a terminal shows
		}
		fmt.Fprintf(w, line+"%s: stopping; a second signal ends it at once, and loses what is not saved\n", filepath.Base(os.Args[0]))
	})
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// answerAfter is the time after a signal at which a command says that it stops. Chosen: most have
// ended by then.
const answerAfter = 200 * time.Millisecond

// UsageError is an error in the command line or in a file that it names.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef returns a [UsageError] with that text.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}

// Status writes err to stderr and returns the exit status of the command: Done for
// nil and after help, Misuse for a [UsageError], Interrupted for context.Canceled,
// Failed otherwise.
func Status(stderr io.Writer, command string, err error) int {
	var usage *UsageError
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return Done
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "%s: %s\nFor help: go run ./cmd/%s -h\n", command, input.Message(err), command)
		return Misuse
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "%s: interrupted\n", command)
		return Interrupted
	default:
		fmt.Fprintf(stderr, "%s: %s\n", command, input.Message(err))
	}
	return Failed
}

// WriteJSON writes v to w as one indented JSON document, or nothing if v
// cannot be written as JSON.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Write writes the answer of a command: v as one JSON document, or the text.
func Write(w io.Writer, asJSON bool, v any, text func(*strings.Builder)) error {
	if asJSON {
		return WriteJSON(w, v)
	}
	var b strings.Builder
	text(&b)
	_, err := io.WriteString(w, b.String())
	return err
}
