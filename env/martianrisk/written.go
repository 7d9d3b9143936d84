package martianrisk

import (
	"fmt"
	"slices"
	"strings"
)

// writtenParts returns [game.Spec.WrittenParts]: the map with its unions and borders.
// c has its defaults filled in.
func (c Config) writtenParts() map[string]string {
	var b strings.Builder
	fmt.Fprintf(&b, "The map of this game has %d regions. Where it comes from: %s.\n\n| union | regions |\n|---|---|\n", len(c.Map.Regions), strings.Join(strings.Fields(strings.TrimSuffix(c.Map.Source, ".")), " "))
	var united []string
	if c.Unions {
		for i, u := range c.Map.Unions {
			fmt.Fprintf(&b, "| %s | %s |\n", unionName(i), strings.Join(u, " "))
			united = append(united, u...)
		}
	}
	var rest []string
	for _, r := range c.Map.Regions {
		if !slices.Contains(united, r.Name) {
			rest = append(rest, r.Name)
		}
	}
	if rest != nil {
		fmt.Fprintf(&b, "| none | %s |\n", strings.Join(rest, " "))
	}
	b.WriteString("\nIts borders, each listed once:\n\n| region | borders on |\n|---|---|\n")
	for _, r := range c.Map.Regions {
		if list := c.Map.Borders[r.Name]; list != nil {
			fmt.Fprintf(&b, "| %s | %s |\n", r.Name, strings.Join(list, " "))
		}
	}
	return map[string]string{"map": b.String()}
}
