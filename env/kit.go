package env

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"marsgym/env/game"
)

// kit is a game's rules with its abilities looked up.
type kit[S comparable] struct {
	rules    game.Rules[S]
	sampler  game.Sampler[S]
	symmetry game.Symmetry[S] // or nil
	limit    int              // Spec.ChanceLimit
}

func newKit[S comparable](rules game.Rules[S]) kit[S] {
	k := kit[S]{rules: rules, sampler: lister[S]{rules}, limit: rules.Spec().ChanceLimit()}
	if s, ok := rules.(game.Sampler[S]); ok {
		k.sampler = s
	}
	k.symmetry, _ = rules.(game.Symmetry[S])
	return k
}

// canonical returns the representative of s and the actions behind its own.
func (k *kit[S]) canonical(s S) (S, []game.Action) {
	if k.symmetry == nil {
		return s, nil
	}
	return k.symmetry.Canonical(s)
}

// known returns why a state that was read from bytes is none of the game: where
// there is a notation, it must be a position of that.
func (k *kit[S]) known(s S) (err error) {
	n, ok := k.rules.(game.Notation[S])
	if !ok {
		return nil
	}
	defer func() {
		if p := recover(); p != nil { // Format looked up what no state holds
			err = fmt.Errorf("no state of the game: %v", p)
		}
	}()
	same, err := n.Parse(n.Format(s))
	if err == nil && same != s {
		err = errors.New("no state of the game")
	}
	return err
}

// lister samples for rules that do not: from the list of all outcomes.
type lister[S comparable] struct{ rules game.Rules[S] }

// Sample implements [game.Sampler].
func (l lister[S]) Sample(s S, dice *rand.PCG) S {
	outcomes := l.rules.Outcomes(nil, s)
	u := chance(dice)
	for _, o := range outcomes {
		if u -= o.Prob; u < 0 {
			return o.State
		}
	}
	return outcomes[len(outcomes)-1].State // u was within rounding of 1
}

// settle samples chance until a seat must act or the game is over, and returns who
// moves then. It returns game.Chance where k.limit transitions lead to neither: such
// a game is truncated.
func (k *kit[S]) settle(s *S, dice *rand.PCG) game.Player {
	for range k.limit {
		who := k.rules.CurrentPlayer(*s)
		if who != game.Chance {
			return who
		}
		*s = k.sampler.Sample(*s, dice)
	}
	return k.rules.CurrentPlayer(*s)
}

// apply is the representative of the state just after a legal action.
func (k *kit[S]) apply(s S, a game.Action) S {
	after, err := k.rules.Apply(s, a)
	if err != nil {
		panic("env: " + k.rules.Spec().ID + ": a legal action is refused: " + err.Error())
	}
	after, _ = k.canonical(after)
	return after
}

// afterstates fills dst with the options of the representatives shown.
func (k *kit[S]) afterstates(dst *Afterstates, shown []S) {
	d := k.rules.Spec().ObsLen()
	dst.reset(len(shown))
	for _, s := range shown {
		who := k.rules.CurrentPlayer(s)
		dst.legal = k.rules.Legal(dst.legal[:0], s)
		for _, a := range dst.legal {
			k.rules.Encode(dst.add(a, d), k.apply(s, a), who)
		}
		dst.Start = append(dst.Start, len(dst.Action))
	}
}
