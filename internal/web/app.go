package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/eval/analysis"
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
	// Work is the number of long requests that compute at the same time, and that of short
	// ones; 0 is 1. Others wait.
	Work int
	// Limit bounds the time that a request computes; 0 is no limit.
	Limit time.Duration
}

// App plays and analyses games. Many goroutines may use it at once.
type App struct {
	opt        Options
	short      chan struct{} // places of those that compute
	long       chan struct{}
	solutions  solutions
	solvable   sync.Map // whether games are solved, by rules hash: an estimate of the costs takes a while
	agents     opened[agents.Agent]
	estimators opened[analysis.Searches]
}

// New returns an App.
func New(opt Options) *App {
	return &App{opt: opt, short: make(chan struct{}, max(1, opt.Work)), long: make(chan struct{}, max(1, opt.Work))}
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

	Language string `json:"language,omitempty"` // of rules, such as "de"; nothing else is translated here
}

// handler answers the requests of a name.
type handler struct {
	answer func(*App, context.Context, *Request) (any, error)
	long   bool // takes more than a moment for what the page asks; short ones do not wait for long ones
}

// handlers holds the answers by name.
var handlers = map[string]handler{
	"games":   {answer: (*App).games},
	"agents":  {answer: (*App).listAgents},
	"rules":   {answer: (*App).rules},
	"explain": {answer: (*App).explain},
	"view":    {answer: (*App).view},
	"play":    {(*App).play, true},
	"values":  {(*App).values, true},
	"chance":  {(*App).chance, true},
	"review":  {(*App).review, true},
	"report":  {(*App).report, true},
	"daily":   {(*App).daily, true},
	"read":    {(*App).read, true},
	"write":   {answer: (*App).write},
	"guide":   {answer: (*App).guide},
	"solving": {answer: (*App).howFar},
	"runs":    {answer: (*App).runs},
	"run":     {(*App).run, true},
}

// MaxRequest bounds a request, in bytes. Chosen: above that of a report of the longest
// games.
const MaxRequest = 1 << 20

// ErrBusy is returned where a request has not begun to compute within the limit.
var ErrBusy = errors.New("too many requests at once; try again")

// Handle answers a request. An error is a response {"error": text}, with "moreTime": true if
// more Time would help and "goesOn": true if the same request gets its answer later; ok is false then.
func (a *App) Handle(ctx context.Context, request []byte) (response []byte, ok bool) {
	response, err := a.answer(ctx, request)
	if err != nil {
		failure := struct {
			Error    string `json:"error"`
			MoreTime bool   `json:"moreTime,omitempty"`
			GoesOn   bool   `json:"goesOn,omitempty"`
		}{input.Message(err), errors.Is(err, analysis.ErrTime), errors.Is(err, errSolving)}
		response, _ = json.Marshal(failure) // strings are always JSON
	}
	return response, err == nil
}

// answer computes the answer to a request in one of the places, as all that a request costs is
// bounded by their number and by the limit.
func (a *App) answer(ctx context.Context, request []byte) (response []byte, err error) {
	if len(request) > MaxRequest {
		return nil, fmt.Errorf("the request has %d bytes; want at most %d", len(request), MaxRequest)
	}
	var name struct {
		Do string `json:"do"`
	}
	json.NewDecoder(bytes.NewReader(request)).Decode(&name) // an error comes up again below
	places := a.short
	if handlers[name.Do].long {
		places = a.long
	}
	err = a.compute(ctx, places, func(ctx context.Context) error {
		var r Request
		if err := input.DecodeJSON(request, &r); err != nil {
			return fmt.Errorf("the request: %w", err)
		}
		h, ok := handlers[r.Do]
		if !ok {
			return fmt.Errorf("no request is named %s", input.Quote(r.Do))
		}
		answer, err := h.answer(a, ctx, &r)
		if err != nil {
			return err
		}
		response, err = json.Marshal(answer)
		return err
	})
	return response, err
}

// compute calls f when one of the places is free, with a context that ends at the limit.
func (a *App) compute(ctx context.Context, places chan struct{}, f func(context.Context) error) error {
	if a.opt.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, a.opt.Limit, ErrLimit)
		defer cancel()
	}
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), ErrLimit) {
			return ErrBusy
		}
		return ctx.Err()
	}
	err := f(ctx)
	if errors.Is(err, errSolving) && errors.Is(context.Cause(ctx), ErrLimit) {
		return fmt.Errorf("%w, and %w; try again in a minute", ErrLimit, errSolving)
	}
	if err != nil && errors.Is(context.Cause(ctx), ErrLimit) {
		return fmt.Errorf("%w of %v; try again, or start go run ./cmd/web with a larger -limit", ErrLimit, a.opt.Limit)
	}
	return err
}

// ErrLimit is the cause of the end of a computation that takes too long.
var ErrLimit = errors.New("the computation has reached its time limit")

// position returns the game of a request, and its position.
func (r *Request) position(ctx context.Context) (*replay, env.Position, error) {
	g, err := r.Address.replay(ctx)
	if err != nil {
		return nil, nil, err
	}
	steps := len(g.rec.Steps)
	if r.Step != nil {
		if steps = *r.Step; steps < 0 || steps > len(g.rec.Steps) {
			return nil, nil, fmt.Errorf("step is %d; the game has %d steps", steps, len(g.rec.Steps))
		}
	}
	return g, g.rec.At(steps), nil
}
