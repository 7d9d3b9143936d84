package analysis

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
	"marsgym/eval"
	"marsgym/internal/figure"
	"marsgym/internal/kernel/elementary"
)

// Report sums up the prices of games of the same rules.
type Report struct {
	Spec       game.Spec `json:"-"`
	Title      string    `json:"game"`
	RulesHash  string    `json:"rules_hash"`
	Players    int       `json:"players"`
	Unit       string    `json:"unit"`            // of all figures: "share of the win", or that of the returns
	Method     string    `json:"method"`          // of the Valuer
	Exact      bool      `json:"exact"`           // of the prices of the games
	About      string    `json:"about,omitempty"` // what intervals of single games and decisions cover
	Confidence float64   `json:"confidence"`
	Unfinished int       `json:"unfinished"` // games without an end; their results are the values of their last positions
	Summary    []Player  `json:"summary"`    // by name, the smallest loss a decision first
	Worst      []Mistake `json:"worst"`      // mistakes, the largest loss first
	Games      []*Game   `json:"games"`
}

// Player sums up what a player did in all its games. Figures are means over the games,
// of the seats of the player in each.
type Player struct {
	Name      string  `json:"name"`
	Games     int     `json:"games"`
	Decisions int     `json:"decisions"` // with more than one option, in all games
	Result    Mean    `json:"result"`
	Luck      Mean    `json:"luck"`          // without an interval: the mean of all games is 0
	Adjusted  Mean    `json:"adjusted"`      // the luck-adjusted result
	Losses    Mean    `json:"losses"`        // a game
	Loss      Mean    `json:"decision_loss"` // a decision
	Mistakes  float64 `json:"mistakes"`      // a game
	Rating    *Rated  `json:"rating"`        // nil if values are estimated, or there is no win or no decision
}

// Mean is a mean over games. Its interval, of the level [Confidence], is that of the mean
// of all games of such players, within what is possible. There is none for a single game, and
// elsewhere its width is never 0.
type Mean struct {
	Value    float64   `json:"value"`
	Interval []float64 `json:"interval,omitempty"` // low, high
}

// Mistake is a mistake in a game of a report.
type Mistake struct {
	Game   int    `json:"game"` // from 1
	Player string `json:"player"`
	Decision
}

