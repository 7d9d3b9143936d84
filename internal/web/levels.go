package web

import (
	_ "embed"
	"encoding/json"
	"slices"

	"marsgym/agents"
	"marsgym/env/game/message"
	"marsgym/internal/figure"
)

// strengths.json holds how often agents win against the bot greedy in all other seats. Each row
// names the preset, its players, the agent and the share of the wins. Of games for two they are
// those of go run ./cmd/eval table -game GAME; others those of go run ./cmd/eval match -game GAME
// -players PLAYERS -model AGENT -against greedy -games 1200, and of docs/training.md for networks.
// Of agents that no measurement tells apart, such as searches in solved games, one is a level.
//
//go:embed strengths.json
var strengthsJSON []byte

// strength is a row of strengths.json.
type strength struct {
	Game    string  `json:"game"` // the preset
	Players int     `json:"players"`
	Agent   string  `json:"agent"`
	Wins    float64 `json:"wins"`
}

// strengths holds the rows by preset, in the order of their levels.
var strengths = func() map[string][]strength {
	var list []strength
	if err := json.Unmarshal(strengthsJSON, &list); err != nil {
		panic(err) // the file is embedded
	}
	byGame := map[string][]strength{}
	for _, s := range list {
		byGame[s.Game] = append(byGame[s.Game], s)
	}
	return byGame
}()

// measured returns the rows of a preset, for the number of players for which it was measured,
// and the index of an agent in them, or -1.
func measured(id, name string) ([]strength, int) {
	rows := strengths[id]
	return rows, slices.IndexFunc(rows, func(s strength) bool { return s.Agent == name })
}

// level returns the level of an agent that was measured. An agent has the same in every game, so that the
// name of a level tells who plays: a network, or a search where there is none, is third.
func level(name string) int {
	switch name {
	case "random":
		return 1
	case yardstick:
		return 2
	case agents.Exact:
		return 4
	}
	return 3
}

// levelName names an agent for people: its level if it was measured, else itself.
func levelName(id, name string) message.Message {
	if _, i := measured(id, name); i >= 0 {
		return message.New("Level {0}", level(name))
	}
	return message.Text(name)
}

// howStrong says in one line how strong an agent is among that number of players; nothing if it was not
// measured. The number of a level says little: in Martian Risk, random play beats the bot greedy.
func howStrong(id, name string, players int) (strong message.Message) {
	rows, i := measured(id, name)
	if i < 0 || rows[i].Players != players {
		return strong
	}
	if name == yardstick {
		return message.New("the simple bot, with which the other levels are compared")
	}
	wins := message.Figure(figure.Chance(rows[i].Wins))
	strong = message.New("wins {0} of 100 games against level {1}", wins, level(yardstick))
	if others := rows[i].Players - 1; others > 1 {
		strong = message.New("wins {0} of 100 games against {1} of level {2}", wins, others, level(yardstick))
	}
	switch name {
	case agents.Exact, "random":
		return message.New("{0}, and {1}", brief(name), strong)
	}
	return strong
}

// brief says in few words what an agent with a level is, for lists.
func brief(name string) message.Message {
	switch name {
	case "random":
		return message.New("plays at random")
	case yardstick:
		return message.New("the simple bot")
	case agents.Exact:
		return message.New("never makes a mistake")
	case agents.Pretrained:
		return message.New("a trained network")
	}
	return message.New("a tree search")
}

// yardstick is the agent against which the others were measured.
const yardstick = "greedy"
