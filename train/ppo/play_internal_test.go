// In package ppo for the rollouts, which a run does not report.
package ppo

import (
	"math"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/pig"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/models/losstest"
	"marsgym/train/method"
)

// TestPlay plays the games of a rollout again, from its actions: it has recorded what was seen,
// and what the network says of it. The games end by the rules, or after seven decisions.
func TestPlay(t *testing.T) {
	const rows, seats, horizon = 6, 3, 50
	for _, head := range []models.Head{models.Score, models.Logits} {
		g := env.NewGame[pig.State](testgames.LimitedPig{Rules: testgames.NewPig(t, seats, 12), Moves: 7})
		actions, d := g.Spec().Actions, g.Spec().ObsLen()
		mlp := network(t, g, head)
		first := g.NewBatch(rows, 0)
		first.Reset(1)
		r := newRollout(first, 0, head, Config{Horizon: horizon, Gamma: 1, Lambda: 1})
		newTestPool(t, method.Opponents{}, g, r)
		for range 2 { // the second begins where the first ends
			if err := r.play(t.Context(), mlp); err != nil {
				t.Fatal(err)
			}
		}

		near := func(what string, at int, got float32, want float64) {
			t.Helper()
			if !(math.Abs(float64(got)-want) <= 1e-5) {
				t.Errorf("%s, decision %d: %s is %v; want %v", head, at, what, got, want)
			}
		}
		// valued compares values by seat with those of an observation.
		valued := func(what string, at int, got, obs []float32, viewer int) {
			t.Helper()
			values := make([]float32, seats)
			mlp.Forward(nil, values, obs)
			for j, v := range values {
				near(what, at, got[(viewer+j)%seats], float64(v))
			}
		}
		b := g.NewBatch(rows, 0)
		b.Reset(1)
		again := newRollout(b, 0, head, Config{Horizon: horizon, Gamma: 1, Lambda: 1})
		newTestPool(t, method.Opponents{}, g, again)
		if err := again.play(t.Context(), mlp); err != nil {
			t.Fatal(err)
		}
		buf := b.Buffers()
		games, terminations := uint64(0), 0
		for at := 0; at < rows*horizon; at += rows {
			for i := range rows {
				k, mover := at+i, int(buf.Player[i])
				if int(r.mover[k]) != mover || r.random[k] {
					t.Fatalf("%s, decision %d: player %d decides; want %d", head, k, r.mover[k], mover)
				}
				valued("the value", k, r.value[k*seats:][:seats], buf.Obs[i*d:][:d], mover)
				legal := appendLegal(nil, buf.Mask[i*actions:][:actions])
				options := r.option[r.start[k]:r.start[k+1]]
				if len(legal) == 1 {
					if buf.Action[i] = legal[0]; len(options) > 0 {
						t.Errorf("%s, decision %d: %d options of a forced action", head, k, len(options))
					}
					continue
				}
				if !slices.Equal(options, legal) {
					t.Fatalf("%s, decision %d: the options are %v; want %v", head, k, options, legal)
				}
				buf.Action[i] = r.option[r.chosen[k]]
				var scores []float64
				if head == models.Score {
					after := b.Decisions([]int{i}).Afterstates()
					out := make([]float32, len(legal))
					mlp.Forward(out, nil, after.Obs)
					for _, x := range out {
						scores = append(scores, float64(x))
					}
				} else {
					out := make([]float32, actions)
					mlp.Forward(out, nil, buf.Obs[i*d:][:d])
					for _, a := range legal {
						scores = append(scores, float64(out[a]))
					}
				}
				near("the logarithm of the probability", k, r.logp[k], losstest.LogSoftmax(scores)[r.chosen[k]-r.start[k]])
			}
			if err := b.Step(); err != nil {
				t.Fatal(err)
			}
			if got := r.reward[at*seats:][:rows*seats]; !slices.Equal(got, buf.Reward) {
				t.Errorf("%s, step %d: the rewards are %v; want %v", head, at/rows, got, buf.Reward)
			}
			for i := range rows {
				want := running
				switch {
				case buf.Terminated[i]:
					want = terminated
					terminations++
				case buf.Truncated[i]:
					want = truncated
					valued("the value of the last position", at+i, r.bootstrap[(at+i)*seats:][:seats], buf.FinalObs[i*d:][:d], int(buf.FinalPlayer[i]))
				}
				if want != running {
					games++
				}
				if r.ended[at+i] != want {
					t.Errorf("%s, decision %d: its step ends as %d; want %d", head, at+i, r.ended[at+i], want)
				}
			}
		}
		for i := range rows {
			valued("the value after the rollout", rows*horizon+i, r.value[(rows*horizon+i)*seats:][:seats], buf.Obs[i*d:][:d], int(buf.Player[i]))
		}
		if r.games != games || terminations == 0 || uint64(terminations) == games {
			t.Errorf("%s: %d games ended; want %d, of which %d by the rules", head, r.games, games, terminations)
		}
	}
}
