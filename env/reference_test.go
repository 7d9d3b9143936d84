package env_test

import (
	"math/rand/v2"
	"slices"

	"marsgym/env"
	"marsgym/env/game"
)

// transition is one step of a row: the action, its results, and the next decision.
type transition struct {
	obs                   []float32
	mask                  []bool
	player                game.Player
	action                game.Action
	reward                []float32
	terminated, truncated bool
	finalObs              []float32
	finalPlayer           game.Player
}

// randomAction samples a legal action.
func randomAction(mask []bool, noise *rand.PCG) game.Action {
	probs := make([]float64, len(mask))
	legal := 0.0
	for a, ok := range mask {
		if ok {
			probs[a] = 1
			legal++
		}
	}
	for a := range probs {
		probs[a] /= legal
	}
	return env.SampleAction(probs, noise)
}

// act writes a random legal action for every row.
func act(b env.Batch) {
	buf, n := b.Buffers(), b.Spec().Actions
	for i := range b.Len() {
		buf.Action[i] = randomAction(buf.Mask[i*n:(i+1)*n], &buf.Noise[i])
	}
}

// readRow returns what the buffers hold for row i.
func readRow(b env.Batch, i int) transition {
	buf, spec := b.Buffers(), b.Spec()
	d, n, p := spec.ObsLen(), spec.Actions, spec.Players
	s := transition{
		obs: slices.Clone(buf.Obs[i*d : (i+1)*d]), mask: slices.Clone(buf.Mask[i*n : (i+1)*n]), player: buf.Player[i],
		action: buf.Action[i], reward: slices.Clone(buf.Reward[i*p : (i+1)*p]),
		terminated: buf.Terminated[i], truncated: buf.Truncated[i],
	}
	if s.terminated || s.truncated {
		s.finalObs, s.finalPlayer = slices.Clone(buf.FinalObs[i*d:(i+1)*d]), buf.FinalPlayer[i]
	}
	return s
}

func (s transition) equal(o transition) bool {
	return slices.Equal(s.obs, o.obs) && slices.Equal(s.mask, o.mask) && s.player == o.player && s.action == o.action &&
		slices.Equal(s.reward, o.reward) && s.terminated == o.terminated && s.truncated == o.truncated &&
		slices.Equal(s.finalObs, o.finalObs) && s.finalPlayer == o.finalPlayer
}

// referenceRow plays one row by the rules alone, as the contract of Batch states,
// one game after another.
func referenceRow[S comparable](rules game.Rules[S], seed, row uint64, steps int) (list []transition) {
	spec := rules.Spec()
	dice, noise := rand.NewPCG(seed, row), rand.NewPCG(seed, 1<<62|row)
	canonical := func(s S) (S, []game.Action) {
		if y, ok := rules.(game.Symmetry[S]); ok {
			return y.Canonical(s)
		}
		return s, nil
	}
	settle := func(s S) S {
		for rules.CurrentPlayer(s) == game.Chance {
			if r, ok := rules.(game.Sampler[S]); ok {
				s = r.Sample(s, dice)
				continue
			}
			u := float64(dice.Uint64()>>11) / (1 << 53)
			for _, o := range rules.Outcomes(nil, s) {
				if u -= o.Prob; u < 0 {
					s = o.State
					break
				}
			}
		}
		return s
	}
	begin := func() S {
		for {
			if s := settle(rules.Initial()); rules.CurrentPlayer(s) != game.Terminal {
				return s
			}
		}
	}
	show := func(s S) (v transition, label []game.Action) {
		v.player = rules.CurrentPlayer(s)
		s, label = canonical(s)
		v.obs, v.mask = make([]float32, spec.ObsLen()), make([]bool, spec.Actions)
		rules.Encode(v.obs, s, v.player)
		for _, a := range rules.Legal(nil, s) {
			v.mask[a] = true
		}
		return v, label
	}
	s, moves := begin(), 0
	now, label := show(s)
	for range steps {
		a := randomAction(now.mask, noise)
		own := a
		if label != nil {
			own = label[a]
		}
		after, err := rules.Apply(s, own)
		if err != nil {
			panic(err)
		}
		last := now.player
		s = settle(after)
		moves++
		var step transition
		step.action, step.reward = a, make([]float32, spec.Players)
		if step.terminated = rules.CurrentPlayer(s) == game.Terminal; step.terminated {
			for p, r := range rules.Returns(nil, s) {
				step.reward[p] = float32(r)
			}
		} else if moves == spec.MoveLimit {
			step.truncated, last = true, rules.CurrentPlayer(s)
		}
		if step.terminated || step.truncated {
			shown, _ := canonical(s)
			step.finalObs, step.finalPlayer = make([]float32, spec.ObsLen()), last
			rules.Encode(step.finalObs, shown, last)
			s, moves = begin(), 0
		}
		now, label = show(s)
		step.obs, step.mask, step.player = now.obs, now.mask, now.player
		list = append(list, step)
	}
	return list
}
