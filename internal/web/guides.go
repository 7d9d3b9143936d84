package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"

	"marsgym/env/game/message"
	"marsgym/internal/input"
)

// guides.json holds the guided first games. A step explains the position before the choice that
// it suggests to the person, who has seat 0; the others play by themselves. A step that is best
// suggests a best choice.
//
//go:embed guides.json
var guidesJSON []byte

// guide is a guided game.
type guide struct {
	Games []string `json:"games"` // the presets that it teaches
	Address
	Steps []guideStep `json:"steps"`
	End   string      `json:"end"` // what is said after the last step
}

// guideStep is a step of a guided game.
type guideStep struct {
	Move string `json:"move"`
	Best bool   `json:"best,omitempty"`
	Text string `json:"text"`
}

// guides are the guided games.
var guides = func() (list []guide) {
	if err := json.Unmarshal(guidesJSON, &list); err != nil {
		panic(err) // the file is embedded
	}
	return list
}()

// guide returns the guided game of Game.
func (a *App) guide(_ context.Context, r *Request) (any, error) {
	i := slices.IndexFunc(guides, func(g guide) bool { return slices.Contains(g.Games, r.Game) })
	if i < 0 {
		return nil, message.NewError("there is no guided game of {0}; its rules say how it is played", input.Quote(r.Game))
	}
	g, to := guides[i], speaker(r.Language, Address{})
	g.Steps, g.End = slices.Clone(g.Steps), to.Word(g.End)
	for k := range g.Steps {
		g.Steps[k].Text = to.Word(g.Steps[k].Text)
	}
	return g, nil
}
