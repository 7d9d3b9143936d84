package martianrisk_test

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/env/martianrisk"
	"marsgym/internal/test/fulltest"
)

func rules(t testing.TB, cfg martianrisk.Config) *martianrisk.Rules {
	t.Helper()
	r, err := martianrisk.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// published returns the default config for a number of players, changed by edit.
func published(players int, edit func(*martianrisk.Config)) martianrisk.Config {
	cfg := martianrisk.DefaultConfig()
	cfg.Players = players
	if edit != nil {
		edit(&cfg)
	}
	return cfg
}

// otherReadings holds configs with readings other than the default ones.
var otherReadings = map[string]martianrisk.Config{
	"out, pooled points, one attack, no merge": published(3, func(c *martianrisk.Config) {
		c.RegionsPerPlayer, c.ArmyCap, c.SetupArmies, c.LostArmies = 4, 14, 5, martianrisk.Out
		c.StrictRoll, c.OneAttack, c.MergeLarge, c.MergeSmall = false, true, false, false
		c.FirstPlayer, c.MaxRounds, c.Ranking = martianrisk.FirstSeat, 30, martianrisk.Linear
	}),
	"no towers, no unions": published(3, func(c *martianrisk.Config) {
		c.RegionsPerPlayer, c.Trios, c.Unions, c.MaxRounds, c.Ranking = 4, 0, false, 10, martianrisk.Even
	}),
	"few armies, many pieces": published(4, func(c *martianrisk.Config) {
		c.RegionsPerPlayer, c.SetupArmies, c.ArmyCap, c.Trios, c.MaxRounds = 4, 4, 4, 3, 10
	}),
}

func TestContract(t *testing.T) {
	configs := map[string]martianrisk.Config{"small": martianrisk.SmallConfig(), "tiny": martianrisk.TinyConfig()}
	for players := 3; players <= 6; players += 3 {
		configs[fmt.Sprint(players)] = published(players, func(c *martianrisk.Config) { c.MaxRounds = 2 })
	}
	for name, cfg := range otherReadings {
		configs[name] = cfg
	}
	for name, cfg := range configs {
		t.Run(name, func(t *testing.T) {
			if name != "small" && name != "tiny" {
				fulltest.Gate(t)
			}
			if err := gametest.Check(rules(t, cfg), gametest.Games(2)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSizes checks the sizes of the published maps.
func TestSizes(t *testing.T) {
	for _, test := range []struct{ players, regions, borders, cap, actions int }{
		{3, 21, 46, 25, 273}, {4, 28, 61, 32, 361}, {5, 35, 77, 39, 453}, {6, 42, 95, 46, 553},
	} {
		spec := rules(t, published(test.players, nil)).Spec()
		cfg := spec.Config.(martianrisk.Config)
		borders := 0
		for _, list := range cfg.Map.Borders {
			borders += len(list)
		}
		if len(cfg.Map.Regions) != test.regions || borders != test.borders || cfg.ArmyCap != test.cap || spec.Actions != test.actions {
			t.Errorf("with %d players: %d regions, %d borders, cap %d, %d actions; want %d, %d, %d, %d", test.players,
				len(cfg.Map.Regions), borders, cfg.ArmyCap, spec.Actions, test.regions, test.borders, test.cap, test.actions)
		}
	}
}

// TestUnions checks that regions of one union never touch on the map of the United
// States, where unions are the colours of a proper colouring.
func TestUnions(t *testing.T) {
	for players := 3; players <= 6; players++ {
		for _, each := range []int{4, 7} {
			m := rules(t, published(players, func(c *martianrisk.Config) { c.RegionsPerPlayer = each })).Spec().Config.(martianrisk.Config).Map
			colour := make(map[string]int)
			for i, u := range m.Unions {
				for _, name := range u {
					colour[name] = i
				}
			}
			if len(colour) != len(m.Regions) {
				t.Errorf("%d of %d regions are in unions", len(colour), len(m.Regions))
			}
			for from, list := range m.Borders {
				for _, to := range list {
					if colour[from] == colour[to] {
						t.Errorf("%s and %s touch, and are in one union", from, to)
					}
				}
			}
		}
	}
}

// at returns a position with the regions named, as in "0 NV:3LMS CA:1; 1 OR:2"; all
// others have one army of the last seat. head is the seat to move and the phase, as in
// "@0 attack".
func at(t testing.TB, r *martianrisk.Rules, head, held string) martianrisk.State {
	t.Helper()
	cfg := r.Spec().Config.(martianrisk.Config)
	word, owner := make(map[string]string), make(map[string]int)
	for part := range strings.SplitSeq(held, ";") {
		words := strings.Fields(part)
		for _, w := range words[1:] {
			name, _, _ := strings.Cut(w, ":")
			word[name], owner[name] = w, int(words[0][0]-'0')
		}
	}
	lists, counts := make([]string, cfg.Players), make([]int, cfg.Players)
	for _, g := range cfg.Map.Regions {
		w, p := g.Name+":1", cfg.Players-1
		if _, ok := word[g.Name]; ok {
			w, p = word[g.Name], owner[g.Name]
		}
		lists[p] += " " + w
		counts[p]++
	}
	total := strings.Trim(strings.ReplaceAll(fmt.Sprint(counts), " ", "-"), "[]")
	head, round, _ := strings.Cut(head, " round ")
	if round == "" {
		round = "1"
	}
	s, err := r.Parse(fmt.Sprintf("%s%s start 0 ;%s round %s", total, head, strings.Join(lists, " ;"), round))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// action finds an action by its name.
func action(t testing.TB, r *martianrisk.Rules, name string) game.Action {
	t.Helper()
	for a := range game.Action(r.Spec().Actions) {
		if r.ActionName(a) == name {
			return a
		}
	}
	t.Fatalf("there is no action %q", name)
	return 0
}

// do plays the actions with these names, which must be legal.
func do(t testing.TB, r *martianrisk.Rules, s martianrisk.State, names ...string) martianrisk.State {
	t.Helper()
	for _, name := range names {
		var err error
		if s, err = r.Apply(s, action(t, r, name)); err != nil {
			t.Fatalf("%q in %q: %v", name, r.Format(s), err)
		}
	}
	return s
}

// checkIllegal checks that an action is illegal, and that the error contains why.
func checkIllegal(t testing.TB, r *martianrisk.Rules, s martianrisk.State, name, why string) {
	t.Helper()
	a := action(t, r, name)
	_, err := r.Apply(s, a)
	if !errors.Is(err, game.ErrIllegalAction) || !strings.Contains(err.Error(), why) || slices.Contains(r.Legal(nil, s), a) {
		t.Errorf("%q in %q: error %v; want an illegal action, and %q", name, r.Format(s), err, why)
	}
}

// fight returns the outcome of the battle of s that one side wins.
func fight(t testing.TB, r *martianrisk.Rules, s martianrisk.State, attackerWins bool) martianrisk.State {
	t.Helper()
	o := r.Outcomes(nil, s)
	if s.Phase != martianrisk.Battle || len(o) != 2 {
		t.Fatalf("%q is no battle", r.Format(s))
	}
	if attackerWins {
		return o[0].State
	}
	return o[1].State
}

// checkParts checks that the notation of a position contains these parts.
func checkParts(t testing.TB, r *martianrisk.Rules, s martianrisk.State, parts ...string) {
	t.Helper()
	_, text, _ := strings.Cut(r.Format(s), "@") // the counts come before it
	text = strings.ReplaceAll(" @"+text, " ", "  ") + " "
	for _, p := range parts {
		if !strings.Contains(text, " "+strings.ReplaceAll(p, " ", "  ")+" ") {
			t.Errorf("%q does not contain %q", r.Format(s), p)
		}
	}
}

func names(r *martianrisk.Rules, s martianrisk.State) (list []string) {
	for _, a := range r.Legal(nil, s) {
		list = append(list, r.ActionName(a))
	}
	return list
}

// invariants returns the invariant that a state violates, or "".
func invariants(cfg *martianrisk.Config, s *martianrisk.State) string {
	n := len(cfg.Map.Regions)
	var owned uint64
	for p, own := range s.Own {
		if own&owned != 0 || own>>n != 0 {
			return "a region has two owners, or does not exist"
		}
		owned |= own
		armies := int(s.Lost[p])
		for set := own; set != 0; set &= set - 1 {
			armies += int(s.Armies[bits.TrailingZeros64(set)])
		}
		if p < cfg.Players && armies > cfg.ArmyCap {
			return "a seat has more armies than the cap"
		}
		for _, pieces := range []uint64{s.Large, s.Medium, s.Small} {
			if bits.OnesCount64(pieces&own) > cfg.Trios {
				return "a seat has more pieces than trios"
			}
		}
	}
	if s.Large&s.Small&^s.Medium != 0 {
		return "a small piece on a large one"
	}
	if (s.Large|s.Medium|s.Small)&^owned != 0 {
		return "a tower without an owner"
	}
	if s.Phase > martianrisk.Filling && owned != 1<<n-1 {
		return "a region has no owner"
	}
	for i, k := range s.Armies {
		if empty := owned>>i&1 == 0 || s.Phase == martianrisk.Occupy && i == int(s.To); (k == 0) != empty {
			return "a region has an army too many or too few"
		}
	}
	return ""
}

// TestZeroAllocations checks that a batch for six players steps without allocations.
func TestZeroAllocations(t *testing.T) {
	b := env.NewVec(rules(t, published(6, nil)), 16, 0)
	b.Reset(1)
	buf, actions := b.Buffers(), b.Spec().Actions
	x := 0
	if n := testing.AllocsPerRun(2000, func() {
		for i := range buf.Action {
			x += 7919
			a := x % actions
			for !buf.Mask[i*actions+a] {
				a = (a + 1) % actions
			}
			buf.Action[i] = game.Action(a)
		}
		if err := b.Step(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations in Step, want 0", n)
	}
}
