package search

import (
	"cmp"
	"fmt"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/env/martiandice"
	"marsgym/env/martianrisk"
	"marsgym/env/pig"
	"marsgym/env/tablegame"
	"marsgym/internal/core"
)

// Searches are the part of the handle of a game that searches it.
type Searches interface {
	newSearch(cfg Config, e *Evaluator) (Searcher, error)
	newLookahead(plies int, e *Evaluator) (env.Policy, error)
}

// NewGame returns the handle of a game that need not be in env/catalog: that of [env.NewGame],
// which can also be searched.
func NewGame[S comparable](rules game.Rules[S]) env.Game {
	return struct {
		env.Game
		Searches
	}{env.NewGame(rules), searchesOf[S](rules)}
}

// of returns the searches of a handle, which has them or is of a game of env/catalog. Code that
// searches is compiled for the type of a state, so this list names the types of those games.
func of(g env.Game) (Searches, error) {
	own, _ := g.(Searches)
	rules := g.Rules()
	s := cmp.Or(own,
		searchesOf[martiandice.State](rules),
		searchesOf[marsisours.State](rules),
		searchesOf[martianrisk.State](rules),
		searchesOf[pig.State](rules),
		searchesOf[tablegame.State](rules),
	)
	if s == nil {
		return nil, fmt.Errorf("search: this handle of %s cannot be searched; make it with search.NewGame", g.Spec().ID)
	}
	return s, nil
}

type searches[S comparable] struct{ rules core.Rules[S] }

// searchesOf returns nil if the states of the rules are of another type.
func searchesOf[S comparable](rules any) Searches {
	if r, ok := rules.(game.Rules[S]); ok {
		return &searches[S]{core.New(r)}
	}
	return nil
}
