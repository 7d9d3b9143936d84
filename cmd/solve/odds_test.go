// In package main, which cannot be imported.
package main

import (
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
)

func TestOdds(t *testing.T) {
	args := []string{"-game", "martian-risk", "-odds", "3 against 1"}
	stdout, stderr, status := command(t, args...)
	want := strings.TrimPrefix(`
Martian Risk: 3 against 1

3 against 1, equal towers, fought to the end

  battle won  conquest  mean attackers left  mean defenders left
    0.414062  0.656677             2.070740             0.343323

Armies left on both sides, before any move

  attackers  defenders  probability
          3          0     0.414062
          2          0     0.242615
          1          1     0.343323
`, "\n")
	if status != cli.Done || stderr != "" || stdout != want {
		t.Errorf("status %d, %s, got\n%s\nwant\n%s", status, stderr, stdout, want)
	}

	var o odds
	clitest.Command(run).Document(t, &o, args...)
	if o.Game != "martian-risk" || o.Odds != "3 against 1" || len(o.Tables) != 2 {
		t.Fatalf("%+v", o)
	}
	near(t, "conquest", o.Tables[0].Rows[0][1].(float64), 1-(150./256)*(150./256), 1e-15)
}
