package train

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"marsgym/env"
	"marsgym/internal/jobs"
	"marsgym/internal/parallel"
	"marsgym/models"
	"marsgym/train/expert"
)

// iteration is what the parts of an iteration of expert iteration share.
type iteration struct {
	game     env.Game
	cfg      *Config
	network  network
	at       float64                    // fraction of the run
	settings func() (*jobs.Blob, error) // of the run
	copies   []network                  // older ones, of which opponents play
}

// network is a network, whose weights may be an input of jobs.
type network struct {
	*models.MLP
	weights func() *jobs.Blob
}

func newNetwork(mlp *models.MLP) network {
	return network{mlp, sync.OnceValue(func() *jobs.Blob { return jobs.NewBlob(mlp.WeightBytes()) })}
}

// selfPlay is the task of one part of the rows in an iteration: it searches in each row.
type selfPlay struct {
	*iteration
	part   int
	state  []byte        // when the iteration began
	next   []byte        // after it, if ended
	ended  bool          // the task is done
	search expert.Expert // in state, or in next if ended; nil or in any state if stale
	stale  bool

	targets []expert.Targets // what it finds in each piece of the rows
	spare   []expert.Targets // that of the fit, while the task finds the next
}

// newSelfPlay returns the task of a part without a state.
func newSelfPlay(it *iteration, part int) *selfPlay {
	return &selfPlay{iteration: it, part: part, stale: true}
}

// begin readies the task for the next iteration.
func (p *selfPlay) begin() {
	if p.ended {
		p.state, p.next, p.ended = p.next, p.state, false
	}
}

// undo goes back to the beginning of the iteration.
func (p *selfPlay) undo() { p.ended, p.stale = false, p.stale || p.ended }

// current returns the state.
func (p *selfPlay) current() []byte {
	if p.ended {
		return p.next
	}
	return p.state
}

// newSearch returns a search in the rows of the part.
func (p *selfPlay) newSearch() (expert.Expert, error) {
	cfg := p.cfg.search()
	from := p.part * cfg.PartRows()
	return expert.New(p.game, cfg, min(cfg.PartRows(), p.cfg.Rows-from), from)
}

// load brings the search into state; without one it starts games with the seed of the run.
func (p *selfPlay) load() (err error) {
	if p.search == nil {
		if p.search, err = p.newSearch(); err != nil {
			return err
		}
	}
	switch {
	case p.state == nil:
		p.search.Reset(p.cfg.Seed)
		p.state, err = p.search.AppendState(nil)
	case p.stale:
		err = p.search.RestoreState(p.state)
	}
	p.stale = err != nil
	return err
}

// Run implements [jobs.Task]. It searches in each row, and lays out the targets.
func (p *selfPlay) Run(ctx context.Context) error {
	if err := p.load(); err != nil {
		return err
	}
	p.stale = true
	cfg, spec := p.cfg, p.game.Spec()
	var evaluated atomic.Uint64
	net := func(scores, values []float32, obs *models.Observations) {
		evaluated.Add(uint64(obs.Len()))
		p.network.ForwardObservations(scores, values, obs, 0, obs.Len())
		if spec.HasWin() {
			models.SharesToReturns(values, spec.Players, spec.Return)
		}
	}
	warm := p.at >= cfg.Expert.ValueWarmup
	opt := expert.Options{
		Lambda: cfg.Expert.Lambda.At(p.at), Temperature: cfg.Expert.Temperature.At(p.at),
		RandomPlay: !warm, PolicyReplies: warm && cfg.Head == models.Score, Logits: cfg.Head == models.Logits,
	}
	for _, c := range p.copies {
		opt.Copies = append(opt.Copies, func(policy, _ []float32, obs *models.Observations) {
			evaluated.Add(uint64(obs.Len()))
			c.ForwardObservations(policy, nil, obs, 0, obs.Len())
		})
	}
	n := p.search.Pieces()
	p.resize(n)
	err := p.search.Search(ctx, p.targets, opt, net)
	if err != nil {
		return err
	}
	parallel.For(1+n, 1, func(k, _ int) {
		if k == 0 {
			p.next, err = p.search.AppendState(p.next[:0])
		} else {
			p.targets[k-1].LayOut(spec, opt)
		}
	})
	if err != nil {
		return err
	}
	p.targets[0].Evaluated = int(evaluated.Load())
	p.ended, p.stale = true, false
	return nil
}

// resize makes room for n pieces.
func (p *selfPlay) resize(n int) {
	for len(p.targets) < n {
		p.targets = append(p.targets, expert.Targets{Obs: models.NewObservations(p.game.Spec().ObsLen(), nil)})
	}
	p.targets = p.targets[:n]
}

// SelfPlayKind is the kind of the jobs of expert iteration.
const SelfPlayKind = "self-play"

// selfPlayArgs are the arguments of such a job. Its inputs are the settings of the run,
// the weights of the network, the state of the part and the weights of older copies.
type selfPlayArgs struct {
	Part int     `json:"part"`
	Done float64 `json:"done"` // fraction of the run
}

// Job implements [jobs.Task].
func (p *selfPlay) Job() (jobs.Job, error) {
	p.search, p.stale = nil, true
	settings, err := p.settings()
	if err != nil {
		return jobs.Job{}, err
	}
	args, err := json.Marshal(selfPlayArgs{p.part, p.at})
	inputs := []*jobs.Blob{settings, p.network.weights(), jobs.NewBlob(bytes.Clone(p.state))}
	for _, c := range p.copies {
		inputs = append(inputs, c.weights())
	}
	return jobs.Job{Kind: SelfPlayKind, Args: args, Inputs: inputs}, err
}

