package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"marsgym/agents"
	"marsgym/analysis"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/input"
	"marsgym/models"
)

// Options are the options of an [App].
type Options struct {
	// Runs is the folder of run folders; nil for none.
	Runs *os.Root
	// Solve solves a game for exact values, and Solvable reports whether it does. Nil are
	// SolveCached in the folder Cache, and env.Solvable up to a size.
	Solve    func(ctx context.Context, g env.Game) (env.Solution, error)
	Solvable func(g env.Game) bool
	// Pretrained loads the network that comes with the program for a game; nil is
	// agents.LoadPretrained. If there is none, the error wraps fs.ErrNotExist, even if
	// ctx is done.
	Pretrained func(ctx context.Context, spec game.Spec) (*models.File, error)
	// Cache is the folder of cached solutions; "" for none.
	Cache string
	// Work is the number of requests that compute at the same time; 0 is 1. Others wait.
	Work int
	// Limit bounds the time that a request computes; 0 is no limit.
	Limit time.Duration
}

// App plays and analyses games. Many goroutines may use it at once.
type App struct {
	opt        Options
	work       chan struct{}
	solutions  solutions
	agents     opened[agents.Agent]
	estimators opened[analysis.Searches]
}

// New returns an App.
func New(opt Options) *App {
	return &App{opt: opt, work: make(chan struct{}, max(1, opt.Work))}
}

// Request is a request. Which fields matter depends on Do; the methods say so.
type Request struct {
	Do string `json:"do"`
	Address
	Step   *int      `json:"step,omitempty"`   // a position of the game, counted in steps; nil is the last
	Action string    `json:"action,omitempty"` // of the position
	Time   int       `json:"time,omitempty"`   // for estimates, in milliseconds; 0 is the default of the request
	Word   string    `json:"word,omitempty"`   // to explain
	Text   string    `json:"text,omitempty"`   // games as text
	Games  []Address `json:"games,omitempty"`  // finished games
	Run    string    `json:"run,omitempty"`    // name of a run folder
}

// handlers holds the answers by name.
var handlers = map[string]func(*App, context.Context, *Request) (any, error){
	"games":   (*App).games,
	"agents":  (*App).listAgents,
	"rules":   (*App).rules,
	"explain": (*App).explain,
	"view":    (*App).view,
	"play":    (*App).play,
	"values":  (*App).values,
	"chance":  (*App).chance,
	"review":  (*App).review,
	"report":  (*App).report,
	"read":    (*App).read,
	"write":   (*App).write,
	"runs":    (*App).runs,
	"run":     (*App).run,
}

// MaxRequest bounds a request, in bytes. Chosen: above that of a report of the longest
// games.
const MaxRequest = 1 << 20

// ErrBusy is returned where a request has not begun to compute within the limit.
var ErrBusy = errors.New("too many requests at once; try again")

// Handle answers a request. An error is a response {"error": text}, with "moreTime": true if
// more Time would help; ok is false then.
func (a *App) Handle(ctx context.Context, request []byte) (response []byte, ok bool) {
	answer, err := a.answer(ctx, request)
	if err == nil {
		response, err = json.Marshal(answer)
	}
	if err != nil {
		failure := struct {
			Error    string `json:"error"`
			MoreTime bool   `json:"moreTime,omitempty"`
		}{input.Message(err), errors.Is(err, analysis.ErrTime)}
		response, _ = json.Marshal(failure) // strings are always JSON
	}
	return response, err == nil
}

func (a *App) answer(ctx context.Context, request []byte) (any, error) {
	if len(request) > MaxRequest {
		return nil, fmt.Errorf("the request has %d bytes; want at most %d", len(request), MaxRequest)
	}
	var r Request
	if err := input.DecodeJSON(request, &r); err != nil {
		return nil, fmt.Errorf("the request: %w", err)
	}
	handler := handlers[r.Do]
	if handler == nil {
		return nil, fmt.Errorf("no request is named %s", input.Quote(r.Do))
	}
	return handler(a, ctx, &r)
}

// compute calls f when fewer than Work other calls are running, with a context that ends
// at the limit.
func (a *App) compute(ctx context.Context, f func(context.Context) error) error {
	if a.opt.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, a.opt.Limit, ErrLimit)
		defer cancel()
	}
	select {
	case a.work <- struct{}{}:
		defer func() { <-a.work }()
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), ErrLimit) {
			return ErrBusy
		}
		return ctx.Err()
	}
	err := f(ctx)
	if err != nil && errors.Is(context.Cause(ctx), ErrLimit) {
		return fmt.Errorf("%w of %v; ask for fewer games, or a faster agent", ErrLimit, a.opt.Limit)
	}
	return err
}

// ErrLimit is the cause of the end of a computation that takes too long.
var ErrLimit = errors.New("the computation has reached its time limit")

// position returns the game of a request, and its position.
func (r *Request) position() (*replay, env.Position, error) {
	g, err := r.Address.replay()
	if err != nil {
		return nil, nil, err
	}
	steps := len(g.rec.Steps)
	if r.Step != nil {
		if steps = *r.Step; steps < 0 || steps > len(g.rec.Steps) {
			return nil, nil, fmt.Errorf("step is %d; the game has %d steps", steps, len(g.rec.Steps))
		}
	}
	return g, g.at(steps), nil
}
