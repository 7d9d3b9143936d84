package gametest

import (
	"math"
	"math/rand/v2"

	"marsgym/env/game"
)

const (
	// draws is the number of samples of a chance state, and sampled the number of
	// chance states. Chosen: one state shows a bias of a tenth in one face of a die,
	// and the check takes about a second.
	draws   = 4096
	sampled = 256

	// deviation is the number of standard deviations by which a chi-square may exceed
	// its mean: fewer than one in a hundred million correct samplers exceed it.
	deviation = 6
)

// checkSampling compares samples with Outcomes, for each chance state alone and summed
// over all, which shows a bias that is too small to show in one state.
func (c *checker[S]) checkSampling() {
	if c.sampler == nil || len(c.chances) == 0 {
		return
	}
	r := rand.NewPCG(c.seed, math.MaxUint64)
	var sum, freedom float64
	// States are chosen from the whole list, which begins with the starts of games.
	step := max(1, float64(len(c.chances))/sampled)
	for x := 0.0; int(x) < len(c.chances); x += step {
		s := c.chances[int(x)]
		c.try(s, "Sample", func() {
			chi2, df, ok := c.drawFrom(s, r)
			if ok && !(normal(chi2, df) <= deviation) {
				c.failAt(s, "Sample follows Outcomes", "chi-square %.4g with %v degrees of freedom in %d draws", chi2, df, draws)
			}
			sum += chi2
			freedom += df
		})
	}
	if !(normal(sum, freedom) <= deviation) {
		c.fail("Sample follows Outcomes", "over all states chi-square %.4g with %v degrees of freedom", sum, freedom)
	}
}

// drawFrom returns the chi-square statistic of draws from s and its degrees of
// freedom. Outcomes expected fewer than five times are counted together.
func (c *checker[S]) drawFrom(s S, r *rand.PCG) (chi2, df float64, ok bool) {
	outcomes := c.rules.Outcomes(nil, s)
	index := make(map[S]int, len(outcomes))
	for i, o := range outcomes {
		index[o.State] = i
	}
	count := make([]float64, len(outcomes))
	for k := range draws {
		before := *r
		next := c.sampler.Sample(s, r)
		i, listed := index[next]
		if !listed {
			c.failAt(s, "Sample returns a listed outcome", "got %s", c.text(next))
			return 0, 0, false
		}
		count[i]++
		if k >= 32 {
			continue // 32 samples show whether Sample uses another generator
		}
		if again := c.sampler.Sample(s, &before); again != next {
			c.failAt(s, "Sample is a function of the state and the generator", "got %s, then %s", c.text(next), c.text(again))
			return 0, 0, false
		}
	}
	var got, want float64 // of the rare outcomes
	cells := 0
	for i, o := range outcomes {
		if e := o.Prob * draws; e >= 5 {
			chi2 += (count[i] - e) * (count[i] - e) / e
			cells++
		} else {
			got += count[i]
			want += e
		}
	}
	if want >= 1 {
		chi2 += (got - want) * (got - want) / want
		cells++
	} else if got > 20 {
		// A Poisson number of mean 1 exceeds 20 once in 1e20.
		c.failAt(s, "Sample follows Outcomes", "%v draws of outcomes expected %.2g times", got, want)
		return 0, 0, false
	}
	return chi2, max(0, float64(cells-1)), true
}

// normal turns a chi-square number into one that is about standard normal.
//
// Source: Wilson and Hilferty, PNAS 17(12), 1931.
func normal(chi2, df float64) float64 {
	if df == 0 {
		return 0
	}
	v := 2 / (9 * df)
	return (math.Cbrt(chi2/df) - (1 - v)) / math.Sqrt(v)
}

// checkBots calls the game's bots with every decision visited.
func (c *checker[S]) checkBots() {
	bots, ok := c.rules.(game.Bots[S])
	if !ok || len(c.decisions) == 0 {
		return
	}
	start := c.decisions[0]
	c.try(start, "Bot", func() {
		names := make(map[string]bool)
		for _, name := range bots.BotNames() {
			if names[name] || name == "" {
				c.fail("BotNames are distinct", "got %q", name)
			}
			names[name] = true
			p, err := bots.Bot(name)
			if err != nil {
				c.fail("Bot knows the names of BotNames", "%q: %v", name, err)
				continue
			}
			c.checkPolicy(name, p)
		}
	})
}

func (c *checker[S]) checkPolicy(name string, p game.Policy[S]) {
	n := c.spec.Actions
	dst := make([]float64, len(c.decisions)*n)
	for i := range dst {
		dst[i] = math.NaN()
	}
	if err := p.Probs(dst, c.decisions); err != nil {
		c.fail("Probs answers for every decision", "bot %q: %v", name, err)
		return
	}
	for i, s := range c.decisions {
		row := dst[i*n : (i+1)*n]
		legal := make([]bool, n)
		for _, a := range c.rules.Legal(nil, s) {
			legal[a] = true
		}
		sum := 0.0
		for a, x := range row {
			if !(x >= 0) || x > 0 && !legal[a] {
				c.failAt(s, "Probs are probabilities, zero where illegal", "bot %q gives %v to %s", name, x, c.action(game.Action(a)))
			}
			sum += x
		}
		if !(math.Abs(sum-1) <= 1e-5) { // rows may come from float32
			c.failAt(s, "Probs sum to 1", "bot %q: %v", name, sum)
		}
	}
}
