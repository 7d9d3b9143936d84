//go:build unix

package cli_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"marsgym/internal/cli"
)

// TestSignalAnswered: a command that takes long to stop says at the first signal that it does.
func TestSignalAnswered(t *testing.T) {
	const key = "MARSGYM_CLI_SIGNAL"
	if os.Getenv(key) != "" { // this is such a command
		cli.Main(func(ctx context.Context, _ []string, stdin io.Reader, stdout, _ io.Writer) int {
			fmt.Fprintln(stdout, "ready")
			<-ctx.Done()
			answered := make(chan struct{})
			go func() {
				io.Copy(io.Discard, stdin)
				close(answered)
			}()
			select {
			case <-answered:
			case <-time.After(10 * time.Second): // there is no answer
			}
			return cli.Interrupted
		})
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestSignalAnswered$")
	cmd.Env = append(os.Environ(), key+"=1")
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	errs, err3 := cmd.StderrPipe()
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(errs).ReadString('\n')
	if !strings.Contains(line, ": stopping; a second signal ends it at once") {
		t.Errorf("the answer is %q, %v", line, err)
	}
	in.Close()
	if cmd.Wait(); cmd.ProcessState.ExitCode() != cli.Interrupted {
		t.Errorf("status %d; want %d", cmd.ProcessState.ExitCode(), cli.Interrupted)
	}
}
