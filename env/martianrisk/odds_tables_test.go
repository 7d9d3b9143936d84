package martianrisk_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martianrisk"
)

// answer returns the tables for a question by name.
func answer(t *testing.T, question string) map[string]game.Table {
	t.Helper()
	list, err := rules(t, martianrisk.DefaultConfig()).OddsTables(question)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]game.Table{}
	for _, table := range list {
		tables[table.Name] = table
	}
	if len(tables) != len(list) {
		t.Errorf("%s: %d tables with %d names", question, len(list), len(tables))
	}
	return tables
}

// TestOddsTables compares all tables with chain.
func TestOddsTables(t *testing.T) {
	tables := answer(t, "up to 6")
	if len(tables) != 7 || len(answer(t, "all")["conquest_+0"].Rows) != 10 {
		t.Errorf("%d tables; want one for each difference of the towers, with ten rows for all", len(tables))
	}
	for name, higher := range map[string]int{"conquest_-3": -3, "conquest_+0": 0, "conquest_+2": 2} {
		won, all := battle(max(higher, 0), max(-higher, 0))
		table := tables[name]
		if len(table.Rows) != 6 {
			t.Fatalf("%s has %d rows, want 6", name, len(table.Rows))
		}
		for d := 1; d <= 6; d++ {
			for a := 2; a <= 6; a++ {
				ends := make(map[[2]int]*big.Rat)
				chain(a, d, big.NewRat(1, 1), big.NewRat(won, all), ends)
				want := 0.0
				for end, p := range ends {
					if end[1] == 0 {
						want += value(p)
					}
				}
				if got := table.Rows[d-1][a-1].(float64); !(math.Abs(got-want) <= 1e-14) {
					t.Errorf("%s: %d against %d: %v, want %v", name, a, d, got, want)
				}
			}
		}
	}
}

func TestOddsOfAttack(t *testing.T) {
	const a, d, region, enemy = 6, 4, 3, 1
	tables := answer(t, "6 against 4 region 3 enemy 1")
	won, all := battle(0, 0)
	ends := make(map[[2]int]*big.Rat)
	chain(a, d, big.NewRat(1, 1), big.NewRat(won, all), ends)

	seen, end := 0, 0.0
	for _, row := range tables["left"].Rows {
		i, j, p := row[0].(int), row[1].(int), row[2].(float64)
		if want := value(ends[[2]int{i, j}]); !(math.Abs(p-want) <= 1e-14) {
			t.Errorf("%d against %d are left with probability %v, want %v", i, j, p, want)
		}
		seen++
		end += p * (float64(i) + enemy*float64(d-j))
		if j == 0 {
			end += p * region
		}
	}
	if seen != len(ends) {
		t.Errorf("%d ends, want %d", seen, len(ends))
	}
	values := tables["worth"].Rows
	if got := values[1][1].(float64); !(math.Abs(got-end) <= 1e-12) {
		t.Errorf("an attack to the end has value %v, want %v", got, end)
	}
	none, best := values[0][1].(float64), values[2][1].(float64)
	if none != a || !(best > none) || !(best > end) {
		t.Errorf("the best rule has value %v; want more than %v without an attack and %v to the end", best, none, end)
	}
	stops, fights := 0, 0
	for _, row := range tables["rule"].Rows {
		for _, x := range row[1:] {
			switch x {
			case "stop":
				stops++
			case "fight":
				fights++
			}
		}
	}
	if stops == 0 || fights == 0 || stops+fights != d*(a-1) {
		t.Errorf("the rule fights at %d sizes and stops at %d", fights, stops)
	}
	if plain := answer(t, "6 against 4 towers 1"); len(plain) != 2 {
		t.Errorf("%d tables without payoffs, want 2", len(plain))
	}
}

func TestOddsRefuses(t *testing.T) {
	r := rules(t, martianrisk.DefaultConfig())
	for question, want := range map[string]string{
		"":                              "names no attack",
		"5 against":                     "names no attack",
		"5 to 3":                        "names no attack",
		"1 against 3":                   "has 1 armies; want 2 to 200",
		"5 against 0":                   "has 0 armies; want 1 to 200",
		"5 against x":                   "has x armies",
		"up to 201":                     "has 201 armies",
		"5 against 3 towers":            `nothing follows "towers"`,
		"5 against 3 towers 4":          "differ by 4; want -3 to +3",
		"5 against 3 towers 1 towers 1": "towers is there twice",
		"5 against 3 tower 1":           `"tower" has no meaning`,
		"5 against 3 region NaN":        "region is valued at NaN",
		"5 against 3 enemy -1":          "enemy is valued at -1",
	} {
		if _, err := r.OddsTables(question); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `ask for "all"`) {
			t.Errorf("%q: error %v; want %q", question, err, want)
		}
	}
}
