package expert

import (
	"cmp"
	"fmt"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/env/martiandice"
	"marsgym/env/martianrisk"
	"marsgym/env/pig"
	"marsgym/env/tablegame"
	"marsgym/internal/core"
)

// Experts are the part of the handle of a game that searches it for training.
type Experts interface {
	newExpert(cfg Config, rows, first int) (Expert, error)
}

// NewGame returns the handle of a game that need not be in env/catalog: that of
// [search.NewGame], which can also be trained by expert iteration.
func NewGame[S comparable](rules game.Rules[S]) env.Game {
	g := search.NewGame(rules)
	return struct {
		env.Game
		search.Searches
		Experts
	}{g, g.(search.Searches), expertsOf[S](rules)}
}

// of returns the experts of a handle, which has them or is of a game of env/catalog. Like package
// search, it is compiled for the types of their states.
func of(g env.Game) (Experts, error) {
	own, _ := g.(Experts)
	rules := g.Rules()
	x := cmp.Or(own,
		expertsOf[martiandice.State](rules),
		expertsOf[marsisours.State](rules),
		expertsOf[martianrisk.State](rules),
		expertsOf[pig.State](rules),
		expertsOf[tablegame.State](rules),
	)
	if x == nil {
		return nil, fmt.Errorf("this handle of %s has no experts, make it with expert.NewGame: %w", g.Spec().ID, ErrUnsupported)
	}
	return x, nil
}

type experts[S comparable] struct{ rules core.Rules[S] }

// expertsOf returns nil if the states of the rules are of another type.
func expertsOf[S comparable](rules any) Experts {
	if r, ok := rules.(game.Rules[S]); ok {
		return &experts[S]{core.New(r)}
	}
	return nil
}
