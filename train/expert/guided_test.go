package expert_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/internal/test/testgames"
	"marsgym/train/expert"
)

// plainTree searches a decision as the comments of the package's tree and root state, by
// maps and without sharing memory between searches.
type plainTree[S comparable] struct {
	reference[S]
	dice  *rand.PCG // of the row
	index map[S]*plainNode[S]

	sum   map[game.Action][]float64 // shares of the simulations from each action of the root
	noise map[game.Action]float64
	value []float64 // the network's of the root
}

// plainNode is a decision of the tree.
type plainNode[S comparable] struct {
	state     S
	who       game.Player
	legal     []game.Action
	evaluated bool
	logit     []float64 // [A]
	count     map[game.Action]float64
	total     map[game.Action]float64 // of the mover's shares
	visits    float64
	all       float64
}

// plainStep is a node and the action taken.
type plainStep[S comparable] struct {
	node *plainNode[S]
	a    game.Action
}

func (t *plainTree[S]) newNode(s S) *plainNode[S] {
	return &plainNode[S]{state: s, who: t.rules.CurrentPlayer(s), legal: t.rules.Legal(nil, s), count: map[game.Action]float64{}, total: map[game.Action]float64{}}
}

// shares returns the shares of the win of returns by seat.
func (t *plainTree[S]) shares(returns []float64) (list []float64) {
	for _, r := range returns {
		list = append(list, t.rules.Spec().WinShare(r))
	}
	return list
}

// evaluate calls the network and returns the shares of the win by seat.
func (t *plainTree[S]) evaluate(n *plainNode[S]) []float64 {
	spec := t.rules.Spec()
	policy, output := make([]float32, spec.Actions), make([]float32, spec.Players)
	t.net(policy, output, t.observe(n.state, n.who))
	values := make([]float64, spec.Players)
	for j, v := range output {
		values[(j+int(n.who))%spec.Players] = float64(v)
	}
	for _, x := range policy {
		n.logit = append(n.logit, float64(x))
	}
	share := t.shares(values)
	if !n.evaluated {
		n.evaluated = true
		n.visits++
		n.all += share[n.who]
	}
	return share
}

// prior returns the policy's probability of an action.
func (n *plainNode[S]) prior(a game.Action) float64 {
	sum := 0.0
	for _, b := range n.legal {
		sum += math.Exp(n.logit[b] - n.logit[a])
	}
	return 1 / sum
}

// choose returns the action with the highest PUCT value.
func (n *plainNode[S]) choose() (best game.Action) {
	if len(n.legal) == 1 {
		return n.legal[0]
	}
	most := math.Inf(-1)
	for _, a := range n.legal {
		q := n.all / n.visits
		if n.count[a] > 0 {
			q = n.total[a] / n.count[a]
		}
		if q += n.prior(a) * math.Sqrt(n.visits) / (1 + n.count[a]); q > most {
			best, most = a, q
		}
	}
	return best
}

// settle samples chance.
func (t *plainTree[S]) settle(s S, dice *rand.PCG) S {
	for t.rules.CurrentPlayer(s) == game.Chance {
		s = t.rules.Sample(s, dice)
	}
	return canonical(t.rules, s)
}

// round simulates each of the candidates once.
func (t *plainTree[S]) round(root *plainNode[S], candidates []game.Action) {
	type waiting struct {
		path []plainStep[S]
		leaf *plainNode[S]
	}
	backUp := func(path []plainStep[S], share []float64) {
		for j, x := range share {
			t.sum[path[0].a][j] += x
		}
		for _, x := range path {
			x.node.visits++
			x.node.all += share[x.node.who]
			x.node.count[x.a]++
			x.node.total[x.a] += share[x.node.who]
		}
	}
	var list []waiting
	seed := t.dice.Uint64()
	for _, a := range candidates {
		dice := rand.NewPCG(seed, 0)
		path := []plainStep[S]{{root, a}}
		for {
			last := path[len(path)-1]
			s := t.settle(t.after(last.node.state, last.a), dice)
			if t.rules.CurrentPlayer(s) == game.Terminal {
				backUp(path, t.shares(t.rules.Returns(nil, s)))
				break
			}
			n := t.index[s]
			if n == nil {
				n = t.newNode(s)
				t.index[s] = n
			}
			if len(n.legal) > 1 && !n.evaluated {
				list = append(list, waiting{path, n})
				break
			}
			path = append(path, plainStep[S]{n, n.choose()})
		}
	}
	shares := make([][]float64, len(list))
	for i, w := range list {
		shares[i] = t.evaluate(w.leaf)
	}
	for i, w := range list {
		backUp(w.path, shares[i])
	}
}

