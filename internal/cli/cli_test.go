package cli_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"marsgym/internal/cli"
)

func TestStatus(t *testing.T) {
	tests := []struct {
		name   string
		err    error
		status int
		stderr string
	}{
		{"done", nil, 0, ""},
		{"help", flag.ErrHelp, 0, ""},
		{"failed", errors.New("no such file"), 1, "eval: no such file\n"},
		{"interrupted", fmt.Errorf("eval: %w", context.Canceled), 130, "eval: interrupted\n"},
		{"foreign name", errors.New("no \x1b[2J"), 1, "eval: no \\x1b[2J\n"},
		{"usage", cli.Usagef("-players is %d", 7), 2, "eval: -players is 7\nFor help: go run ./cmd/eval -h\n"},
		{"wrapped usage", fmt.Errorf("config: %w", cli.Usagef("bad")), 2, "eval: config: bad\nFor help: go run ./cmd/eval -h\n"},
	}
	for _, tt := range tests {
		var stderr strings.Builder
		if status := cli.Status(&stderr, "eval", tt.err); status != tt.status {
			t.Errorf("%s: status %d, want %d", tt.name, status, tt.status)
		}
		if stderr.String() != tt.stderr {
			t.Errorf("%s: stderr %q, want %q", tt.name, stderr.String(), tt.stderr)
		}
	}
}

func TestUsageErrorUnwraps(t *testing.T) {
	cause := errors.New("cause")
	if err := cli.Usagef("flag: %w", cause); !errors.Is(err, cause) {
		t.Errorf("%v does not unwrap to its cause", err)
	}
}

func TestWriteJSON(t *testing.T) {
	var b strings.Builder
	if err := cli.WriteJSON(&b, map[string]any{"win": []float64{0.5}, "a": "<&>"}); err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"a\": \"<&>\",\n  \"win\": [\n    0.5\n  ]\n}\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}

	b.Reset()
	if err := cli.WriteJSON(&b, []float64{1, math.NaN()}); err == nil || !strings.Contains(err.Error(), "unsupported value: NaN") {
		t.Errorf("NaN: %v", err)
	}
	if b.Len() > 0 {
		t.Errorf("a failed document left %q", b.String())
	}
}

func TestUnknown(t *testing.T) {
	known := []string{"martian-dice", "pig"}
	tests := []struct{ name, want string }{
		{"martian-dise", `unknown game "martian-dise"; want one of: martian-dice, pig; did you mean martian-dice?`},
		{"pgi", `unknown game "pgi"; want one of: martian-dice, pig; did you mean pig?`},
		{"chess", `unknown game "chess"; want one of: martian-dice, pig`},
		{"", `unknown game ""; want one of: martian-dice, pig`},
	}
	for _, tt := range tests {
		err := cli.Unknown("game", tt.name, known)
		if err.Error() != tt.want {
			t.Errorf("%q: %q, want %q", tt.name, err, tt.want)
		}
		var usage *cli.UsageError
		if !errors.As(err, &usage) {
			t.Errorf("%q: not a usage error", tt.name)
		}
	}
}

// TestStatuses compares the package comment with the statuses.
func TestStatuses(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range cli.Statuses {
		if line := fmt.Sprintf("//\t%3s  %s\n", s.Name, s.About); !strings.Contains(string(doc), line) {
			t.Errorf("%q is not in the package comment", line)
		}
	}
}
