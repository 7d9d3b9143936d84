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
	"marsgym/env/game/message"
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

	Language string `json:"language,omitempty"` // of all texts, such as "de"; English if there are none in it
}

// speaker says what there is to say to those who sit at the page: agents have the names of their
// levels.
func speaker(language string, a Address) message.Speaker {
	to := message.Speaker{Language: message.Find(language)}
	if a.Seats == nil {
		return to
	}
	levels := make([]string, len(a.Seats))
	for i, name := range a.Seats {
		if name != Human {
			levels[i] = to.Say(levelName(a.Game, name))
		}
	}
	to.Names = message.Names(levels, func(seat int) string { return to.Say(message.New("seat {0}", seat+1)) }, "")
	return to
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

// failure is the response of an error.
type failure struct {
	Error    string `json:"error"`
	Move     int    `json:"move,omitempty"`     // of the address that is wrong, from 1
	Rest     string `json:"rest,omitempty"`     // the error without it
	MoreTime bool   `json:"moreTime,omitempty"` // whether more Time would help
	GoesOn   bool   `json:"goesOn,omitempty"`   // whether the same request gets its answer later
}

// Handle answers a request. An error is a response {"error": text} with what else there is to know
// of it; ok is false then.
func (a *App) Handle(ctx context.Context, request []byte) (response []byte, ok bool) {
	response, err := a.answer(ctx, request)
	if err != nil {
		var r struct {
			Language string   `json:"language"`
			Game     string   `json:"game"`
			Seats    []string `json:"seats"`
		}
		json.NewDecoder(bytes.NewReader(request)).Decode(&r) // as far as it can be read
		to := speaker(r.Language, Address{Game: r.Game, Seats: r.Seats})
		say := func(err error) string { return input.Message(errors.New(to.Error(err))) }
		f := failure{Error: say(err), MoreTime: errors.Is(err, analysis.ErrTime), GoesOn: errors.Is(err, errSolving)}
		if e, ok := err.(message.Error); ok && e.Key == wrongMove {
			f.Move, f.Rest = e.Args[0].(int), say(e.Args[1].(error))
		}
		response, _ = json.Marshal(f) // strings are always JSON
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
		return message.NewError("{0}, and {1}; try again in a minute", ErrLimit, errSolving)
	}
	if err != nil && errors.Is(context.Cause(ctx), ErrLimit) {
		return message.NewError("{0} of {1}; try again, or start go run ./cmd/web with a larger -limit", ErrLimit, a.opt.Limit.String())
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
	g.to = speaker(r.Language, g.Address)
	steps := len(g.rec.Steps)
	if r.Step != nil {
		if steps = *r.Step; steps < 0 || steps > len(g.rec.Steps) {
			return nil, nil, message.NewError("step is {0}; the game has {1} steps", steps, len(g.rec.Steps))
		}
	}
	return g, g.rec.At(steps), nil
}
