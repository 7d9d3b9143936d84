package ppo

import (
	"context"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/models"
)

type end uint8 // how a step ended

const (
	running    end = iota
	terminated     // by the rules
	truncated      // by a limit of the batch
)

// rollout is what one part of the rows has played: T steps of n games. Decisions
// are numbered t·n + i. Values and rewards are by seat, unless they are in the order of play.
type rollout struct {
	batch    env.Batch
	spec     game.Spec
	head     models.Head
	cfg      Config
	first    int // row of the run
	n, d, p  int // rows of this part, D, P
	pool     *poolRows
	openings *openings

	// obs are the observations of the decisions, with the head that scores afterstates each
	// followed by those of its options.
	obs       *models.Observations // [T·n or T·n + M, D]
	mover     []game.Player        // [T·n]
	random    []bool               // [T·n] actions of openings
	reward    []float32            // [T·n, P] earned by the step
	ended     []end                // [T·n]
	value     []float32            // [(T+1)·n, P] before the step; the last row after all of them
	bootstrap []float32            // [T·n, P] the value after a truncated step, else unused
	listed    []bool               // [T·n] the outcomes of chance in the step are listed
	expected  []float32            // [T·n, P] of listed steps: the expectation of r + γ·V(t+1) over them, else unused
	adv       []float32            // [T·n, P]

	// The options of a decision with a choice. A decision with one legal action, of
	// an opponent or of an opening has none.
	start  []int32       // [T·n+1] into option
	option []game.Action // [M]
	chosen []int32       // [T·n] index into option
	logp   []float32     // [T·n] logarithm of the probability of the chosen option

	games, evaluated uint64 // ended, and outcomes of chance, in this rollout

	// Of a step.
	own            []int        // rows whose decision has options
	policy, values []float32    // [.., K] and [.., P] the network's outputs
	outcomes       env.Outcomes // of chance
	probs, logs    []float64    // of the options of a decision
}

func newRollout(b env.Batch, first int, head models.Head, cfg Config) *rollout {
	spec := b.Spec()
	n, m, p := b.Len(), cfg.Horizon*b.Len(), spec.Players
	r := &rollout{
		batch: b, spec: spec, head: head, cfg: cfg, first: first, n: n, d: spec.ObsLen(), p: p,
		obs: models.NewObservations(spec.ObsLen(), nil), mover: make([]game.Player, m), random: make([]bool, m),
		reward: make([]float32, m*p), ended: make([]end, m), value: make([]float32, (m+n)*p), bootstrap: make([]float32, m*p),
		listed: make([]bool, m), adv: make([]float32, m*p),
		start: make([]int32, m+1), chosen: make([]int32, m), logp: make([]float32, m),
	}
	if cfg.Outcomes > 0 {
		r.expected = make([]float32, m*p)
	}
	return r
}

// play plays T steps with the network in all seats but those of opponents, and
// computes the advantages. Moves of opponents have no options, so they add no policy
// loss. Their values are still trained. Decisions of openings add no loss at all, since
// the value of a position says nothing of a random action there.
func (r *rollout) play(ctx context.Context, mlp *models.MLP) error {
	buf := r.batch.Buffers()
	r.option, r.games, r.evaluated = r.option[:0], 0, 0
	r.obs.Reset()
	r.pool.reset()
	for at := 0; at < len(r.mover); at += r.n {
		if err := ctx.Err(); err != nil {
			return err
		}
		copy(r.mover[at:], buf.Player)
		opening := r.random[at : at+r.n]
		r.openings.act(opening, buf, r.spec.Actions)
		r.act(mlp, at)
		if err := r.pool.act(ctx, r.batch, opening); err != nil {
			return err
		}
		r.expect(mlp, at)
		if err := r.batch.Step(); err != nil {
			return err
		}
		copy(r.reward[at*r.p:], buf.Reward)
		for i := range r.n {
			switch {
			case buf.Terminated[i]:
				r.ended[at+i] = terminated
				r.pool.gameOver(i, buf.Reward[i*r.p:][:r.p])
			case buf.Truncated[i]:
				r.ended[at+i] = truncated
				r.evaluate(r.bootstrap[(at+i)*r.p:][:r.p], mlp, buf.FinalObs[i*r.d:][:r.d], buf.FinalPlayer[i:i+1])
			default:
				r.ended[at+i] = running
				continue
			}
			r.games++
			r.pool.newGame(i, &buf.Noise[i])
			r.openings.newGame(i, &buf.Noise[i])
		}
	}
	r.evaluate(r.value[len(r.reward):], mlp, buf.Obs, buf.Player)
	r.advantages()
	return nil
}

// evaluate fills dst [n, P] with the network's values by seat.
func (r *rollout) evaluate(dst []float32, mlp *models.MLP, obs []float32, movers []game.Player) {
	r.values = resize(r.values, len(dst))
	mlp.Forward(nil, r.values, obs)
	for i, m := range movers {
		game.SeatOrder(dst[i*r.p:][:r.p], r.values[i*r.p:][:r.p], m)
	}
}