// completed returns the shares of the win of an action by seat.
func (t *plainTree[S]) completed(root *plainNode[S], a game.Action) []float64 {
	q := slices.Clone(t.value)
	if root.count[a] > 0 {
		for j := range q {
			q[j] = t.sum[a][j] / root.count[a]
		}
		return q
	}
	visits, weight, mean := 0.0, 0.0, make([]float64, len(q))
	for _, b := range root.legal {
		if n := root.count[b]; n > 0 {
			visits += n
			weight += root.prior(b)
			for j := range mean {
				mean[j] += root.prior(b) * t.sum[b][j] / n
			}
		}
	}
	for j := range q {
		if visits > 0 {
			q[j] = (q[j] + visits*mean[j]/weight) / (1 + visits)
		}
	}
	return q
}

// search returns the action to take, the completed shares of the legal actions, their
// logits, and the shares of the root.
func (t *plainTree[S]) search(s S, simulations, candidates int) (best game.Action, q [][]float64, logits, value []float64) {
	root := t.newNode(s)
	t.index, t.sum, t.noise = map[S]*plainNode[S]{}, map[game.Action][]float64{}, map[game.Action]float64{}
	t.value = t.evaluate(root)
	for _, a := range root.legal {
		t.sum[a] = make([]float64, len(t.value))
		t.noise[a] = -math.Log(-math.Log(float64(t.dice.Uint64()>>11) / (1 << 53)))
	}
	improved := func(a game.Action) float64 {
		return root.logit[a] + t.completed(root, a)[root.who]/t.opt.Temperature
	}
	considered := slices.Clone(root.legal)
	rank := func() {
		slices.SortStableFunc(considered, func(a, b game.Action) int {
			return cmp.Compare(t.noise[b]+improved(b), t.noise[a]+improved(a))
		})
	}
	rank()
	considered = considered[:min(len(considered), max(2, min(candidates, simulations/4)))]
	phases := math.Ceil(math.Log2(float64(len(considered))))
	for left := simulations; left > 0; {
		for range max(1, int(float64(simulations)/(phases*float64(len(considered))))) {
			n := min(left, len(considered))
			if left -= n; n > 0 {
				t.round(root, considered[:n])
			}
		}
		rank()
		considered = considered[:max(2, (len(considered)+1)/2)]
	}
	value, sum := make([]float64, len(t.value)), 0.0
	for _, a := range root.legal {
		w := math.Exp(improved(a) - improved(considered[0]))
		sum += w
		for j, x := range t.completed(root, a) {
			value[j] += w * x
		}
		q, logits = append(q, t.completed(root, a)), append(logits, root.logit[a])
	}
	for j := range value {
		value[j] /= sum
	}
	return considered[0], q, logits, value
}

// row returns the targets of a row for a number of searches.
func (t *plainTree[S]) row(cfg expert.Config, seed, row uint64, searches int) []denseTargets {
	spec := t.rules.Spec()
	t.dice = rand.NewPCG(seed, row)
	chance := func() float64 { return float64(t.dice.Uint64()>>11) / (1 << 53) }
	start := func() S { return t.settle(t.rules.Initial(), t.dice) }
	s, moves := start(), 0
	list := make([]denseTargets, searches)
	for i := range list {
		l := &list[i]
		l.Start = []int32{0}
		type visit struct {
			state S
			value []float64 // nil of a forced move
			end   []float64 // of the game, or nil
			cut   bool      // nothing is known of what followed
			stray bool
			full  bool // it has a policy target
		}
		var path []visit
		for range cfg.Decisions {
			v := visit{state: s}
			who, legal := t.rules.CurrentPlayer(s), t.rules.Legal(nil, s)
			a := legal[0]
			if len(legal) > 1 {
				n := cfg.Tree.FastSimulations
				full := chance() < cfg.Tree.FullFraction
				if full {
					n = cfg.Tree.Simulations
				}
				if t.opt.RandomPlay {
					n, full = 0, false
				}
				var q [][]float64
				var logits []float64
				a, q, logits, v.value = t.search(s, n, cfg.Tree.Candidates)
				if full {
					v.full = true
					for k, a := range legal {
						l.Action = append(l.Action, a)
						l.ActionValue = append(l.ActionValue, float32(spec.Return(q[k][who])))
						l.Logit = append(l.Logit, float32(logits[k]))
					}
					l.Start = append(l.Start, int32(len(l.Action)))
				}
				explores := chance() < cfg.ExplorationFraction
				if t.opt.RandomPlay || explores {
					if u := chance(); t.opt.RandomPlay || u < cfg.ExplorationRate {
						a, v.stray = legal[int(chance()*float64(len(legal)))], !t.opt.RandomPlay
					}
				}
			}
			l.Decisions++
			s, moves = t.settle(t.after(s, a), t.dice), moves+1
			over := t.rules.CurrentPlayer(s) == game.Terminal
			if over {
				v.end = t.shares(t.rules.Returns(nil, s))
			}
			if over || moves == spec.MoveLimit {
				l.Games++
				v.cut = !over
				s, moves = start(), 0
			}
			path = append(path, v)
		}
		var target func(k int) []float64
		target = func(k int) []float64 {
			v, g := path[k], slices.Clone(path[k].value)
			next := v.end
			if !v.cut && v.end == nil && k+1 < len(path) {
				next = target(k + 1)
			}
			switch {
			case v.value == nil:
				return slices.Clone(next)
			case next == nil || v.stray:
				return g
			}
			for j := range g {
				g[j] = (1-t.opt.Lambda)*g[j] + t.opt.Lambda*next[j]
			}
			return g
		}
		for k, v := range path {
			if g := target(k); g != nil {
				for j := range g {
					g[j] = spec.Return(g[j])
				}
				if v.full {
					l.Row = append(l.Row, int32(len(l.Obs)/spec.ObsLen()))
				}
				t.addValue(l, v.state, t.rules.CurrentPlayer(v.state), g)
			}
		}
	}
	return list
}

