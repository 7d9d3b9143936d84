package analysis

import (
	"cmp"
	"context"
	"slices"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/record"
)

// Game is a recorded game with its prices.
type Game struct {
	Method    string     `json:"method"` // of the Valuer
	Seats     []Seat     `json:"seats"`  // [P]
	Decisions []Decision `json:"decisions,omitempty"`
	Ended     bool       `json:"ended"` // if not, results are the values of the last position
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
	Regret Number `json:"regret"` // the difference from the best option
}

// Analyse prices a game. It values every position and every option once.
func Analyse(ctx context.Context, g *record.Game, v Valuer) (*Game, error) {
	p := pricing{ctx: ctx, game: g, valuer: v, result: &Game{Method: v.Method()}}
	if err := p.price(); err != nil {
		return nil, err
	}
	return p.result, nil
}

// Decide values the options of a position in which a seat is to move, the best first.
// Options within [game.Tie] keep the order of Legal.
func Decide(ctx context.Context, g env.Game, at env.Position, v Valuer) ([]Option, error) {
	o, err := optionsOf(ctx, at, v)
	if err != nil {
		return nil, err
	}
	return o.ranked(g, int(at.CurrentPlayer())), nil
}

// options are the legal actions of a position with the values after them.
type options struct {
	legal  []game.Action
	values []Value // [k]
	best   int     // the first index of the highest value to the mover
}

func optionsOf(ctx context.Context, at env.Position, v Valuer) (*options, error) {
	o := &options{legal: at.Legal()}
	mover := at.CurrentPlayer()
	after := make([]env.Position, len(o.legal))
	for i, a := range o.legal {
		var err error
		if after[i], err = at.Apply(a); err != nil {
			return nil, err
		}
	}
	var err error
	if o.values, err = v.Values(ctx, after); err != nil {
		return nil, err
	}
	for i, x := range o.values {
		if x.Mean[mover] > o.values[o.best].Mean[mover]+game.Tie {
			o.best = i
		}
	}
	return o, nil
}

// regret returns what option i is worth less than the best to the mover.
func (o *options) regret(i, mover int) Number {
	d := Value{Mean: make([]float64, len(o.values[i].Mean))}
	d.addChange(mover, o.values[i], o.values[o.best])
	return d.number(mover)
}

// ranked returns all options, the best first.
func (o *options) ranked(g env.Game, mover int) []Option {
	list := make([]Option, len(o.legal))
	for i, a := range o.legal {
		list[i] = Option{g.ActionName(a), o.values[i].number(mover), o.regret(i, mover)}
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

	luck, losses, others, correction Value
}
