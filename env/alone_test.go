package env_test

import (
	"math/rand/v2"
	"slices"

	"marsgym/env"
	"marsgym/env/game"
)

// seen is what a row shows, and what was done.
type seen struct {
	obs                   []float32
	mask                  []bool
	player                game.Player
	action                game.Action
	reward                []float32
	terminated, truncated bool
	finalObs              []float32
	finalPlayer           game.Player
}

// choose draws one of the legal actions.
func choose(mask []bool, noise *rand.PCG) game.Action {
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

// act chooses in all rows.
func act(b env.Batch) {
	buf, n := b.Buffers(), b.Spec().Actions
	for i := range b.Len() {
		buf.Action[i] = choose(buf.Mask[i*n:(i+1)*n], &buf.Noise[i])
	}
}

// look is what row i of a batch shows.
func look(b env.Batch, i int) seen {
	buf, spec := b.Buffers(), b.Spec()
	d, n, p := spec.ObsLen(), spec.Actions, spec.Players
	s := seen{
		obs: slices.Clone(buf.Obs[i*d : (i+1)*d]), mask: slices.Clone(buf.Mask[i*n : (i+1)*n]), player: buf.Player[i],
		action: buf.Action[i], reward: slices.Clone(buf.Reward[i*p : (i+1)*p]),
		terminated: buf.Terminated[i], truncated: buf.Truncated[i],
	}
	if s.truncated {
		s.finalObs, s.finalPlayer = slices.Clone(buf.FinalObs[i*d:(i+1)*d]), buf.FinalPlayer[i]
	}
	return s
}

func (s seen) equal(o seen) bool {
	return slices.Equal(s.obs, o.obs) && slices.Equal(s.mask, o.mask) && s.player == o.player && s.action == o.action &&
		slices.Equal(s.reward, o.reward) && s.terminated == o.terminated && s.truncated == o.truncated &&
		slices.Equal(s.finalObs, o.finalObs) && s.finalPlayer == o.finalPlayer
}

// alone plays a row as the contract of Batch reads, one game after the other.
func alone[S comparable](rules game.Rules[S], seed, row uint64, steps int) (list []seen) {
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
	show := func(s S) (v seen, label []game.Action) {
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
		a := choose(now.mask, noise)
		real := a
		if label != nil {
			real = label[a]
		}
		after, err := rules.Apply(s, real)
		if err != nil {
			panic(err)
		}
		s = settle(after)
		moves++
		var did seen
		did.action, did.reward = a, make([]float32, spec.Players)
		if did.terminated = rules.CurrentPlayer(s) == game.Terminal; did.terminated {
			for p, r := range rules.Returns(nil, s) {
				did.reward[p] = float32(r)
			}
		} else if moves == spec.MoveLimit {
			last, _ := show(s)
			did.truncated, did.finalObs, did.finalPlayer = true, last.obs, last.player
		}
		if did.terminated || did.truncated {
			s, moves = begin(), 0
		}
		now, label = show(s)
		did.obs, did.mask, did.player = now.obs, now.mask, now.player
		list = append(list, did)
	}
	return list
}