// checkGuided compares the targets of a search, and the games played, with those of the
// plain one.
func checkGuided[S comparable](t *testing.T, rules searchable[S]) {
	t.Helper()
	for _, opt := range []expert.Options{{Lambda: 0.7, Temperature: 0.1}, {Lambda: 1, Temperature: 0.02}, {Lambda: 0.5, Temperature: 0.1, RandomPlay: true}} {
		cfg := config(expert.Search)
		cfg.Decisions = 7
		compare(t, expert.NewGame[S](rules), cfg, opt, func(seed, row uint64, searches int) []denseTargets {
			tree := plainTree[S]{reference: reference[S]{rules, hashNetwork(rules.Spec()), opt}}
			return tree.row(cfg, seed, row, searches)
		})
	}
}

func TestGuided(t *testing.T) {
	t.Run("pig", func(t *testing.T) { checkGuided(t, testgames.NewPig(t, 2, 12)) })
	t.Run("pig for three", func(t *testing.T) { checkGuided(t, testgames.NewPig(t, 3, 10)) })
	t.Run("pig for four, limited", func(t *testing.T) { checkGuided(t, testgames.LimitedPig{Rules: testgames.NewPig(t, 4, 100), Moves: 9}) })
	t.Run("martian dice", func(t *testing.T) { checkGuided(t, testgames.NewMartianDice(t, 2, 5, 3)) })
	t.Run("martian dice for three", func(t *testing.T) { checkGuided(t, testgames.NewMartianDice(t, 3, 4, 2)) })
}

// checkConverges checks that a search finds exact values and best actions by many
// simulations, led by a network that knows nothing.
func checkConverges[S comparable](t *testing.T, rules searchable[S]) {
	sol, err := rules.Solve(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	spec := rules.Spec()
	p, d := spec.Players, spec.ObsLen()
	rec := recorder[S]{rules, map[string]viewed[S]{}}
	cfg := config(expert.Search)
	cfg.ExplorationFraction = 0
	cfg.Tree = expert.Tree{Simulations: 20_000, FullFraction: 1, Candidates: spec.Actions}
	e := newExpert(t, expert.NewGame[S](rec), cfg, 2, 0)
	e.Reset(1)
	var found denseTargets
	err = e.Search(t.Context(), &found, expert.Options{Temperature: 0.001}, func(policy, values, _ []float32) {
		clear(policy)
		for i := range values {
			values[i] = float32(spec.Return(1 / float64(p)))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(found.Obs) / d {
		at := rec.at(found.Obs[i*d:][:d])
		if len(rules.Legal(nil, at.state)) == 1 {
			continue // its value is that of what followed
		}
		want, err := sol.Value(nil, at.state)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(found.Value[i*p]); !(math.Abs(got-want[at.who]) <= 0.06) { // PUCT goes on to explore
			t.Errorf("%+v has value %v, want %v", at, got, want[at.who])
		}
	}
	if len(found.Start) < 2 {
		t.Fatal("no decision was searched: this tests nothing")
	}
	for i, from := range found.Start[:len(found.Start)-1] {
		at := rec.at(decisionObs(&found, i, d))
		want, err := sol.Options(nil, at.state)
		if err != nil {
			t.Fatal(err)
		}
		q := found.ActionValue[from:found.Start[i+1]]
		best := slices.Index(q, slices.Max(q))
		if regret := slices.Max(want) - want[best]; !(regret <= 0.01) {
			t.Errorf("%+v: action %d has regret %v: found %v, want %v", at, best, regret, q, want)
		}
	}
}

func TestGuidedConverges(t *testing.T) {
	t.Run("pig", func(t *testing.T) { checkConverges(t, testgames.NewPig(t, 2, 8)) })
	t.Run("pig for three", func(t *testing.T) { checkConverges(t, testgames.NewPig(t, 3, 6)) })
	t.Run("martian dice", func(t *testing.T) { checkConverges(t, testgames.NewMartianDice(t, 2, 4, 3)) })
}
