package martiandice_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/env/martiandice"
	"marsgym/internal/test/fulltest"
)

// config is the published game for so many players, with some fields changed.
func config(players int, change func(*martiandice.Config)) martiandice.Config {
	c := martiandice.DefaultConfig()
	c.Players = players
	if change != nil {
		change(&c)
	}
	return c
}

func newRules(t testing.TB, c martiandice.Config) *martiandice.Rules {
	t.Helper()
	r, err := martiandice.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func parse(t testing.TB, r *martiandice.Rules, text string) martiandice.State {
	t.Helper()
	s, err := r.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func repeat(c *martiandice.Config)     { c.TieBreak = martiandice.Repeat }
func share(c *martiandice.Config)      { c.TieBreak = martiandice.Share }
func stopAtOnce(c *martiandice.Config) { c.AllowStopBeforeSelect = true }

// TestRules tests the sentences of the rules: S0 of Board Game Arena, S1 the summary, S3
// the German rules. The field do is an action, or the dice rolled, or "legal" for the
// legal actions, or "outcomes" for the outcomes with their probabilities.
func TestRules(t *testing.T) {
	for i, test := range []struct {
		rule    string
		players int
		change  func(*martiandice.Config)
		from    string
		do      string
		want    string
	}{
		{`S3 "1 Panzer, 2 Todesstrahlen, 1 Mensch, 1 Kuh sowie 1 Huhn"`, 2, nil,
			"0-0@0 aside R12 rolling", "outcomes",
			"0.1667 0-0@0 aside R12 roll C1, 0.1667 0-0@0 aside R12 roll H1, 0.1667 0-0@0 aside R12 roll K1, 0.3333 0-0@0 aside R12 roll R1, 0.1667 0-0@1"},
		{`S3 "bekommt 4 Punkte für die 4 Menschen und 1 Punkt [für] das einsame Huhn"`, 2, nil,
			"0-0@0 aside T3R3H4K1", "stop", "5-0@1"},
		{`S0 "If there are more Tanks than Death Rays … you score zero points"`, 2, nil,
			"0-0@0 aside T4R3 roll H6", "humans", "0-0@1"},
		{`S1 "do NOT outnumber … (ie … or an equal number)"`, 2, nil,
			"0-0@0 aside C5", "stop", "5-0@1"},
		{`S0 "3 bonus points if you set aside at least one of all three"`, 2, nil,
			"0-0@0 aside H1C1K1", "stop", "6-0@1"},
		{`S0 "3 bonus points if you set aside at least one of all three": but of two`, 2, nil,
			"0-0@0 aside R4H5 roll C4", "cows", "9-0@1"},
		{`S1 "Highest possible score on a player's turn is 16 (13+3)"`, 2, nil,
			"0-0@0 aside H5C4 roll K4", "chickens", "16-0@1"},
		{`S1 "Max of one bonus per turn"`, 2, nil,
			"0-0@0 aside T1R1H4C4 roll K3", "chickens", "14-0@1"},
		{`S0 "If you cannot set aside any dice … proceed to Scoring"`, 2, nil,
			"0-0@0 aside R2H4 rolling", "H7", "4-0@1"},
		{`S0 tanks are set aside in step 2, before the choice of step 3`, 2, nil,
			"0-0@0 aside T1R1C5 rolling", "T1C5", "0-0@1"},
		{`S1 "When your turn ends, tally your score"`, 2, nil,
			"0-0@0 aside R3H5 rolling", "T3H2", "5-0@1"},
		{`S3 "TODESSTRAHLEN DÜRFEN MEHRFACH PRO ZUG AUSGEWÄHLT WERDEN"`, 2, nil,
			"0-0@0 aside R2H1 roll R3C7", "legal", "rays cows"},
		{`S0 "may not be chosen if you have already set that type aside"`, 2, nil,
			"0-0@0 aside C2 roll R1H3C7", "legal", "rays humans"},
		{`S0 "may not be chosen if you have already set that type aside"`, 2, nil,
			"0-0@0 aside C2 roll R1H3C7", "cows", "illegal: cows are set aside already, and may be taken once a turn"},
		{`S1 "you may not keep only some of that type, must be all"`, 2, nil,
			"0-0@0 roll R5H4C4", "humans", "0-0@0 aside H4"},
		{`S1 "may NOT keep more than one non-tank type from any roll"`, 2, nil,
			"0-0@0 aside H4", "cows", "illegal: a type is set aside already, roll or stop"},
		{`S0 "set aside all dice of that type": there are none`, 2, nil,
			"0-0@0 roll H9C4", "rays", "illegal: no rays were rolled"},
		{`S3 one stops after having chosen, in step 4`, 2, nil,
			"0-0@0 roll H9C4", "stop", "illegal: choose a type to set aside first"},
		{`allow_stop_before_select`, 2, stopAtOnce,
			"0-0@0 aside C4 roll H5K4", "legal", "humans chickens stop"},
		{`allow_stop_before_select`, 2, stopAtOnce,
			"0-0@0 aside C4 roll H5K4", "stop", "4-0@1"},
		{`S0 "If there are no available dice, proceed to Scoring"`, 2, nil,
			"0-0@0 aside R6H6 roll R1", "rays", "6-0@1"},
		{`S1 "may stop rolling at any time"`, 2, nil,
			"0-0@0 aside T3H2", "legal", "roll stop"},
		{`S1 "may stop rolling at any time"`, 2, nil,
			"0-0@0 aside T3H2", "stop", "0-0@1"},
		{`S1 "may stop rolling at any time": or not`, 2, nil,
			"0-0@0 aside T3H2", "roll", "0-0@0 aside T3H2 rolling"},
		{`S1 "If you are unable to keep any non-tank dice from a roll, your turn ends"`, 2, nil,
			"0-0@0", "T13", "0-0@1"},
		{`S1 "7 or more red tanks, your turn score will be 0"`, 2, nil,
			"0-0@0 aside T7R5 roll H1", "humans", "0-0@1"},
		{`S1 "7 or more red tanks, your turn score will be 0"`, 2, nil,
			"0-0@0 aside T6H1 rolling", "T1R5", "0-0@0 aside T7H1 roll R5"},
		{`S0 "the round is completed so that all players have had the same number of turns"`, 3, nil,
			"20-0-0@0 aside H5", "stop", "25-0-0@1"},
		{`S0 "the round is completed so that all players have had the same number of turns"`, 3, nil,
			"25-0-0@1 aside H1", "stop", "25-1-0@2"},
		{`S0 "the round is completed so that all players have had the same number of turns"`, 3, nil,
			"25-1-0@2 aside H1", "stop", "25-1-1 over 0"},
		{`S0 the round is complete when the last seat has played`, 3, nil,
			"0-0-20@2 aside H5", "stop", "0-0-25 over 2"},
		{`S0 "the player with the most points wins"`, 2, nil,
			"27-20@1 aside H8", "stop", "27-28 over 1"},
		{`S3 "würfelt jeder der betroffenen Spieler 6 Marswürfel"`, 3, nil,
			"27-27-18@2 aside H2", "stop", "27-27-20 tie 0,1"},
		// Two tie with 6 dice with probability Σ C(6,k)²·2^(12-2k)/3^12 = 0.240676.
		{`seats still tied roll again (tie_break repeat)`, 3, repeat,
			"27-27-20 tie 0,1", "outcomes", "0.3797 27-27-20 over 0, 0.3797 27-27-20 over 1, 0.2407 27-27-20 tie 0,1"},
		{`seats still tied share the win (tie_break share)`, 3, share,
			"27-27-20 tie 0,1", "outcomes", "0.3797 27-27-20 over 0, 0.2407 27-27-20 over 0,1, 0.3797 27-27-20 over 1"},
		{`S1 "25 or greater"`, 2, nil,
			"0-20@1 aside H5", "stop", "0-25 over 1"},
		{`S1 "25 or greater"`, 2, nil,
			"0-20@1 aside H4", "stop", "0-24@0"},
		{`S1 "(13 at the start of your turn)"`, 2, nil,
			"5-0@1", "T2R3H4C3K1", "5-0@1 aside T2 roll R3H4C3K1"},

		{`S3 "EIN BEISPIELZUG"`, 2, nil, "0-0@0", "T2R3H4C3K1", "0-0@0 aside T2 roll R3H4C3K1"},
		{`S3 "EIN BEISPIELZUG"`, 2, nil, "0-0@0 aside T2 roll R3H4C3K1", "humans", "0-0@0 aside T2H4"},
		{`S3 "EIN BEISPIELZUG"`, 2, nil, "0-0@0 aside T2H4 rolling", "T1R2C3K1", "0-0@0 aside T3H4 roll R2C3K1"},
		{`S3 "EIN BEISPIELZUG"`, 2, nil, "0-0@0 aside T3H4 roll R2C3K1", "rays", "0-0@0 aside T3R2H4"},
		{`S3 "EIN BEISPIELZUG"`, 2, nil, "0-0@0 aside T3R2H4 rolling", "H2C1K1", "0-0@0 aside T3R2H4 roll H2C1K1"},
		{`S3 "EIN BEISPIELZUG"`, 2, nil, "0-0@0 aside T3R2H4 roll H2C1K1", "chickens", "0-0@0 aside T3R2H4K1"},
		{`S3 "EIN BEISPIELZUG"`, 2, nil, "0-0@0 aside T3R2H4K1 rolling", "R1H1C1", "0-0@0 aside T3R2H4K1 roll R1H1C1"},
		{`S3 "EIN BEISPIELZUG"`, 2, nil, "0-0@0 aside T3R2H4K1 roll R1H1C1", "rays", "0-0@0 aside T3R3H4K1"},
		{`S3 "EIN BEISPIELZUG"`, 2, nil, "0-0@0 aside T3R3H4K1", "stop", "5-0@1"},

		{`solitaire counts turns`, 1, nil, "20@0 aside H4 turns 6", "stop", "24@0 turns 7"},
		{`solitaire counts turns`, 1, nil, "20@0 aside H5 turns 6", "stop", "25 over 0 turns 7"},
		{`first_player random`, 3, func(c *martiandice.Config) { c.FirstPlayer = martiandice.FirstRandom },
			"0-0-0 draw", "outcomes", "0.3333 0-0-0@0, 0.3333 0-0-0@1 start 1, 0.3333 0-0-0@2 start 2"},
		{`first_player random: the round ends before the seat that started`, 3, func(c *martiandice.Config) { c.FirstPlayer = martiandice.FirstRandom },
			"0-25-0@2 aside H1 start 1", "stop", "0-25-1@0 start 1"},
		{`first_player random: the round ends before the seat that started`, 3, func(c *martiandice.Config) { c.FirstPlayer = martiandice.FirstRandom },
			"0-25-1@0 aside H1 start 1", "stop", "1-25-1 over 1"},
		{`max_rounds`, 2, func(c *martiandice.Config) { c.MaxRounds = 9 }, "7-7@1 aside H1 round 8", "stop", "7-8@0 round 9"},
		{`max_rounds`, 2, func(c *martiandice.Config) { c.MaxRounds = 9 }, "7-7@1 aside H1 round 9", "stop", "7-8 over 1"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			r := newRules(t, config(test.players, test.change))
			if got := do(t, r, parse(t, r, test.from), test.do); got != test.want {
				t.Errorf("%s:\nfrom %s, %s\n got %s\nwant %s", test.rule, test.from, test.do, got, test.want)
			}
		})
	}
}

// do returns a description of the result; see TestRules.
func do(t *testing.T, r *martiandice.Rules, s martiandice.State, what string) string {
	t.Helper()
	switch what {
	case "legal":
		var list []string
		for _, a := range r.Legal(nil, s) {
			list = append(list, r.ActionName(a))
		}
		return strings.Join(list, " ")
	case "outcomes":
		var list []string
		for _, o := range r.Outcomes(nil, s) {
			list = append(list, fmt.Sprintf("%.4f %s", o.Prob, r.Format(o.State)))
		}
		slices.SortFunc(list, func(a, b string) int { return strings.Compare(a[7:], b[7:]) })
		return strings.Join(list, ", ")
	}
	for a := martiandice.Rays; a <= martiandice.Stop; a++ {
		if r.ActionName(a) != what {
			continue
		}
		next, err := r.Apply(s, a)
		if errors.Is(err, game.ErrIllegalAction) {
			return "illegal: " + strings.TrimSuffix(err.Error(), ": illegal action")
		}
		return r.Format(next)
	}
	dice, err := martiandice.ParseCounts(what)
	if err != nil {
		t.Fatal(err)
	}
	next := r.Rolled(s, dice)
	for _, o := range r.Outcomes(nil, s) {
		if o.State == next {
			return r.Format(next)
		}
	}
	return "no outcome: " + r.Format(next)
}

func TestReturns(t *testing.T) {
	for _, test := range []struct {
		rule     string
		players  int
		change   func(*martiandice.Config)
		position string
		want     []float64
	}{
		{"no seat is paid before the end", 2, nil, "24-24@0", []float64{0, 0}},
		{"the winner takes 1", 2, nil, "27-28 over 1", []float64{-1, 1}},
		{"the others share the loss", 5, nil, "0-1-25-3-4 over 2", []float64{-0.25, -0.25, 1, -0.25, -0.25}},
		{"a shared win", 3, share, "27-27-20 over 0,1", []float64{0.25, 0.25, -0.5}},
		{"solitaire", 1, nil, "25 over 0 turns 7", []float64{-7}},
	} {
		r := newRules(t, config(test.players, test.change))
		if got := r.Returns(nil, parse(t, r, test.position)); !near(got, test.want, 1e-15) {
			t.Errorf("%s: %s pays %v, want %v", test.rule, test.position, got, test.want)
		}
	}
}

func TestApplyRefuses(t *testing.T) {
	r := newRules(t, config(2, nil))
	for _, test := range []struct {
		position string
		action   game.Action
		want     error
		text     string
	}{
		{"0-0@0", martiandice.Roll, game.ErrIllegalAction, "the dice are to be rolled first"},
		{"27-27 tie 0,1", martiandice.Stop, game.ErrIllegalAction, "the dice are to be rolled first"},
		{"0-0@0 aside H1", -1, game.ErrIllegalAction, "there is no action -1"},
		{"0-0@0 aside H1", 6, game.ErrIllegalAction, "there is no action 6"},
		{"0-0@0 roll R13", martiandice.Roll, game.ErrIllegalAction, "choose a type"},
		{"27-28 over 1", martiandice.Roll, game.ErrGameOver, "the game is over"},
	} {
		s := parse(t, r, test.position)
		got, err := r.Apply(s, test.action)
		if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) || got != s {
			t.Errorf("at %s action %d gave %s, error %v; want one that contains %q", test.position, test.action, r.Format(got), err, test.text)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := martiandice.DefaultConfig().Validate(); err != nil {
		t.Errorf("the default is refused: %v", err)
	}
	for _, test := range []struct {
		config martiandice.Config
		want   []string
	}{
		{martiandice.Config{}, []string{
			"players is 0; want 1 to 10", "dice is 0; want 1 to 13", "target is 0; want 1 to 200", "tie_dice is 0",
			"faces.ray is 0", "faces.human is 0", `tie_break is ""`, `first_player is ""`,
		}},
		{config(11, func(c *martiandice.Config) {
			c.Bonus, c.MaxRounds, c.Faces.Tank, c.Faces.Cow, c.Dice = 21, -1, 101, 2, 14
		}), []string{
			"players is 11", "dice is 14", "bonus is 21; want 0 to 20", "max_rounds is -1", "faces.tank is 101; want 0 to 100",
			"faces.human, faces.cow and faces.chicken are 1, 2 and 1; want three equal numbers",
		}},
		{config(1, func(c *martiandice.Config) { c.MaxRounds = 5 }), []string{"max_rounds is 5; want 0 in solitaire"}},
	} {
		_, err := martiandice.New(test.config)
		if err == nil {
			t.Errorf("%+v is accepted", test.config)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("the error for %+v does not contain %q:\n%v", test.config, want, err)
			}
		}
		if got := strings.Count(err.Error(), "\n") + 1; got != len(test.want) {
			t.Errorf("%d faults of %+v, want %d:\n%v", got, test.config, len(test.want), err)
		}
	}
}

func TestContract(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, for which env/catalog plays the game in many goroutines")
	}
	for name, c := range map[string]martiandice.Config{
		"published": config(2, nil),
		"solitaire": config(1, func(c *martiandice.Config) { c.Dice = 6 }),
		"three":     config(3, nil),
		"ten":       config(10, func(c *martiandice.Config) { c.Dice, c.Target = 5, 10 }),
		"share":     config(2, func(c *martiandice.Config) { c.TieBreak, c.Dice, c.Target = martiandice.Share, 6, 3 }),
		"random start": config(4, func(c *martiandice.Config) {
			c.FirstPlayer, c.Dice = martiandice.FirstRandom, 6
		}),
		"stop at once": config(2, func(c *martiandice.Config) { c.AllowStopBeforeSelect, c.Dice = true, 6 }),
		"ten rounds":   config(3, func(c *martiandice.Config) { c.MaxRounds, c.Dice = 10, 6 }),
		"few dice":     config(2, func(c *martiandice.Config) { c.Dice, c.Target, c.TieDice = 3, 4, 1 }),
		"other faces": config(2, func(c *martiandice.Config) {
			c.Faces, c.Dice = martiandice.Faces{Tank: 2, Ray: 1, Human: 3, Cow: 3, Chicken: 3}, 7
		}),
	} {
		t.Run(name, func(t *testing.T) {
			if c.Dice == 13 && c.Players > 2 && !fulltest.On() {
				t.Skip("takes seconds")
			}
			if name != "published" && name != "share" {
				fulltest.Gate(t)
			}
			games, most := 1, 10
			if c.Dice == 13 {
				most = 2 // each state has up to 2,380 outcomes
			}
			if fulltest.On() {
				games = most
			}
			if err := gametest.Check(newRules(t, c), gametest.Games(games)); err != nil {
				t.Error(err)
			}
		})
	}
}
