package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/chart"
	"marsgym/internal/figure"
	"marsgym/internal/jobs"
	"marsgym/internal/parallel"
)

// ExactEvaluator evaluates agents of one solved game exactly. It tabulates each agent
// once. It may be used by many goroutines at once.
type ExactEvaluator struct {
	// Report, if not nil, is called before each step with its description, such as
	// "tabulating greedy". In games with many positions a step takes minutes.
	Report func(step string)
	// Progress, if not nil, is called while the Executor tabulates a network, with the
	// fraction that is done, by one goroutine at a time.
	Progress func(done float64)
	// Executor, if not nil, tabulates networks in parts, where the game has such tables
	// (see [env.Game]). It changes no result.
	Executor jobs.Executor

	game     env.Game
	solution env.Solution

	working   parallel.Lock // one agent is tabulated at a time
	mu        sync.Mutex    // of the fields below; it is never held for long
	tabulated map[*agents.Agent]tabulated
	optimal   *agents.Agent
}

// tabulated is the policy of an agent in all positions, and the time that took.
type tabulated struct {
	game.TabularPolicy
	seconds float64
}

// Exploitable reports whether an agent of a game that is solved has an
// [ExactEvaluator.Strength]: in games for two with a winner.
func Exploitable(spec game.Spec) bool { return spec.HasWin() && spec.Players == 2 }

// NewExactEvaluator returns an evaluator for a game and its solution. It returns an
// error for a game without a win; see [ExactReturns].
func NewExactEvaluator(g env.Game, s env.Solution) (*ExactEvaluator, error) {
	if err := checkWin(g.Spec()); err != nil {
		return nil, err
	}
	return newExactEvaluator(g, s), nil
}

func newExactEvaluator(g env.Game, s env.Solution) *ExactEvaluator {
	return &ExactEvaluator{game: g, solution: s, working: parallel.NewLock(), tabulated: map[*agents.Agent]tabulated{}}
}

func checkWin(spec game.Spec) error {
	if !spec.HasWin() {
		return fmt.Errorf("%s counts %s, not wins", spec.FullTitle(), spec.Unit)
	}
	return nil
}

// Cost is the work of tabulating an agent.
type Cost struct {
	Decisions int     `json:"decisions"` // positions with a decision of the agent
	Rows      int     `json:"rows"`      // the most states that its policy was called with, such as one afterstate for many decisions
	Seconds   float64 `json:"seconds"`
}

// Cost tabulates an agent and returns the work that this took.
func (e *ExactEvaluator) Cost(ctx context.Context, a *agents.Agent) (Cost, error) {
	t, err := e.tabulate(ctx, a)
	if err != nil {
		return Cost{}, err
	}
	return Cost{t.Decisions(), t.Rows(), t.seconds}, nil
}

// Rows returns the cost of [ExactEvaluator.Strength] of a network, which scores
// afterstates or not, in about the number of its rows.
func (e *ExactEvaluator) Rows(scorer bool) int { return e.solution.Rows(scorer) }

func (e *ExactEvaluator) tabulate(ctx context.Context, a *agents.Agent) (tabulated, error) {
	if err := e.working.Acquire(ctx); err != nil {
		return tabulated{}, err
	}
	defer e.working.Release()
	e.mu.Lock()
	t, ok := e.tabulated[a]
	e.mu.Unlock()
	if !ok {
		e.report("tabulating " + a.Name)
		start := time.Now()
		p, err := e.tabulateBy(ctx, a)
		if err != nil {
			return t, fmt.Errorf("tabulating %s: %w", a.Name, err)
		}
		t = tabulated{p, time.Since(start).Seconds()}
		e.mu.Lock()
		e.tabulated[a] = t
		e.mu.Unlock()
	}
	return t, nil
}

func (e *ExactEvaluator) report(step string) {
	if e.Report != nil {
		e.Report(step)
	}
}

// ExactReturns returns the expected return of each seat when agent i of these agents
// [P] sits in seat i, and the work of tabulating the first agent. Unlike an
// [ExactEvaluator] it accepts games without a win. report is called like
// ExactEvaluator.Report.
func ExactReturns(ctx context.Context, g env.Game, s env.Solution, seats []*agents.Agent, report func(step string)) ([]float64, Cost, error) {
	e := newExactEvaluator(g, s)
	e.Report = report
	returns, err := e.returns(ctx, seats)
	if err != nil {
		return nil, Cost{}, err
	}
	cost, err := e.Cost(ctx, seats[0])
	return returns, cost, err
}

func (e *ExactEvaluator) returns(ctx context.Context, seats []*agents.Agent) ([]float64, error) {
	if players := e.game.Spec().Players; len(seats) != players {
		return nil, fmt.Errorf("%d agents in a game for %d players", len(seats), players)
	}
	policies := make([]game.TabularPolicy, len(seats))
	for i, a := range seats {
		t, err := e.tabulate(ctx, a)
		if err != nil {
			return nil, err
		}
		policies[i] = t.TabularPolicy
	}
	e.report("evaluating " + strings.Join(names(seats), ", "))
	return e.solution.Evaluate(ctx, policies)
}

// WinShares returns the expected share of the win of each seat when agent i of these
// agents [P] sits in seat i: its probability of winning, where a shared win counts by
// its share.
func (e *ExactEvaluator) WinShares(ctx context.Context, seats []*agents.Agent) ([]float64, error) {
	shares, err := e.returns(ctx, seats)
	if err != nil {
		return nil, err
	}
	for i, r := range shares {
		shares[i] = e.game.Spec().WinShare(r)
	}
	return shares, nil
}

