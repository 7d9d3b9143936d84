//go:build cgo

// In package main, since nothing can import it.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
)

func open(t *testing.T, id string, players int, config string) *openGame {
	t.Helper()
	var cfg []byte
	if config != "" {
		cfg = []byte(config)
	}
	g, err := catalog.Open(id, players, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return newOpenGame(g)
}

// named are agents of the library.
func named(names ...string) (list []entrant) {
	for _, name := range names {
		list = append(list, entrant{Name: name})
	}
	return list
}

// table is a seating of one row with buffers of its own.
func table(t *testing.T, g *openGame, s seating, first int) (*seated, *env.Buffers) {
	t.Helper()
	d, a := g.spec.ObsLen(), g.spec.Actions
	buf := env.Buffers{
		Obs: make([]float32, d), Mask: make([]bool, a), Player: make([]game.Player, 1), Action: make([]game.Action, 1),
		Reward: make([]float32, g.spec.Players), Terminated: make([]bool, 1), Truncated: make([]bool, 1),
		FinalObs: make([]float32, d), FinalPlayer: make([]game.Player, 1),
	}
	made, err := newSeated(t.Context(), g, s, buf, 1, first)
	if err != nil {
		t.Fatal(err)
	}
	return made, &buf
}

// slowTable plays one seat against opponents by positions alone.
type slowTable struct {
	g           *openGame
	opponents   []env.Policy
	fixed, seat int
	dice, noise *rand.PCG
	at          env.Position
}

func (s *slowTable) settle(p env.Position) env.Position {
	for p.CurrentPlayer() == game.Chance {
		p = p.Sample(s.dice)
	}
	return p
}

// others plays until the seat is to move or the game is over.
func (s *slowTable) others(t *testing.T) {
	players := s.g.spec.Players
	for who := s.at.CurrentPlayer(); who >= 0 && int(who) != s.seat; who = s.at.CurrentPlayer() {
		p := s.opponents[(int(who)-s.seat-1+players)%players]
		probs, err := env.ActionProbabilities(t.Context(), p, s.at, s.g.spec.Actions)
		if err != nil {
			t.Fatal(err)
		}
		after, err := s.at.Apply(env.SampleAction(probs, s.noise))
		if err != nil {
			t.Fatal(err)
		}
		s.at = s.settle(after)
	}
}

func (s *slowTable) begin(t *testing.T) {
	for {
		s.at = s.settle(s.g.Initial())
		if s.seat = s.fixed; s.fixed < 0 {
			s.seat = rand.New(s.noise).IntN(s.g.spec.Players)
		}
		if s.others(t); s.at.CurrentPlayer() >= 0 {
			return
		}
	}
}

func TestSeated(t *testing.T) {
	const seed, row = 3, 5
	for name, s := range map[string]seating{
		"random seat":   {Opponents: named("greedy"), Seat: -1},
		"last seat":     {Opponents: named("greedy", "random"), Seat: 2},
		"two opponents": {Opponents: named("random", "greedy"), Seat: -1},
	} {
		g := open(t, "pig", 3, `{"target": 20}`)
		fast, buf := table(t, g, s, row)
		slow := &slowTable{g: g, fixed: s.Seat, dice: rand.NewPCG(seed, row), noise: rand.NewPCG(seed, 1<<62|row)}
		for i := range 2 {
			p, err := g.Bot(s.Opponents[min(i, len(s.Opponents)-1)].Name)
			if err != nil {
				t.Fatal(err)
			}
			slow.opponents = append(slow.opponents, p)
		}
		if err := fast.Reset(newJob(g), seed); err != nil {
			t.Fatal(err)
		}
		slow.begin(t)
		ended := 0
		mine := rand.New(rand.NewPCG(1, 1))
		for range 2000 {
			if at, _ := fast.At(0); at.String() != slow.at.String() || int(buf.Player[0]) != slow.seat {
				t.Fatalf("%s: seat %d is to move in %s; want seat %d in %s", name, buf.Player[0], at, slow.seat, slow.at)
			}
			legal := slow.at.Legal()
			a := legal[mine.IntN(len(legal))]
			buf.Action[0] = a
			if err := fast.Step(newJob(g)); err != nil {
				t.Fatal(err)
			}
			after, err := slow.at.Apply(a)
			if err != nil {
				t.Fatal(err)
			}
			slow.at = slow.settle(after)
			slow.others(t)
			want := make([]float32, 3)
			over := slow.at.CurrentPlayer() == game.Terminal
			if over {
				ended++
				last := make([]float32, g.spec.ObsLen())
				slow.at.Observe(last, game.Player(slow.seat))
				if final := fast.Final(0); final.String() != slow.at.String() || !slices.Equal(last, buf.FinalObs) {
					t.Fatalf("%s: the game ended in %s; want %s", name, final, slow.at)
				}
				for i, r := range slow.at.Returns() {
					want[i] = float32(r)
				}
				slow.begin(t)
			}
			if buf.Terminated[0] != over || buf.Truncated[0] || !slices.Equal(buf.Reward, want) {
				t.Fatalf("%s: terminated %v, rewards %v; want %v, %v", name, buf.Terminated, buf.Reward, over, want)
			}
		}
		if ended < 10 {
			t.Errorf("%s: %d games ended", name, ended)
		}
	}
}

func TestSeatedResumes(t *testing.T) {
	g := open(t, "martian-dice", 2, "")
	s := seating{Opponents: named("greedy"), Seat: -1}
	play := func(s *seated, buf *env.Buffers, steps int) (seen []string) {
		for range steps {
			buf.Action[0] = game.Action(slices.Index(buf.Mask, true))
			if err := s.Step(newJob(g)); err != nil {
				t.Fatal(err)
			}
			at, _ := s.At(0)
			seen = append(seen, at.String())
		}
		return seen
	}
	whole, buf := table(t, g, s, 0)
	if err := whole.Reset(newJob(g), 1); err != nil {
		t.Fatal(err)
	}
	play(whole, buf, 50)
	state, err := whole.AppendState(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := play(whole, buf, 200)
	resumed, buf := table(t, g, s, 0)
	if err := resumed.RestoreState(state); err != nil {
		t.Fatal(err)
	}
	if got := play(resumed, buf, 200); !slices.Equal(got, want) {
		t.Error("the resumed games differ")
	}
	for want, bad := range map[string][]byte{
		"0 bytes of state for 1 rows":                                nil,
		fmt.Sprintf("%d bytes of state for 1 rows", len(state)-2):    state[1:],
		"is to move in the state, and the learner's seat is another": append([]byte{state[0] ^ 1}, state[1:]...),
	} {
		if err := resumed.RestoreState(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a state of %d bytes: %v; want %q", len(bad), err, want)
		}
	}
}

func TestSeatingErrors(t *testing.T) {
	for want, s := range map[string]seating{
		"unknown agent":        {Opponents: named("nobody"), Seat: -1},
		"seat is 2; want":      {Opponents: named("random"), Seat: 2},
		"2 opponents; want":    {Opponents: named("random", "random"), Seat: 0},
		"is not solved yet":    {Opponents: named("exact"), Seat: 0},
		"want one of search, ": {Opponents: named("search:fast"), Seat: 0},
	} {
		_, err := newSeated(t.Context(), open(t, "pig", 2, ""), s, env.Buffers{}, 1, 0)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v; want one with %q", s, err, want)
		}
	}
}

// serve answers the questions of a job by a policy of the library until it ends, with at
// most limit rows at a time, as marsgym_poll and marsgym_answer do.
func serve(t *testing.T, j *job, limit int, answer func(r *request) []float64) {
	t.Helper()
	for {
		select {
		case <-j.ended:
			return
		case r := <-j.asked:
			values := answer(r)
			for at := 0; at < r.n; at += limit {
				n := min(limit, r.n-at)
				w := len(r.dst) / r.n
				copy(r.dst[at*w:(at+n)*w], values[at*w:(at+n)*w])
			}
			if err := r.check(); err != nil {
				t.Error(err)
				j.cancel()
				return
			}
			close(r.served)
		case <-time.After(time.Minute):
			t.Fatal("the job does nothing")
		}
	}
}

func start(g *openGame, x task) *job {
	j := newJob(g)
	go j.run(func() (any, error) { return j.do(x) })
	return j
}

func solve(t *testing.T, g *openGame) {
	t.Helper()
	j := start(g, task{Kind: "solve"})
	if <-j.ended; j.err != nil {
		t.Fatal(j.err)
	}
}

// A policy of the caller gets the figures of the same policy of the library.
func TestEvaluate(t *testing.T) {
	g := open(t, "pig", 2, `{"target": 30}`)
	j := start(g, task{Kind: "evaluate", Entrants: []entrant{{Name: "random"}, {Name: "exact"}}})
	if <-j.ended; j.err == nil || !strings.Contains(j.err.Error(), "not solved yet") {
		t.Fatalf("evaluating an unsolved game gave error %v", j.err)
	}
	solve(t, g)
	number := 0
	seats := func(e entrant) []entrant { return []entrant{e, {Name: "exact"}} }
	named := start(g, task{Kind: "evaluate", Entrants: seats(entrant{Name: "random"}), Mistakes: 5})
	<-named.ended
	own := start(g, task{Kind: "evaluate", Entrants: seats(entrant{Name: "mine", Policy: &number}), Mistakes: 5})
	serve(t, own, 100, func(r *request) []float64 {
		values := make([]float64, len(r.dst))
		for i := range r.n {
			legal := 0.0
			for _, ok := range r.mask[2*i : 2*i+2] {
				if ok {
					legal++
				}
			}
			for a, ok := range r.mask[2*i : 2*i+2] {
				if ok {
					values[2*i+a] = 1 / legal
				}
			}
		}
		return values
	})
	if named.err != nil || own.err != nil {
		t.Fatal(named.err, own.err)
	}
	a, b := named.result.(evaluated), own.result.(evaluated)
	if !slices.Equal(a.WinBySeat, b.WinBySeat) || a.Exploitability != b.Exploitability || a.Mistakes.Loss != b.Mistakes.Loss {
		t.Errorf("the caller's policy gets %+v; want %+v", b.Multiplayer, a.Multiplayer)
	}
	if len(b.Mistakes.Worst) != 5 {
		t.Errorf("%d mistakes; want 5", len(b.Mistakes.Worst))
	}
}

// A policy that scores afterstates gets the figures of the network that computes the
// scores.
func TestEvaluateScores(t *testing.T) {
	g := open(t, "martian-dice", 2, `{"dice": 4, "target": 5}`)
	solve(t, g)
	score := func(obs []float32) float64 {
		s := 0.0
		for i, x := range obs {
			s += float64(x) * math.Sin(float64(i*i))
		}
		return s
	}
	number, d := 0, g.spec.ObsLen()
	for _, greedy := range []bool{true, false} {
		own := start(g, task{Kind: "evaluate", Entrants: []entrant{{Policy: &number, Scores: true, Greedy: greedy}, {Name: "exact"}}})
		serve(t, own, 64, func(r *request) []float64 {
			values := make([]float64, r.n)
			for i := range values {
				values[i] = score(r.obs[i*d : (i+1)*d])
			}
			return values
		})
		if own.err != nil {
			t.Fatal(own.err)
		}
		// The same as probabilities of decisions.
		plain := &agents.Agent{Name: "plain", Policy: scoring{score, greedy, g.spec.Actions, d}}
		s, err := g.solved()
		if err != nil {
			t.Fatal(err)
		}
		tab, err := s.Tabulate(t.Context(), plain)
		if err != nil {
			t.Fatal(err)
		}
		best, err := s.Tabulate(t.Context(), s.Policy())
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.Evaluate(t.Context(), []game.TabularPolicy{tab, best})
		if err != nil {
			t.Fatal(err)
		}
		if got := own.result.(evaluated).WinBySeat[0]; !(math.Abs(got-g.spec.WinShare(want[0])) <= 1e-12) {
			t.Errorf("greedy %v: the scores win %v; want %v", greedy, got, g.spec.WinShare(want[0]))
		}
	}
}

// scoring is a policy by scores that is no env.AfterstateScorer.
type scoring struct {
	score      func(obs []float32) float64
	greedy     bool
	actions, d int
}

func (s scoring) Probs(dst []float64, d env.Decisions) error {
	clear(dst)
	after := d.Afterstates()
	for i := range d.Len() {
		best, sum := math.Inf(-1), 0.0
		for k := after.Start[i]; k < after.Start[i+1]; k++ {
			x := s.score(after.Obs[k*s.d : (k+1)*s.d])
			row := dst[i*s.actions : (i+1)*s.actions]
			if !s.greedy {
				row[after.Action[k]] = math.Exp(x)
				sum += math.Exp(x)
			} else if x > best {
				clear(row)
				row[after.Action[k]] = 1
				best, sum = x, 1
			}
		}
		for a := range s.actions {
			dst[i*s.actions+a] /= sum
		}
	}
	return nil
}

func TestCheck(t *testing.T) {
	mask := []bool{true, true, false}
	for want, probs := range map[string][]float64{
		"":                        {0.25, 0.75, 0},
		"add up to 0.875":         {0.25, 0.625, 0},
		"is illegal there":        {0.5, 0.4, 0.1},
		"action 1 in row 0 is -1": {0.5, -1, 0},
		"row 0 is NaN":            {math.NaN(), 1, 0},
	} {
		err := (&request{n: 1, mask: mask, dst: probs}).check()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v; want one with %q", probs, err, want)
		}
	}
	probs := []float64{0.25, 0.750001, 0}
	if err := (&request{n: 1, mask: mask, dst: probs}).check(); err != nil || !(math.Abs(probs[0]+probs[1]-1) <= 1e-15) {
		t.Errorf("probabilities %v, error %v; want a sum of 1", probs, err)
	}
	if err := (&request{n: 2, dst: []float64{1, math.Inf(1)}}).check(); err == nil || !strings.Contains(err.Error(), "the score of row 1 is +Inf") {
		t.Errorf("an infinite score: %v", err)
	}
}

