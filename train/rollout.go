package train

import (
	"math"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/models"
)

// rollout is what one part of the rows has played: T steps of n games. Decisions
// are numbered t·n + i.
type rollout struct {
	batch env.Batch
	after env.Afterstates
	spec  game.Spec
	head  models.Head
	t, n  int // T, rows of this part
	d, p  int // D, P

	seats *seats

	Trajectory
	obs  []float32 // [T·n, D]
	adv  []float32 // [T·n, P]
	last []float32 // [T·n, P]; scratch in the order of play

	// The options of a decision with a choice; without one it has none.
	start     []int32       // [T·n+1] into the slices below
	option    []game.Action // [M]
	optionObs []float32     // [M, D]; only where afterstates are scored
	chosen    []int32       // [T·n] index into the slices above
	logp      []float32     // [T·n] logarithm of the probability that it had

	policy []float32 // [n·K] or [M of a step]
	games  uint64    // ended in this rollout
}

func newRollout(b env.Batch, head models.Head, horizon int) *rollout {
	spec := b.Spec()
	r := &rollout{batch: b, spec: spec, head: head, t: horizon, n: b.Len(), d: spec.ObsLen(), p: spec.Players}
	m := r.t * r.n
	r.Players = r.p
	r.Mover = make([]game.Player, m)
	r.Reward = make([]float32, m*r.p)
	r.Ended = make([]End, m)
	r.Value = make([]float32, (m+r.n)*r.p)
	r.Bootstrap = make([]float32, m*r.p)
	r.obs = make([]float32, m*r.d)
	r.adv = make([]float32, m*r.p)
	r.last = make([]float32, r.n*r.p)
	r.start = make([]int32, m+1)
	r.chosen = make([]int32, m)
	r.logp = make([]float32, m)
	return r
}

// play plays T steps with the network wherever no past self sits, and estimates
// the advantages. What a past self does is not learned from, as if it had had no
// choice; the values are those of whoever sits there.
func (r *rollout) play(mlp *models.MLP, gamma, lambda float64) error {
	buf := r.batch.Buffers()
	r.option, r.optionObs, r.games = r.option[:0], r.optionObs[:0], 0
	r.seats.reset()
	for t := range r.t {
		at := t * r.n
		copy(r.obs[at*r.d:], buf.Obs)
		copy(r.Mover[at:], buf.Player)
		r.value(r.Value[at*r.p:][:r.n*r.p], mlp, buf.Obs, buf.Player)
		r.act(mlp, at)
		if err := r.seats.act(r.batch); err != nil {
			return err
		}
		if err := r.batch.Step(); err != nil {
			return err
		}
		copy(r.Reward[at*r.p:], buf.Reward)
		for i := range r.n {
			switch {
			case buf.Terminated[i]:
				r.Ended[at+i] = Terminated
				r.games++
				r.seats.over(i, buf.Reward[i*r.p:][:r.p], &buf.Noise[i])
			case buf.Truncated[i]:
				r.Ended[at+i] = Truncated
				r.games++
				r.seats.over(i, nil, &buf.Noise[i])
				r.value(r.Bootstrap[(at+i)*r.p:][:r.p], mlp, buf.FinalObs[i*r.d:][:r.d], buf.FinalPlayer[i:i+1])
			default:
				r.Ended[at+i] = Running
			}
		}
	}
	r.value(r.Value[r.t*r.n*r.p:], mlp, buf.Obs, buf.Player)
	Advantages(r.adv, r.Trajectory, gamma, lambda)
	return nil
}

// value fills dst [n, P] with the network's values by seat. Its own are in the
// order of play, from the mover.
func (r *rollout) value(dst []float32, mlp *models.MLP, obs []float32, movers []game.Player) {
	own := r.last[:len(dst)]
	mlp.Forward(nil, own, obs)
	for i, m := range movers {
		rotate(dst[i*r.p:][:r.p], own[i*r.p:][:r.p], int(m))
	}
}

// rotate turns values in the order of play from a mover into seat order.
func rotate(seats, order []float32, mover int) {
	for j, v := range order {
		seats[(mover+j)%len(seats)] = v
	}
}

// act writes the network's actions and records its options, from decision at on.
func (r *rollout) act(mlp *models.MLP, at int) {
	buf := r.batch.Buffers()
	from := len(r.option)
	if r.head == models.Score {
		r.batch.Afterstates(&r.after)
	}
	legal := make([]game.Action, 0, r.spec.Actions)
	for i := range r.n {
		r.start[at+i] = int32(len(r.option))
		if r.seats.past(i, buf.Player[i]) {
			continue
		}
		legal = legal[:0]
		for a, ok := range buf.Mask[i*r.spec.Actions : (i+1)*r.spec.Actions] {
			if ok {
				legal = append(legal, game.Action(a))
			}
		}
		if len(legal) == 1 {
			buf.Action[i] = legal[0]
			continue
		}
		r.option = append(r.option, legal...)
		if r.head == models.Score {
			r.optionObs = append(r.optionObs, r.after.Obs[r.after.Start[i]*r.d:r.after.Start[i+1]*r.d]...)
		}
	}
	r.start[at+r.n] = int32(len(r.option))

	obs, k := buf.Obs, r.spec.Actions
	if r.head == models.Score {
		obs, k = r.optionObs[from*r.d:], 1
	}
	if need := len(obs) / r.d * k; cap(r.policy) < need {
		r.policy = make([]float32, 2*need)
	}
	r.policy = r.policy[:len(obs)/r.d*k]
	mlp.Forward(r.policy, nil, obs)

	var probs, scores []float64
	for i := range r.n {
		lo, hi := int(r.start[at+i]), int(r.start[at+i+1])
		if lo == hi {
			continue
		}
		scores = scores[:0]
		for o := lo; o < hi; o++ {
			if r.head == models.Score {
				scores = append(scores, float64(r.policy[o-from]))
			} else {
				scores = append(scores, float64(r.policy[i*k+int(r.option[o])]))
			}
		}
		if cap(probs) < len(scores) {
			probs = make([]float64, r.spec.Actions)
		}
		probs = probs[:len(scores)]
		models.Softmax(probs, scores)
		c := int(env.SampleAction(probs, &buf.Noise[i]))
		r.chosen[at+i] = int32(lo + c)
		r.logp[at+i] = float32(math.Log(probs[c]))
		buf.Action[i] = r.option[lo+c]
	}
}

// choices counts the decisions of a block that have a choice.
func (r *rollout) choices(b block) (n int) {
	for at := b.from; at < b.to; at++ {
		if r.start[at] < r.start[at+1] {
			n++
		}
	}
	return n
}
