// In package train for the helpers of other tests.
package train

import (
	"bytes"
	"runtime"
	"testing"

	"marsgym/internal/test/testgames"
	"marsgym/models"
)

// TestOpeningsBits interrupts runs with openings and opponents.
func TestOpeningsBits(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"players": 3, "dice": 5, "target": 6}`)
	cfg := poolConfig(models.Logits)
	cfg.Openings = Openings{Fraction: 0.75, Decisions: 6}
	want, _ := trained(t, g, cfg, 0)
	for _, stop := range []uint64{1, 5} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(int(stop)))
		if got, _ := trained(t, g, cfg, stop); !bytes.Equal(got, want) {
			t.Errorf("the model differs if interrupted after iteration %d", stop)
		}
	}
	cfg.Openings.Fraction = 0
	if got, _ := trained(t, g, cfg, 0); bytes.Equal(got, want) {
		t.Error("openings change nothing")
	}
}
