package rulesbook

import (
	"regexp"
	"strings"

	"marsgym/docs/games"
	"marsgym/env/game"
)

// varying is what differs between configs in the name of a field, for which the page has letters.
var varying = regexp.MustCompile(`\b([A-Z]|[0-9]+)\b`)

// Observation returns what the pages say of all numbers of an observation, such as their order, and
// the meaning of each field of the spec. A meaning is "" for a field that the table of the page does
// not have.
func Observation(spec game.Spec) (notes string, meanings []string) {
	shared, _ := games.Pages.ReadFile("README.md")
	var texts []string
	for _, b := range clean(parse(section(string(shared), "## What all pages share"))) {
		if b.Kind == item && (strings.HasPrefix(b.Text, "Observations.") || strings.HasPrefix(b.Text, "Scales.")) {
			texts = append(texts, b.Text)
		}
	}
	_, p := page(spec.ID, English)
	all := section(p, "## Observation")
	for _, b := range clean(parse(all)) {
		if b.Kind == paragraph {
			texts = append(texts, b.Text)
		}
	}
	table := section(p, "### Observation of `"+spec.ID+"`")
	if table == "" {
		table = all
	}
	pattern := func(name string) string { return varying.ReplaceAllString(name, "#") }
	known := map[string]string{}
	for _, b := range clean(parse(table)) {
		if b.Kind == row {
			known[pattern(b.Cells[0])] = b.Cells[len(b.Cells)-1]
		}
	}
	for _, f := range spec.Observation {
		meanings = append(meanings, known[pattern(f.Name)])
	}
	return strings.Join(texts, " "), meanings
}
