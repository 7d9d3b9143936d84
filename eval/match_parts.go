package eval

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"marsgym/agents"
	"marsgym/internal/jobs"
)

// played is what some sets of a match have resulted in.
type played struct {
	share     []float64 // [sets, P, P]
	truncated int       // games
}

// matchArgs are the arguments of the job to play some sets of a match: Sets sets from number
// First, with dice of a seed.
type matchArgs struct {
	Seed  uint64 `json:"seed"`
	First uint64 `json:"first"`
	Sets  int    `json:"sets"`
}

// Parts of a match. Chosen: enough for 64 workers, and for networks enough games at once.
const (
	matchParts  = 64
	maxPartSets = 4096
	// partCost bounds the sets of a part of agents that search, times the evaluations of a decision
	// (see [cost]): in Martian Dice a second or two, so that little is lost with a part.
	partCost = 1000
)

// cost returns about how many evaluations of positions a decision of an agent takes: its
// simulations, and of look-ahead a number that is chosen.
func cost(a *agents.Agent) int {
	n, _ := agents.Budget(a.Source.Name)
	if n == 0 && a.Source.Model != nil && !a.Source.Network {
		return 100
	}
	return max(1, n)
}

// partSets returns the number of sets of a part of a match of that many sets.
func (d *duplicate) partSets(sets int) int {
	n := min((sets+matchParts-1)/matchParts, maxPartSets)
	for _, a := range d.distinct {
		if c := cost(a); c > 1 {
			n = max(1, min(n, partCost/c))
		}
	}
	return n
}

// portable reports whether other processes can open all agents.
func (d *duplicate) portable() bool {
	for _, a := range d.distinct {
		if !portable(a) {
			return false
		}
	}
	return true
}

// counting returns a function for the end of each of some parts. It calls progress, if that
// is not nil, with the fraction of the parts that are done, from one goroutine at a time.
func counting(parts int, progress func(done float64)) (ended func()) {
	if progress == nil {
		return func() {}
	}
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		progress(float64(done) / float64(parts))
	}
}

// playParts is play by the executor.
func (d *duplicate) playParts(ctx context.Context, sets int, progress func(done float64)) error {
	inputs, err := newSeating(d.game, d.entrants)
	if err != nil {
		return err
	}
	size := d.partSets(sets)
	parts := make([]played, (sets+size-1)/size)
	var tasks []jobs.Task
	ended := counting(len(parts), progress)
	for k := range parts {
		a := matchArgs{d.seed, d.first + uint64(d.sets()+k*size), min(size, sets-k*size)}
		tasks = append(tasks, &jobs.Part[played]{
			Name: fmt.Sprintf("sets from %d of a match", a.First), Kind: MatchKind, Args: a, Inputs: inputs,
			Find:   func(ctx context.Context) (played, error) { return a.play(ctx, d) },
			Decode: func(r jobs.Result) (played, error) { return a.decode(r, len(d.entrants)) },
			Take: func(p played) {
				parts[k] = p
				ended()
			},
		})
	}
	if err := d.executor.Do(ctx, tasks); err != nil {
		return err
	}
	for _, p := range parts {
		d.share = append(d.share, p.share...)
		d.truncated += p.truncated
	}
	return nil
}

// play plays the sets among the agents of d.
func (a matchArgs) play(ctx context.Context, d *duplicate) (played, error) {
	part := &duplicate{game: d.game, spec: d.spec, entrants: d.entrants, distinct: d.distinct, index: d.index, seed: a.Seed, first: a.First}
	err := part.play(ctx, a.Sets, nil)
	return played{part.share, part.truncated}, err
}

// decode returns what was played among n agents.
func (a matchArgs) decode(r jobs.Result, n int) (p played, err error) {
	var rest []byte
	if p.share, rest, err = jobs.CutSlice[float64](r.Bytes); err == nil {
		p.truncated, rest, err = jobs.CutLength(rest)
	}
	if games := a.Sets * n; err == nil && (len(p.share) != games*n || len(rest) > 0 || p.truncated > games) {
		err = fmt.Errorf("%d shares, %d truncated games and %d more bytes; want those of %d games", len(p.share), p.truncated, len(rest), games)
	}
	for _, x := range p.share {
		if err == nil && !(x >= 0 && x <= 1) {
			err = fmt.Errorf("a share of the win is %v", x)
		}
	}
	return p, err
}

// match computes jobs of kind [MatchKind].
func (w *openedCache) match(ctx context.Context, text []byte, inputs []*jobs.Blob) (jobs.Result, error) {
	var args matchArgs
	o, err := w.of(ctx, text, &args, inputs)
	if err != nil {
		return jobs.Result{}, err
	}
	if args.Sets < 1 || args.Sets > maxPartSets {
		return jobs.Result{}, fmt.Errorf("%d sets; want 1 to %d", args.Sets, maxPartSets)
	}
	for _, a := range o.agents {
		if !portable(a) {
			return jobs.Result{}, fmt.Errorf("%s searches by the clock, and would find another result here; give it a number of simulations", a.Name)
		}
	}
	d, err := newDuplicate(o.game, o.agents, args.Seed)
	if err != nil {
		return jobs.Result{}, err
	}
	p, err := args.play(ctx, d)
	return jobs.Result{Bytes: binary.AppendUvarint(jobs.AppendSlice(nil, p.share), uint64(p.truncated))}, err
}
