package method_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"marsgym/train/method"
)

// TestStage: each network of the population trains for a quarter of the run, and then the network
// for the rest.
func TestStage(t *testing.T) {
	for _, test := range []struct {
		population int
		x          float64
		networks   int
		fraction   float64
	}{
		{0, 0.3, 0, 0.3},
		{1, 0.125, 0, 0.5}, {1, 0.25, 1, 0}, {1, 0.625, 1, 0.5},
		{2, 0, 0, 0}, {2, 0.125, 0, 0.5},
		{2, 0.25, 1, 0}, {2, 0.4375, 1, 0.75},
		{2, 0.5, 2, 0}, {2, 0.625, 2, 0.25}, {2, 1, 2, 1},
	} {
		o := method.Opponents{Population: test.population, PopulationSteps: 0.25}
		if networks, fraction := o.Stage(test.x); networks != test.networks || fraction != test.fraction {
			t.Errorf("at %v of a run with a population of %d: stage %d at %v; want %d at %v", test.x, test.population, networks, fraction, test.networks, test.fraction)
		}
	}
}

// TestDue: with an interval of a quarter, copies are due at a quarter, a half, ...
func TestDue(t *testing.T) {
	with := func(fraction, bot float64, size int) method.Opponents {
		return method.Opponents{Fraction: fraction, Bots: method.Bots{"random": bot}, Size: size, Interval: 0.25}
	}
	for _, test := range []struct {
		name  string
		o     method.Opponents
		taken int
		x     float64
		want  bool
	}{
		{"just before the first", with(1, 0, 1), 0, 0.2499, false},
		{"the first", with(1, 0, 1), 0, 0.25, true},
		{"one has been taken", with(1, 0, 1), 1, 0.25, false},
		{"the second", with(1, 0, 1), 1, 0.5, true},
		{"beside a bot", with(0.01, 0.99, 9), 0, 0.25, true},
		{"no row has opponents", with(0, 0, 1), 0, 1, false},
		{"no copies", with(1, 0, 0), 0, 1, false},
		{"bots alone", with(1, 1, 1), 0, 1, false},
	} {
		if got := test.o.Due(test.taken, test.x); got != test.want {
			t.Errorf("%s: a copy is due: %v", test.name, got)
		}
	}
}

// TestTrained: a population is trained only where networks are opponents, and only then is the
// model of an ensemble a mean.
func TestTrained(t *testing.T) {
	for _, test := range []struct {
		name string
		o    method.Opponents
		want int
	}{
		{"opponents", method.Opponents{Fraction: 0.5, Population: 1}, 1},
		{"beside bots", method.Opponents{Fraction: 0.5, Population: 3, Bots: method.Bots{"random": 0.75}}, 3},
		{"no opponents", method.Opponents{Population: 3}, 0},
		{"bots alone", method.Opponents{Fraction: 0.5, Population: 3, Bots: method.Bots{"random": 1}}, 0},
		{"no population", method.Opponents{Fraction: 0.5}, 0},
	} {
		if got := test.o.Trained(); got != test.want {
			t.Errorf("%s: %d networks are trained; want %d", test.name, got, test.want)
		}
		if test.o.Averaged() {
			t.Errorf("%s: the model is averaged without an ensemble", test.name)
		}
		test.o.Ensemble = true
		if got := test.o.Averaged(); got != (test.want > 0) {
			t.Errorf("%s: the model of an ensemble is averaged: %v", test.name, got)
		}
	}
}

// TestNetworks: networks are the opponents in the games that bots leave.
func TestNetworks(t *testing.T) {
	for _, test := range []struct {
		bots method.Bots
		want float64
	}{
		{nil, 1},
		{method.Bots{"a": 0.25, "b": 0.5}, 0.25},
		{method.Bots{"a": 0.7, "b": 0.2, "c": 0.1}, 0}, // but for rounding
		{method.Bots{"a": 1 - 0x1p-28}, 0x1p-28},
		{method.Bots{"a": 0.75, "b": 0.75}, -0.5},
	} {
		if got := (method.Opponents{Bots: test.bots}).Networks(); got != test.want {
			t.Errorf("%v leave %v; want %v", test.bots, got, test.want)
		}
	}
}

// TestMeets: the rows with opponents are spread evenly.
func TestMeets(t *testing.T) {
	for fraction, want := range map[float64]string{0: "........", 0.25: ".x...x..", 0.5: "x.x.x.x.", 0.75: "xx.xxx.x", 1: "xxxxxxxx"} {
		got := ""
		for row := range 8 {
			if (method.Opponents{Fraction: fraction}).Meets(row) {
				got += "x"
			} else {
				got += "."
			}
		}
		if got != want {
			t.Errorf("with a fraction of %v opponents play in the rows %s; want %s", fraction, got, want)
		}
	}
}

// TestDraw counts who sits in the seats of games for three. Opponent 1 is a bot, 2 and 3 are
// networks.
func TestDraw(t *testing.T) {
	const games = 20_000
	dice := rand.NewPCG(1, 0)
	seats, prob := make([]uint16, 3), []float64{0.2, 0.3, 0.125, 0.375}
	var alone, bots, networks, second float64
	var learns [3]float64
	for range games {
		method.Draw(seats, prob, 1, dice)
		var count [4]int
		for seat, k := range seats {
			count[k]++
			if k == 0 {
				learns[seat]++
			}
		}
		switch {
		case count[0] == 3:
			alone++
		case count[0] == 1 && count[1] == 2:
			bots++
		case count[0] == 1 && count[1] == 0:
			networks++
			second += float64(count[2]) / 2
		default:
			t.Fatalf("the seats are %v: the bot has not all others", seats)
		}
	}
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"the network plays itself in", alone / games, 0.2},
		{"the bot plays in", bots / games, 0.3},
		{"networks play in", networks / games, 0.5},
		{"of the networks, number 2 has", second / networks, 0.25},
		{"seat 0 learns in", learns[0] / games, 0.2 + 0.8/3},
		{"seat 1 learns in", learns[1] / games, 0.2 + 0.8/3},
		{"seat 2 learns in", learns[2] / games, 0.2 + 0.8/3},
	} {
		if !(math.Abs(x.got-x.want) <= 0.015) {
			t.Errorf("%s a fraction of %v; want %v", x.name, x.got, x.want)
		}
	}
}

// TestReadBots: bots that are read replace those of a preset.
func TestReadBots(t *testing.T) {
	o := method.Opponents{Bots: method.Bots{"greedy": 0.5}}
	if err := json.Unmarshal([]byte(`{"bots": {"random": 0.25}}`), &o); err != nil || len(o.Bots) != 1 || o.Bots["random"] != 0.25 {
		t.Errorf("the bots are %v, %v; want only random", o.Bots, err)
	}
	if err := json.Unmarshal([]byte(`{"bots": {"random": "often"}}`), &o); err == nil || !strings.Contains(err.Error(), "cannot unmarshal string") {
		t.Errorf("of a fraction that is no number the error is %v", err)
	}
}
