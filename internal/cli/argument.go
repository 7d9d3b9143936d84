package cli

import (
	"fmt"
	"runtime"
	"strings"
	"unicode"
)

// Argument returns text as one argument of a command line to be copied into a shell: that of
// Windows, or else a POSIX shell. Text of ordinary characters stays as it is.
func Argument(text string) string { return argument(text, runtime.GOOS == "windows") }

func argument(text string, windows bool) string {
	ordinary := "-_./:,@%+="
	if windows {
		ordinary = `-_./:\+~`
	}
	special := func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r >= 0x80 && !unicode.IsControl(r)
		return !letter && !strings.ContainsRune(ordinary, r)
	}
	switch {
	case text != "" && !strings.ContainsFunc(text, special):
		return text
	case !windows && strings.ContainsFunc(text, unicode.IsControl):
		// Characters that a terminal would obey are written as their numbers.
		var b strings.Builder
		for _, c := range []byte(text) {
			fmt.Fprintf(&b, `\%03o`, c)
		}
		return `"$(printf '` + b.String() + `')"`
	case windows:
		// A backslash before the last quote would quote it. Names hold no quotes there.
		path := strings.TrimRight(text, `\`)
		return `"` + path + strings.Repeat(`\\`, len(text)-len(path)) + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
