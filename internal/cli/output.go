package cli

import (
	"errors"
	"fmt"
	"io"
)

// Run runs a command and returns its exit status. The command writes its answer to
// the stdout that it is given; its error goes to stderr. If a write of the answer
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
	n, err := o.w.Write(b)
	o.err = err
	return n, err
}