// NewReport sums up games of the same rules. worst bounds the number of mistakes that it
// lists.
func NewReport(spec game.Spec, v Valuer, games []*Game, worst int) *Report {
	r := &Report{
		Spec: spec, Title: spec.Title, RulesHash: spec.RulesHash(), Players: spec.Players, Unit: spec.Unit,
		Method: v.Method(), Exact: v.Exact(), About: v.About(), Confidence: Confidence, Games: games,
	}
	if spec.HasWin() {
		r.Unit = "share of the win"
	}
	var names []string
	for i, g := range games {
		if !g.Ended {
			r.Unfinished++
		}
		for _, s := range g.Seats {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
		for _, d := range g.Decisions {
			if d.Mistake() {
				r.Worst = append(r.Worst, Mistake{i + 1, g.Seats[d.Seat].Name, d})
			}
		}
	}
	slices.SortStableFunc(r.Worst, func(a, b Mistake) int { return cmp.Compare(b.Loss.Value, a.Loss.Value) })
	r.Worst = slices.Clip(r.Worst[:min(worst, len(r.Worst))])
	for _, name := range names {
		r.Summary = append(r.Summary, r.player(name))
	}
	slices.SortStableFunc(r.Summary, func(a, b Player) int { return cmp.Compare(a.Loss.Value, b.Loss.Value) })
	return r
}

func (r *Report) player(name string) Player {
	p := Player{Name: name}
	var results, lucks, adjusted, losses, decisions []float64
	for _, g := range r.Games {
		var result, luck, loss, choices, mistakes, seats float64
		for _, s := range g.Seats {
			if s.Name != name {
				continue
			}
			seats++
			result, luck, loss = result+s.Result.Value, luck+s.Luck.Value, loss+s.Losses.Value
			choices += float64(s.Decisions)
			mistakes += float64(s.Mistakes)
			p.Decisions += s.Decisions
		}
		if seats == 0 {
			continue
		}
		p.Games++
		p.Mistakes += mistakes / seats
		results, lucks, adjusted = append(results, result/seats), append(lucks, luck/seats), append(adjusted, (result-luck)/seats)
		losses, decisions = append(losses, loss/seats), append(decisions, choices/seats)
	}
	p.Mistakes /= float64(p.Games)
	ones := slices.Repeat([]float64{1}, p.Games)
	low, high, unit := math.Inf(-1), math.Inf(1), unitOf(r.Spec)
	if r.Spec.HasWin() {
		low, high = 0, 1
	}
	p.Result, p.Adjusted = ratio(results, ones, unit, low, high), ratio(adjusted, ones, unit, low, high)
	if r.Spec.HasWin() && p.Games > 1 {
		low, high := eval.ShareInterval(results)
		p.Result.Interval = []float64{low, high}
	}
	p.Luck, p.Losses = Mean{Value: figure.Clean(sum(lucks) / float64(p.Games))}, ratio(losses, ones, unit, 0, math.Inf(1))
	if p.Decisions > 0 {
		p.Loss = ratio(losses, decisions, unit, 0, high)
		if r.Spec.HasWin() && r.Exact {
			p.Rating = ratingOf(losses, p.Losses.Value, r.Players)
		}
	}
	return p
}

// Rated is a rating (see [Rating]) with its interval. What is infinite is null in JSON: the value
// of a player that loses 1/P or more, and the lower end of an interval that reaches it.
type Rated struct {
	Value    eval.End   `json:"value"`
	Interval []eval.End `json:"interval,omitempty"` // low, high; none for a single game with exact losses
	Text     string     `json:"text"`               // both, in words; "too low to tell" of a value that is infinite and has no interval
}

// newRated returns a rating; of the interval nil is none.
func newRated(value float64, interval *eval.Interval) *Rated {
	r := &Rated{Value: eval.End(value), Text: "too low to tell"}
	if !math.IsInf(value, 0) {
		r.Text = figure.Fixed(value, 1)
	}
	if interval == nil {
		return r
	}
	r.Interval = []eval.End{eval.End(interval.Low), eval.End(interval.High)}
	if math.IsInf(value, 0) {
		r.Text = interval.String()
	} else {
		r.Text += fmt.Sprintf(" (%v)", interval)
	}
	return r
}

// RatingOf returns the rating of the losses of a seat in one game, with the interval of their
// estimate.
func RatingOf(losses Number, players int) *Rated {
	value := Rating(max(0, losses.Value), players) // no loss against best play is below 0
	if losses.Exact {
		return newRated(value, nil)
	}
	return newRated(value, &eval.Interval{Low: Rating(max(0, losses.High), players), High: Rating(max(0, losses.Low), players)})
}

// ratingOf returns the rating of the losses in independent games, whose mean is lost, with the
// interval of [eval.Intervals] for a match against best play in which the player won 1/P − loss in
// each game. The spread of the losses is that with one further game in which the player lost 1/P; so
// some games without a loss do not prove best play.
func ratingOf(losses []float64, lost float64, players int) *Rated {
	n, fair := float64(len(losses)), 1/float64(players)
	all := append(slices.Clone(losses), fair)
	mean, squares := sum(all)/(n+1), 0.0
	for _, x := range all {
		squares += float64((x - mean) * (x - mean))
	}
	value := Rating(max(0, lost), players)
	if n < 2 {
		return newRated(value, nil)
	}
	games := n
	if share, variance := fair-mean, squares/n/(n+1); share > 0 && variance > 0 {
		games = share * (1 - share) / variance
	}
	list, err := eval.Intervals(context.Background(), []float64{0, 0}, players, []eval.Result{{A: 1, B: 0, Share: max(0, fair-lost), Games: games}})
	if err != nil {
		return nil // never: two agents of the same rating are not too far apart
	}
	list[1].High = min(0, list[1].High) // best play
	return newRated(value, &list[1])
}

// Rating returns the estimated Elo rating of a player that loses this share of the win in
// a game, relative to best play. It is the rating under Luce's choice rule of a player
// that wins 1/P − loss against best play in all other seats; infinite if that is not
// between 0 and 1.
func Rating(loss float64, players int) float64 {
	share := min(1, max(0, 1/float64(players)-loss))
	return 400 * elementary.Log10(share*float64(players-1)/(1-share))
}

// ratio returns Σx/Σy over independent pairs, with the interval of halfOf for the linearised ratio,
// within low to high:
//
//	var(r) ≈ Σ(x − r·y)² / ((n−1)·n·ȳ²)
//
// With y = 1 it is the mean of x.
//
// Source: Cochran, Sampling Techniques, 3rd edition (1977), eq. 6.13.
func ratio(x, y []float64, unit, low, high float64) Mean {
	all := sum(y)
	m := Mean{Value: figure.Clean(sum(x) / all)}
	if len(x) < 2 {
		return m
	}
	squares := 0.0
	for i := range x {
		squares += float64((x[i] - float64(m.Value*y[i])) * (x[i] - float64(m.Value*y[i])))
	}
	half := halfOf(squares, len(x), unit) / (all / float64(len(x)))
	near := min(max(m.Value, low), high) // an estimate may lie beyond
	m.Interval = []float64{max(low, near-half), min(high, near+half)}
	return m
}

func sum(list []float64) float64 {
	total := 0.0
	for _, x := range list {
		total += x
	}
	return total
}
