package ppo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/kernel/elementary"
	"marsgym/models"
	"marsgym/train/method"
)

// pool is an opponent pool: bots of the game, a population of networks of other seeds, and
// older copies of the network. In some of the rows one seat learns, and the opponents in
// the other seats are drawn when a game begins: one bot for all of them, or a network for
// each. Bots have fixed probabilities. Of the networks, those that beat the network more
// often are sampled more often:
//
//	P(opponent) ∝ (1 − w)^power
//
// with w how often the network does better than this opponent. The networks and their
// probabilities change between rollouts only.
//
// Source: prioritised fictitious self-play, Vinyals et al., "Grandmaster level
// in StarCraft II using multi-agent reinforcement learning", Nature 575 (2019).
type pool struct {
	cfg      method.Opponents
	spec     game.Spec
	rows     []*poolRows   // of each rollout
	mlp      []*models.MLP // the population, then the copies
	policies []env.Policy  // of the opponents from number 1 on: the bots, then the networks
	share    []float64     // of each bot
	prob     []float64     // of each opponent; the first is the network itself
	poolState
}

// poolState is what a checkpoint holds of a pool beside the weights.
type poolState struct {
	Bots       []string  `json:"bots"`
	Population int       `json:"population"` // networks of other seeds so far
	Taken      int       `json:"taken"`      // copies so far; the latest replace the oldest
	Won        []float64 `json:"won"`        // games in which the network did better than each opponent, older ones weighted less
	Games      []float64 `json:"games"`      // games against each, likewise
	// Met are the games alone, without priorGames, for the metrics.
	Met []tally `json:"met"`
	// Rows are those of each rollout, with the number of the opponent in each seat [P].
	// It is nil for rows without opponents.
	Rows [][][]uint16 `json:"rows"`
}

// itself is the number of the network itself among the opponents. It learns.
const itself = 0

// Counts are multiplied by decay after each rollout, so that they follow the
// network, and begin as if priorGames had been split. Both chosen.
const (
	decay      = 0.99
	priorGames = 10
)

// newPool returns a pool without copies for some rows of each rollout, in which
// games begin. If frozen is not nil, it is the only opponent, in all rows.
func newPool(cfg method.Opponents, g env.Game, rollouts []*rollout, frozen *agents.Agent) (*pool, error) {
	if frozen != nil {
		cfg = method.Opponents{Fraction: 1, Bots: map[string]float64{frozen.Name: 1}}
	}
	cfg.Population = cfg.Trained()
	p := &pool{cfg: cfg, spec: g.Spec()}
	for _, name := range slices.Sorted(maps.Keys(cfg.Bots)) {
		if cfg.Fraction == 0 || cfg.Bots[name] == 0 {
			continue
		}
		var bot env.Policy = frozen
		if frozen == nil {
			var err error
			if bot, err = g.Bot(name); err != nil {
				return nil, err
			}
		}
		p.Bots = append(p.Bots, name)
		p.share = append(p.share, cfg.Bots[name])
		p.add(bot)
	}
	p.weigh()
	for _, r := range rollouts {
		rows := make([][]uint16, r.n)
		r.pool = &poolRows{pool: p, rows: rows}
		for i := range rows {
			if cfg.Meets(r.first + i) {
				rows[i] = make([]uint16, p.spec.Players)
				r.pool.newGame(i, &r.batch.Buffers().Noise[i])
			}
		}
		p.Rows, p.rows = append(p.Rows, rows), append(p.rows, r.pool)
	}
	return p, nil
}

// add adds an opponent with equal counts.
func (p *pool) add(policy env.Policy) {
	p.policies = append(p.policies, policy)
	p.Won, p.Games, p.Met = append(p.Won, priorGames/2.), append(p.Games, priorGames), append(p.Met, tally{})
}

// addNetwork adds a network, which the pool keeps. As an opponent one of the population
// plays its best action, as a finished agent does, and a copy samples.
func (p *pool) addNetwork(mlp *models.MLP) {
	copied := len(p.mlp) >= p.cfg.Population
	p.mlp = append(p.mlp, mlp)
	p.add(agents.NewNet(p.spec, mlp, copied))
}

// join adds a network to the population.
func (p *pool) join(mlp *models.MLP) {
	p.addNetwork(mlp)
	p.Population++
}

// complete reports whether the population is trained. Before that nobody plays against
// networks, and against bots only networks that will be part of the model.
func (p *pool) complete() bool { return p.Population == p.cfg.Population }

