package train

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"sync"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/models"
	"marsgym/train/expert"
)

// maxMemory is the number of bytes that a run may use. Chosen: a large desktop
// computer has as many.
const maxMemory = 24 << 30

// need is the memory of a part of a run, in bytes.
type need struct {
	part  string
	fixed float64 // allocated once
	grown float64 // in slices that are appended to
	lower string  // the settings that it depends on
}

// live is the memory in use.
func (n need) live() float64 { return n.fixed + n.grown }

// peak is the largest memory of the part: while a slice grows its old copies wait
// for the garbage collector, which lets the heap double.
func (n need) peak() float64 { return n.fixed + 2*n.grown }

// checkMemory reports a run that uses more than maxMemory.
func (c Config) checkMemory(g env.Game) error {
	play, err := measure(g, c)
	if err != nil {
		return err
	}
	needs := c.memory(g.Spec(), play, min(c.Shards, runtime.GOMAXPROCS(0)))
	total, largest := 0.0, needs[0]
	for _, n := range needs {
		total += n.peak()
		if n.peak() > largest.peak() {
			largest = n
		}
	}
	if total <= maxMemory {
		return nil
	}
	const gib = 1 << 30
	return fmt.Errorf("the run takes about %.0f GiB of memory, %.0f of it for %s; want at most %d GiB: lower %s",
		total/gib, largest.peak()/gib, largest.part, maxMemory/gib, largest.lower)
}

// memory estimates the memory of a run, without the game's solution, if so many
// goroutines fit the network. It is within a factor of two of what was measured.
func (c Config) memory(spec game.Spec, play playSizes, workers int) []need {
	const (
		number = 4       // bytes
		room   = 1.25    // capacity of a slice that is appended to, for each element, at most
		row    = 1 << 10 // bytes of the states and generators of a row
		plan   = 1 << 15 // of a turn plan; pig takes less, Martian Dice about as much
		stored = 128     // of a position in an archive; those of Martian Risk are the largest
		leaf   = 180     // of a leaf in the search of OneMove
		node   = 320     // of a node in the tree of Search, its entry in the index included
		edge   = 40      // of an edge of a node
	)
	shape := c.shape(spec)
	weights := float64(shape.Size())
	observation := 8 + 8*play.numbers // bytes of one in models.Observations
	n, shards, graphs := float64(c.Rows), float64(c.Shards), float64(workers)
	d, p, k := float64(spec.ObsLen()), float64(spec.Players), float64(shape.PolicyWidth())
	scored := 1.0 // of the options of a decision, the fraction whose afterstates the network sees
	if c.Head == models.Logits {
		scored = 0
	}
	// Beside the network there are two numbers of the optimizer for each weight, a
	// gradient for each shard, and two in each graph; and a checkpoint, while it is
	// written, with copies of all but the last two.
	needs := []need{{"the network", number * weights * (3 + 8 + shards + 2*graphs), 0, "train.hidden or train.shards"}}
	if o := c.Opponents; o.Fraction > 0 && o.networks() > 0 {
		needs = append(needs, need{"the opponents", number * weights * float64(o.Population+o.Size), 0, "train.opponents.size, train.opponents.population or train.hidden"})
	}
	// fit is the need of fitting so many rows at once. A graph has capacity for the
	// rows of a shard, rounded up to a power of two, with two numbers for each column
	// of the hidden layers and four for those of the heads.
	fit := func(part string, rows float64, lower string) need {
		capacity := float64(uint64(1) << bits.Len64(uint64(max(64, rows/shards)-1)))
		columns := 1 + 4*(k+p)
		for _, width := range c.Hidden {
			columns += 2 * float64(width)
		}
		return need{part, number * graphs * capacity * columns, room * rows * observation, lower}
	}
	if c.Algorithm == AlgorithmPPO {
		decisions := n * float64(c.PPO.Horizon)
		options := play.options * (number + scored*observation) // bytes of a decision
		batch := min(decisions, 1.5*float64(c.PPO.Minibatch))
		needs = append(needs,
			need{"the rollout", number*decisions*(4*p+4) + n*(row+number*(3*d+play.options*(1+scored*d)+k)), room * decisions * (observation + options), "train.rows or train.ppo.horizon"},
			fit("a minibatch", batch*(1+scored*play.options), "train.ppo.minibatch"))
		if most := float64(c.PPO.Outcomes); most > 0 {
			needs = append(needs, need{"the outcomes of chance", number * decisions * p, room * number * n * most * (2*d + 2*p), "train.rows, train.ppo.horizon or train.ppo.outcomes"})
		}
		return needs
	}
	lower, steps, searches, state := "train.rows or train.expert.search.decisions", n*float64(c.Expert.Search.Decisions), n*float64(c.Expert.Search.Decisions), float64(row)
	if c.Algorithm == TurnExact {
		lower, steps, searches, state = "train.rows or train.expert.search.turns", n*float64(c.Expert.Search.Turns), n, row+plan
	}
	if c.Expert.Search.Starts.Archives() {
		state += 2 * stored * expert.ArchiveSize // with the copy that an interrupted iteration restores
	}
	memory := need{"the search", n * state, room*number*n*play.leaves*(d+p+4) + searches*play.leaves*(8*p+leaf), lower}
	if c.Algorithm == Search {
		tree := c.Expert.Search.Tree
		memory = need{"the search", n * state, room * n * (float64(tree.Simulations)*(node+edge*play.options/max(1e-9, play.decisions)) + number*float64(tree.Candidates)*(d+p+k)), "train.rows or train.expert.search.tree.simulations"}
	}
	fitted := searches*play.positions + steps*(scored*play.options+(1-scored)*play.own)
	return append(needs,
		memory,
		need{"the targets", 0, room * number * (searches*play.positions*(d+p) + steps*(play.own*d+play.options*(scored*d+5))), lower},
		fit("a minibatch of the targets", fitted, lower))
}

