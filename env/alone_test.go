package env_test

import (
	"math/rand/v2"
	"slices"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/env/pig"
)

// limited is Pig that is cut off after so many moves, and cut Martian Dice.
type limited struct {
	*pig.Rules
	moves int
}

type cut struct {
	*martiandice.Rules
	moves int
}

func (l limited) Spec() game.Spec { return limit(l.Rules.Spec(), l.moves) }
func (l cut) Spec() game.Spec     { return limit(l.Rules.Spec(), l.moves) }

func limit(s game.Spec, moves int) game.Spec {
	s.MoveLimit = moves
	return s
}

// plain hides all abilities of rules.
type plain struct{ game.Rules[pig.State] }

// coin is a game that may be over before anybody can act: tails ends it, heads
// lets seat 0 claim the win or leave it to seat 1.
type coin struct{}

type face struct{ Side uint8 } // 0 in the air, 1 tails, 2 heads, 3 claimed, 4 left

func (coin) Spec() game.Spec {
	return game.Spec{ID: "coin", Title: "Coin", Version: 1, Players: 2, Actions: 2,
		Observation: []game.Field{{Name: "side", Len: 1}}, Win: 1, Loss: -1}
}
func (coin) Initial() face { return face{} }
func (coin) CurrentPlayer(s face) game.Player {
	return map[uint8]game.Player{0: game.Chance, 1: game.Terminal, 2: 0, 3: game.Terminal, 4: game.Terminal}[s.Side]
}
func (coin) Legal(dst []game.Action, s face) []game.Action {
	if s.Side == 2 {
		dst = append(dst, 0, 1)
	}
	return dst
}
func (coin) Outcomes(dst []game.Outcome[face], s face) []game.Outcome[face] {
	if s.Side == 0 {
		dst = append(dst, game.Outcome[face]{State: face{1}, Prob: 0.75}, game.Outcome[face]{State: face{2}, Prob: 0.25})
	}
	return dst
}
func (coin) Apply(s face, a game.Action) (face, error) {
	if s.Side != 2 || a < 0 || a > 1 {
		return s, game.ErrIllegalAction
	}
	return face{3 + uint8(a)}, nil
}
func (coin) Returns(dst []float64, s face) []float64 {
	pay := map[uint8]float64{3: 1, 4: -1}[s.Side]
	return append(dst, pay, -pay)
}
func (coin) Encode(dst []float32, s face, _ game.Player) { dst[0] = float32(s.Side) }

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
