package train

import (
	"context"
	"slices"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/models"
)

// rollout is what one shard of the rows has played: T steps of n games. Decisions
// are numbered t·n + i.
type rollout struct {
	batch env.Batch
	spec  game.Spec
	head  models.Head
	limit int // outcomes of chance after an action that are listed, at most
	t, n  int // T, rows of this shard
	d, p  int // D, P

	pool     *poolRows
	openings *openings

	trajectory
	// obs are the observations of the decisions, with the head that scores afterstates each
	// followed by those of its options.
	obs         *models.Observations // [T·n or T·n + M, D]
	adv         []float32            // [T·n, P]
	moverValues []float32            // [n, P] the network's output, in the order of play

	random []bool // [T·n] actions of openings

	// The options of a decision with a choice. A decision with one legal action, of
	// an opponent or of an opening has none.
	start  []int32       // [T·n+1] into option
	option []game.Action // [M]
	chosen []int32       // [T·n] index into option
	logp   []float32     // [T·n] logarithm of the probability of the chosen option

	outcomes  env.Outcomes // of a step
	ofOutcome []float32    // [outcomes, P] the network's values, in the order of play

	own            []int     // rows of a step whose decision has options
	policy, values []float32 // [rows of a step, K] and [.., P] the network's outputs
	games          uint64    // ended in this rollout
	evaluated      uint64    // outcomes of this rollout
}

func newRollout(b env.Batch, head models.Head, horizon, limit int) *rollout {
	spec := b.Spec()
	r := &rollout{batch: b, spec: spec, head: head, limit: limit, t: horizon, n: b.Len(), d: spec.ObsLen(), p: spec.Players}
	m := r.t * r.n
	r.players = r.p
	r.mover = make([]game.Player, m)
	r.reward = make([]float32, m*r.p)
	r.ended = make([]end, m)
	r.value = make([]float32, (m+r.n)*r.p)
	r.bootstrap = make([]float32, m*r.p)
	r.listed = make([]bool, m)
	if limit > 0 {
		r.expected = make([]float32, m*r.p)
	}
	r.obs = models.NewObservations(r.d, nil)
	r.adv = make([]float32, m*r.p)
	r.moverValues = make([]float32, r.n*r.p)
	r.random = make([]bool, m)
	r.start = make([]int32, m+1)
	r.chosen = make([]int32, m)
	r.logp = make([]float32, m)
	return r
}

// play plays T steps with the network in all seats but those of opponents, and
// computes the advantages. Moves of opponents have no options, so they add no policy
// loss. Their values are still trained. Decisions of openings add no loss at all, since
// the value of a position says nothing of a random action there.
func (r *rollout) play(ctx context.Context, mlp *models.MLP, gamma, lambda float64) error {
	buf := r.batch.Buffers()
	r.option, r.games, r.evaluated = r.option[:0], 0, 0
	r.obs.Reset()
	r.pool.reset()
	for t := range r.t {
		at := t * r.n
		copy(r.mover[at:], buf.Player)
		random := r.random[at : at+r.n]
		r.openings.act(random, buf, r.spec.Actions)
		r.act(mlp, at)
		if err := r.pool.act(ctx, r.batch, random); err != nil {
			return err
		}
		r.expect(mlp, at, gamma)
		if err := r.batch.Step(); err != nil {
			return err
		}
		copy(r.reward[at*r.p:], buf.Reward)
		for i := range r.n {
			switch {
			case buf.Terminated[i]:
				r.ended[at+i] = terminated
				r.games++
				r.pool.gameOver(i, buf.Reward[i*r.p:][:r.p])
				r.newGame(i)
			case buf.Truncated[i]:
				r.ended[at+i] = truncated
				r.games++
				r.newGame(i)
				r.evaluate(r.bootstrap[(at+i)*r.p:][:r.p], mlp, buf.FinalObs[i*r.d:][:r.d], buf.FinalPlayer[i:i+1])
			default:
				r.ended[at+i] = running
			}
		}
	}
	r.evaluate(r.value[r.t*r.n*r.p:], mlp, buf.Obs, buf.Player)
	advantages(r.adv, r.trajectory, gamma, lambda)
	return nil
}

// newGame draws the opponents and the opening of the game that begins in row i.
func (r *rollout) newGame(i int) {
	noise := &r.batch.Buffers().Noise[i]
	r.pool.newGame(i, noise)
	r.openings.newGame(i, noise)
}

