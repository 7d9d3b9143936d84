package analysis

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"marsgym/env"
	"marsgym/env/game"
)

// Rollouts values a position by the mean result of games from there, in which an agent
// plays in all seats. So a value is that of the agent's play, not of best play. The k-th
// games from all positions have the same dice, as far as they take the same number of
// them.
type Rollouts struct {
	Game   env.Game
	Agent  env.Policy
	Name   string // of the agent
	Number int    // of games from a position, at least 2
	Seed   uint64
}

// Method implements [Valuer].
func (r *Rollouts) Method() string { return fmt.Sprintf("rollouts:%d:%s", r.Number, r.Name) }

// Exact implements [Valuer].
func (*Rollouts) Exact() bool { return false }

// About implements [Valuer].
func (r *Rollouts) About() string {
	return aboutEstimates(fmt.Sprintf("chance only: values are of the play of %s, not of best play.", r.Name))
}

// playedAtOnce is the number of decisions in one call of the agent. Chosen: as many as a
// network's layers process together.
const playedAtOnce = 256

// rolloutStream begins the streams of the dice of rollouts, which must not be those of the
// match or session that recorded a game.
const rolloutStream = 1 << 60

// rollout is a game in progress.
type rollout struct {
	at    env.Position
	dice  *rand.PCG
	share []float64 // [P] the result
}

// Values implements [Valuer].
func (r *Rollouts) Values(ctx context.Context, at []env.Position) ([]Value, error) {
	spec := r.Game.Spec()
	list := make([]Value, len(at))
	for i, p := range at {
		if p.CurrentPlayer() == game.Terminal {
			list[i].Mean = shares(spec, p.Returns())
			continue
		}
		games := make([]rollout, r.Number)
		for k := range games {
			games[k] = rollout{at: p, dice: rand.NewPCG(r.Seed, rolloutStream|uint64(k))}
		}
		if err := r.play(ctx, spec, games); err != nil {
			return nil, err
		}
		samples := make([][]float64, len(games))
		for k, g := range games {
			samples[k] = g.share
		}
		list[i] = sampled(samples)
		list[i].share, list[i].unit = spec.HasWin(), unitOf(spec)
	}
	return list, nil
}

// play plays all games to the end, or to a limit: unfinished games have the returns 0.
func (r *Rollouts) play(ctx context.Context, spec game.Spec, games []rollout) error {
	chance := spec.ChanceLimit()
	spec.MoveLimit = cmp.Or(spec.MoveLimit, chance)
	running := make([]*rollout, len(games))
	for i := range games {
		running[i] = &games[i]
	}
	probs := make([]float64, playedAtOnce*spec.Actions)
	for moves := 0; len(running) > 0; moves++ {
		left := running[:0]
		for _, g := range running {
			for range chance {
				if g.at.CurrentPlayer() != game.Chance {
					break
				}
				g.at = g.at.Sample(g.dice)
			}
			if who := g.at.CurrentPlayer(); who == game.Terminal || spec.Truncates(who, moves) {
				g.share = shares(spec, g.at.Returns())
			} else {
				left = append(left, g)
			}
		}
		running = left
		for from := 0; from < len(running); from += playedAtOnce {
			if err := r.move(ctx, spec, running[from:min(from+playedAtOnce, len(running))], probs); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Rollouts) move(ctx context.Context, spec game.Spec, games []*rollout, probs []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	at := make([]env.Position, len(games))
	for i, g := range games {
		at[i] = g.at
	}
	d, n := env.DecisionsOf(at), spec.Actions
	if err := env.Probs(ctx, r.Agent, probs[:len(games)*n], d); err != nil {
		return err
	}
	for i, g := range games {
		a := env.SampleAction(probs[i*n:(i+1)*n], g.dice)
		if label := d.Relabel(i); label != nil {
			a = label[a]
		}
		next, err := g.at.Apply(a)
		if err != nil {
			return err
		}
		g.at = next
	}
	return nil
}
