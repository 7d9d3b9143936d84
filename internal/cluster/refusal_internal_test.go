// In package cluster for the words of a refusal.
package cluster

import (
	"strings"
	"testing"
)

// TestRefusal: a refusal names what differs, and what to do about that.
func TestRefusal(t *testing.T) {
	const own = "code 1, go1.26.8, arithmetic 2"
	for other, want := range map[string]string{
		"code 3, go1.26.8, arithmetic 2":         "it has code 3, and this process has code 1; build both from the same files",
		"code 1, go1.26.8, arithmetic 4":         "it has arithmetic 4, and this process has arithmetic 2; run both on the same kind of machine",
		"code 1, go1.26.8, tags x, arithmetic 4": "it has tags x, arithmetic 4, and this process has arithmetic 2; build both from the same files",
		"code 1, go1.26.8, tags x, arithmetic 2": "it has tags x, and this process has nothing else; build both from the same files",
		Mixed:                                    "it was started with -mixed, and this process was not",
	} {
		if got := refusal(other, own); !strings.HasPrefix(got, want) {
			t.Errorf("refusal of %q: %q; want %q", other, got, want)
		}
	}
}
