package analysis

import (
	"cmp"
	"context"
	"math"
	"slices"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/record"
)

// Game is a recorded game with its prices.
type Game struct {
	Method    string     `json:"method"` // of the Valuer
	Seats     []Seat     `json:"seats"`  // [P]
	Decisions []Decision `json:"decisions,omitempty"`
	Ended     bool       `json:"ended"` // if not, results are the values of the last position
	Values    []Value    `json:"-"`     // [steps+1] of the positions, from the first to the last
}

// Seat is the price of a game to a seat. Figures are shares of the win or, in a game
// without a win, returns. See the package comment for what they add up to.
type Seat struct {
	Name       string  `json:"name"`
	Result     Number  `json:"result"`
	Start      Number  `json:"start"`
	Luck       Number  `json:"luck"`
	Losses     Number  `json:"losses"`
	Others     Number  `json:"others"`
	Correction Number  `json:"correction"`
	Adjusted   float64 `json:"adjusted"`  // Result − Luck
	Decisions  int     `json:"decisions"` // with more than one option
	Mistakes   int     `json:"mistakes"`  // see Decision.Mistake
}

// Decision is a decision with more than one option.
type Decision struct {
	Step     int      `json:"step"` // its index in record.Game.Steps
	Seat     int      `json:"seat"`
	Position string   `json:"position"`
	Action   string   `json:"action"` // that was chosen
	Value    Number   `json:"value"`  // of the best option to the seat
	Loss     Number   `json:"loss"`   // the regret of Action
	Options  []Option `json:"options"`
}

// Mistake reports whether the decision has lost value beyond doubt: an exact regret is
// above [game.Tie], or the interval of an estimated one is above 0.
func (d Decision) Mistake() bool { return d.Loss.Low > game.Tie }

// Best returns the best option.
func (d Decision) Best() Option { return d.Options[0] }

// Option is a legal action of a decision.
type Option struct {
	Action string `json:"action"`
	Value  Number `json:"value"`  // to the seat that decides
	Regret Number `json:"regret"` // the difference from the best option; an estimate may be below 0
}

// Analyse prices a game. It values all positions and options in one call, each once.
func Analyse(ctx context.Context, g *record.Game, v Valuer) (*Game, error) {
	seats := make([]int, len(g.Seats))
	for i := range seats {
		seats[i] = i
	}
	return AnalyseSeats(ctx, g, v, seats)
}

// AnalyseSeats is Analyse with the options of decisions of the given seats only. The loss of
// another decision is what the value to its seat falls by from the position before it to that
// after it, and its Options is nil. Where values are exact that is its regret. Where they are
// estimated it is too low on average, since a search tries bad options too; it serves to choose
// decisions for [Game.Reconsider]. Luck does not depend on the seats.
func AnalyseSeats(ctx context.Context, g *record.Game, v Valuer, seats []int) (*Game, error) {
	p := pricing{ctx: ctx, game: g, valuer: v, result: &Game{}, seats: seats}
	if err := p.price(); err != nil {
		return nil, err
	}
	p.result.Method = v.Method()
	return p.result, nil
}

// Decide values the options of a position in which a seat is to move, the best first.
// Options within [game.Tie] keep the order of Legal.
func Decide(ctx context.Context, g env.Game, at env.Position, v Valuer) ([]Option, error) {
	o, err := optionsOf(at)
	if err != nil {
		return nil, err
	}
	values, err := v.Values(ctx, o.after)
	if err != nil {
		return nil, err
	}
	o.rank(func(i int) Value { return values[i] })
	return o.ranked(g), nil
}

// Reconsider returns decisions of the given seats whose losses are highest, at most so
// many, with values of v, the highest first. The highest of many estimates are too high on
// average; so v should have other dice than those by which the game was priced.
func (g *Game) Reconsider(ctx context.Context, rec *record.Game, v Valuer, seats []int, most int) ([]Decision, error) {
	var list []Decision
	for _, d := range g.Decisions {
		if slices.Contains(seats, d.Seat) {
			list = append(list, d)
		}
	}
	costliest := func(a, b Decision) int { return cmp.Compare(b.Loss.Value, a.Loss.Value) }
	slices.SortStableFunc(list, costliest)
	list = list[:min(most, len(list))]
	for i := range list {
		d := &list[i]
		options, err := Decide(ctx, rec.Rules, rec.Steps[d.Step].Before, v)
		if err != nil {
			return nil, err
		}
		k := slices.IndexFunc(options, func(o Option) bool { return o.Action == d.Action })
		d.Options, d.Loss, d.Value = options, options[k].Regret, options[0].Value
	}
	slices.SortStableFunc(list, costliest)
	return list, nil
}

