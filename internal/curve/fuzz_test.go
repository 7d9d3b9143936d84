package curve_test

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"marsgym/env/game"
	"marsgym/internal/curve"
	"marsgym/internal/plot"
)

// FuzzLoad reads any metrics. Those that are accepted are unchanged by writing and
// reading them, and can be drawn unless there is nothing to draw.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		"",
		`{"iteration":1,"steps":1024,"games":61,"seconds":0.5,"policy_loss":0.1,"value_loss":0.4,"entropy":0.9,"kl":0,"clipped":0,"grad_norm":1.5,"learning_rate":0.005,"steps_per_s":2000}`,
		`{"steps":1,"seconds":1,"exact":{"win_first":0.5,"win_second":0.4,"exploitability":0.1}}` + "\n" + `{"steps":2,"seconds":2,"exact":{"win_first":0.5,"win_second":0.5,"exploitability":0}}` + "\n",
		`{"steps":1e300,"entropy":-1e300}` + "\n" + `{"steps":1.5e308,"entropy":1e308,"pool":{"win":1}}`,
		`{"steps":0,"exact":{"exploitability":0.1}}` + "\n" + `{"steps":1,"exact":{"exploitability":0.1000000001}}`,
		`{"steps":0,"exact":{"exploitability":0.1}}` + "\n" + `{"steps":1,"exact":{"exploitability":0.10000000000000002}}`,
		`{"steps":0,"exact":{"exploitability":5e-324}}` + "\n" + `{"steps":1,"exact":{"exploitability":1e308}}`,
		`{"steps":0,"entropy":0.5}` + "\n" + `{"steps":1,"entropy":0.5000000000000001}`,
		`{"steps":-5,"return":null,"x":{"steps":{"y":[1]}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "metrics.jsonl")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := curve.Load("run", path)
		if err != nil {
			return
		}
		var again []byte
		for i, p := range r.Points {
			if i > 0 && p["steps"] < r.Points[i-1]["steps"] {
				t.Fatalf("steps go from %v to %v", r.Points[i-1]["steps"], p["steps"])
			}
			for name, x := range p {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Fatalf("%s is %v", name, x)
				}
			}
			line, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			if len(line) >= 1<<14 {
				return // each field has the name of its object, so the line is too long
			}
			again = append(append(again, line...), '\n')
		}
		if err := os.WriteFile(path, again, 0o666); err != nil {
			t.Fatal(err)
		}
		if back, err := curve.Load("run", path); err != nil || !reflect.DeepEqual(back.Points, r.Points) {
			t.Fatalf("%s is read as %v, error %v", again, back.Points, err)
		}
		c, err := curve.Chart("a game for two", []curve.Run{r, r})
		if errors.Is(err, game.ErrNoCharts) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Points) > 50 {
			return // drawing takes longer than the rest
		}
		if err := plot.SVG(io.Discard, c); err != nil {
			t.Error(err)
		}
	})
}
