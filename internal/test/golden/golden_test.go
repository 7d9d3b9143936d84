// In package golden, to set the flag.
package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// recorder records the failure of a test.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Helper()                           {}
func (r *recorder) Errorf(format string, args ...any) { r.failure = fmt.Sprintf(format, args...) }
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// check returns the failure of Check.
func check(name, got string) string {
	r := &recorder{}
	done := make(chan bool)
	go func() {
		defer close(done)
		Check(r, name, []byte(got))
	}()
	<-done
	return r.failure
}

func TestCheck(t *testing.T) {
	for _, test := range []struct{ name, file, got, want string }{
		{"same", "numbers.txt", "one\ntwo\nthree\n", ""},
		{"changed", "numbers.txt", "one\n2\nthree\n", "numbers.txt:2:\n got 2\nwant two\n"},
		{"short", "numbers.txt", "one\ntwo\n", "numbers.txt:3:\n got \nwant three\n"},
		{"long", "numbers.txt", "one\ntwo\nthree\nfour\n", "numbers.txt:4:\n got four\nwant \n"},
		{"no last newline", "numbers.txt", "one\ntwo\nthree", "numbers.txt:4:\n got (end of text)\nwant \n"},
		{"no file", "letters.txt", "", "-update"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := check(test.file, test.got)
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("Check fails with %q, want %q", got, test.want)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	t.Chdir(t.TempDir())
	old := *update
	defer func() { *update = old }()
	*update = true
	if got := check("deep/new.txt", "text\n"); got != "" {
		t.Errorf("Check with -update fails with %q", got)
	}
	*update = false
	if got := check("deep/new.txt", "text\n"); got != "" {
		t.Errorf("Check after -update fails with %q", got)
	}
	if b, err := os.ReadFile(filepath.Join("testdata", "deep", "new.txt")); err != nil || string(b) != "text\n" {
		t.Errorf("the file holds %q, %v", b, err)
	}
}
