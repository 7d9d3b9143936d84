package martianrisk

import (
	"fmt"
	"strconv"
	"strings"

	"marsgym/env/game"
)

// tabulated is up to how many armies a side the tables go unless asked for
// more. Chosen: to be read at a glance.
const tabulated = 10

// question asks for the odds of an attack.
type question struct {
	attackers, defenders int
	towers               int // how many pieces higher the attacker's is
	// What ends are worth, in the attacker's armies, if that is asked.
	payoff        bool
	region, enemy float64
}

// OddsTables implements [game.OddsTables]. It tabulates conquest at every difference of the
// towers, or tells all of one attack, and the best rule for when to break it off:
//
//	all, up to 20
//	5 against 3
//	6 against 4 towers +1 region 3 enemy 1
//
// The last counts an own army that is left as 1, the region conquered as 3 and
// an enemy's army that is beaten as 1.
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
		return conquestTables(tabulated), nil
	case len(words) == 3 && words[0] == "up" && words[1] == "to":
		most, err := armies(words[2], 2)
		if err != nil {
			return nil, err
		}
		return conquestTables(most), nil
	case len(words) < 3 || words[1] != "against":
		return nil, fmt.Errorf("it names no attack")
	}
	q, err := readQuestion(words)
	if err != nil {
		return nil, err
	}
	return q.tables(), nil
}

func readQuestion(words []string) (q question, err error) {
	if q.attackers, err = armies(words[0], 2); err != nil {
		return q, err
	}
	if q.defenders, err = armies(words[2], 1); err != nil {
		return q, err
	}
	seen := map[string]bool{}
	for words = words[3:]; len(words) > 0; words = words[2:] {
		name := words[0]
		switch {
		case seen[name]:
			return q, fmt.Errorf("%s comes twice", name)
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
			q.payoff = true
			q.region, err = worth(name, words[1])
		case "enemy":
			q.payoff = true
			q.enemy, err = worth(name, words[1])
		default:
			err = fmt.Errorf("%q has no meaning there", name)
		}
		if err != nil {
			return q, err
		}
	}
	return q, nil
}

// armies reads how many armies fight on a side.
func armies(text string, least int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > maxCap {
		return 0, fmt.Errorf("it has %s armies; want %d to %d", text, least, maxCap)
	}
	return n, nil
}

// worth reads what something is worth in armies.
func worth(name, text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= maxWorth) {
		return 0, fmt.Errorf("%s is worth %s; want 0 to %d armies", name, text, maxWorth)
	}
	return x, nil
}

// maxWorth bounds what can be asked. Chosen: no payoff drowns in rounding.
const maxWorth = 1_000_000

// conquestTables tabulate how likely an attack fought to its end conquers, by
// the armies of both sides, for each difference of the towers.
func conquestTables(most int) (tables []game.Table) {
	for higher := -heights; higher <= heights; higher++ {
		t := game.Table{
			Name:    fmt.Sprintf("conquest_%+d", higher),
			Title:   fmt.Sprintf("How likely an attack by so many conquers, %s; a battle is won with %.6f", towers(higher), BattleOdds(higher)),
			Columns: []string{"defenders"},
		}
		for a := 2; a <= most; a++ {
			t.Columns = append(t.Columns, fmt.Sprintf("by_%d", a))
		}
		for d := 1; d <= most; d++ {
			row := []any{d}
			c, odds := NewConquest(most, d, higher), 0.0
			for a := 2; a <= most; a++ {
				odds += c.Left[most+2-a] // fewer attackers are fewer of these terms
				row = append(row, odds)
			}
			t.Rows = append(t.Rows, row)
		}
		tables = append(tables, t)
	}
	return tables
}

func towers(higher int) string {
	if higher == 0 {
		return "equal towers"
	}
	return fmt.Sprintf("towers %+d", higher)
}

// tables tell all of one attack.
func (q question) tables() []game.Table {
	c := NewConquest(q.attackers, q.defenders, q.towers)
	attack := game.Table{
		Name:    "attack",
		Title:   fmt.Sprintf("%d against %d, %s, fought to the end", q.attackers, q.defenders, towers(q.towers)),
		Columns: []string{"battle_won", "conquest", "mean_attackers_left", "mean_defenders_left"},
	}
	left := game.Table{
		Name:    "left",
		Title:   "What is left of both, before any move",
		Columns: []string{"attackers", "defenders", "probability"},
	}
	own, enemies := 0.0, 0.0
	for i := q.attackers; i > 0; i-- {
		if p := c.Left[i]; p > 0 {
			own += float64(i) * p
			left.Rows = append(left.Rows, []any{i, 0, p})
		}
	}
	for j, p := range c.Held {
		if p > 0 {
			own += p
			enemies += float64(j) * p
			left.Rows = append(left.Rows, []any{1, j, p})
		}
	}
	attack.Rows = [][]any{{BattleOdds(q.towers), c.Odds, own, enemies}}
	tables := []game.Table{attack, left}
	if q.payoff {
		tables = append(tables, q.stopping(c, own, enemies)...)
	}
	return tables
}

// stopping tells the best rule, and what it is worth beside others, given what
// an attack to the end leaves on average.
func (q question) stopping(c Conquest, own, enemies float64) []game.Table {
	s := NewStopping(q.attackers, q.defenders, q.towers, func(i, j int) float64 {
		v := float64(i) + q.enemy*float64(q.defenders-j)
		if j == 0 {
			v += q.region
		}
		return v
	})
	none := float64(q.attackers)
	end := own + q.enemy*(float64(q.defenders)-enemies) + q.region*c.Odds
	worth := game.Table{
		Name:    "worth",
		Title:   fmt.Sprintf("In armies, where an own one left is worth 1, the region %g, an enemy's beaten %g", q.region, q.enemy),
		Columns: []string{"rule", "worth", "gain"},
		Rows: [][]any{
			{"no attack", none, 0.},
			{"to the end", end, end - none},
			{"the best", s.Value[q.attackers][q.defenders], s.Value[q.attackers][q.defenders] - none},
		},
	}
	rule := game.Table{Name: "rule", Title: "The best rule, by what is left of both", Columns: []string{"defenders"}}
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
	return []game.Table{worth, rule}
}
