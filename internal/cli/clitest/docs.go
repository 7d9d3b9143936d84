package clitest

import (
	"context"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/docs"
)

var (
	helpFlag    = regexp.MustCompile(`(?m)^  -([a-z-]+)`)
	placeholder = regexp.MustCompile(`^[A-Z_]+$`)
)

// Docs checks the command lines of the documents that call cmd/name: all their
// flags exist, and so do values of their types. A value in capitals stands for any.
func Docs(t *testing.T, name string, run func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int) {
	t.Helper()
	pages, err := docs.Pages(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	call := func(args ...string) (out, errs string, status int) {
		var stdout, stderr strings.Builder
		status = run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
		return stdout.String(), stderr.String(), status
	}
	help, _, _ := call("-h")
	var flags []string
	for _, m := range helpFlag.FindAllStringSubmatch(help, -1) {
		flags = append(flags, m[1])
	}
	checked := 0
	for _, p := range pages {
		list := p.Commands("go", "run", "./cmd/"+name)
		list = append(list, p.Commands("go", "run", "-tags", "gotch", "./cmd/"+name)...)
		for _, args := range list {
			checked++
			var given []string
			for i, a := range args {
				if f, ok := strings.CutPrefix(a, "-"); ok && !slices.Contains(flags, f) {
					t.Errorf("%s: %q has an unknown flag %s", p.Name, args, a)
				}
				if placeholder.MatchString(a) && i > 0 {
					given = given[:len(given)-1] // with its flag
				} else {
					given = append(given, a)
				}
			}
			if _, errs, status := call(append(given, "-h")...); status != cli.Done {
				t.Errorf("%s: %q: %s", p.Name, args, errs)
			}
		}
	}
	if checked == 0 {
		t.Errorf("no document calls cmd/%s", name)
	}
}
