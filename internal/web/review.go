package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"time"

	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/record"
	"marsgym/eval/analysis"
)

// Review is the analysis of a game.
type Review struct {
	Method string  `json:"method"`
	Exact  bool    `json:"exact"`
	About  string  `json:"about"`  // see Values
	Points []Point `json:"points"` // [steps+1] of the positions
	// Seats are the parts of the result [P]. Losses and ratings hold for the seats in Priced
	// only: all where values are exact, otherwise the reviewed ones, or none if the time does
	// not allow it. Estimated losses are of searches of their own, so that the parts of
	// estimated results do not add up.
	Seats  []analysis.Seat `json:"seats"`
	Priced []int           `json:"priced"`
	// Mistakes are the costliest mistakes of the reviewed seats, the costliest first. Reviewed
	// are the seats of people, or all where no person sits.
	Mistakes []analysis.Decision `json:"mistakes"`
	Ratings  []*analysis.Rated   `json:"ratings,omitempty"` // [P] once the game has ended; nil for none
}

// Point is the value of a position of a game.
type Point struct {
	Mover  int               `json:"mover"`  // of the position
	Values []analysis.Number `json:"values"` // [P]
}

// mostMistakes bounds the number of mistakes of a review, and reconsidered that of decisions
// whose losses are estimated twice. Chosen.
const (
	mostMistakes = 8
	reconsidered = 5
)

// review reviews the game of Address.
func (a *App) review(ctx context.Context, r *Request) (any, error) {
	g, _, err := r.position(ctx)
	if err != nil {
		return nil, err
	}
	valuer, d, err := a.timed(ctx, r, g.game, reviewTime)
	if err != nil {
		return nil, err
	}
	v, priced, err := a.price(ctx, g, valuer, d)
	if err != nil {
		return nil, err
	}
	v.Method, v.Exact, v.About, v.Seats = priced.Method, valuer.Exact(), g.to.Word(valuer.About()), priced.Seats
	for i, x := range priced.Values {
		v.Points = append(v.Points, Point{int(g.rec.At(i).CurrentPlayer()), numbers(x)})
	}
	if priced.Ended && g.spec.HasWin() {
		v.Ratings = make([]*analysis.Rated, g.spec.Players)
		for _, seat := range v.Priced {
			v.Ratings[seat] = analysis.RatingOf(priced.Seats[seat].Losses, g.spec.Players)
		}
	}
	return v, nil
}

// price prices a game, and returns a review with the fields Priced and Mistakes. Estimates
// take a quarter of the time for the positions of the game, as long for the options of the
// reviewed decisions, and half of it for a second look at the costliest decisions, whose losses
// would otherwise be estimated too high.
func (a *App) price(ctx context.Context, g *replay, v analysis.Valuer, d time.Duration) (*Review, *analysis.Game, error) {
	review := &Review{Priced: []int{}, Mistakes: []analysis.Decision{}}
	var all, reviewed []int
	for seat, name := range g.Seats {
		all = append(all, seat)
		if name == Human {
			reviewed = append(reviewed, seat)
		}
	}
	if reviewed == nil {
		reviewed = all
	}
	if v.Exact() {
		priced, err := analysis.Analyse(ctx, g.rec, v)
		if err != nil {
			return nil, nil, err
		}
		review.Priced = all
		review.add(priced.Decisions, reviewed)
		return review, priced, nil
	}
	priced, err := analysis.AnalyseSeats(ctx, g.rec, within(v, d/4), nil)
	if err != nil {
		return nil, nil, err
	}
	byOptions, err := analysis.AnalyseSeats(ctx, g.rec, within(v, d/4), reviewed)
	switch {
	case err == nil:
		priced.Decisions, review.Priced = byOptions.Decisions, reviewed
		for _, seat := range reviewed {
			priced.Seats[seat].Losses, priced.Seats[seat].Mistakes = byOptions.Seats[seat].Losses, byOptions.Seats[seat].Mistakes
		}
	case !errors.Is(err, analysis.ErrTime):
		return nil, nil, err
	}
	again := *v.(*analysis.Searches)
	again.Time, again.Seed = d/2/reconsidered, again.Seed^1<<63
	switch decisions, err := priced.Reconsider(ctx, g.rec, &again, reviewed, reconsidered); {
	case err == nil:
		review.add(decisions, reviewed)
	case errors.Is(err, analysis.ErrTime):
		review.Priced = nil
	default:
		return nil, nil, err
	}
	return review, priced, nil
}

// add adds the costliest mistakes of the seats.
func (v *Review) add(decisions []analysis.Decision, seats []int) {
	for _, d := range decisions {
		if d.Mistake() && slices.Contains(seats, d.Seat) {
			v.Mistakes = append(v.Mistakes, d)
		}
	}
	slices.SortStableFunc(v.Mistakes, func(x, y analysis.Decision) int { return cmp.Compare(y.Loss.Value, x.Loss.Value) })
	v.Mistakes = v.Mistakes[:min(mostMistakes, len(v.Mistakes))]
}

