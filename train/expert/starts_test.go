package expert_test

import (
	"math"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/pig"
	"marsgym/internal/test/testgames"
	"marsgym/train/expert"
)

// met is a decision of a row, or the start of a turn, in the order of play.
type met struct {
	state      pig.State
	difference float32 // of the search's value from the network's
	start      bool    // an episode starts in it
}

// playPig returns the first decisions (or searched turns) of a row of Pig.
func playPig(t *testing.T, depth expert.Depth, merges bool, starts expert.Starts, searches int) (list []met, rules *pig.Rules) {
	t.Helper()
	rules = testgames.NewPig(t, 2, 20)
	rec := recorder[pig.State]{rules, map[string]viewed[pig.State]{}}
	g := expert.NewGame[pig.State](rec)
	if merges {
		g = expert.NewGame[pig.State](merging[pig.State]{rec})
	}
	cfg := config(depth)
	cfg.Starts, cfg.Turns = starts, 1
	e, net := newExpert(t, g, cfg, 1, 0), hashNetwork(g.Spec())
	e.Reset(4)
	var found denseTargets
	start, p := true, 2
	for range searches {
		if err := e.Search(t.Context(), &found, expert.Options{}, net); err != nil {
			t.Fatal(err)
		}
		value := make([]float32, p)
		net(nil, value, found.Obs[:rules.Spec().ObsLen()])
		at := rec.at(found.Obs[:rules.Spec().ObsLen()])
		list = append(list, met{at.state, float32(math.Abs(float64(found.Value[0]) - float64(value[0]))), start})
		start = found.Games > 0
	}
	return list, rules
}

// Episodes start at the beginning of the game where no fraction is set, and elsewhere
// where one is.
func TestStarts(t *testing.T) {
	decided := func(s pig.State, rules *pig.Rules) []pig.State { // after one random action and chance
		var next []pig.State
		for _, a := range rules.Legal(nil, s) {
			after, err := rules.Apply(s, a)
			if err != nil {
				t.Fatal(err)
			}
			if next = append(next, after); rules.CurrentPlayer(after) == game.Chance {
				next = next[:len(next)-1]
				for _, o := range rules.Outcomes(nil, after) {
					next = append(next, o.State)
				}
			}
		}
		return next
	}
	for kind, starts := range map[string]expert.Starts{
		"beginning": {}, "sample": {Sample: 1}, "walk": {Walk: 1}, "archive": {Archive: 1}, "disagree": {Disagree: 1},
	} {
		list, rules := playPig(t, expert.OneMove, false, starts, 1500)
		elsewhere, known := 0, map[pig.State]bool{}
		var archive []met
		for _, at := range list {
			if at.start && at.state != rules.Initial() {
				elsewhere++
				if rules.CurrentPlayer(at.state) < 0 {
					t.Fatalf("%s: an episode starts in %+v, without a decision", kind, at.state)
				}
			}
			if at.start && len(archive) > 0 && kind == "archive" && !known[at.state] {
				t.Fatalf("%s: an episode starts in %+v, which does not follow a position met", kind, at.state)
			}
			// The decision before is added to the archive after the start was drawn.
			if at.start && len(archive) > 1 && kind == "disagree" {
				worst := 0
				for k, x := range archive[:len(archive)-1] {
					if x.difference > archive[worst].difference+1e-6 {
						worst = k
					}
				}
				most := archive[worst].difference // several positions look the same, and differ by as much
				worst = slices.IndexFunc(archive, func(x met) bool { return x.state == at.state && x.difference >= most-1e-6 })
				if worst < 0 {
					t.Fatalf("%s: an episode starts in %+v; the largest difference is %v", kind, at.state, most)
				}
				archive[worst].difference = 0
			}
			for _, s := range decided(at.state, rules) {
				known[s] = true
			}
			if archive = append(archive, at); len(archive) > expert.ArchiveSize+1 {
				archive = slices.Delete(archive, 0, 1)
			}
		}
		if kind == "beginning" && elsewhere > 0 || kind != "beginning" && elsewhere < 10 {
			t.Errorf("%s: %d episodes start elsewhere than at the beginning", kind, elsewhere)
		}
	}
}

// Turns, and moves with values of afterstates, take starts of each kind too. Searches of turns that start elsewhere
// do not advance the row's game; the first ones, without an archive, do.
func TestOtherStarts(t *testing.T) {
	for _, depth := range []expert.Depth{expert.OneMove, expert.Turn} {
		for kind, starts := range map[string]expert.Starts{
			"sample": {Sample: 1}, "walk": {Walk: 1}, "archive": {Archive: 1}, "disagree": {Disagree: 1},
		} {
			plain, _ := playPig(t, depth, depth == expert.OneMove, expert.Starts{}, 50)
			list, _ := playPig(t, depth, depth == expert.OneMove, starts, 50)
			same, games := 0, 0
			for k, at := range list {
				if at.state == plain[k].state {
					same++
				}
				if k > 0 && at.start {
					games++
				}
			}
			if same > 25 || depth == expert.Turn && games > 2 {
				t.Errorf("%s, %s: %d of %d positions as without it, %d games ended", depth, kind, same, len(list), games)
			}
		}
	}
}
