// In package sweep for the figures that a trial reads from the metrics of its run.
package sweep

import (
	"os"
	"path/filepath"
	"testing"

	"marsgym/train"
)

// TestTrialSpeed: the speed of a run is the mean over all its decisions, and unknown where the
// clock has not advanced.
func TestTrialSpeed(t *testing.T) {
	for lines, want := range map[string]float64{
		`{"iteration":1,"steps":100,"seconds":1,"steps_per_s":100}` + "\n" + `{"iteration":2,"steps":400,"seconds":2,"steps_per_s":300}`: 200,
		`{"iteration":1,"steps":100,"seconds":0}`: 0, // not infinite
	} {
		x := Trial{Dir: t.TempDir()}
		if err := os.WriteFile(filepath.Join(x.Dir, train.MetricsFile), []byte(lines+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := x.load(); err != nil || x.Speed != want {
			t.Errorf("%s: %v decisions a second, %v; want %v", lines, x.Speed, err, want)
		}
	}
}