// begin takes a copy if one is due at a fraction x of the training of the network, and
// computes the probabilities of the opponents for a rollout.
func (p *pool) begin(mlp *models.MLP, x float64) {
	if p.cfg.Fraction == 0 {
		return
	}
	for ; p.complete() && p.cfg.Due(p.Taken, x); p.Taken++ {
		k := p.Population + p.Taken%p.cfg.Size
		if k == len(p.mlp) {
			p.addNetwork(mlp.Clone())
			continue
		}
		// Games in progress go on against the new copy.
		copy(p.mlp[k].Weights(), mlp.Weights())
		k += len(p.Bots)
		p.Won[k], p.Games[k], p.Met[k] = priorGames/2., priorGames, tally{}
	}
	p.weigh()
}

// weigh computes the probabilities of the opponents.
func (p *pool) weigh() {
	if !p.complete() && !p.cfg.Ensemble {
		p.prob = append(p.prob[:0], 1)
		return
	}
	p.prob = append(append(p.prob[:0], 0), p.share...)
	networks, sum := p.cfg.Networks(), 0.0
	if !p.complete() || len(p.mlp) == 0 {
		p.prob[itself] = networks
		return
	}
	n := len(p.Bots)
	for k := range p.mlp {
		p.prob = append(p.prob, elementary.Pow(1-p.Won[n+k]/p.Games[n+k], p.cfg.Power))
		sum += p.prob[1+n+k]
	}
	for k := range p.mlp {
		p.prob[1+n+k] *= networks / sum
	}
}

// end counts the games of a rollout.
func (p *pool) end() *method.PoolMetrics {
	n := len(p.policies)
	if n == 0 || !p.complete() {
		return nil
	}
	m := &method.PoolMetrics{Opponents: n}
	for k := range p.policies {
		p.Won[k] = float64(decay*p.Won[k]) + (1-decay)*priorGames/2
		p.Games[k] = float64(decay*p.Games[k]) + (1-decay)*priorGames
		met := tally{float64(decay * p.Met[k].Won), float64(decay * p.Met[k].Games)}
		for _, r := range p.rows {
			p.Won[k] += r.count[k].Won
			p.Games[k] += r.count[k].Games
			met.Won += r.count[k].Won
			met.Games += r.count[k].Games
		}
		p.Met[k] = met
		if met.Games == 0 {
			continue
		}
		share := method.Mean{Sum: met.Won, N: met.Games}
		m.Win.Add(share.Value())
		if m.MinWin.IsZero() || share.Value() < m.MinWin.Value() {
			m.MinWin = share
		}
		if k < len(p.Bots) {
			if m.Bots == nil {
				m.Bots = map[string]method.Mean{}
			}
			m.Bots[p.Bots[k]] = share
		}
	}
	return m
}

// poolRows are the rows of a rollout, of which some play against the pool. In the
// others, and in all as long as the pool is empty, the network plays itself.
type poolRows struct {
	pool  *pool
	rows  [][]uint16 // [n] the number of the opponent in each seat [P]; nil of rows without
	count []tally    // of this rollout, against each opponent
	turns [][]int    // the rows in which each opponent is the current player
}

// tally is in how many of some games the network did better than an opponent.
type tally struct {
	Won   float64 `json:"won"`
	Games float64 `json:"games"`
}

// reset begins a rollout.
func (r *poolRows) reset() {
	n := len(r.pool.policies)
	r.count = append(r.count[:0], make([]tally, n)...)
	for len(r.turns) < n {
		r.turns = append(r.turns, nil)
	}
}

// opponent returns the number of the opponent who decides for a player in row i.
func (r *poolRows) opponent(i int, p game.Player) int {
	if seats := r.rows[i]; seats != nil {
		return int(seats[p])
	}
	return itself
}

// act writes the actions of opponents, except in the rows with random actions.
func (r *poolRows) act(ctx context.Context, b env.Batch, random []bool) error {
	buf := b.Buffers()
	for k := range r.turns {
		r.turns[k] = r.turns[k][:0]
	}
	for i, seats := range r.rows {
		if seats == nil || random[i] {
			continue
		}
		if k := seats[buf.Player[i]]; k != itself {
			r.turns[k-1] = append(r.turns[k-1], i)
		}
	}
	for k, rows := range r.turns {
		if len(rows) == 0 {
			continue
		}
		if err := b.Act(ctx, r.pool.policies[k], rows); err != nil {
			return err
		}
	}
	return nil
}

