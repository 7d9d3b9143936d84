package eval

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"

	"marsgym/agents"
	"marsgym/internal/jobs"
)

// matchPart is the task to play some sets of a match.
type matchPart struct {
	*duplicate
	matchArgs
	inputs []*jobs.Blob
	share  []float64 // [sets, P, P]
	lost   int       // truncated games
	played func()
}

// matchArgs are the arguments of the job: Sets sets from number First, with dice of a seed.
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
	var parts []*matchPart
	var tasks []jobs.Task
	played := counting((sets+size-1)/size, progress)
	for from := 0; from < sets; from += size {
		p := &matchPart{duplicate: d, inputs: inputs, matchArgs: matchArgs{d.seed, d.first + uint64(d.sets()+from), min(size, sets-from)}, played: played}
		parts, tasks = append(parts, p), append(tasks, p)
	}
	if err := d.executor.Do(ctx, tasks); err != nil {
		return err
	}
	for _, p := range parts {
		d.share = append(d.share, p.share...)
		d.truncated += p.lost
	}
	return nil
}

// Run implements [jobs.Task].
func (p *matchPart) Run(ctx context.Context) (err error) {
	p.share, p.lost, err = p.matchArgs.play(ctx, p.duplicate)
	if err == nil {
		p.played()
	}
	return err
}

// play plays the sets among the agents of d.
func (a matchArgs) play(ctx context.Context, d *duplicate) (share []float64, truncated int, err error) {
	part := &duplicate{game: d.game, spec: d.spec, entrants: d.entrants, distinct: d.distinct, index: d.index, seed: a.Seed, first: a.First}
	err = part.play(ctx, a.Sets, nil)
	return part.share, part.truncated, err
}

// Job implements [jobs.Task].
func (p *matchPart) Job() (jobs.Job, error) {
	args, err := json.Marshal(p.matchArgs)
	return jobs.Job{Kind: MatchKind, Args: args, Inputs: p.inputs}, err
}

// Receive implements [jobs.Task].
func (p *matchPart) Receive(r jobs.Result) error {
	share, rest, err := jobs.CutSlice[float64](r.Bytes)
	lost := 0
	if err == nil {
		lost, rest, err = jobs.CutLength(rest)
	}
	games := p.Sets * len(p.entrants)
	switch {
	case err != nil:
	case len(share) != games*len(p.entrants) || len(rest) > 0 || lost > games:
		err = fmt.Errorf("%d shares, %d truncated games and %d more bytes; want those of %d games", len(share), lost, len(rest), games)
	default:
		for _, x := range share {
			if !(x >= 0 && x <= 1) {
				err = fmt.Errorf("a share of the win is %v", x)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("sets from %d of a match: %w", p.First, err)
	}
	p.share, p.lost = share, lost
	p.played()
	return nil
}

// match computes jobs of kind [MatchKind].
func (w *openedCache) match(ctx context.Context, text []byte, inputs []*jobs.Blob) (jobs.Result, error) {
	var args matchArgs
	if err := json.Unmarshal(text, &args); err != nil {
		return jobs.Result{}, err
	}
	if args.Sets < 1 || args.Sets > maxPartSets {
		return jobs.Result{}, fmt.Errorf("%d sets; want 1 to %d", args.Sets, maxPartSets)
	}
	o, err := w.of(ctx, inputs)
	if err != nil {
		return jobs.Result{}, err
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
	share, truncated, err := args.play(ctx, d)
	return jobs.Result{Bytes: binary.AppendUvarint(jobs.AppendSlice(nil, share), uint64(truncated))}, err
}
