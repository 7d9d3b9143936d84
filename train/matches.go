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
	previousRival = "previous"
	bestRival     = "best"
	rivalBlob     = "match."
)

// Sizes of the matches of an evaluation. All chosen: fewer games say little, and more cost more than
// a tenth of what is trained between two evaluations.
const (
	leastMatch = 48   // games
	mostMatch  = 2000 // games
	matchPart  = 30   // decisions trained since the evaluation before, for each decision of a match
	matches    = 3    // of an evaluation, at most
)

// rival is a network that the run meets in matches.
type rival struct {
	steps uint64
	file  *models.File
}

// contest is the matches of a run in a game in which strength is not exact.
type contest struct {
	length float64 // decisions of a game that is played at random
	rivals map[string]rival
}

// rows is the cost of the smallest evaluation.
func (c *contest) rows() int { return int(matches * leastMatch * c.length) }

// match plays the matches of an evaluation.
func (r *run) match(ctx context.Context) (map[string]Share, error) {
	rivals, others := r.contest.rivals, map[string]*models.MLP{}
	since := r.at.Steps - rivals[previousRival].steps
	for name, x := range rivals {
		if name == previousRival || x.steps != rivals[previousRival].steps {
			others[name] = x.file.MLP
		}
	}
	games := min(mostMatch, max(leastMatch, int(float64(since)/matchPart/r.contest.length)))
	seed := rand.NewPCG(r.cfg.Seed, method.MatchStream+uint64(r.at.Evaluations)).Uint64()
	return r.opt.Match(ctx, r.method.Model(), others, games, seed)
}

// meet makes the network a rival of later ones, and keeps it if it won more than its fair share
// against the best so far.
func (r *run) meet(shares map[string]Share, spec game.Spec) error {
	now := rival{r.at.Steps, &models.File{Meta: r.meta(), MLP: r.method.Model().Clone()}}
	against, met := shares[bestRival]
	if !met {
		against, met = shares[previousRival]
	}
	r.contest.rivals[previousRival] = now
	better := !met || against.Win*float64(spec.Players) > 1
	if better {
		r.contest.rivals[bestRival] = now
	}
	return r.keep(better)
}

// save adds the rivals to the blobs of a checkpoint.
func (c *contest) save(blobs map[string][]byte) (err error) {
	for name, x := range c.rivals {
		if blobs[rivalBlob+name], err = x.file.Encode(); err != nil {
			return err
		}
	}
	return nil
}

// restore reads the rivals of a checkpoint. One of 0.1.0 has none.
func (c *contest) restore(blobs map[string][]byte) error {
	for _, name := range []string{previousRival, bestRival} {
		if b := blobs[rivalBlob+name]; b != nil {
			f, err := models.Decode(b)
			if err != nil {
				return err
			}
			c.rivals[name] = rival{uint64(f.Meta.Steps), f}
		}
	}
	return nil
}
