package clitest

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/test/docs"
)

var placeholder = regexp.MustCompile(`^[A-Z_]+$`)

// Docs checks the command lines of the documents that call cmd/name: all their
// flags exist, and so do values of their types. A value in capitals stands for any.
func Docs(t *testing.T, name string, run Command) {
	t.Helper()
	pages, err := docs.Pages(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, p := range pages {
		list := p.Commands("go", "run", "./cmd/"+name)
		list = append(list, p.Commands("go", "run", "-tags", "gotch", "./cmd/"+name)...)
		for _, args := range list {
			checked++
			var given []string
			for i, a := range args {
				if placeholder.MatchString(a) && i > 0 && strings.HasPrefix(args[i-1], "-") {
					given = given[:len(given)-1] // with its flag
				} else {
					given = append(given, a)
				}
			}
			var errs strings.Builder
			if status := run(t.Context(), append(given, "-h"), strings.NewReader(""), io.Discard, &errs); status != cli.Done {
				t.Errorf("%s: %q: %s", p.Name, args, errs.String())
			}
		}
	}
	if checked == 0 {
		t.Errorf("no document calls cmd/%s", name)
	}
}
