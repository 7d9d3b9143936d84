// In package cli for the form of a system other than that of the test.
package cli

import (
	"os/exec"
	"strings"
	"testing"
)

func TestArgument(t *testing.T) {
	for _, c := range []struct{ text, posix, windows string }{
		{"runs/pig-2-001", "runs/pig-2-001", "runs/pig-2-001"},
		{"lookahead:1:runs/a", "lookahead:1:runs/a", "lookahead:1:runs/a"},
		{"runs/my run", "'runs/my run'", `"runs/my run"`},
		{`C:\runs\a`, `'C:\runs\a'`, `C:\runs\a`},
		{`C:\my run\`, `'C:\my run\'`, `"C:\my run\\"`},
		{"it's", `'it'\''s'`, `"it's"`},
		{"a&b", "'a&b'", `"a&b"`},
		{"$HOME", "'$HOME'", `"$HOME"`},
		{"火星", "火星", "火星"},
		{"", "''", `""`},
	} {
		if got := argument(c.text, false); got != c.posix {
			t.Errorf("%q for a POSIX shell is %s; want %s", c.text, got, c.posix)
		}
		if got := argument(c.text, true); got != c.windows {
			t.Errorf("%q for Windows is %s; want %s", c.text, got, c.windows)
		}
		sh, err := exec.LookPath("sh")
		if err != nil {
			continue
		}
		out, err := exec.Command(sh, "-c", "printf %s "+argument(c.text, false)).Output()
		if err != nil || string(out) != c.text {
			t.Errorf("sh reads %q as %q, %v", c.text, strings.TrimSpace(string(out)), err)
		}
	}
}
