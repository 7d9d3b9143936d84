// In package main, which cannot be imported.
package main

import (
	"encoding/json"
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
)

func estimated(t *testing.T, args ...string) estimates {
	t.Helper()
	stdout, stderr, status := command(t, append(args, "-estimate", "-json")...)
	var all estimates
	if err := json.Unmarshal([]byte(stdout), &all); err != nil || status != cli.Done || stderr != "" {
		t.Fatalf("%q: status %d, %v, %s", args, status, err, stderr)
	}
	return all
}

// TestEstimate counts the positions in which turns start: a seat that has moved in this
// round may have up to 13 + 3 points more than the 199 of a seat that has not.
func TestEstimate(t *testing.T) {
	file := clitest.Config(t, `{"target": 200}`)
	all := estimated(t, "-game-config", file, "-players", "2")
	if all.Game != "martian-dice" || all.Cores < 1 || len(all.Seats) != 2 {
		t.Fatalf("the estimates are %+v; want those for one and two players", all)
	}
	for i, starts := range []int64{200, 200*200 + 216*200} {
		e := all.Seats[i]
		if e.Players != i+1 || !e.Solvable || e.Starts != starts || !(e.Bytes >= 8*int64(i+1)*starts) || !(e.Seconds > 0) {
			t.Errorf("for %d: %+v, want %d starts", i+1, e, starts)
		}
	}
}

// TestEstimateEnds: the estimates end with the first number of players that is too
// large.
func TestEstimateEnds(t *testing.T) {
	file := clitest.Config(t, `{"dice": 4, "target": 60}`)
	all := estimated(t, "-game-config", file)
	for i, e := range all.Seats {
		last := i == len(all.Seats)-1
		if e.Players != i+1 || e.Solvable == last {
			t.Errorf("estimate %d of %d: %+v", i, len(all.Seats), e)
		}
	}
	stdout, stderr, status := command(t, "-estimate", "-game-config", file)
	if status != cli.Done || stderr != "" || !strings.Contains(stdout, "too large for the solver") || !strings.Contains(stdout, "players") {
		t.Errorf("status %d, %s:\n%s", status, stderr, stdout)
	}

	// With a limit of rounds small games are solved, and one player is not possible.
	all = estimated(t, "-game-config", clitest.Config(t, `{"dice": 4, "target": 6, "max_rounds": 5}`))
	if n := len(all.Seats); n < 2 || all.Seats[0].Players != 2 || !all.Seats[0].Solvable || all.Seats[n-1].Solvable {
		t.Errorf("with a limit of rounds: %+v", all.Seats)
	}
}

func TestUnits(t *testing.T) {
	for bytes, want := range map[int64]string{400: "400 B", 26_400: "26.4 kB", 121_757_000: "122 MB", 6_760_000_000: "6.76 GB", 1_234_000_000_000: "1.23 TB"} {
		if got := memory(bytes); got != want {
			t.Errorf("%d bytes are %q; want %q", bytes, got, want)
		}
	}
	for seconds, want := range map[float64]string{0.25: "0.25 s", 15: "15 s", 600: "10 min", 14_760: "4.1 h"} {
		if got := duration(seconds); got != want {
			t.Errorf("%g seconds are %q; want %q", seconds, got, want)
		}
	}
}
