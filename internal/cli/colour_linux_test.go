package cli_test

import (
	"os"
	"testing"

	"marsgym/internal/cli"
)

// TestColoursOfTerminal keeps colours in a terminal unless the environment asks for none.
func TestColoursOfTerminal(t *testing.T) {
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	for _, test := range []struct {
		term, noColor string
		kept          bool
	}{
		{"xterm-256color", "", true},
		{"", "", true},
		{"dumb", "", false},
		{"xterm-256color", "1", false},
	} {
		t.Setenv("TERM", test.term)
		t.Setenv("NO_COLOR", test.noColor)
		if kept := cli.Colours(f) == any(f); kept != test.kept {
			t.Errorf("TERM=%s NO_COLOR=%s: colours are kept: %t; want %t", test.term, test.noColor, kept, test.kept)
		}
	}
}