// playSizes are means over play of a game.
type playSizes struct {
	numbers float64 // of an observation that are not 0
	options float64 // of a decision; of expert iteration, of the policy targets for each move or turn played
	length  float64 // decisions of a game; of PPO

	// Of expert iteration, for each search: of a turn of TurnExact, of a move of the
	// others.
	leaves    float64 // states that the network evaluates
	positions float64 // value targets
	decisions float64 // policy targets, for each move or turn played
	own       float64 // those of them whose decision is no position as well
}

// playKey is what playSizes depends on.
type playKey struct {
	rules     string
	algorithm Algorithm
	head      models.Head
	search    expert.Config
}

// measurements caches playSizes by playKey, since a sweep checks many configs of a game.
var measurements sync.Map

// measure plays a game for a while, with a fixed seed: at random, or by an expert
// with an untrained network.
func measure(g env.Game, c Config) (play playSizes, err error) {
	key := playKey{g.Spec().RulesHash(), c.Algorithm, c.Head, c.Expert.Search}
	if c.Algorithm == AlgorithmPPO {
		key.head, key.search = "", expert.Config{}
	}
	if known, ok := measurements.Load(key); ok {
		return known.(playSizes), nil
	}
	if c.Algorithm == AlgorithmPPO {
		play, err = measurePlay(g)
	} else {
		play, err = measureSearch(g, c)
	}
	if err == nil {
		measurements.Store(key, play)
	}
	return play, err
}

// measureSearch is measure for expert iteration, with a small network.
func measureSearch(g env.Game, c Config) (play playSizes, err error) {
	const rows, searches, maxLeaves = 2, 32, 1 << 18 // chosen for a tenth of a second
	search := c.Expert.Search
	search.Decisions, search.Turns, search.Starts = 8, 2, expert.Starts{}
	x, err := expert.New(g, search, rows, 0)
	if err != nil {
		return play, err
	}
	x.Reset(1)
	spec := g.Spec()
	shape := c.shape(spec)
	shape.Hidden = []int{8}
	mlp, err := models.NewMLP(shape, rand.NewPCG(1, weightStream))
	if err != nil {
		return play, err
	}
	net := func(scores, values, obs []float32) {
		play.leaves += float64(len(obs) / spec.ObsLen())
		play.numbers += nonZeros(obs)
		mlp.Forward(scores, values, obs)
		models.SharesToReturns(values, spec.Players, spec.Return)
	}
	var found expert.Targets
	n := 0.0
	for ; n < rows*searches && play.leaves < maxLeaves; n += rows {
		if err := x.Search(context.Background(), &found, expert.Options{PolicyReplies: c.Head == models.Score, Logits: c.Head == models.Logits}, net); err != nil {
			return play, err
		}
		play.positions += float64(len(found.Obs) / spec.ObsLen())
		play.decisions += float64(len(found.Start) - 1)
		play.options += float64(len(found.Action))
		play.own += float64(len(found.DecisionObs) / spec.ObsLen())
	}
	steps, searched := n*float64(search.Decisions), n*float64(search.Decisions)
	if c.Algorithm == TurnExact {
		steps, searched = n*float64(search.Turns), n
	}
	return playSizes{
		numbers: play.numbers / max(1, play.leaves), options: play.options / steps, leaves: play.leaves / searched,
		positions: play.positions / searched, decisions: play.decisions / steps, own: play.own / steps,
	}, nil
}

// measurePlay is measure for PPO.
func measurePlay(g env.Game) (playSizes, error) {
	const rows, steps = 64, 2048
	b := g.NewBatch(rows, 0)
	b.Reset(1)
	buf, actions := b.Buffers(), g.Spec().Actions
	var legal []game.Action
	total, games, numbers := 0, 1, 0.0
	for range steps {
		numbers += nonZeros(buf.Obs)
		for i := range rows {
			legal = legal[:0]
			for a, ok := range buf.Mask[i*actions:][:actions] {
				if ok {
					legal = append(legal, game.Action(a))
				}
			}
			total += len(legal)
			buf.Action[i] = legal[buf.Noise[i].Uint64()%uint64(len(legal))]
		}
		if err := b.Step(); err != nil {
			return playSizes{}, err
		}
		for i := range rows {
			if buf.Terminated[i] || buf.Truncated[i] {
				games++
			}
		}
	}
	const decisions = rows * steps
	return playSizes{numbers: numbers / decisions, options: float64(total) / decisions, length: decisions / float64(games)}, nil
}

// nonZeros returns the number of elements of x that are not 0.
func nonZeros(x []float32) (n float64) {
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	return n
}
