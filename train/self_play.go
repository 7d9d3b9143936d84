package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"marsgym/env"
	"marsgym/internal/jobs"
	"marsgym/models"
	"marsgym/train/expert"
)

// iteration is what the parts of an iteration of expert iteration share.
type iteration struct {
	game     env.Game
	cfg      *Config
	mlp      *models.MLP
	done     float64                    // fraction of the run
	settings func() (*jobs.Blob, error) // of the run
	weights  func() *jobs.Blob          // of mlp
	copies   []olderCopy                // of which opponents play
}

// olderCopy is an older copy of the network.
type olderCopy struct {
	mlp     *models.MLP
	weights func() *jobs.Blob // of mlp
}

// weightsBlob returns a function that returns the weights as an input of jobs, made once.
func weightsBlob(mlp *models.MLP) func() *jobs.Blob {
	return sync.OnceValue(func() *jobs.Blob { return jobs.NewBlob(jobs.AppendSlice(nil, mlp.Weights())) })
}

// selfPlay is the task of one part of the rows in an iteration: it searches in each row.
// It is as if it returned the state of the part after it; in this process that is the
// Expert itself.
type selfPlay struct {
	*iteration
	part    int
	search  expert.Expert // holds the state, or is nil
	state   []byte        // without search; with it, the state when the iteration began
	moved   bool          // the state is not that of the beginning of the iteration
	before  []byte        // that state, if moved and without search
	targets expert.Targets
	found   samples
}

// rows returns the first row of a part and the first after it.
func (c *Config) rows(part int) (from, to int) {
	return c.Rows * part / c.Shards, c.Rows * (part + 1) / c.Shards
}

// newSelfPlay returns the task of a part, with an expert that has no state yet.
func newSelfPlay(it *iteration, part int) (*selfPlay, error) {
	from, to := it.cfg.rows(part)
	x, err := expert.New(it.game, it.cfg.search(), to-from, from)
	if err != nil {
		return nil, err
	}
	return &selfPlay{iteration: it, part: part, search: x, found: newSamples(it.game.Spec())}, nil
}

// Run implements [jobs.Task].
func (p *selfPlay) Run(ctx context.Context) (err error) {
	if p.state, err = p.search.AppendState(p.state[:0]); err != nil {
		return err
	}
	p.moved = true
	return p.play(ctx)
}

// play searches in each row, and lays out the samples.
func (p *selfPlay) play(ctx context.Context) error {
	cfg, spec, evaluated := p.cfg, p.game.Spec(), uint64(0)
	net := func(scores, values, obs []float32) {
		evaluated += uint64(len(obs) / spec.ObsLen())
		p.mlp.Forward(scores, values, obs)
		if spec.HasWin() {
			models.SharesToReturns(values, spec.Players, spec.Return)
		}
	}
	warm := p.done >= cfg.Expert.ValueWarmup
	opt := expert.Options{
		Lambda: cfg.Expert.Lambda.at(p.done), Temperature: cfg.Expert.Temperature.at(p.done),
		RandomPlay: !warm, PolicyReplies: warm && cfg.Head == models.Score, Logits: cfg.Head == models.Logits,
	}
	for _, c := range p.copies {
		opt.Copies = append(opt.Copies, func(policy, _, obs []float32) {
			evaluated += uint64(len(obs) / spec.ObsLen())
			c.mlp.Forward(policy, nil, obs)
		})
	}
	if err := p.search.Search(ctx, &p.targets, opt, net); err != nil {
		return err
	}
	p.found.fill(&p.targets, spec, cfg.Head, opt.Temperature)
	p.found.evaluated = evaluated
	return nil
}

// undo restores the state when the iteration began.
func (p *selfPlay) undo() error {
	if !p.moved {
		return nil
	}
	p.moved = false
	if p.search != nil {
		return p.search.RestoreState(p.state)
	}
	p.state = p.before
	return nil
}

// encoded returns the state.
func (p *selfPlay) encoded() ([]byte, error) {
	if p.search == nil {
		return p.state, nil
	}
	return p.search.AppendState(nil)
}

// restore sets the state.
func (p *selfPlay) restore(state []byte) error {
	if p.search != nil {
		return p.search.RestoreState(state)
	}
	p.state = state
	return nil
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
	p.moved = false
	state, err := p.encoded()
	if err != nil {
		return jobs.Job{}, err
	}
	p.search, p.state = nil, state
	settings, err := p.settings()
	if err != nil {
		return jobs.Job{}, err
	}
	args, err := json.Marshal(selfPlayArgs{p.part, p.done})
	inputs := []*jobs.Blob{settings, p.weights(), jobs.NewBlob(state)}
	for _, c := range p.copies {
		inputs = append(inputs, c.weights())
	}
	return jobs.Job{Kind: SelfPlayKind, Args: args, Inputs: inputs}, err
}

// appendResult appends what [selfPlay.Receive] reads: the state after Run, as the
// difference to that before it, and what was found.
func (p *selfPlay) appendResult(dst, after []byte) []byte {
	return p.found.appendBinary(appendDifference(dst, p.state, after))
}

