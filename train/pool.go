package train

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/models"
)

// pool is an opponent pool of older copies of the network. In some of the rows one
// seat learns and one opponent has all the others, so each game compares the two.
// Opponents that beat the learner more often are sampled more often:
//
//	P(opponent) ∝ (1 − w)^power
//
// with w how often the network does better than this opponent. The opponents and
// their probabilities change between rollouts only.
//
// Source: prioritised fictitious self-play, Vinyals et al., "Grandmaster level
// in StarCraft II using multi-agent reinforcement learning", Nature 575 (2019).
type pool struct {
	cfg      Pool
	spec     game.Spec
	rows     []*poolRows // of each rollout
	mlp      []*models.MLP
	policies []env.Policy // of mlp
	prob     []float64    // of each opponent
	poolState
}

// poolState is what a checkpoint holds of a pool beside the weights.
type poolState struct {
	Taken int         `json:"taken"` // snapshots so far; the latest replace the oldest
	Won   []float64   `json:"won"`   // games won against each opponent, older ones weighted less
	Games []float64   `json:"games"` // games against each, likewise
	Rows  [][]matchup `json:"rows"`  // of each rollout, those that play against the pool
}

// matchup is who plays in a row. The keys are those of older checkpoints.
type matchup struct {
	Learner  game.Player `json:"learner"` // the seat that learns
	Opponent int         `json:"self"`    // of the other seats
}

// noOpponent is the opponent of a row in which the network has all seats.
const noOpponent = -1

// Counts are multiplied by decay after each rollout, so that they follow the
// network, and begin as if priorGames had been split. Both chosen.
const (
	decay      = 0.99
	priorGames = 10
)

// PoolMetrics compare the network with the opponents of the pool.
type PoolMetrics struct {
	Opponents int     `json:"opponents"`
	Win       float64 `json:"win"`     // mean over opponents of how often the network does better
	MinWin    float64 `json:"min_win"` // the lowest of them; for two players, below one half it has forgotten something
}

// newPool returns an empty pool for the first rows of each rollout.
func newPool(cfg Pool, spec game.Spec, rollouts []*rollout) *pool {
	p := &pool{cfg: cfg, spec: spec}
	for _, r := range rollouts {
		rows := make([]matchup, int(math.Round(cfg.Fraction*float64(r.n))))
		for i := range rows {
			rows[i].Opponent = noOpponent
		}
		p.Rows = append(p.Rows, rows)
		r.pool = &poolRows{pool: p, rows: rows}
		p.rows = append(p.rows, r.pool)
	}
	return p
}

// begin takes a snapshot if one is due at a fraction x of the run, and computes the
// probabilities of the opponents for a rollout.
func (p *pool) begin(mlp *models.MLP, x float64) {
	if p.cfg.Fraction == 0 {
		return
	}
	for ; float64(p.Taken+1)*p.cfg.Interval <= x; p.Taken++ {
		k := p.Taken % p.cfg.Size
		if k == len(p.mlp) {
			p.add(mlp.Clone())
			p.Won, p.Games = append(p.Won, priorGames/2.), append(p.Games, priorGames)
			continue
		}
		// Games in progress go on against the new opponent.
		copy(p.mlp[k].Weights(), mlp.Weights())
		p.Won[k], p.Games[k] = priorGames/2., priorGames
	}
	p.prob = p.prob[:0]
	sum := 0.0
	for k := range p.mlp {
		p.prob = append(p.prob, math.Pow(1-p.Won[k]/p.Games[k], p.cfg.Power))
		sum += p.prob[k]
	}
	for k := range p.prob {
		p.prob[k] /= sum
	}
}

func (p *pool) add(mlp *models.MLP) {
	p.mlp = append(p.mlp, mlp)
	p.policies = append(p.policies, agents.NewNet(p.spec, mlp, true))
}

// end counts the games of a rollout.
func (p *pool) end() *PoolMetrics {
	if len(p.mlp) == 0 {
		return nil
	}
	m := &PoolMetrics{Opponents: len(p.mlp), MinWin: 1}
	for k := range p.mlp {
		p.Won[k] = decay*p.Won[k] + (1-decay)*priorGames/2
		p.Games[k] = decay*p.Games[k] + (1-decay)*priorGames
		for _, r := range p.rows {
			p.Won[k] += r.count[k].won
			p.Games[k] += r.count[k].games
		}
		w := p.Won[k] / p.Games[k]
		m.Win += w / float64(len(p.mlp))
		m.MinWin = min(m.MinWin, w)
	}
	return m
}

// poolRows are the first rows of a rollout, which play against the pool. In the
// others, and in all as long as the pool is empty, the network plays itself.
type poolRows struct {
	pool  *pool
	rows  []matchup
	count []tally // of this rollout, against each opponent
	turns [][]int // the rows in which each opponent is the current player
	probs []float64
}

type tally struct{ won, games float64 }

// reset begins a rollout.
func (r *poolRows) reset() {
	n := len(r.pool.mlp)
	r.count = append(r.count[:0], make([]tally, n)...)
	for len(r.turns) < n {
		r.turns = append(r.turns, nil)
	}
}