// evaluate fills dst [n, P] with the network's values by seat.
func (r *rollout) evaluate(dst []float32, mlp *models.MLP, obs []float32, movers []game.Player) {
	own := r.moverValues[:len(dst)]
	mlp.Forward(nil, own, obs)
	r.seatOrder(dst, own, movers)
}

// expect fills in the expectations of the step at decision at over its chance, in the rows
// where the outcomes are few enough.
func (r *rollout) expect(mlp *models.MLP, at int, gamma float64) {
	if r.limit == 0 {
		return
	}
	o, listed, bySeat := &r.outcomes, r.listed[at:at+r.n], make([]float32, r.p)
	clear(listed)
	r.batch.Outcomes(o, r.limit)
	r.ofOutcome = resize(r.ofOutcome, len(o.Prob)*r.p)
	mlp.ForwardNear(nil, r.ofOutcome, o.Obs, o.Start)
	for i, row := range o.Row {
		listed[row] = true
		sum := r.expected[(at+row)*r.p:][:r.p]
		copy(sum, o.Return[i*r.p:])
		for k := o.Start[i]; k < o.Start[i+1]; k++ {
			scale := float32(gamma) * o.Prob[k]
			game.SeatOrder(bySeat, r.ofOutcome[k*r.p:][:r.p], o.Player[k])
			for j, v := range bySeat {
				sum[j] += float32(scale * v)
			}
		}
	}
	r.evaluated += uint64(len(o.Prob))
}

// seatOrder fills dst [n, P] with values [n, P] in the order of play.
func (r *rollout) seatOrder(dst, values []float32, movers []game.Player) {
	for i, m := range movers {
		game.SeatOrder(dst[i*r.p:][:r.p], values[i*r.p:][:r.p], m)
	}
}

// row returns the row of obs of decision at, if that is not beyond the last one.
func (r *rollout) row(at int) int {
	if r.head == models.Score {
		return at + int(r.start[at])
	}
	return at
}

// act samples the network's actions, and records the observations, its values and the
// options, from decision at on.
func (r *rollout) act(mlp *models.MLP, at int) {
	buf := r.batch.Buffers()
	scores := r.head == models.Score
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
	if scores {
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

	k := mlp.Shape().PolicyWidth()
	from, to := r.row(at), r.row(at+r.n)
	r.policy, r.values = resize(r.policy, (to-from)*k), resize(r.values, (to-from)*r.p)
	mlp.ForwardObservations(r.policy, r.values, r.obs, from, to)
	for i := range r.n {
		copy(r.moverValues[i*r.p:][:r.p], r.values[(r.row(at+i)-from)*r.p:])
	}
	r.seatOrder(r.value[at*r.p:], r.moverValues, buf.Player)

	probs, logs := make([]float64, r.spec.Actions), make([]float64, r.spec.Actions)
	for i := range r.n {
		lo, hi := int(r.start[at+i]), int(r.start[at+i+1])
		if lo == hi {
			continue
		}
		probs, logs := probs[:hi-lo], logs[:0]
		row := r.row(at+i) - from
		for o := lo; o < hi; o++ {
			if scores {
				logs = append(logs, float64(r.policy[row+1+o-lo]))
			} else {
				logs = append(logs, float64(r.policy[row*k+int(r.option[o])]))
			}
		}
		models.LogSoftmax(probs, logs)
		c := int(env.SampleAction(probs, &buf.Noise[i]))
		r.chosen[at+i] = int32(lo + c)
		r.logp[at+i] = float32(logs[c])
		buf.Action[i] = r.option[lo+c]
	}
}

// resize returns s with n elements, whose values do not matter.
func resize(s []float32, n int) []float32 { return slices.Grow(s[:0], n)[:n] }

// appendLegal appends the legal actions of a mask [A].
func appendLegal(dst []game.Action, mask []bool) []game.Action {
	for a, ok := range mask {
		if ok {
			dst = append(dst, game.Action(a))
		}
	}
	return dst
}

// count counts the decisions of a block that are not of openings, and those with
// options.
func (r *rollout) count(b block) (n, choices int) {
	for at := b.from; at < b.to; at++ {
		if !r.random[at] {
			n++
		}
		if r.start[at] < r.start[at+1] {
			choices++
		}
	}
	return n, choices
}