// Receive implements [jobs.Task].
func (p *selfPlay) Receive(r jobs.Result) error {
	after, rest, err := cutDifference(r.Bytes, p.state)
	if err == nil {
		err = p.found.decode(rest, p.game.Spec(), p.cfg.Head)
	}
	if err != nil {
		return fmt.Errorf("the result of part %d of self-play: %w", p.part, err)
	}
	p.before, p.state, p.moved = p.state, after, true
	return nil
}

// selfPlayWorker computes jobs of self-play for other processes.
type selfPlayWorker struct {
	open Opener
	runs jobs.Cache[*selfPlayRun] // by their settings
}

// selfPlayRun is a run whose jobs a worker computes.
type selfPlayRun struct {
	game    env.Game
	cfg     *Config
	weights jobs.Cache[*models.MLP]

	mu    sync.Mutex
	parts map[int]*selfPlay // that computed the latest job of their part; state is that after it
}

// take returns the task of a part with a state, and removes it from the parts.
func (r *selfPlayRun) take(part int, state []byte) (p *selfPlay, err error) {
	r.mu.Lock()
	p = r.parts[part]
	delete(r.parts, part)
	r.mu.Unlock()
	if p == nil {
		if p, err = newSelfPlay(&iteration{game: r.game, cfg: r.cfg}, part); err != nil {
			return nil, err
		}
	} else if bytes.Equal(p.state, state) {
		return p, nil
	}
	p.state = state
	return p, p.search.RestoreState(state)
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
func SelfPlay(open Opener) jobs.Func {
	w := &selfPlayWorker{open: open}
	return w.run
}

func (w *selfPlayWorker) run(ctx context.Context, text []byte, inputs []*jobs.Blob) (jobs.Result, error) {
	var args selfPlayArgs
	if err := json.Unmarshal(text, &args); err != nil || len(inputs) < 3 {
		return jobs.Result{}, errors.New("a job of self-play needs settings, weights and a state")
	}
	run, err := w.runs.Of(ctx, inputs[0], w.openRun)
	if err != nil {
		return jobs.Result{}, fmt.Errorf("the settings of a job: %w", err)
	}
	if args.Part < 0 || args.Part >= run.cfg.Shards || !(args.Done >= 0 && args.Done <= 1) {
		return jobs.Result{}, fmt.Errorf("part %d at %v of a run with %d shards", args.Part, args.Done, run.cfg.Shards)
	}
	mlp, err := run.weights.Of(ctx, inputs[1], run.decodeWeights)
	if err != nil {
		return jobs.Result{}, fmt.Errorf("the weights of a job: %w", err)
	}
	p, err := run.take(args.Part, inputs[2].Bytes)
	if err != nil {
		return jobs.Result{}, err
	}
	p.mlp, p.done, p.copies = mlp, args.Done, nil
	for _, b := range inputs[3:] {
		c, err := run.decodeWeights(b.Bytes)
		if err != nil {
			return jobs.Result{}, fmt.Errorf("the weights of an opponent: %w", err)
		}
		p.copies = append(p.copies, olderCopy{mlp: c})
	}
	if err := p.play(ctx); err != nil {
		return jobs.Result{}, err
	}
	after, err := p.search.AppendState(nil)
	if err != nil {
		return jobs.Result{}, err
	}
	result := p.appendResult(nil, after)
	p.state = after
	run.put(p)
	return jobs.Result{Bytes: result}, nil
}

// openRun opens the game of a run's settings and checks that they can be trained.
func (w *selfPlayWorker) openRun(text []byte) (*selfPlayRun, error) {
	s, g, err := decodeSettings(text, w.open)
	if err == nil && s.Train.Algorithm == AlgorithmPPO {
		err = errors.New("ppo has no jobs of self-play")
	}
	return &selfPlayRun{game: g, cfg: &s.Train}, err
}

// decodeWeights returns the network whose weights [jobs.AppendSlice] wrote.
func (r *selfPlayRun) decodeWeights(b []byte) (*models.MLP, error) {
	weights, rest, err := jobs.CutSlice[float32](b)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d bytes follow them", len(rest))
	}
	if err != nil {
		return nil, err
	}
	return models.NewMLPOf(r.cfg.shape(r.game.Spec()), weights)
}

// decodeSettings reads complete settings and opens their game.
func decodeSettings(text []byte, open Opener) (Settings, env.Game, error) {
	var s Settings
	if err := json.Unmarshal(text, &s); err != nil {
		return s, nil, err
	}
	g, err := open(s.Game, s.GameConfig)
	if err != nil {
		return s, nil, err
	}
	s.Train.Checkpoints = max(1, s.Train.Checkpoints) // see run.settings
	return s, g, s.Train.Check(g)
}

// blob returns the settings as an input of jobs.
func (s Settings) blob() (*jobs.Blob, error) {
	text, err := json.Marshal(s)
	return jobs.NewBlob(text), err
}