// options are the legal actions of a position with the values after them.
type options struct {
	mover  int
	legal  []game.Action
	after  []env.Position // [k]
	values []Value        // [k]
	best   int            // the first index of the highest value to the mover
	top    Value          // of the best option (see bestValue)
}

// optionsOf returns the options of a decision, without values.
func optionsOf(at env.Position) (*options, error) {
	o := &options{mover: int(at.CurrentPlayer()), legal: at.Legal()}
	for _, a := range o.legal {
		after, err := at.Apply(a)
		if err != nil {
			return nil, err
		}
		o.after = append(o.after, after)
	}
	return o, nil
}

// rank sets the values of the options.
func (o *options) rank(value func(i int) Value) {
	for i := range o.legal {
		o.values = append(o.values, value(i))
	}
	o.best = highest(o.values, func(v Value) float64 { return v.Mean[o.mover] })
	o.top = bestValue(o.values, o.mover)
}

// highest returns the index of the highest value by a measure (see [game.BestOption]).
func highest(values []Value, by func(Value) float64) int {
	measures := make([]float64, len(values))
	for i, x := range values {
		measures[i] = by(x)
	}
	return game.BestOption(measures)
}

// bestValue returns the value of the option that is best for the mover. The highest of
// several estimates is too high on average; so the best option for the even samples is
// chosen by the odd ones, and the other way round. That is too low on average, where the
// choice is wrong.
//
// Source: van Hasselt, "Double Q-learning", NeurIPS 2010.
func bestValue(values []Value, mover int) Value {
	n := 0
	for _, v := range values {
		n = max(n, len(v.Samples))
	}
	if n == 0 {
		return values[highest(values, func(v Value) float64 { return v.Mean[mover] })]
	}
	var chosen [2]int // for the samples of each parity
	for parity := range chosen {
		chosen[parity] = highest(values, func(v Value) float64 {
			sum, count := 0.0, 0.0
			for k := 1 - parity; k < n; k += 2 {
				sum, count = sum+v.sample(k)[mover], count+1
			}
			return sum / count
		})
	}
	top, both := make([][]float64, n), [2]Value{values[chosen[0]], values[chosen[1]]}
	for k := range top {
		top[k] = slices.Clone(both[k%2].sample(k))
	}
	v := sampled(top)
	v.share = true
	for _, x := range values {
		v.share, v.Vague, v.unit = v.share && (x.share || x.Samples == nil), v.Vague || x.Vague, max(v.unit, x.unit)
	}
	for k := range max(len(both[0].Others), len(both[1].Others)) {
		mean := slices.Clone(both[0].of(both[0].Others, k))
		for q, x := range both[1].of(both[1].Others, k) {
			mean[q] = (mean[q] + x) / 2
		}
		v.Others = append(v.Others, mean)
	}
	return v
}

// regret returns what option i is worth less than the best to the mover. The estimate may
// be below 0.
func (o *options) regret(i int) Number {
	d := Value{Mean: make([]float64, len(o.values[i].Mean))}
	d.addChange(o.mover, o.values[i], o.top)
	return d.loss(o.mover, mostLost(o.top))
}

// mostLost returns the most that one decision can lose.
func mostLost(best Value) float64 {
	if best.share {
		return 1
	}
	return math.Inf(1)
}

// ranked returns all options, the best first.
func (o *options) ranked(g env.Game) []Option {
	list := make([]Option, len(o.legal))
	for i, a := range o.legal {
		list[i] = Option{g.ActionName(a), o.values[i].Number(o.mover), o.regret(i)}
	}
	best := list[o.best]
	slices.SortStableFunc(list, func(x, y Option) int { return cmp.Compare(x.Regret.Value, y.Regret.Value) })
	i := slices.IndexFunc(list, func(x Option) bool { return x.Action == best.Action })
	copy(list[1:], list[:i]) // a tie may be better by a rounding error
	list[0] = best
	return list
}

// pricing is the analysis of a game.
type pricing struct {
	ctx    context.Context
	game   *record.Game
	valuer Valuer
	result *Game
	seats  []int // see AnalyseSeats

	values  map[env.Position]Value
	options []*options // [steps]; nil where no choice is open, or it is of another seat

	luck, losses, others, correction Value
}
