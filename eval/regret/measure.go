package regret

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/record"
	"marsgym/eval/analysis"
)

// Options are how to measure a policy.
type Options struct {
	Games       int             // the least number; it is rounded up to sets of P
	Seed        uint64          // of the dice and of the actions drawn
	Others      []*agents.Agent // in the other seats: one for all, or P-1 in the order of play
	Concurrency int             // how many games are played at once; it changes no game
	Retries     int             // how often the policy is asked again after an answer that names no legal action
	// MaxCalls and MaxCost bound the calls of the policy and their cost, with those of games that File
	// holds; 0 is no bound. A call begins only below both, but the cost of the up to Concurrency calls
	// under way counts when they end. The games under way at a bound are dropped; that favours short
	// games a little, by at most Concurrency of them.
	MaxCalls int
	MaxCost  float64
	// File, if not empty, is where each game is saved when it has ended. A later measurement of the
	// same policy continues it; one at a time uses it. Identity is what tells the policy from others
	// there, see [Identity]; "" is its name.
	File     string
	Identity string
	Worst    int                // how many mistakes to list
	Progress func(done float64) // or nil; one goroutine at a time calls it
}

// MaxGames bounds the games of a measurement. Chosen: their records fit in memory.
const MaxGames = 1_000_000

// errSpent ends the games under way when a bound is reached.
var errSpent = errors.New("a bound is reached")

// measurement is a measurement at work.
type measurement struct {
	Options
	game   env.Game
	exact  analysis.Valuer
	policy Policy
	name   string

	next atomic.Int64 // the next game to play

	mu    sync.Mutex
	games map[int]*Game // by their numbers
	file  *file         // or nil
	calls int
	cost  float64
}

// Measure plays games of a policy, named name, in each seat in turn, and estimates its win. Game i is
// the same for any concurrency and number of games, if the policy answers alike. It needs the solution
// of the game. After an error, also that of ctx, the games that have ended are in the file.
func Measure(ctx context.Context, g env.Game, solution env.Solution, policy Policy, name string, o Options) (*Report, error) {
	spec := g.Spec()
	switch {
	case !spec.HasWin():
		return nil, fmt.Errorf("%s counts %s, not wins", spec.FullTitle(), spec.Unit)
	case o.Games < 1 || o.Games > MaxGames:
		return nil, fmt.Errorf("a measurement of %d games; want 1 to %d", o.Games, MaxGames)
	case o.Concurrency < 1:
		return nil, fmt.Errorf("a concurrency of %d; want at least 1", o.Concurrency)
	case o.Retries < 0:
		return nil, fmt.Errorf("%d retries; want at least 0", o.Retries)
	case o.MaxCalls < 0 || !(o.MaxCost >= 0):
		return nil, fmt.Errorf("bounds of %d calls and a cost of %v; want at least 0", o.MaxCalls, o.MaxCost)
	case spec.Players > 1 && len(o.Others) != 1 && len(o.Others) != spec.Players-1:
		return nil, fmt.Errorf("%d agents in the other seats; want one for all, or %d", len(o.Others), spec.Players-1)
	}
	o.Games = (o.Games + spec.Players - 1) / spec.Players * spec.Players
	m := &measurement{Options: o, game: g, exact: analysis.NewExact(spec, solution), policy: policy, name: name, games: map[int]*Game{}}
	if o.File != "" {
		if err := m.open(); err != nil {
			return nil, err
		}
		defer m.file.close()
	}
	for _, x := range m.games {
		m.calls, m.cost = m.calls+x.Calls, m.cost+x.Cost
	}
	err := m.playAll(ctx)
	if err != nil && !errors.Is(err, errSpent) {
		return nil, err
	}
	return m.report(err != nil), nil
}