// maxGames bounds the number of games of a report, and of a text. Chosen.
const maxGames = 200

// report sums up Games, which must be of the same rules and solved: the mistakes and the
// rating of each player.
func (a *App) report(ctx context.Context, r *Request) (any, error) {
	if len(r.Games) == 0 || len(r.Games) > maxGames {
		return nil, fmt.Errorf("there are %d games; want 1 to %d", len(r.Games), maxGames)
	}
	var valuer analysis.Valuer
	var spec game.Spec
	var priced []*analysis.Game
	for i, address := range r.Games {
		g, err := address.replay(ctx)
		if err != nil {
			return nil, message.NewError("game {0}: {1}", i+1, err)
		}
		if i == 0 {
			spec = g.spec
			solution, err := a.solveWithin(ctx, g.game, a.patience(valuesTime))
			if errors.Is(err, game.ErrNoSolution) {
				return nil, message.NewError("{0}: {1}; the review of a game estimates a rating of its own", message.New("{0} for {1} {1|player|players}", spec.Called(), spec.Players), game.ErrNoSolution)
			}
			if err != nil {
				return nil, err
			}
			valuer = analysis.NewExact(spec, solution)
		}
		if g.spec.RulesHash() != spec.RulesHash() {
			return nil, message.NewError("the games are of different rules")
		}
		if len(g.rec.Steps) == 0 {
			continue
		}
		p, err := analysis.Analyse(ctx, g.rec, valuer)
		if err != nil {
			return nil, err
		}
		p.Decisions = nil // the page has them from review
		priced = append(priced, p)
	}
	report, to := analysis.NewReport(spec, valuer, priced, 0), speaker(r.Language, Address{})
	report.About = to.Word(report.About)
	if report.Unit = ""; !spec.HasWin() {
		report.Unit = to.Word(spec.Unit)
	}
	return report, nil
}

// whileAllowed reads from in until ctx is done.
type whileAllowed struct {
	ctx context.Context
	in  io.Reader
}

func (r whileAllowed) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(b)
}

// readGame is a game of a text.
type readGame struct {
	Address
	Open bool `json:"open,omitempty"` // whether it goes on
}

// read returns the games in Text.
func (a *App) read(ctx context.Context, r *Request) (any, error) {
	var list []readGame
	for g, err := range record.Read(whileAllowed{ctx, strings.NewReader(r.Text)}, catalog.Open) {
		if err != nil {
			return nil, err
		}
		if len(list) == maxGames {
			return nil, fmt.Errorf("the text holds more than %d games", maxGames)
		}
		address, err := addressOf(ctx, g)
		if err != nil {
			return nil, message.NewError("game {0}: {1}", len(list)+1, err)
		}
		list = append(list, readGame{address, !g.Over()})
	}
	if list == nil {
		return nil, message.NewError("the text holds no game; a game begins with the line \"marsgym game 1\"")
	}
	return map[string][]readGame{"games": list}, nil
}

// addressOf returns the address of a recorded game: with its seed if its dice are those of
// the seed, otherwise with its rolls and a seed that tells it from other games.
func addressOf(ctx context.Context, g *record.Game) (Address, error) {
	spec := g.Rules.Spec()
	a := Address{Players: spec.Players, Seats: g.Seats}
	a.Game = preset(spec.Players, func(s game.Spec) bool { return s.RulesHash() == spec.RulesHash() })
	if a.Game == "" {
		return a, message.NewError("its settings are not those of a game of this page; go run ./cmd/eval games FILE prices it")
	}
	typed := a
	typed.Typed = true
	r, err := typed.replay(ctx)
	if err != nil {
		return a, err
	}
	for _, s := range g.Steps {
		if err := ctx.Err(); err != nil {
			return a, err
		}
		name := g.Rules.ActionName(s.Action)
		if s.Chance() {
			name = r.rec.Show(s)
		} else {
			a.Moves = append(a.Moves, name)
		}
		typed.Moves = append(typed.Moves, name)
	}
	hash := fnv.New32a()
	io.WriteString(hash, strings.Join(typed.Moves, "."))
	typed.Seed = uint64(hash.Sum32())
	if g.Seed == nil {
		return typed, nil
	}
	a.Seed = *g.Seed
	if drawn, err := a.replay(ctx); err == nil && sameText(drawn.rec, g) {
		return a, nil
	}
	return typed, nil
}

// sameText reports whether two games have the same text, up to what is drawn after the
// last action.
func sameText(drawn, g *record.Game) bool {
	if len(drawn.Steps) < len(g.Steps) {
		return false
	}
	drawn.Undo(len(g.Steps))
	drawn.Truncated = drawn.AtLimit()
	var x, y bytes.Buffer
	return drawn.Write(&x) == nil && g.Write(&y) == nil && x.String() == y.String()
}
