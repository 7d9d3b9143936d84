// In package main, which cannot be imported.
package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"marsgym/internal/cli"
)

// TestSteps: the number of a step is no part of the time: the first of six can take nearly all.
func TestSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		s := &session{bar: cli.NewProgress(&b), total: 6}
		for _, took := range []time.Duration{410, 20, 9} {
			s.step("tabulating")
			time.Sleep(took * time.Second)
		}
		s.step("the last")
		if got, want := b.String(), "2 of 6: tabulating\n"; got != want {
			t.Errorf("the progress is %q; want %q", got, want)
		}
	})
}