// act samples the network's actions, and records the observations, its values and the
// options, from decision at on.
func (r *rollout) act(mlp *models.MLP, at int) {
	buf := r.batch.Buffers()
	r.own = r.own[:0]
	for i := range r.n {
		r.start[at+i] = int32(len(r.option))
		if r.random[at+i] || r.pool.opponent(i, buf.Player[i]) != itself {
			continue
		}
		from := len(r.option)
		r.option = appendLegal(r.option, buf.Mask[i*r.spec.Actions:(i+1)*r.spec.Actions])
		if legal := r.option[from:]; len(legal) == 1 {
			buf.Action[i] = legal[0]
			r.option = r.option[:from]
			continue
		}
		r.own = append(r.own, i)
	}
	r.start[at+r.n] = int32(len(r.option))
	if r.head == models.Score {
		after := r.batch.Decisions(r.own).Afterstates()
		near := 0
		for i := range r.n {
			var options []float32
			if r.start[at+i] < r.start[at+i+1] {
				options = after.Obs[after.Start[near]*r.d : after.Start[near+1]*r.d]
				near++
			}
			r.obs.AppendNear(buf.Obs[i*r.d:(i+1)*r.d], options)
		}
	} else {
		r.obs.Append(buf.Obs)
	}

	from, to := r.row(at), r.row(at+r.n)
	r.policy, r.values = resize(r.policy, (to-from)*mlp.Shape().PolicyWidth()), resize(r.values, (to-from)*r.p)
	mlp.ForwardObservations(r.policy, r.values, r.obs, from, to)
	for i, m := range buf.Player {
		game.SeatOrder(r.value[(at+i)*r.p:][:r.p], r.values[(r.row(at+i)-from)*r.p:][:r.p], m)
	}
	for _, i := range r.own {
		lo := r.start[at+i]
		r.probs, r.logs = r.softmax(r.probs, r.logs, r.policy, r.row(at+i)-from, at+i)
		c := env.SampleAction(r.probs, &buf.Noise[i])
		r.chosen[at+i] = lo + int32(c)
		r.logp[at+i] = float32(r.logs[c])
		buf.Action[i] = r.option[lo+int32(c)]
	}
}

// row returns the row of obs of decision at, if that is not beyond the last one.
func (r *rollout) row(at int) int {
	if r.head == models.Score {
		return at + int(r.start[at])
	}
	return at
}

// output returns the place of option o of decision at in the outputs of the policy head, in
// which the decision has a row.
func (r *rollout) output(row, at int, o int32) int {
	if r.head == models.Score {
		return row + 1 + int(o-r.start[at])
	}
	return row*r.spec.Actions + int(r.option[o])
}

// softmax returns the probabilities of the options of decision at and their logarithms, in
// the place of probs and logs, for the outputs of the policy head.
func (r *rollout) softmax(probs, logs []float64, policy []float32, row, at int) (p, l []float64) {
	logs = logs[:0]
	for o := r.start[at]; o < r.start[at+1]; o++ {
		logs = append(logs, float64(policy[r.output(row, at, o)]))
	}
	probs = resize(probs, len(logs))
	models.LogSoftmax(probs, logs)
	return probs, logs
}

// expect fills in the expectations of the step at decision at over its chance, in the rows
// where the outcomes are few enough.
func (r *rollout) expect(mlp *models.MLP, at int) {
	if r.cfg.Outcomes == 0 {
		return
	}
	o, listed, bySeat := &r.outcomes, r.listed[at:at+r.n], make([]float32, r.p)
	clear(listed)
	r.batch.Outcomes(o, r.cfg.Outcomes)
	r.values = resize(r.values, len(o.Prob)*r.p)
	mlp.ForwardNear(nil, r.values, o.Obs, o.Start)
	for i, row := range o.Row {
		listed[row] = true
		sum := r.expected[(at+row)*r.p:][:r.p]
		copy(sum, o.Return[i*r.p:])
		for k := o.Start[i]; k < o.Start[i+1]; k++ {
			scale := float32(r.cfg.Gamma) * o.Prob[k]
			game.SeatOrder(bySeat, r.values[k*r.p:][:r.p], o.Player[k])
			for j, v := range bySeat {
				sum[j] += float32(scale * v)
			}
		}
	}
	r.evaluated += uint64(len(o.Prob))
}

// advantages fills adv [T, n, P] with generalised advantage estimates for all
// seats:
//
//	δ(t)[p] = r(t)[p] + γ·V(t+1)[p] − V(t)[p]
//	A(t)[p] = Σ_k (γλ)^k δ(t+k)[p]
//
// The sum stops at a terminated step, whose δ has no V(t+1), and at a truncated
// one, whose δ has bootstrap in its place. The δ of a step with listed outcomes has their
// expectation in the place of r(t) + γ·V(t+1): the difference is 0 on average and only adds
// variance. A move is credited with its mover's component; the target of the values is A + V.
//
// Sources: Schulman et al., arXiv:1506.02438, eq. 16, applied to each seat; the expectation over
// chance is a control variate as in Burch et al., "AIVAT", arXiv:1612.06915.
func (r *rollout) advantages() {
	width := r.n * r.p
	g, gl := float32(r.cfg.Gamma), float32(r.cfg.Gamma*r.cfg.Lambda)
	for at := len(r.reward) - width; at >= 0; at -= width {
		for i := at; i < at+width; i += r.p {
			ended, listed := r.ended[i/r.p], r.listed[i/r.p]
			for j := i; j < i+r.p; j++ {
				a := r.reward[j] - r.value[j]
				switch {
				case listed:
					a = r.expected[j] - r.value[j]
				case ended == truncated:
					a += float32(g * r.bootstrap[j])
				case ended == running:
					a += float32(g * r.value[j+width])
				}
				if ended == running && j+width < len(r.adv) {
					a += float32(gl * r.adv[j+width])
				}
				r.adv[j] = a
			}
		}
	}
}