// gameOver counts the game that the rules have ended in row i, with these returns by
// seat.
func (r *poolRows) gameOver(i int, returns []float32) {
	for own, k := range r.rows[i] {
		if k != itself {
			continue
		}
		for other, k := range r.rows[i] {
			if k != itself {
				r.count[k-1].Games++
				r.count[k-1].Won += better(returns[own], returns[other])
			}
		}
	}
}

// newGame draws the opponents of the game that begins in row i from the row's own
// generator.
func (r *poolRows) newGame(i int, noise *rand.PCG) {
	if p := r.pool; r.rows[i] != nil && len(p.policies) > 0 {
		method.Draw(r.rows[i], p.prob, len(p.Bots), noise)
	}
}

// better returns 1 if a return is the higher one, ½ if they are equal, else 0.
func better(own, other float32) float64 {
	switch {
	case own > other:
		return 1
	case own == other:
		return 0.5
	}
	return 0
}

// save adds the pool to a checkpoint.
func (p *pool) save(blobs map[string][]byte) (err error) {
	if p.cfg.Fraction == 0 {
		return nil
	}
	if blobs["pool"], err = json.Marshal(p.poolState); err != nil {
		return err
	}
	for k, mlp := range p.mlp {
		blobs[method.OpponentBlob(k)] = mlp.WeightBytes()
	}
	return nil
}

// seats returns a copy of the opponents of all rows, one after the other.
func (p *pool) seats() []uint16 { return slices.Concat(slices.Concat(p.Rows...)...) }

// undo restores the opponents of all rows, as seats returned them.
func (p *pool) undo(all []uint16) {
	for _, rows := range p.Rows {
		for _, seats := range rows {
			all = all[copy(seats, all):]
		}
	}
}

// restore reads what save wrote for a network of the shape of mlp.
func (p *pool) restore(blobs map[string][]byte, mlp *models.MLP) error {
	if p.cfg.Fraction == 0 {
		if blobs["pool"] != nil {
			return errors.New("opponent pool: the run is that of a response to an agent; go on with the command that began it")
		}
		return nil
	}
	if blobs["pool"] == nil {
		return errors.New("opponent pool: the run has no opponents")
	}
	var state poolState
	if err := json.Unmarshal(blobs["pool"], &state); err != nil {
		return fmt.Errorf("opponent pool: %w", err)
	}
	if !slices.Equal(state.Bots, p.Bots) {
		return fmt.Errorf("opponent pool: the run plays against %q; want %q", state.Bots, p.Bots)
	}
	bots, networks := len(p.Bots), state.Population+min(state.Taken, p.cfg.Size)
	n := bots + networks
	if state.Population < 0 || state.Population > p.cfg.Population || state.Taken < 0 || len(state.Won) != n || len(state.Games) != n || len(state.Met) != n || len(state.Rows) != len(p.Rows) {
		return fmt.Errorf("opponent pool: counts of %d and %d opponents, a population of %d, and %d parts; want %d, at most %d, and %d",
			len(state.Won), len(state.Games), state.Population, len(state.Rows), n, p.cfg.Population, len(p.Rows))
	}
	for k := range n {
		if won, games := state.Won[k], state.Games[k]; !(won >= 0 && won < games) {
			return fmt.Errorf("opponent pool: %v of %v games are won against opponent %d; want a fraction from 0 to less than 1", won, games, k)
		}
		if met := state.Met[k]; !(met.Won >= 0 && met.Won <= met.Games) {
			return fmt.Errorf("opponent pool: %v of %v games played are won against opponent %d; want a fraction from 0 to 1", met.Won, met.Games, k)
		}
	}
	p.mlp, p.policies = p.mlp[:0], p.policies[:bots]
	for k := range networks {
		c, err := method.RestoreOpponent(blobs, k, mlp)
		if err != nil {
			return err
		}
		p.addNetwork(c)
	}
	for k, rows := range state.Rows {
		if len(rows) != len(p.Rows[k]) {
			return fmt.Errorf("opponent pool: %d rows in part %d; want %d", len(rows), k, len(p.Rows[k]))
		}
		for i, seats := range rows {
			if seats == nil && p.Rows[k][i] == nil {
				continue
			}
			if len(seats) != p.spec.Players || p.Rows[k][i] == nil || int(slices.Max(seats)) > n {
				return fmt.Errorf("opponent pool: opponents %v; want %d from 0 to %d", seats, p.spec.Players, n)
			}
		}
		p.rows[k].rows = rows
	}
	p.poolState = state
	return nil
}
