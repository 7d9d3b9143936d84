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

// pool is past selves of the network. In some of the rows one seat learns and
// one past self sits in all others, so that a game tells how the two compare.
// What forgets how to beat an older self meets that self more often:
//
//	P(self) ∝ (1 − w)^power
//
// with w how often the network does better than this self. Who is drawn and how
// often changes between rollouts only.
//
// Source: prioritised fictitious self-play, Vinyals et al., "Grandmaster level
// in StarCraft II using multi-agent reinforcement learning", Nature 575 (2019).
type pool struct {
	cfg   Pool
	spec  game.Spec
	seats []*seats // of each part
	play  []env.Policy
	mlp   []*models.MLP // [n] the past selves; play asks them
	draw  []float64     // [n] the probability of each
	poolState
}

// poolState is what a checkpoint says of a pool beside the weights.
type poolState struct {
	Taken int       `json:"taken"` // snapshots so far; where there is no room, the oldest gives way
	Won   []float64 `json:"won"`   // [n] games won against each past self, older ones counting less
	Games []float64 `json:"games"` // [n] games against each, likewise
	Rows  [][]seat  `json:"rows"`  // of each part, those that play against the pool
}

// Counts are multiplied by recall after each rollout, so that they follow the
// network, and begin as if prior games had been split. Both chosen.
const (
	recall = 0.99
	prior  = 10
)

// PoolMetrics say how the network stands against its past selves.
type PoolMetrics struct {
	Opponents int     `json:"opponents"`
	Win       float64 `json:"win"`     // mean over past selves of how often it does better
	MinWin    float64 `json:"min_win"` // the lowest of them; for two players, below one half it has forgotten something
}

// newPool returns an empty pool and seats the rows of all parts.
func newPool(cfg Pool, spec game.Spec, parts []*rollout) *pool {
	p := &pool{cfg: cfg, spec: spec}
	for _, r := range parts {
		rows := make([]seat, int(math.Round(cfg.Fraction*float64(r.n))))
		for i := range rows {
			rows[i].Opponent = nobody
		}
		p.Rows = append(p.Rows, rows)
		r.seats = &seats{pool: p, rows: rows}
		p.seats = append(p.seats, r.seats)
	}
	return p
}

// begin takes a snapshot if one is due at a share x of the run, and settles the
// chances of the past selves for a rollout.
func (p *pool) begin(mlp *models.MLP, x float64) {
	if p.cfg.Fraction == 0 {
		return
	}
	for ; float64(p.Taken+1)*p.cfg.Interval <= x; p.Taken++ {
		k := p.Taken % p.cfg.Size
		if k == len(p.mlp) {
			p.add(mlp.Clone())
			p.Won, p.Games = append(p.Won, prior/2.), append(p.Games, prior)
			continue
		}
		// Games in progress go on against the newcomer.
		copy(p.mlp[k].Weights(), mlp.Weights())
		p.Won[k], p.Games[k] = prior/2., prior
	}
	p.draw = p.draw[:0]
	sum := 0.0
	for k := range p.mlp {
		p.draw = append(p.draw, math.Pow(1-p.Won[k]/p.Games[k], p.cfg.Power))
		sum += p.draw[k]
	}
	for k := range p.draw {
		p.draw[k] /= sum
	}
}

func (p *pool) add(mlp *models.MLP) {
	p.mlp = append(p.mlp, mlp)
	p.play = append(p.play, agents.NewNet(p.spec, mlp, true))
}

// end counts the games of a rollout, part by part.
func (p *pool) end() *PoolMetrics {
	if len(p.mlp) == 0 {
		return nil
	}
	m := &PoolMetrics{Opponents: len(p.mlp), MinWin: 1}
	for k := range p.mlp {
		p.Won[k] = recall*p.Won[k] + (1-recall)*prior/2
		p.Games[k] = recall*p.Games[k] + (1-recall)*prior
		for _, s := range p.seats {
			p.Won[k] += s.count[k].won
			p.Games[k] += s.count[k].games
		}
		w := p.Won[k] / p.Games[k]
		m.Win += w / float64(len(p.mlp))
		m.MinWin = min(m.MinWin, w)
	}
	return m
}

// seats is who sits where in a part's first rows; in the others, and before
// there is a past self, it is the network alone.
type seats struct {
	pool  *pool
	rows  []seat
	count []tally // [n] of this rollout, against each past self
	asked [][]int // [n] the rows in which each moves
	probs []float64
}

// seat is who sits where in a row.
type seat struct {
	Learner  game.Player `json:"learner"` // the seat that learns
	Opponent int         `json:"self"`    // who sits in the others
}