// Rotations evaluates all rotations of these agents [P] over the seats and returns
// the win share of each agent in each seat [P, P]. In every rotation an agent has the
// same neighbours.
func (e *ExactEvaluator) Rotations(ctx context.Context, entrants []*agents.Agent) ([][]float64, error) {
	n := len(entrants)
	if players := e.game.Spec().Players; n != players {
		return nil, fmt.Errorf("%d agents in a game for %d players", n, players)
	}
	win := square(n)
	for r := range n {
		seats := make([]*agents.Agent, n)
		for i, a := range entrants {
			seats[(i+r)%n] = a
		}
		shares, err := e.WinShares(ctx, seats)
		if err != nil {
			return nil, err
		}
		for i := range entrants {
			win[i][(i+r)%n] = shares[(i+r)%n]
		}
	}
	return win, nil
}

// Exploitability returns the win share of a best response to an agent above the fair
// share 1/P, averaged over the seats of the best response. The agent sits in all
// other seats. It is 0 up to [game.Tie].
func (e *ExactEvaluator) Exploitability(ctx context.Context, a *agents.Agent) (float64, error) {
	t, err := e.tabulate(ctx, a)
	if err != nil {
		return 0, err
	}
	spec := e.game.Spec()
	seats := make([]game.TabularPolicy, spec.Players)
	for i := range seats {
		seats[i] = t.TabularPolicy
	}
	sum := 0.0
	for i := range seats {
		e.report(fmt.Sprintf("best response to %s in seat %d", a.Name, i))
		r, err := e.solution.BestResponse(ctx, seats, game.Player(i))
		if err != nil {
			return 0, err
		}
		sum += spec.WinShare(r)
	}
	return figure.Clean((sum - 1) / float64(spec.Players)), nil
}

// Pair is the exact strength of agent A against agent B in a two-player game.
type Pair struct {
	A              string  `json:"a"`
	B              string  `json:"b"`
	Method         string  `json:"method"`         // "exact"
	WinFirst       float64 `json:"win_first"`      // A's probability of winning when it moves first
	WinSecond      float64 `json:"win_second"`     // when it moves second
	Win            float64 `json:"win"`            // the mean of both
	Exploitability float64 `json:"exploitability"` // win probability of a best response to A above one half, averaged over the seats
	Cost           Cost    `json:"cost"`           // of tabulating A
}

// Strength evaluates an agent against optimal play. It tabulates the agent at each
// call and does not store the result, so that evaluating the many networks of a
// training run does not fill the memory.
func (e *ExactEvaluator) Strength(ctx context.Context, a *agents.Agent) (Pair, error) {
	e.mu.Lock()
	if e.optimal == nil {
		e.optimal = &agents.Agent{Name: agents.Exact, Policy: e.solution.Policy()}
	}
	e.mu.Unlock()
	p, err := e.Pair(ctx, a, e.optimal)
	e.mu.Lock()
	delete(e.tabulated, a)
	e.mu.Unlock()
	return p, err
}

// Pair evaluates a against b.
func (e *ExactEvaluator) Pair(ctx context.Context, a, b *agents.Agent) (Pair, error) {
	p := Pair{A: a.Name, B: b.Name, Method: "exact"}
	if e.game.Spec().Players != 2 {
		return p, errors.New("a pair of agents needs a game for 2 players")
	}
	win, err := e.Rotations(ctx, []*agents.Agent{a, b})
	if err != nil {
		return p, err
	}
	p.WinFirst, p.WinSecond, p.Win = win[0][0], win[0][1], mean(win[0])
	if p.Cost, err = e.Cost(ctx, a); err != nil {
		return p, err
	}
	p.Exploitability, err = e.Exploitability(ctx, a)
	return p, err
}

// Multiplayer is the exact strength of an agent among others in a game for any
// number of players.
type Multiplayer struct {
	Method         string    `json:"method"`         // "exact"
	Seats          []string  `json:"seats"`          // [P] the agents by seat; the first one is evaluated
	Win            []float64 `json:"win"`            // [P] win shares by seat, in this order of the agents
	WinBySeat      []float64 `json:"win_by_seat"`    // [P] win shares of the first agent in each seat, the others following in this order
	Mean           float64   `json:"mean"`           // of WinBySeat
	Fair           float64   `json:"fair"`           // the win share of each of P equal agents: 1/P
	Exploitability float64   `json:"exploitability"` // see ExactEvaluator.Exploitability
	Cost           Cost      `json:"cost"`           // of tabulating the first agent
}

// Multiplayer evaluates the first of these agents [P] against the others.
func (e *ExactEvaluator) Multiplayer(ctx context.Context, entrants []*agents.Agent) (Multiplayer, error) {
	m := Multiplayer{Method: "exact", Seats: names(entrants)}
	win, err := e.Rotations(ctx, entrants)
	if err != nil {
		return m, err
	}
	for _, seats := range win {
		m.Win = append(m.Win, seats[len(m.Win)])
	}
	m.WinBySeat, m.Mean, m.Fair = win[0], mean(win[0]), 1/float64(len(entrants))
	if m.Cost, err = e.Cost(ctx, entrants[0]); err != nil {
		return m, err
	}
	m.Exploitability, err = e.Exploitability(ctx, entrants[0])
	return m, err
}

// Charts returns charts of the loss of an agent against best play. The error wraps
// [game.ErrNoCharts] if the game has none.
func (e *ExactEvaluator) Charts(ctx context.Context, a *agents.Agent) ([]chart.Chart, error) {
	t, err := e.tabulate(ctx, a)
	if err != nil {
		return nil, err
	}
	return e.solution.PolicyCharts(t.TabularPolicy, a.Name)
}

func names(list []*agents.Agent) []string {
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
	}
	return names
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
