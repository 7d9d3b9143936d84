package train

import (
	"context"
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/models"
	"marsgym/train/method"
)

// Names of networks in [Metrics.Matches], and the prefix of their blobs in a checkpoint.
const (
	previousNetwork = "previous"
	bestNetwork     = "best"
	snapshotBlob    = "match."
)

// Sizes of the matches of an evaluation. All chosen: fewer games say little, and more cost more than
// a tenth of what is trained between two evaluations.
const (
	leastMatch = 48   // games
	mostMatch  = 2000 // games
	matchPart  = 30   // decisions trained since the evaluation before, for each decision of a match
	matches    = 3    // of an evaluation, at most
)

// snapshot is a network that the run meets in matches.
type snapshot struct {
	steps uint64
	file  *models.File
}

// matching is what the evaluations of a run need where strength is not exact.
type matching struct {
	length    float64 // decisions of a game that is played at random
	snapshots map[string]snapshot
}

// rows is the cost of the smallest evaluation.
func (c *matching) rows() int { return int(matches * leastMatch * c.length) }

// match plays the matches of an evaluation.
func (r *run) match(ctx context.Context) (map[string]Share, error) {
	snapshots, others := r.matching.snapshots, map[string]*models.MLP{}
	since := r.at.Steps - snapshots[previousNetwork].steps
	for name, x := range snapshots {
		if name == previousNetwork || x.steps != snapshots[previousNetwork].steps {
			others[name] = x.file.MLP
		}
	}
	games := min(mostMatch, max(leastMatch, int(float64(since)/matchPart/r.matching.length)))
	seed := rand.NewPCG(r.cfg.Seed, method.MatchStream+uint64(r.at.Evaluations)).Uint64()
	return r.opt.Match(ctx, r.method.Model(), others, games, seed)
}

// keepMatched makes the network an opponent of later ones, and keeps it if it won more than its fair
// share against the best so far.
func (r *run) keepMatched(shares map[string]Share, spec game.Spec) error {
	now := snapshot{r.at.Steps, &models.File{Meta: r.meta(), MLP: r.method.Model().Clone()}}
	against, met := shares[bestNetwork]
	if !met {
		against, met = shares[previousNetwork]
	}
	r.matching.snapshots[previousNetwork] = now
	better := !met || against.Win*float64(spec.Players) > 1
	if better {
		r.matching.snapshots[bestNetwork] = now
	}
	return r.keep(better)
}

// save adds the snapshots to the blobs of a checkpoint.
func (c *matching) save(blobs map[string][]byte) (err error) {
	for name, x := range c.snapshots {
		if blobs[snapshotBlob+name], err = x.file.Encode(); err != nil {
			return err
		}
	}
	return nil
}

// restore reads the snapshots of a checkpoint. One of 0.1.0 has none.
func (c *matching) restore(blobs map[string][]byte) error {
	for _, name := range []string{previousNetwork, bestNetwork} {
		if b := blobs[snapshotBlob+name]; b != nil {
			f, err := models.Decode(b)
			if err != nil {
				return err
			}
			c.snapshots[name] = snapshot{uint64(f.Meta.Steps), f}
		}
	}
	return nil
}
