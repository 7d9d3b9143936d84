package martianrisk

import (
	"fmt"
	"strconv"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/input"
)

// defaultMost is the largest number of armies of a side in the tables of "all". Chosen
// for readability.
const defaultMost = 10

// oddsQuestion is a question about the odds of one attack.
type oddsQuestion struct {
	attackers, defenders int
	towers               int // the attacker's tower minus the defender's, in pieces
	// Payoffs of the ends of the attack, in own armies, if hasPayoff.
	hasPayoff     bool
	region, enemy float64
}

// OddsTables implements [game.OddsTables]. "all" and "up to" tabulate the probability of
// conquest for every difference of the towers; the others tabulate one attack and, with
// payoffs, the best rule for when to stop it:
//
//	all, up to 20
//	5 against 3
//	6 against 4 towers +1 region 3 enemy 1
//
// In the last each own army left counts 1, the conquered region 3 and each beaten army
// of the enemy 1.
func (r *Rules) OddsTables(text string) ([]game.Table, error) {
	tables, err := answer(strings.Fields(text))
	if err != nil {
		return nil, fmt.Errorf("odds of %q: %w; ask for %q, or as in %q or %q", text, err, game.AllOdds, "up to 20", "6 against 4 towers +1 region 3 enemy 1")
	}
	return tables, nil
}

func answer(words []string) ([]game.Table, error) {
	switch {
	case len(words) == 1 && words[0] == game.AllOdds:
		return conquestTables(defaultMost), nil
	case len(words) == 3 && words[0] == "up" && words[1] == "to":
		most, err := parseArmies(words[2], 2)
		if err != nil {
			return nil, err
		}
		return conquestTables(most), nil
	case len(words) < 3 || words[1] != "against":
		return nil, fmt.Errorf("it names no attack")
	}
	q, err := parseQuestion(words)
	if err != nil {
		return nil, err
	}
	return q.tables(), nil
}

func parseQuestion(words []string) (q oddsQuestion, err error) {
	if q.attackers, err = parseArmies(words[0], 2); err != nil {
		return q, err
	}
	if q.defenders, err = parseArmies(words[2], 1); err != nil {
		return q, err
	}
	seen := map[string]bool{}
	for words = words[3:]; len(words) > 0; words = words[2:] {
		name := words[0]
		switch {
		case seen[name]:
			return q, fmt.Errorf("%s is there twice", name)
		case len(words) == 1:
			return q, fmt.Errorf("nothing follows %q", name)
		}
		seen[name] = true
		switch name {
		case "towers":
			q.towers, err = strconv.Atoi(words[1])
			if err != nil || q.towers < -heights || q.towers > heights {
				return q, fmt.Errorf("towers differ by %s; want %d to +%d pieces", words[1], -heights, heights)
			}
		case "region":
			q.hasPayoff = true
			q.region, err = parseValue(name, words[1])
		case "enemy":
			q.hasPayoff = true
			q.enemy, err = parseValue(name, words[1])
		default:
			err = fmt.Errorf("%q has no meaning there", name)
		}
		if err != nil {
			return q, err
		}
	}
	return q, nil
}

// parseArmies reads the number of armies of a side.
func parseArmies(text string, least int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > maxCap {
		return 0, fmt.Errorf("it has %s armies; want %s", text, input.Range(least, maxCap))
	}
	return n, nil
}

// parseValue reads a payoff in armies.
func parseValue(name, text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= maxValue) {
		return 0, fmt.Errorf("%s is valued at %s; want 0 to %d armies", name, text, maxValue)
	}
	return x, nil
}

// maxValue is the largest payoff. Chosen small enough for the precision of float64.
const maxValue = 1_000_000

