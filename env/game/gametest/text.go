package gametest

import (
	"strings"

	"marsgym/env/game"
)

// checkNames checks the names of all actions.
func (c *checker[S]) checkNames() {
	names := make(map[string]game.Action)
	for a := range game.Action(c.spec.Actions) {
		name := c.notation.ActionName(a)
		if name == "" || strings.ToLower(name) != name || strings.ContainsAny(name, " \t\n") {
			c.fail("ActionName is one lower-case word", "action %d is %q", a, name)
		}
		if b, ok := names[name]; ok {
			c.fail("ActionName differs between actions", "actions %d and %d are both %q", b, a, name)
		}
		names[name] = a
	}
}

// checkGarbage offers Parse text that is no position of any game.
func (c *checker[S]) checkGarbage(start S) {
	for _, text := range []string{
		"", "\x00", "\xff\xfe", "no such position", "🎲", strings.Repeat("9", 400), "-1",
		c.notation.Format(start) + " and more\x00",
	} {
		if s, err := c.notation.Parse(text); err == nil {
			c.fail("Parse refuses what is no position", "%q became %+v", text, s)
		}
	}
}

// slipped is the number of states whose text is offered with slips of the pen.
// Chosen: enough for every word of a notation, in about a second.
const slipped = 100

// checkText checks that s can be written and read back, and that a slip of the
// pen is refused or read as another sound position.
func (c *checker[S]) checkText(s S) {
	text := c.notation.Format(s)
	if got, err := c.notation.Parse(text); err != nil {
		c.failAt(s, "Parse reads what Format wrote", "%v", err)
		return
	} else if got != s {
		c.failAt(s, "Parse reads what Format wrote", "it became %+v", got)
		return
	}
	if c.slipped++; c.slipped > slipped {
		return
	}
	for _, slip := range slips(text) {
		c.try(s, "Parse", func() {
			t, err := c.notation.Parse(slip)
			if err != nil {
				return
			}
			if back, err := c.notation.Parse(c.notation.Format(t)); err != nil || back != t {
				c.failAt(s, "Parse gives a position that can be written", "%q became %+v, error %v", slip, t, err)
				return
			}
			mover := c.rules.CurrentPlayer(t)
			if mover < game.Terminal || int(mover) >= c.spec.Players ||
				mover >= 0 && len(c.rules.Legal(nil, t)) == 0 ||
				mover == game.Chance && len(c.rules.Outcomes(nil, t)) == 0 {
				c.failAt(s, "Parse gives a position that can be played", "%q became %+v", slip, t)
			}
		})
	}
}

// slips are texts one character away from the one given.
func slips(text string) []string {
	var out []string
	for i := range len(text) {
		out = append(out, text[:i], text[:i]+text[i+1:], text[:i]+"9"+text[i:], text[:i]+"-"+text[i+1:])
	}
	return append(out, text+" ", text+"9")
}

// checkGuide checks that the guide has something to say.
func (c *checker[S]) checkGuide(s S, legal []game.Action) {
	if strings.TrimSpace(c.guide.Render(s)) == "" {
		c.failAt(s, "Picture is not empty", "it is")
	}
	for _, a := range legal {
		if strings.TrimSpace(c.guide.DescribeAction(s, a)) == "" {
			c.failAt(s, "Explain is not empty", "it is for %s", c.action(a))
		}
	}
	for _, o := range c.rules.Outcomes(nil, s) {
		if text := c.guide.DescribeChance(s, o.State); strings.Contains(text, "\n") {
			c.failAt(s, "Tell says one line", "it says %q", text)
		}
	}
}
