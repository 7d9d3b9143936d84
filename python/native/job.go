//go:build cgo

package main

/*
#include <stdint.h>

// What marsgym_poll found.
typedef struct {
	int32_t state;  // 0 at work, 1 a question, 2 finished
	int32_t policy; // of the question: the number of the caller's policy
	int32_t rows;   // n
	int32_t scores; // of the question: 1 if it asks for the scores of afterstates
	double done;    // the fraction of the job that is done
} marsgym_progress;
*/
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"marsgym/agents"
	"marsgym/eval"
)

// job is work that lasts, in a goroutine of its own. It asks the caller for what the
// caller's policies do.
type job struct {
	game   *openGame
	ctx    context.Context
	cancel context.CancelFunc

	plays bool // in a batch, whose buffers it writes to

	done  atomic.Uint64 // the bits of the fraction done
	asked chan *request

	mu   sync.Mutex // of what follows, and of marsgym_poll and marsgym_answer
	open *request   // taken from asked, not yet answered
	at   int        // rows of open answered
	n    int        // rows of open shown

	inquiries chan *inquiry // of a measurement
	inquired  int           // inquiries shown to the caller, under mu as the next
	waiting   map[int]*inquiry

	ended  chan struct{} // closed when the result is there
	result any
	err    error
}

// task is what a job does.
type task struct {
	Kind     string    `json:"kind"`     // "solve", "evaluate", "match" or "measure"
	Cache    string    `json:"cache"`    // folder of solutions; "auto", or "" for none
	Entrants []entrant `json:"entrants"` // one agent, or P in the order of seats
	Sample   bool      `json:"sample"`   // networks sample
	Seed     uint64    `json:"seed"`
	Mistakes int       `json:"mistakes"` // number to list; 0 computes none
	Games    int       `json:"games"`    // of a match or a measurement

	// Of a measurement; see regret.Options.
	Name        string   `json:"name"`   // of the caller's policy
	Others      []string `json:"others"` // agents in the other seats
	Concurrency int      `json:"concurrency"`
	Retries     int      `json:"retries"`
	MaxCalls    int      `json:"max_calls"`
	MaxCost     float64  `json:"max_cost"`
	File        string   `json:"file"`
}

// entrant is an agent: one of the library by its name, or a policy of the caller.
type entrant struct {
	Name   string `json:"name"`
	Policy *int   `json:"policy"` // number of the caller's policy
	Scores bool   `json:"scores"` // it scores afterstates
	Greedy bool   `json:"greedy"` // and takes the best

	// Table is the handle of a policy of a table game, or 0. It may be released once the job
	// or the batch has begun.
	Table C.uintptr_t `json:"table"`
	table *tablePolicy
}

// resolveTables finds the policies that handles name.
func resolveTables(entrants []entrant) error {
	for i := range entrants {
		e := &entrants[i]
		if e.Table == 0 {
			continue
		}
		var err error
		if e.table, err = resolve[*tablePolicy](e.Table); err != nil {
			return err
		}
	}
	return nil
}

// remote returns the agent of a policy of the caller, or nil for one of the library.
func (e *entrant) remote(ask asker) *agents.Agent {
	if e.table != nil {
		return e.table.agent(e.Name)
	}
	if e.Policy == nil {
		return nil
	}
	if e.Scores {
		return &agents.Agent{Name: e.Name, Policy: remoteScorer{ask, *e.Policy, e.Greedy}}
	}
	return &agents.Agent{Name: e.Name, Policy: remote{ask, *e.Policy}}
}

// marsgym_job starts a job.
//
//export marsgym_job
func marsgym_job(g C.uintptr_t, text *C.char, object *C.uintptr_t, out **C.char) result {
	return call(out, func() error {
		g, err := resolve[*openGame](g)
		if err != nil {
			return err
		}
		var t task
		if err := json.Unmarshal([]byte(C.GoString(text)), &t); err != nil {
			return err
		}
		if err := resolveTables(t.Entrants); err != nil {
			return err
		}
		j := newJob(g)
		go j.run(func() (any, error) { return j.do(t) })
		*object = handle(j)
		return nil
	})
}

func newJob(g *openGame) *job {
	j := &job{game: g, asked: make(chan *request), inquiries: make(chan *inquiry), waiting: map[int]*inquiry{}, ended: make(chan struct{})}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	return j
}

// run does the work and keeps its result.
func (j *job) run(work func() (any, error)) {
	defer close(j.ended)
	defer j.cancel()
	j.result, j.err = protect(work)
}

func (j *job) do(t task) (any, error) {
	switch t.Kind {
	case "solve":
		return j.solve(t)
	case "evaluate":
		return j.evaluate(t)
	case "match":
		return j.match(t)
	case "measure":
		return j.measure(t)
	}
	return nil, fmt.Errorf("unknown task %q", t.Kind)
}

func (j *job) progress(done float64) { j.done.Store(math.Float64bits(done)) }

// fraction returns the fraction of the job that is done.
func (j *job) fraction() float64 { return math.Float64frombits(j.done.Load()) }

// solved is the result of a solve.
type solved struct {
	Residual float64            `json:"residual"`
	Facts    map[string]float64 `json:"facts"`
	Value    []float64          `json:"value"`   // of the initial position [P]
	Warning  string             `json:"warning"` // why the solution is not cached
}

func (j *job) solve(t task) (any, error) {
	j.game.mu.Lock()
	defer j.game.mu.Unlock()
	r := solved{Facts: map[string]float64{}}
	if j.game.solution == nil {
		s, err := j.game.SolveCached(j.ctx, cacheFolder(t.Cache), j.progress, func(err error) { r.Warning = err.Error() })
		if err != nil {
			return nil, err
		}
		j.game.solution = s
	}
	s := j.game.solution
	r.Residual = s.Residual()
	for _, f := range s.Facts() {
		r.Facts[f.Name] = f.Value
	}
	var err error
	r.Value, err = s.Value(j.game.Initial())
	return r, err
}