// conquestTables tabulates the probability that an attack fought to its end conquers,
// by the armies of both sides, for each difference of the towers.
func conquestTables(most int) (tables []game.Table) {
	for higher := -heights; higher <= heights; higher++ {
		t := game.Table{
			Name:    fmt.Sprintf("conquest_%+d", higher),
			Title:   fmt.Sprintf("Probability of conquest by the number of attackers, %s; a battle is won with probability %.6f", towersText(higher), BattleOdds(higher)),
			Columns: []string{"defenders"},
		}
		for a := 2; a <= most; a++ {
			t.Columns = append(t.Columns, fmt.Sprintf("by_%d", a))
		}
		for d := 1; d <= most; d++ {
			row := []any{d}
			c, odds := NewConquest(most, d, higher), 0.0
			for a := 2; a <= most; a++ {
				odds += c.Left[most+2-a] // an attack by a armies conquers with the first a-1 of these terms
				row = append(row, odds)
			}
			t.Rows = append(t.Rows, row)
		}
		tables = append(tables, t)
	}
	return tables
}

func towersText(higher int) string {
	if higher == 0 {
		return "equal towers"
	}
	return fmt.Sprintf("towers %+d", higher)
}

// tables returns the tables of one attack.
func (q oddsQuestion) tables() []game.Table {
	c := NewConquest(q.attackers, q.defenders, q.towers)
	attack := game.Table{
		Name:    "attack",
		Title:   fmt.Sprintf("%d against %d, %s, fought to the end", q.attackers, q.defenders, towersText(q.towers)),
		Columns: []string{"battle_won", "conquest", "mean_attackers_left", "mean_defenders_left"},
	}
	left := game.Table{
		Name:    "left",
		Title:   "Armies left on both sides, before any move",
		Columns: []string{"attackers", "defenders", "probability"},
	}
	own, enemies := 0.0, 0.0
	for i := q.attackers; i > 0; i-- {
		if p := c.Left[i]; p > 0 {
			own += float64(float64(i) * p)
			left.Rows = append(left.Rows, []any{i, 0, p})
		}
	}
	for j, p := range c.Held {
		if p > 0 {
			own += p
			enemies += float64(float64(j) * p)
			left.Rows = append(left.Rows, []any{1, j, p})
		}
	}
	attack.Rows = [][]any{{BattleOdds(q.towers), c.Odds, own, enemies}}
	tables := []game.Table{attack, left}
	if q.hasPayoff {
		tables = append(tables, q.stoppingTables(c, own, enemies)...)
	}
	return tables
}

// stoppingTables returns the best rule for when to stop, and its value beside those of
// other rules. own and enemies are the mean armies left after an attack fought to the
// end.
func (q oddsQuestion) stoppingTables(c Conquest, own, enemies float64) []game.Table {
	s := NewStopping(q.attackers, q.defenders, q.towers, func(i, j int) float64 {
		v := float64(i) + float64(q.enemy*float64(q.defenders-j))
		if j == 0 {
			v += q.region
		}
		return v
	})
	none := float64(q.attackers)
	end := own + float64(q.enemy*(float64(q.defenders)-enemies)) + float64(q.region*c.Odds)
	values := game.Table{
		Name:    "worth",
		Title:   fmt.Sprintf("Value in armies: own army left 1, region %g, beaten army of the enemy %g", q.region, q.enemy),
		Columns: []string{"rule", "worth", "gain"},
		Rows: [][]any{
			{"no attack", none, 0.},
			{"to the end", end, end - none},
			{"the best", s.Value[q.attackers][q.defenders], s.Value[q.attackers][q.defenders] - none},
		},
	}
	rule := game.Table{Name: "rule", Title: "The best rule, by the armies left on both sides", Columns: []string{"defenders"}}
	for i := 2; i <= q.attackers; i++ {
		rule.Columns = append(rule.Columns, fmt.Sprintf("by_%d", i))
	}
	for j := 1; j <= q.defenders; j++ {
		row := []any{j}
		for i := 2; i <= q.attackers; i++ {
			row = append(row, map[bool]string{true: "fight", false: "stop"}[s.Fight[i][j]])
		}
		rule.Rows = append(rule.Rows, row)
	}
	return []game.Table{values, rule}
}
