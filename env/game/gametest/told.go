package gametest

import (
	"math/rand/v2"
	"slices"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
)

// statesTold is the number of states whose rolls and narration are checked. Chosen: they
// contain every kind of transition, and take a fraction of a second.
const statesTold = 300

// outcomesTold bounds the outcomes of a chance state whose rolls are checked. Chosen: a
// roll of 13 dice of Martian Dice has 2,380.
const outcomesTold = 16

// checkTold checks the rolls of a state and the narration of the transitions from it.
func (c *checker[S]) checkTold(s S, mover game.Player, legal []game.Action) {
	if mover == game.Chance {
		outcomes := c.rules.Outcomes(nil, s)
		step := len(outcomes)/outcomesTold + 1
		for i := c.told % step; i < len(outcomes); i += step {
			o, roll := outcomes[i], ""
			c.try(s, "Dice", func() { roll = c.checkRoll(s, o.State) })
			c.try(s, "Narrate", func() { c.checkNarration(s, o.State, 0, roll) })
			c.try(s, "Narrate", func() { c.checkNarration(s, o.State, 0, "") })
		}
		c.try(s, "DrawRoll to no outcome", func() { c.presenter.DrawRoll(s, s, rand.NewPCG(c.seed, 0)) })
		return
	}
	for _, a := range legal {
		if next, err := c.rules.Apply(s, a); err == nil {
			c.try(s, "Narrate", func() { c.checkNarration(s, next, a, "") })
		}
	}
}

// checkRoll draws a roll from s to next, and checks that it is read.
func (c *checker[S]) checkRoll(s, next S) string {
	if ask := c.presenter.AskRoll(s).String(); strings.TrimSpace(ask) == "" || strings.Contains(ask, "\n") {
		c.failAt(s, "AskRoll is one line", "got %q", ask)
	}
	roll := c.presenter.DrawRoll(s, next, rand.NewPCG(c.seed, 0))
	if again := c.presenter.DrawRoll(s, next, rand.NewPCG(c.seed, 0)); again != roll {
		c.failAt(s, "DrawRoll draws from its generator alone", "got %q, then %q", roll, again)
	}
	if got, err := c.presenter.ReadRoll(s, roll); err != nil || got != next {
		c.failAt(s, "ReadRoll reads what DrawRoll draws", "%q leads to %+v, error %v; want %+v", roll, got, err, next)
	}
	for _, text := range []string{"", "no roll", "99", roll + " 99", "-1", "\x00"} {
		if got, err := c.presenter.ReadRoll(s, text); err == nil {
			c.failAt(s, "ReadRoll refuses text that is no roll", "%q leads to %+v", text, got)
		}
	}
	return roll
}

// checkNarration checks the lines of a transition.
func (c *checker[S]) checkNarration(s, next S, a game.Action, roll string) {
	narrate := func() []string {
		return message.Speaker{}.SayAll(c.presenter.Narrate([]message.Message{message.Text("before")}, s, next, a, roll))
	}
	lines := narrate()
	if len(lines) == 0 || lines[0] != "before" {
		c.failAt(s, "Narrate appends", "got %q", lines)
	}
	for _, line := range lines {
		if strings.TrimSpace(line) == "" || strings.Contains(line, "\n") {
			c.failAt(s, "Narrate appends lines", "got %q", line)
		}
	}
	if c.rules.CurrentPlayer(s) == game.Chance && len(lines) == 1 {
		c.failAt(s, "Narrate tells what chance did", "it is silent before %s", c.text(next))
	}
	if again := narrate(); !slices.Equal(again, lines) {
		c.failAt(s, "Narrate is a function of its arguments", "got %q, then %q", lines, again)
	}
}