// seats opens the agents of a task [P].
func (j *job) seats(t task) ([]*agents.Agent, error) {
	var seats []*agents.Agent
	for _, e := range t.Entrants {
		a := e.remote(j.ask)
		if a == nil {
			var err error
			if a, err = j.game.agent(j.ctx, e.Name, t.Sample, t.Seed); err != nil {
				return nil, err
			}
		}
		seats = append(seats, a)
	}
	if len(seats) != 2 {
		return seats, nil
	}
	for len(seats) < j.game.spec.Players { // the second is in all other seats
		seats = append(seats, seats[1])
	}
	return seats, nil
}

// evaluated is the result of an exact evaluation. Games without a win have Returns
// only.
type evaluated struct {
	*eval.Multiplayer
	Returns  []float64           `json:"returns,omitempty"` // expected, by seat
	Mistakes *eval.MistakeReport `json:"mistakes,omitempty"`
}

func (j *job) evaluate(t task) (any, error) {
	solution, err := j.game.solved()
	if err != nil {
		return nil, err
	}
	seats, err := j.seats(t)
	if err != nil {
		return nil, err
	}
	// The steps of an evaluation: agents tabulated, seatings, best responses, regrets.
	players := j.game.spec.Players
	distinct := map[*agents.Agent]bool{}
	for _, a := range seats {
		distinct[a] = true
	}
	total, step := len(distinct)+2*players, 0
	if t.Mistakes > 0 {
		total += players
	}
	report := func(string) {
		j.progress(float64(step) / float64(total))
		step++
	}
	if !j.game.spec.HasWin() {
		returns, _, err := eval.ExactReturns(j.ctx, j.game, solution, seats, report)
		return evaluated{Returns: returns}, err
	}
	e, err := eval.NewExactEvaluator(j.game, solution)
	if err != nil {
		return nil, err
	}
	e.Report = report
	m, err := e.Multiplayer(j.ctx, seats)
	if err != nil {
		return nil, err
	}
	r := evaluated{Multiplayer: &m}
	if t.Mistakes > 0 {
		report, err := e.Mistakes(j.ctx, seats[0], t.Mistakes)
		if err != nil {
			return nil, err
		}
		r.Mistakes = &report
	}
	return r, nil
}

func (j *job) match(t task) (any, error) {
	seats, err := j.seats(t)
	if err != nil {
		return nil, err
	}
	return eval.PlayDuplicate(j.ctx, j.game, seats, t.Games, t.Seed, j.progress)
}

// ask shows a request to the caller and waits for the answer.
func (j *job) ask(ctx context.Context, r request) error {
	if r.n == 0 {
		return nil
	}
	r.served = make(chan struct{})
	select {
	case j.asked <- &r:
	case <-ctx.Done():
		return ctx.Err()
	case <-j.ctx.Done():
		return j.ctx.Err()
	}
	select {
	case <-r.served:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-j.ctx.Done():
		return j.ctx.Err()
	}
}

// marsgym_poll waits for at most that many milliseconds for a question or the end of a
// job. A question comes with at most limit rows: observations [n, D] and, unless it asks
// for scores, masks [n, A]. When the job has finished, the text is its result.
//
//export marsgym_poll
func marsgym_poll(object C.uintptr_t, milliseconds, limit C.int, obs *C.float, mask *C.int8_t, p *C.marsgym_progress, out **C.char) result {
	return answer(out, func() (string, error) {
		j, err := resolve[*job](object)
		if err != nil {
			return "", err
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		*p = C.marsgym_progress{}
		if j.open == nil {
			timeout := time.NewTimer(time.Duration(milliseconds) * time.Millisecond)
			defer timeout.Stop()
			select {
			case j.open = <-j.asked:
				j.at = 0
			case <-j.ended:
				p.state, p.done = 2, 1
				if j.err != nil {
					return "", j.err
				}
				text, err := json.Marshal(j.result)
				return string(text), err
			case <-timeout.C:
				p.done = C.double(j.fraction())
				return "", nil
			}
		}
		r := j.open
		j.n = min(r.n-j.at, int(limit))
		d, a := len(r.obs)/r.n, len(r.mask)/r.n
		copy(view[float32](obs, j.n*d), r.obs[j.at*d:])
		if r.mask == nil {
			p.scores = 1
		} else {
			copy(view[bool](mask, j.n*a), r.mask[j.at*a:])
		}
		p.state, p.policy, p.rows = 1, C.int32_t(r.policy), C.int32_t(j.n)
		p.done = C.double(j.fraction())
		return "", nil
	})
}

// marsgym_answer answers the question of the last marsgym_poll: probabilities [n, A], or
// scores [n].
//
//export marsgym_answer
func marsgym_answer(object C.uintptr_t, values *C.double, out **C.char) result {
	return call(out, func() error {
		j, err := resolve[*job](object)
		if err != nil {
			return err
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.open == nil || j.n == 0 {
			return errors.New("there is no question to answer")
		}
		r := j.open
		width := len(r.dst) / r.n
		part := request{n: j.n, dst: r.dst[j.at*width : (j.at+j.n)*width]}
		if r.mask != nil {
			part.mask = r.mask[j.at*width : (j.at+j.n)*width]
		}
		copy(part.dst, view[float64](values, len(part.dst)))
		if err := part.check(); err != nil {
			return err
		}
		if j.at += j.n; j.at == r.n {
			j.open = nil
			close(r.served)
		}
		j.n = 0
		return nil
	})
}
