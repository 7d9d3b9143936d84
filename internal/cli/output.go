package cli

import (
	"errors"
	"fmt"
	"io"

	"marsgym/internal/colour"
	"marsgym/internal/input"
)

// Run runs a command and returns its exit status. The command writes its answer to
// the stdout that it is given, which escapes control characters except colours, such as
// those of foreign names; its error goes to stderr. If a write of the answer
// fails, the status is Failed, even if the command ignores that.
func Run(command string, stdout, stderr io.Writer, run func(stdout io.Writer) error) int {
	out := &output{w: stdout}
	err := run(out)
	status := Status(stderr, command, err)
	if out.err != nil && !errors.Is(err, out.err) {
		fmt.Fprintf(stderr, "%s: standard output: %v\n", command, out.err)
		return Failed
	}
	return status
}

// output keeps the first error of a writer.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if _, o.err = io.WriteString(o.w, colour.Between(string(b), input.Printable)); o.err != nil {
		return 0, o.err
	}
	return len(b), nil
}