const nobody = -1

type tally struct{ won, games float64 }

// reset begins a rollout.
func (s *seats) reset() {
	n := len(s.pool.mlp)
	s.count = append(s.count[:0], make([]tally, n)...)
	for len(s.asked) < n {
		s.asked = append(s.asked, nil)
	}
}

// past reports whether a past self moves for a player in row i.
func (s *seats) past(i int, p game.Player) bool {
	return i < len(s.rows) && s.rows[i].Opponent != nobody && s.rows[i].Learner != p
}

// act writes the actions of past selves.
func (s *seats) act(b env.Batch) error {
	buf := b.Buffers()
	for k := range s.asked {
		s.asked[k] = s.asked[k][:0]
	}
	for i, row := range s.rows {
		if s.past(i, buf.Player[i]) {
			s.asked[row.Opponent] = append(s.asked[row.Opponent], i)
		}
	}
	actions := s.pool.spec.Actions
	for k, rows := range s.asked {
		if len(rows) == 0 {
			continue
		}
		if need := len(rows) * actions; cap(s.probs) < need {
			s.probs = make([]float64, len(s.rows)*actions)
		}
		probs := s.probs[:len(rows)*actions]
		if err := s.pool.play[k].Probs(probs, b.Decisions(rows)); err != nil {
			return err
		}
		for j, i := range rows {
			buf.Action[i] = env.SampleAction(probs[j*actions:(j+1)*actions], &buf.Noise[i])
		}
	}
	return nil
}

// over counts the game that has just ended in row i, with these returns by seat
// or nil if it was cut off, and draws who sits where in the next from the row's
// own generator.
func (s *seats) over(i int, returns []float32, noise *rand.PCG) {
	if i >= len(s.rows) || len(s.pool.draw) == 0 {
		return
	}
	row := &s.rows[i]
	if row.Opponent != nobody && returns != nil {
		s.count[row.Opponent].games++
		s.count[row.Opponent].won += better(returns, row.Learner)
	}
	row.Learner = game.Player(below(noise, uint64(s.pool.spec.Players)))
	row.Opponent = int(env.SampleAction(s.pool.draw, noise))
}

// better is 1 if a seat's return is above the mean of all, ½ if it is the mean,
// else 0: a measure for any game.
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

func selfBlob(k int) string { return fmt.Sprintf("pool.%d", k) }

// save adds the pool to a checkpoint.
func (p *pool) save(blobs map[string][]byte) (err error) {
	if p.cfg.Fraction == 0 {
		return nil
	}
	if blobs["pool"], err = json.Marshal(p.poolState); err != nil {
		return err
	}
	for k, mlp := range p.mlp {
		if blobs[selfBlob(k)], err = binary.Append(nil, binary.LittleEndian, mlp.Weights()); err != nil {
			return err
		}
	}
	return nil
}

// restore takes back what save wrote for a network of the shape of mlp.
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
		return fmt.Errorf("opponent pool: counts of %d and %d past selves, and %d parts; want %d and %d",
			len(state.Won), len(state.Games), len(state.Rows), n, len(p.Rows))
	}
	for k := range n {
		if won, games := state.Won[k], state.Games[k]; !(won >= 0 && won < games) {
			return fmt.Errorf("opponent pool: %v of %v games are won against past self %d; want a share from 0 to less than 1", won, games, k)
		}
		c := mlp.Clone()
		if m, err := binary.Decode(blobs[selfBlob(k)], binary.LittleEndian, c.Weights()); err != nil || m != len(blobs[selfBlob(k)]) {
			return fmt.Errorf("opponent pool: the weights of past self %d are %d bytes; want %d", k, len(blobs[selfBlob(k)]), 4*len(c.Weights()))
		}
		if err := c.CheckFinite(); err != nil {
			return fmt.Errorf("opponent pool: past self %d: %w", k, err)
		}
		p.add(c)
	}
	for k, rows := range state.Rows {
		if len(rows) != len(p.Rows[k]) {
			return fmt.Errorf("opponent pool: %d rows in part %d; want %d", len(rows), k, len(p.Rows[k]))
		}
		for _, row := range rows {
			if row.Opponent < nobody || row.Opponent >= n || row.Learner < 0 || int(row.Learner) >= p.spec.Players {
				return fmt.Errorf("opponent pool: seat %d learns against past self %d of %d", row.Learner, row.Opponent, n)
			}
		}
		p.seats[k].rows = rows
	}
	p.poolState = state
	return nil
}