// result returns what [selfPlay.Receive] reads: the state after Run, as the difference to that
// before it, and what was found.
func (p *selfPlay) result() []byte {
	b := binary.AppendUvarint(appendDifference(nil, p.state, p.next), uint64(len(p.targets)))
	for i := range p.targets {
		b = jobs.AppendSlice(b, appendTargets(nil, &p.targets[i]))
	}
	return b
}

// Receive implements [jobs.Task].
func (p *selfPlay) Receive(r jobs.Result) error {
	next, rest, err := cutDifference(r.Bytes, p.state)
	if err == nil {
		err = p.decode(rest)
	}
	if err == nil {
		err = p.possible(next)
	}
	if err != nil {
		return fmt.Errorf("the result of part %d of self-play: %w", p.part, err)
	}
	p.next, p.ended = next, true
	return nil
}

// possible returns an error unless a state, and the counts of what was found, are possible.
func (p *selfPlay) possible(state []byte) error {
	x, err := p.newSearch()
	if err == nil {
		err = x.RestoreState(state)
	}
	for _, t := range p.targets {
		if err == nil && (uint64(t.Decisions) > 1<<32 || uint64(t.Games) > 1<<32 || uint64(t.Evaluated) > 1<<40) {
			err = fmt.Errorf("%d decisions, %d games and %d evaluations are more than a part takes", t.Decisions, t.Games, t.Evaluated)
		}
	}
	return err
}

// decode reads what was found.
func (p *selfPlay) decode(b []byte) error {
	n, size := binary.Uvarint(b)
	if size <= 0 || n == 0 || n > uint64(p.cfg.Rows) {
		return errors.New("it is in no pieces")
	}
	if p.search != nil && n != uint64(p.search.Pieces()) {
		return fmt.Errorf("it is in %d pieces; want %d", n, p.search.Pieces())
	}
	p.resize(int(n))
	b = b[size:]
	for i := range p.targets {
		text, rest, err := jobs.CutSlice[byte](b)
		if err == nil {
			err = decodeTargets(&p.targets[i], text, p.game.Spec(), p.cfg.Head)
		}
		if err != nil {
			return err
		}
		b = rest
	}
	if len(b) > 0 {
		return fmt.Errorf("%d bytes follow it", len(b))
	}
	return nil
}

// selfPlayWorker computes jobs of self-play for other processes.
type selfPlayWorker struct {
	runs jobs.Cache[*selfPlayRun] // by their settings
}

// selfPlayRun is a run whose jobs a worker computes.
type selfPlayRun struct {
	game    env.Game
	cfg     *Config
	weights jobs.Cache[*models.MLP]

	mu    sync.Mutex
	parts map[int]*selfPlay // that computed the latest job of their part
}

// take returns the task of a part, and removes it from the parts.
func (r *selfPlayRun) take(part int) *selfPlay {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.parts[part]
	delete(r.parts, part)
	if p == nil {
		p = newSelfPlay(&iteration{game: r.game, cfg: r.cfg}, part)
	}
	return p
}

// put keeps a task for the next job of its part.
func (r *selfPlayRun) put(p *selfPlay) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.parts == nil {
		r.parts = map[int]*selfPlay{}
	}
	r.parts[p.part] = p
}

// SelfPlay returns the function of the jobs of kind [SelfPlayKind].
func SelfPlay() jobs.Func { return new(selfPlayWorker).run }

func (w *selfPlayWorker) run(ctx context.Context, text []byte, inputs []*jobs.Blob) (jobs.Result, error) {
	var args selfPlayArgs
	if err := json.Unmarshal(text, &args); err != nil || len(inputs) < 3 {
		return jobs.Result{}, errors.New("a job of self-play needs settings, weights and a state")
	}
	run, err := w.runs.Of(ctx, inputs[0], openRun)
	if err != nil {
		return jobs.Result{}, fmt.Errorf("the settings of a job: %w", err)
	}
	if args.Part < 0 || args.Part >= run.cfg.parts() || !(args.Done >= 0 && args.Done <= 1) {
		return jobs.Result{}, fmt.Errorf("part %d at %v of a run with %d parts", args.Part, args.Done, run.cfg.parts())
	}
	mlp, err := run.weights.Of(ctx, inputs[1], run.decodeWeights)
	if err != nil {
		return jobs.Result{}, fmt.Errorf("the weights of a job: %w", err)
	}
	p := run.take(args.Part)
	if state := inputs[2].Bytes; p.state == nil || !bytes.Equal(p.state, state) {
		p.state, p.stale = append([]byte{}, state...), true
	}
	p.network, p.at, p.copies = network{MLP: mlp}, args.Done, nil
	for _, b := range inputs[3:] {
		c, err := run.decodeWeights(b.Bytes)
		if err != nil {
			return jobs.Result{}, fmt.Errorf("the weights of an opponent: %w", err)
		}
		p.copies = append(p.copies, network{MLP: c})
	}
	if err := p.Run(ctx); err != nil {
		return jobs.Result{}, err
	}
	r := jobs.Result{Bytes: p.result()}
	p.begin()
	run.put(p)
	return r, nil
}

// openRun opens the game of a run's settings and checks that they can be trained.
func openRun(text []byte) (*selfPlayRun, error) {
	s, g, err := decodeSettings(text)
	if err == nil && s.Train.Algorithm == AlgorithmPPO {
		err = errors.New("ppo has no jobs of self-play")
	}
	return &selfPlayRun{game: g, cfg: &s.Train}, err
}

// decodeWeights returns the network with the weights b, see [models.MLP.WeightBytes].
func (r *selfPlayRun) decodeWeights(b []byte) (*models.MLP, error) {
	return models.NewMLPOf(r.cfg.shape(r.game.Spec()), b)
}
