package gametest

import (
	"strings"

	"marsgym/env/game"
)

// checkNames checks the names of all actions.
func (c *checker[S]) checkNames() {
	names := make(map[string]game.Action)
	for a := range game.Action(c.spec.Actions) {
		name := c.presenter.ActionName(a)
		if name == "" || strings.ToLower(name) != name || strings.ContainsAny(name, " \t\n") {
			c.fail("ActionName is one lower-case word", "action %d is %q", a, name)
		}
		if b, ok := names[name]; ok {
			c.fail("ActionName differs between actions", "actions %d and %d are both %q", b, a, name)
		}
		names[name] = a
	}
}

// checkOutcomeNames checks the names of the outcomes of s.
func (c *checker[S]) checkOutcomeNames(s S) {
	named := make(map[string]bool)
	for _, o := range c.rules.Outcomes(nil, s) {
		name := c.presenter.OutcomeName(s, o.State)
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
			c.failAt(s, "OutcomeName is one word", "%q leads to %s", name, c.text(o.State))
		}
		if named[name] {
			c.failAt(s, "OutcomeName differs between outcomes", "two are %q", name)
		}
		named[name] = true
	}
}

// checkNonPositions calls Parse with text that is not a position of any game.
func (c *checker[S]) checkNonPositions(start S) {
	for _, text := range []string{
		"", "\x00", "\xff\xfe", "no such position", "🎲", strings.Repeat("9", 400), "-1",
		c.presenter.Format(start) + " and more\x00",
	} {
		if s, err := c.presenter.Parse(text); err == nil {
			c.fail("Parse refuses text that is not a position", "%q became %+v", text, s)
		}
	}
}

// typosTried is the number of states whose text is parsed with typos, in every fourth character:
// four states in a row, whose texts hardly differ, have them in all. Chosen: these states contain
// every word of a notation.
const typosTried = 100

// checkText checks that Parse reproduces s from Format, and that text with a typo is
// refused or parsed as another valid position.
func (c *checker[S]) checkText(s S) {
	text := c.presenter.Format(s)
	if got, err := c.presenter.Parse(text); err != nil {
		c.failAt(s, "Parse reads what Format wrote", "%v", err)
		return
	} else if got != s {
		c.failAt(s, "Parse reads what Format wrote", "it became %+v", got)
		return
	}
	if c.typos++; c.typos > typosTried {
		return
	}
	for _, typo := range withTypos(text, c.typos%4) {
		c.try(s, "Parse", func() {
			t, err := c.presenter.Parse(typo)
			if err != nil {
				return
			}
			if back, err := c.presenter.Parse(c.presenter.Format(t)); err != nil || back != t {
				c.failAt(s, "Parse gives a position that can be written", "%q became %+v, error %v", typo, t, err)
				return
			}
			mover := c.rules.CurrentPlayer(t)
			if mover < game.Terminal || int(mover) >= c.spec.Players ||
				mover >= 0 && len(c.rules.Legal(nil, t)) == 0 ||
				mover == game.Chance && len(c.rules.Outcomes(nil, t)) == 0 {
				c.failAt(s, "Parse gives a position that can be played", "%q became %+v", typo, t)
			}
		})
	}
}

// withTypos returns texts that differ from text by one character: every fourth from one on, or
// one more at the end.
func withTypos(text string, from int) []string {
	var out []string
	for i := from; i < len(text); i += 4 {
		out = append(out, text[:i], text[:i]+text[i+1:], text[:i]+"9"+text[i:], text[:i]+"-"+text[i+1:])
	}
	return append(out, text+" ", text+"9")
}

// checkDescriptions checks that descriptions of actions are not empty.
func (c *checker[S]) checkDescriptions(s S, legal []game.Action) {
	for _, a := range legal {
		if strings.TrimSpace(c.presenter.DescribeAction(s, a).String()) == "" {
			c.failAt(s, "DescribeAction is not empty", "it is for %s", c.action(a))
		}
	}
}