// playAll plays the games that are left.
func (m *measurement) playAll(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for range min(m.Concurrency, m.Games) {
		all.Go(func() {
			for ctx.Err() == nil {
				i := int(m.next.Add(1)) - 1
				if i >= m.Games {
					return
				}
				if err := m.add(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// add plays, prices and saves game i, unless the file has it.
func (m *measurement) add(ctx context.Context, i int) error {
	m.mu.Lock()
	there := m.games[i] != nil
	m.mu.Unlock()
	if there {
		return nil
	}
	s, did, err := m.play(ctx, i)
	if err != nil {
		return err
	}
	x, err := m.price(ctx, i, s)
	if err != nil {
		return err
	}
	x.Calls, x.Illegal, x.Cost, x.Drawn = did.calls, did.illegal, did.cost, did.drawn
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file != nil {
		if err := m.file.append(x); err != nil {
			return err
		}
	}
	m.games[i] = x
	if m.Progress != nil {
		m.Progress(float64(len(m.games)) / float64(m.Games))
	}
	return nil
}

// spend counts a call, which then begins, or returns errSpent if none may.
func (m *measurement) spend() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.MaxCalls > 0 && m.calls >= m.MaxCalls || m.MaxCost > 0 && m.cost >= m.MaxCost {
		return errSpent
	}
	m.calls++
	return nil
}

// pay counts the cost of a call that has ended.
func (m *measurement) pay(cost float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cost += cost
}

// Game is a game of a measurement, without its moves.
type Game struct {
	Number    int       `json:"game"`
	Seat      int       `json:"seat"`      // of the policy
	Result    float64   `json:"result"`    // the share of the win; of a truncated game, the value of its last position
	Luck      float64   `json:"luck"`      // see the package comment
	Regret    float64   `json:"regret"`    // of all decisions of the policy
	Others    float64   `json:"others"`    // see the package comment
	Decisions int       `json:"decisions"` // of the policy, with more than one legal action
	Calls     int       `json:"calls"`
	Illegal   int       `json:"illegal"` // answers that named no legal action
	Drawn     int       `json:"drawn"`   // decisions in which an action was drawn instead
	Cost      float64   `json:"cost"`
	Truncated bool      `json:"truncated,omitempty"`
	Mistakes  []Mistake `json:"mistakes"`
}

// Mistake is an action of the policy with a regret above [game.Tie].
type Mistake struct {
	Game     int     `json:"game"` // in which it was made first
	Times    int     `json:"times"`
	Position string  `json:"position"`
	Action   string  `json:"action"`
	Best     string  `json:"best"`
	Regret   float64 `json:"regret"` // a share of the win
}

// price returns game i, played to its end, with its luck and regrets.
func (m *measurement) price(ctx context.Context, i int, s *env.Session) (*Game, error) {
	seat := i % m.game.Spec().Players
	rec := &record.Game{Session: s, Seats: make([]string, m.game.Spec().Players)}
	priced, err := analysis.AnalyseSeats(ctx, rec, m.exact, []int{seat})
	if err != nil {
		return nil, err
	}
	p := priced.Seats[seat]
	x := &Game{
		Number: i, Seat: seat, Result: p.Result.Value, Luck: p.Luck.Value, Regret: p.Losses.Value, Others: p.Others.Value,
		Decisions: p.Decisions, Truncated: s.Position().CurrentPlayer() != game.Terminal, Mistakes: []Mistake{},
	}
	for _, d := range priced.Decisions {
		if d.Seat == seat && d.Loss.Value > game.Tie {
			x.Mistakes = append(x.Mistakes, Mistake{i, 1, d.Position, d.Action, d.Best().Action, d.Loss.Value})
		}
	}
	return x, nil
}

// sets returns the games of the complete sets.
func (m *measurement) sets() (list []*Game) {
	players := m.game.Spec().Players
	for first := 0; first < m.Games; first += players {
		set := make([]*Game, 0, players)
		for i := range players {
			if x := m.games[first+i]; x != nil {
				set = append(set, x)
			}
		}
		if len(set) == players {
			list = append(list, set...)
		}
	}
	return list
}
