package martianrisk

import (
	"fmt"
	"slices"
	"strings"

	"marsgym/env/game/message"
)

// writtenParts returns [game.Spec.WrittenParts]: the pieces, the beginning of the setup, the limit,
// and the map, in English. Without unions, the text about them is left out. c has its defaults filled in.
func (c Config) writtenParts() map[string]message.Message {
	parts := map[string]message.Message{"pieces": message.Text(c.writePieces()), "setup": message.Text(c.writeSetup()), "limit": message.Text(c.writeLimit()), "map": message.Text(c.writeMap())}
	if !c.Unions {
		parts["unions"] = message.Message{}
	}
	return parts
}

// writePieces lists what the players need.
func (c Config) writePieces() string {
	regions := fmt.Sprintf("%d regions.", len(c.Map.Regions))
	if c.Unions {
		regions += " Each region belongs to a group called a union."
	}
	towers := " and two four-sided dice. There are no tower pieces: leave out what the rules say about towers."
	if n := c.Trios; n > 0 {
		towers = fmt.Sprintf(", two four-sided dice and %d tower pieces (%d large, %d medium and %d small).", 3*n, n, n, n)
	}
	return fmt.Sprintf("- A map with %s\n- For each player, in one colour: %d armies (tokens)%s\n", regions, c.ArmyCap, towers)
}

// writeSetup says who begins, and how many armies are placed.
func (c Config) writeSetup() string {
	first := "Each player rolls two dice; the highest total begins, and players who tie roll again."
	if c.FirstPlayer == FirstSeat {
		first = "The first seat begins."
	}
	return fmt.Sprintf("%s Play goes clockwise. Each player places %d armies, one per turn:\n", first, c.SetupArmies)
}

// writeLimit says how the game ends if nobody conquers the map.
func (c Config) writeLimit() string {
	if c.MaxRounds == 0 {
		return "The source has no other ending, and this game has no limit: it can lock for ever, since armies move only by conquest.\n"
	}
	wins, still := "the player with the most regions wins", "Players who are still tied share the win."
	switch c.Ranking {
	case Linear:
		wins, still = "the players with armies are ranked by their regions", "Players who are still tied share their ranks. Of n players, rank i, counted from 0, gets 2(n−1−i)/(n(n−1)) of the win."
	case Even:
		return fmt.Sprintf("The source has no other ending. So marsgym invented a limit: after %d rounds, the players with armies share the win.\n", c.MaxRounds)
	}
	return fmt.Sprintf("The source has no other ending, and careful players hardly ever reach this one. So marsgym invented a limit and a ranking: after %d rounds, %s. "+
		"To break a tie, add each tied player's armies and tower points on the map: 3 for a large piece, 2 for a medium one and 1 for a small one. %s\n", c.MaxRounds, wins, still)
}

// writeMap lists the regions by unions, and the borders.
func (c Config) writeMap() string {
	var b strings.Builder
	source := strings.Join(strings.Fields(strings.TrimSuffix(c.Map.Source, ".")), " ")
	if !c.Unions {
		source, _, _ = strings.Cut(source, "; unions ") // with which the maps of this package end
	}
	fmt.Fprintf(&b, "The map of this game has %d regions. Where it comes from: %s.\n", len(c.Map.Regions), source)
	if c.Unions {
		c.writeUnions(&b)
	}
	b.WriteString("\nIts borders, each listed once:\n\n| region | borders on |\n|---|---|\n")
	for _, r := range c.Map.Regions {
		if list := c.Map.Borders[r.Name]; list != nil {
			fmt.Fprintf(&b, "| %s | %s |\n", r.Name, strings.Join(list, " "))
		}
	}
	return b.String()
}

// writeUnions lists the regions of each union, and those of none.
func (c Config) writeUnions(b *strings.Builder) {
	b.WriteString("\n| union | regions |\n|---|---|\n")
	var united, rest []string
	for i, u := range c.Map.Unions {
		fmt.Fprintf(b, "| %s | %s |\n", unionName(i), strings.Join(u, " "))
		united = append(united, u...)
	}
	for _, r := range c.Map.Regions {
		if !slices.Contains(united, r.Name) {
			rest = append(rest, r.Name)
		}
	}
	if rest != nil {
		fmt.Fprintf(b, "| none | %s |\n", strings.Join(rest, " "))
	}
}
