package cli_test

import (
	"fmt"
	"strings"
	"testing"

	"marsgym/internal/cli"
)

func TestColours(t *testing.T) {
	var b strings.Builder
	w := cli.Colours(&b) // not a terminal
	n, err := fmt.Fprint(w, "a \x1b[48;5;196;38;5;231mred\x1b[0m b\n")
	if b.String() != "a red b\n" || n != 32 || err != nil {
		t.Errorf("wrote %q, %d, %v", b.String(), n, err)
	}
}
