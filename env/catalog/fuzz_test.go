package catalog_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
)

// changes lists configs that some game accepts and that differ from its default.
var changes = []string{
	`{"players": 1}`, `{"dice": 1}`, `{"dice": 7, "tie_dice": 13}`, `{"target": 1}`, `{"target": 2}`, `{"target": 200}`, `{"target": 250}`,
	`{"bonus": 0}`, `{"faces": {"tank": 0}}`, `{"faces": {"tank": 100, "ray": 100, "human": 100, "cow": 100, "chicken": 100}}`,
	`{"tie_break": "share"}`, `{"allow_stop_before_select": true}`, `{"first_player": "random", "max_rounds": 1}`,
	`{"layout": "nine", "terrain": "mono"}`, `{"stations": "tips_inner", "terrain": "random48"}`, `{"start_hand": 12, "start_junk": 0}`,
	`{"tax_first": true, "supply_first": true, "start_by": "leader"}`, `{"min_move": 3, "through_stations": false}`,
	`{"laydown_optional": true, "capture_from_hand": true, "auto_pass": true}`, `{"fast_count": "all", "move_limit": 1}`,
	`{"last_has_four": true, "fast_count": "map_and_hand", "drill_rerolls_defender": true, "maintenance_labs": true, "lying_counts": false}`,
	`{"merge_large": true, "merge_small": true, "ranking": "linear"}`, `{"merge_large": false, "merge_small": false}`,
	`{"experimental": true, "players": 2, "map": "strip", "regions_per_player": 0}`, `{"regions_per_player": 4, "army_cap": 200}`,
	`{"setup_armies": 40, "army_cap": 40, "trios": 0}`, `{"trios": 50, "lost_armies": "out", "ranking": "leader"}`,
	`{"one_attack": true, "strict_roll": true, "merge_small": true, "unions": false}`, `{"first_player": "0", "max_rounds": 250, "ranking": "even"}`,
}

// FuzzConfig opens each game with any config. An accepted config opens the same game
// when it is written in full, and the game can be played. The error about another is at
// most a multiple of its length.
func FuzzConfig(f *testing.F) {
	list := catalog.List()
	for i, e := range list {
		for players := range 7 {
			g, err := catalog.Open(e.ID, players, nil)
			if err != nil {
				continue
			}
			f.Add(uint8(i), players, []byte("{}"))
			f.Add(uint8(i), players, []byte(g.Spec().ConfigJSON()))
		}
	}
	for _, config := range changes {
		accepted := false
		for i, e := range list {
			if _, err := catalog.Open(e.ID, 0, []byte(config)); err == nil {
				f.Add(uint8(i), 0, []byte(config))
				accepted = true
			}
		}
		if !accepted {
			f.Errorf("no game accepts %s", config)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, players int, config []byte) {
		e := list[int(which)%len(list)]
		g, err := catalog.Open(e.ID, players, config)
		if err != nil {
			if n := len(err.Error()); n > 4096+64*len(config) {
				t.Errorf("an error of %d bytes for a config of %d", n, len(config))
			}
			return
		}
		full := g.Spec().ConfigJSON()
		again, err := catalog.Open(e.ID, 0, []byte(full))
		if err != nil {
			t.Fatalf("%s with the config %s: %v", e.ID, full, err)
		}
		if again.Spec().RulesHash() != g.Spec().RulesHash() || again.Spec().ObsHash() != g.Spec().ObsHash() {
			t.Fatalf("%s with the config %s is another game: %s", e.ID, full, again.Spec().ConfigJSON())
		}
		walk(t, g)
	})
}

// walk plays the first hundred moves of a random game.
func walk(t *testing.T, g env.Game) {
	spec := g.Spec()
	obs := make([]float32, spec.ObsLen())
	dice := rand.NewPCG(1, 1)
	choices := rand.New(rand.NewPCG(1, 2))
	sum := spec.Win + float64(spec.Players-1)*spec.Loss
	for p, n := g.Initial(), 0; n < 100; n++ {
		text := p.String()
		if back, err := g.Parse(text); err != nil || back.String() != text {
			t.Fatalf("%q is read as %v, error %v", text, back, err)
		}
		for seat := range spec.Players {
			p.Observe(obs, game.Player(seat))
			if i := slices.IndexFunc(obs, func(x float32) bool { return x-x != 0 }); i >= 0 {
				t.Fatalf("in %q seat %d observes %v", text, seat, obs[i])
			}
		}
		switch who := p.CurrentPlayer(); who {
		case game.Terminal:
			paid := 0.0
			for _, r := range p.Returns() {
				paid += r
			}
			if spec.HasWin() && !(math.Abs(paid-sum) <= 1e-9) {
				t.Fatalf("%q pays %v", text, p.Returns())
			}
			return
		case game.Chance:
			p = p.Sample(dice)
		default:
			legal := p.Legal()
			if len(legal) == 0 || int(who) >= spec.Players {
				t.Fatalf("in %q seat %d has %d actions", text, who, len(legal))
			}
			a := legal[choices.IntN(len(legal))]
			next, err := p.Apply(a)
			if err != nil {
				t.Fatalf("in %q action %s: %v", text, g.ActionName(a), err)
			}
			p = next
		}
	}
}
