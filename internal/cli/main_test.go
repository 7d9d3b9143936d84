//go:build unix

package cli_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"marsgym/internal/cli"
)

// A process with this variable set is the command under test: it reports that its
// context is cancelled, and then ends or, in mode "hang", hangs.
const asCommand = "MARSGYM_CLI_TEST"

func TestMain(m *testing.M) {
	mode := os.Getenv(asCommand)
	if mode == "" {
		os.Exit(m.Run())
	}
	cli.Main(func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		fmt.Fprintln(stdout, "ready", len(args))
		<-ctx.Done()
		fmt.Fprintln(stdout, "cancelled")
		if mode == "hang" {
			time.Sleep(time.Minute)
		}
		return cli.Status(stderr, "test", ctx.Err())
	})
}

func TestMainSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sig) {
			continue // by nohup, under which the test runs
		}
		cmd, lines := start(t, "end")
		expect(t, lines, "ready 1")
		cmd.Process.Signal(sig)
		expect(t, lines, "cancelled")
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != cli.Interrupted {
			t.Errorf("%v: %v, want exit status %d", sig, err, cli.Interrupted)
		}
	}
}

func TestMainSecondSignalKills(t *testing.T) {
	cmd, lines := start(t, "hang")
	expect(t, lines, "ready 1")
	cmd.Process.Signal(os.Interrupt)
	expect(t, lines, "cancelled")
	// The first signal has been handled, but its handler may not be removed yet:
	// repeat the signal until one kills the process.
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for tick := time.Tick(10 * time.Millisecond); ; {
		select {
		case err := <-ended:
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGINT {
				t.Errorf("ended with %v, want killed by SIGINT", err)
			}
			return
		case <-tick:
			cmd.Process.Signal(os.Interrupt)
		}
	}
}

func start(t *testing.T, mode string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], "-x")
	cmd.Env = append(os.Environ(), asCommand+"="+mode)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

func expect(t *testing.T, lines *bufio.Scanner, want string) {
	t.Helper()
	if !lines.Scan() || lines.Text() != want {
		t.Fatalf("the command wrote %q, want %q", lines.Text(), want)
	}
}