// opponent reports whether an opponent decides for a player in row i.
func (r *poolRows) opponent(i int, p game.Player) bool {
	return i < len(r.rows) && r.rows[i].Opponent != noOpponent && r.rows[i].Learner != p
}

// act writes the actions of opponents.
func (r *poolRows) act(b env.Batch) error {
	buf := b.Buffers()
	for k := range r.turns {
		r.turns[k] = r.turns[k][:0]
	}
	for i, row := range r.rows {
		if r.opponent(i, buf.Player[i]) {
			r.turns[row.Opponent] = append(r.turns[row.Opponent], i)
		}
	}
	actions := r.pool.spec.Actions
	for k, rows := range r.turns {
		if len(rows) == 0 {
			continue
		}
		if need := len(rows) * actions; cap(r.probs) < need {
			r.probs = make([]float64, len(r.rows)*actions)
		}
		probs := r.probs[:len(rows)*actions]
		if err := r.pool.policies[k].Probs(probs, b.Decisions(rows)); err != nil {
			return err
		}
		for j, i := range rows {
			buf.Action[i] = env.SampleAction(probs[j*actions:(j+1)*actions], &buf.Noise[i])
		}
	}
	return nil
}

// gameOver counts the game that has ended in row i, with these returns by seat or
// nil if it was truncated, and draws the matchup of the next game from the row's
// own generator.
func (r *poolRows) gameOver(i int, returns []float32, noise *rand.PCG) {
	if i >= len(r.rows) || len(r.pool.prob) == 0 {
		return
	}
	row := &r.rows[i]
	if row.Opponent != noOpponent && returns != nil {
		r.count[row.Opponent].games++
		r.count[row.Opponent].won += better(returns, row.Learner)
	}
	row.Learner = game.Player(below(noise, uint64(r.pool.spec.Players)))
	row.Opponent = int(env.SampleAction(r.pool.prob, noise))
}

// better returns 1 if a seat's return is above the mean of all seats, ½ if it is
// the mean, else 0. That holds for any game.
func better(returns []float32, seat game.Player) float64 {
	diff := 0.0
	for _, r := range returns {
		diff += float64(returns[seat]) - float64(r)
	}
	switch {
	case diff > 0:
		return 1
	case diff == 0:
		return 0.5
	}
	return 0
}

// opponentBlob is the name of an opponent's weights in a checkpoint.
func opponentBlob(k int) string { return fmt.Sprintf("pool.%d", k) }

// save adds the pool to a checkpoint.
func (p *pool) save(blobs map[string][]byte) (err error) {
	if p.cfg.Fraction == 0 {
		return nil
	}
	if blobs["pool"], err = json.Marshal(p.poolState); err != nil {
		return err
	}
	for k, mlp := range p.mlp {
		if blobs[opponentBlob(k)], err = binary.Append(nil, binary.LittleEndian, mlp.Weights()); err != nil {
			return err
		}
	}
	return nil
}

// restore reads what save wrote for a network of the shape of mlp.
func (p *pool) restore(blobs map[string][]byte, mlp *models.MLP) error {
	if p.cfg.Fraction == 0 {
		return nil
	}
	var state poolState
	if err := json.Unmarshal(blobs["pool"], &state); err != nil {
		return fmt.Errorf("opponent pool: %w", err)
	}
	n := min(state.Taken, p.cfg.Size)
	if n < 0 || len(state.Won) != n || len(state.Games) != n || len(state.Rows) != len(p.Rows) {
		return fmt.Errorf("opponent pool: counts of %d and %d opponents, and %d shards; want %d and %d",
			len(state.Won), len(state.Games), len(state.Rows), n, len(p.Rows))
	}
	for k := range n {
		if won, games := state.Won[k], state.Games[k]; !(won >= 0 && won < games) {
			return fmt.Errorf("opponent pool: %v of %v games are won against opponent %d; want a fraction from 0 to less than 1", won, games, k)
		}
		c := mlp.Clone()
		blob := blobs[opponentBlob(k)]
		if m, err := binary.Decode(blob, binary.LittleEndian, c.Weights()); err != nil || m != len(blob) {
			return fmt.Errorf("opponent pool: the weights of opponent %d are %d bytes; want %d", k, len(blob), 4*len(c.Weights()))
		}
		if err := c.CheckFinite(); err != nil {
			return fmt.Errorf("opponent pool: opponent %d: %w", k, err)
		}
		p.add(c)
	}
	for k, rows := range state.Rows {
		if len(rows) != len(p.Rows[k]) {
			return fmt.Errorf("opponent pool: %d rows in shard %d; want %d", len(rows), k, len(p.Rows[k]))
		}
		for _, row := range rows {
			if row.Opponent < noOpponent || row.Opponent >= n || row.Learner < 0 || int(row.Learner) >= p.spec.Players {
				return fmt.Errorf("opponent pool: seat %d learns against opponent %d of %d", row.Learner, row.Opponent, n)
			}
		}
		p.rows[k].rows = rows
	}
	p.poolState = state
	return nil
}