// A job that waits for its caller ends when it is cancelled.
func TestCancel(t *testing.T) {
	g := open(t, "pig", 2, `{"target": 20}`)
	solve(t, g)
	number := 0
	j := start(g, task{Kind: "evaluate", Entrants: []entrant{{Policy: &number}, {Name: "exact"}}})
	<-j.asked
	j.cancel()
	if <-j.ended; !errors.Is(j.err, context.Canceled) || codeOf(j.err) != cancelled {
		t.Errorf("error %v", j.err)
	}
}

// withContext is a policy that notes the context of its last call.
type withContext struct {
	env.Policy
	ctx context.Context
}

func (p *withContext) ProbsContext(ctx context.Context, dst []float64, d env.Decisions) error {
	p.ctx = ctx
	return p.Probs(dst, d)
}

// TestOpponentContext: opponents get the context of the job, so that a search among them ends with
// it.
func TestOpponentContext(t *testing.T) {
	g := open(t, "pig", 2, "")
	s, _ := table(t, g, seating{Opponents: named("random"), Seat: 1}, 0)
	p := &withContext{Policy: s.policies[0].Policy}
	s.policies[0].Policy = p
	j := newJob(g)
	if err := s.Reset(j, 1); err != nil || p.ctx != j.ctx {
		t.Errorf("the opponent is asked with %v, error %v; want the context of the job", p.ctx, err)
	}
	j.cancel()
	if err := s.Reset(j, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the job: %v", err)
	}
}
