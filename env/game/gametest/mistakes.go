package gametest

import (
	"strings"

	"marsgym/env/game"
)

// maxLabels is the number of labels that a MistakeLabeler may use for kinds of mistakes,
// and for situations. Chosen: a table of them can still be read.
const maxLabels = 32

// checkMistakes checks the labels of all decisions visited.
func (c *checker[S]) checkMistakes() {
	labeler, ok := c.rules.(game.MistakeLabeler[S])
	if !ok || len(c.errs) > 0 {
		return // the rules may not be fit to call
	}
	kinds, situations := make(map[string]bool), make(map[string]bool)
	add := func(s S, labels map[string]bool, method string, label func() string) {
		text := label()
		if strings.TrimSpace(text) != text || text == "" || strings.Contains(text, "\n") {
			c.failAt(s, method+" is a label of one line", "got %q", text)
		}
		if again := label(); again != text {
			c.failAt(s, method+" is a function of its arguments", "got %q, then %q", text, again)
		}
		if labels[text] = true; len(labels) > maxLabels {
			c.failAt(s, method+" has few labels", "%q is one of more than %d", text, maxLabels)
		}
	}
	for _, s := range c.decisions {
		c.try(s, "MistakeLabeler", func() {
			add(s, situations, "Situation", func() string { return labeler.Situation(s) })
			legal := c.rules.Legal(nil, s)
			for _, a := range legal[1:] {
				add(s, kinds, "Kind", func() string { return labeler.Kind(s, legal[0], a) })
				add(s, kinds, "Kind", func() string { return labeler.Kind(s, a, legal[0]) })
			}
		})
	}
}
