package gametest_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
)

// cups is a tiny game with every optional interface of rules but Solver. Two seats take turns. The
// mover empties one of two cups into its score, or pays a point to pass; then a die
// refills the cups. After six turns the higher score wins. A test may replace every
// method.
type cups struct {
	spec           func() game.Spec
	initial        func() state
	currentPlayer  func(s state) game.Player
	legal          func(dst []game.Action, s state) []game.Action
	outcomes       func(dst []game.Outcome[state], s state) []game.Outcome[state]
	apply          func(s state, a game.Action) (state, error)
	returns        func(dst []float64, s state) []float64
	encode         func(dst []float32, s state, p game.Player)
	encodeSparse   func(dst []game.Element, s state, p game.Player) []game.Element
	sample         func(s state, r *rand.PCG) state
	format         func(s state) string
	parse          func(text string) (state, error)
	name           func(a game.Action) string
	describeAction func(s state, a game.Action) message.Message
	outcomeName    func(s, next state) string
	scene          func(s state) game.Scene
	askRoll        func(s state) message.Message
	readRoll       func(s state, roll string) (state, error)
	drawRoll       func(s, next state, dice *rand.PCG) string
	narrate        func(dst []message.Message, s, next state, a game.Action, roll string) []message.Message
	odds           func(question string) ([]game.Table, error)
	canonical      func(s state) (state, []game.Action)
	expand         func(dst *game.Expansion[state], s state) bool
	botNames       func() []string
	bot            func(name string) (game.Policy[state], error)
	turnStart      func(s state) game.Player
	turnOf         func(s state) state
	sampleStart    func(r *rand.PCG) state
	newPlan        func() game.Plan[state]
	kind           func(s state, a, best game.Action) string
	situation      func(s state) string
	solveAll       func(plans []game.Plan[state], values [][]float64)
	newRows        func(n int) game.Rows[state, float32]
	codes          func() (*game.Codes, error)
	encodeCompact  func(dst []uint8, s state, p game.Player)
	newCompactRows func(n int) game.Rows[state, uint8]
}

type state struct {
	Cup     [2]int8
	Score   [2]int8
	Turns   int8 // taken
	Rolling bool
}

const (
	left game.Action = iota
	right
	pass
)

func (c *cups) Spec() game.Spec                              { return c.spec() }
func (c *cups) Initial() state                               { return c.initial() }
func (c *cups) CurrentPlayer(s state) game.Player            { return c.currentPlayer(s) }
func (c *cups) Apply(s state, a game.Action) (state, error)  { return c.apply(s, a) }
func (c *cups) Returns(dst []float64, s state) []float64     { return c.returns(dst, s) }
func (c *cups) Encode(dst []float32, s state, p game.Player) { c.encode(dst, s, p) }
func (c *cups) EncodeSparse(dst []game.Element, s state, p game.Player) []game.Element {
	return c.encodeSparse(dst, s, p)
}
func (c *cups) Sample(s state, r *rand.PCG) state { return c.sample(s, r) }
func (c *cups) Format(s state) string             { return c.format(s) }
func (c *cups) Parse(text string) (state, error)  { return c.parse(text) }
func (c *cups) ActionName(a game.Action) string   { return c.name(a) }
func (c *cups) DescribeAction(s state, a game.Action) message.Message {
	return c.describeAction(s, a)
}
func (c *cups) OutcomeName(s, next state) string              { return c.outcomeName(s, next) }
func (c *cups) Scene(s state) game.Scene                      { return c.scene(s) }
func (c *cups) AskRoll(s state) message.Message               { return c.askRoll(s) }
func (c *cups) ReadRoll(s state, roll string) (state, error)  { return c.readRoll(s, roll) }
func (c *cups) DrawRoll(s, next state, dice *rand.PCG) string { return c.drawRoll(s, next, dice) }
func (c *cups) Narrate(dst []message.Message, s, next state, a game.Action, roll string) []message.Message {
	return c.narrate(dst, s, next, a, roll)
}
func (c *cups) OddsTables(question string) ([]game.Table, error) { return c.odds(question) }
func (c *cups) Canonical(s state) (state, []game.Action)         { return c.canonical(s) }
func (c *cups) Expand(dst *game.Expansion[state], s state) bool  { return c.expand(dst, s) }
func (c *cups) BotNames() []string                               { return c.botNames() }
func (c *cups) Bot(n string) (game.Policy[state], error)         { return c.bot(n) }
func (c *cups) TurnStart(s state) (game.Player, bool) {
	who := c.turnStart(s)
	return who, who != -1
}

func (c *cups) TurnOf(s state) state { return c.turnOf(s) }

func (c *cups) NewRows(n int) game.Rows[state, float32]           { return c.newRows(n) }
func (c *cups) Codes() (*game.Codes, error)                       { return c.codes() }
func (c *cups) EncodeCompact(dst []uint8, s state, p game.Player) { c.encodeCompact(dst, s, p) }
func (c *cups) NewCompactRows(n int) game.Rows[state, uint8]      { return c.newCompactRows(n) }

func (c *cups) SampleStart(r *rand.PCG) state                 { return c.sampleStart(r) }
func (c *cups) Kind(s state, a, best game.Action) string      { return c.kind(s, a, best) }
func (c *cups) Situation(s state) string                      { return c.situation(s) }
func (c *cups) NewPlan() game.Plan[state]                     { return c.newPlan() }
func (c *cups) SolveAll(p []game.Plan[state], v [][]float64)  { c.solveAll(p, v) }
func (c *cups) Legal(d []game.Action, s state) []game.Action  { return c.legal(d, s) }
func (c *cups) Outcomes(d []outcome, s state) []outcome       { return c.outcomes(d, s) }
func (f probsFunc) Probs(dst []float64, states []state) error { return f(dst, states) }

type (
	outcome   = game.Outcome[state]
	probsFunc func(dst []float64, states []state) error
)

var swap = []game.Action{right, left, pass}

// healthy satisfies the contract.
func healthy() *cups {
	g := &cups{}
	g.spec = func() game.Spec {
		return game.Spec{
			ID: "cups", Title: "Cups", Version: 1, Config: struct{ Turns int }{6},
			Players: 2, Actions: 3,
			Observation: []game.Field{{Name: "cups", Len: 2}, {Name: "scores", Len: 2}, {Name: "turns", Len: 1, Scales: []int{6}}, {Name: "rolling", Len: 1}},
			Information: game.PerfectInformation, Chance: game.ExplicitStochastic, MinPlayers: 2, MaxPlayers: 2,
			MoveLimit: 100, Win: 1, Loss: -1,
		}
	}
	g.initial = func() state { return state{Rolling: true} }
	g.currentPlayer = func(s state) game.Player {
		switch {
		case s.Rolling:
			return game.Chance
		case s.Turns == 6:
			return game.Terminal
		}
		return game.Player(s.Turns % 2)
	}
	g.legal = func(dst []game.Action, s state) []game.Action {
		mover := g.currentPlayer(s)
		if mover < 0 {
			return dst
		}
		for a := range right + 1 {
			if s.Cup[a] > 0 {
				dst = append(dst, a)
			}
		}
		if s.Score[mover] > 0 || s.Cup == [2]int8{} {
			dst = append(dst, pass)
		}
		return dst
	}
	g.outcomes = func(dst []outcome, s state) []outcome {
		if !s.Rolling {
			return dst
		}
		s.Rolling = false
		for i, p := range []float64{0.5, 0.25, 0.25} {
			next := s
			next.Cup = [2]int8{int8(i), int8(2 - i)}
			dst = append(dst, outcome{State: next, Prob: p})
		}
		// Left and right are symmetric.
		dst[len(dst)-3].Prob = 0.25
		dst[len(dst)-2].Prob = 0.5
		return dst
	}
	g.apply = func(s state, a game.Action) (state, error) {
		mover := g.currentPlayer(s)
		if mover == game.Terminal {
			return s, game.ErrGameOver
		}
		if mover == game.Chance || a < 0 || a > pass {
			return s, game.ErrIllegalAction
		}
		if a == pass {
			if s.Score[mover] == 0 && s.Cup != [2]int8{} {
				return s, fmt.Errorf("%w: no point to pay", game.ErrIllegalAction)
			}
			s.Score[mover] = max(0, s.Score[mover]-1)
		} else {
			if s.Cup[a] == 0 {
				return s, fmt.Errorf("%w: the cup is empty", game.ErrIllegalAction)
			}
			s.Score[mover] += s.Cup[a]
			s.Cup[a] = 0
		}
		s.Turns++
		s.Rolling = s.Turns < 6
		return s, nil
	}
	g.returns = func(dst []float64, s state) []float64 {
		if g.currentPlayer(s) != game.Terminal || s.Score[0] == s.Score[1] {
			return append(dst, 0, 0)
		}
		if s.Score[0] > s.Score[1] {
			return append(dst, 1, -1)
		}
		return append(dst, -1, 1)
	}
	g.encode = func(dst []float32, s state, p game.Player) {
		dst[0], dst[1] = float32(s.Cup[0]), float32(s.Cup[1])
		dst[2], dst[3] = float32(s.Score[p]), float32(s.Score[1-p])
		dst[4] = float32(s.Turns) / 6
		dst[5] = 0
		if s.Rolling {
			dst[5] = 1
		}
	}
	g.encodeSparse = func(dst []game.Element, s state, p game.Player) []game.Element {
		obs := make([]float32, 6)
		g.encode(obs, s, p)
		for i, x := range obs {
			if x != 0 {
				dst = append(dst, game.Element{Index: int32(i), Value: x})
			}
		}
		return dst
	}
	g.sample = func(s state, r *rand.PCG) state {
		if s.Rolling {
			n := []int8{0, 1, 1, 2}[r.Uint64()>>62]
			s.Cup, s.Rolling = [2]int8{n, 2 - n}, false
		}
		return s
	}
	g.format = func(s state) string {
		return fmt.Sprintf("%d-%d cups %d %d turn %d%s", s.Score[0], s.Score[1], s.Cup[0], s.Cup[1], s.Turns,
			map[bool]string{true: " rolling"}[s.Rolling])
	}
	g.parse = func(text string) (state, error) {
		var s state
		head, rolling := strings.CutSuffix(text, " rolling")
		_, err := fmt.Sscanf(head, "%d-%d cups %d %d turn %d", &s.Score[0], &s.Score[1], &s.Cup[0], &s.Cup[1], &s.Turns)
		s.Rolling = rolling
		switch {
		case err != nil:
			return state{}, err
		case min(s.Score[0], s.Score[1], s.Cup[0], s.Cup[1], s.Turns) < 0 || s.Turns > 6 || rolling && s.Turns == 6 || g.format(s) != text:
			return state{}, errors.New("no such position")
		}
		return s, nil
	}
	g.name = func(a game.Action) string { return [...]string{"left", "right", "pass"}[a] }
	g.describeAction = func(s state, a game.Action) message.Message { return message.New("choose {0}", g.name(a)) }
	g.outcomeName = func(_, next state) string { return fmt.Sprintf("%d,%d", next.Cup[0], next.Cup[1]) }
	g.scene = func(s state) game.Scene { return cupsScene(g, s) }
	g.askRoll = func(state) message.Message { return message.New("both cups") }
	g.drawRoll = func(s, next state, _ *rand.PCG) string { return g.outcomeName(s, next) }
	g.readRoll = func(s state, roll string) (state, error) {
		for _, o := range g.outcomes(nil, s) {
			if g.outcomeName(s, o.State) == roll {
				return o.State, nil
			}
		}
		return s, errors.New("no such roll")
	}
	g.narrate = func(dst []message.Message, _, _ state, _ game.Action, roll string) []message.Message {
		return append(dst, message.New("roll {0}", roll))
	}
	g.odds = func(question string) ([]game.Table, error) {
		if question != game.AllOdds {
			return nil, errors.New("ask for all")
		}
		return []game.Table{{Name: "die", Columns: []string{"face", "odds"}, Rows: [][]any{{1, 0.5}, {"two", 0.5}}}}, nil
	}
	g.canonical = func(s state) (state, []game.Action) {
		if s.Cup[0] <= s.Cup[1] {
			return s, nil
		}
		s.Cup[0], s.Cup[1] = s.Cup[1], s.Cup[0]
		return s, swap
	}
	g.expand = func(dst *game.Expansion[state], s state) bool {
		*dst = game.Expansion[state]{Leaf: dst.Leaf[:0]}
		branch, leaf := map[state]int{}, map[state]int32{}
		for _, o := range g.outcomes(nil, s) {
			rep, _ := g.canonical(o.State)
			if i, ok := branch[rep]; ok {
				dst.Branch[i].Prob += o.Prob
				continue
			}
			branch[rep] = len(dst.Branch)
			who, after := g.currentPlayer(rep), []state{rep}
			if who >= 0 {
				after = after[:0]
				for _, a := range g.legal(nil, rep) {
					x, _ := g.apply(rep, a)
					x, _ = g.canonical(x)
					after = append(after, x)
				}
			}
			for _, x := range after {
				if _, ok := leaf[x]; !ok {
					leaf[x] = int32(len(dst.Leaf))
					dst.Leaf, dst.Mover = append(dst.Leaf, x), append(dst.Mover, who)
				}
				dst.Move = append(dst.Move, leaf[x])
			}
			dst.Branch = append(dst.Branch, game.Branch{Prob: o.Prob, Mover: who, Moves: int32(len(after))})
		}
		return true
	}
	g.botNames = func() []string { return []string{"first"} }
	g.bot = func(name string) (game.Policy[state], error) {
		if name != "first" {
			return nil, errors.New("no such bot")
		}
		return probsFunc(func(dst []float64, states []state) error {
			clear(dst)
			for i, s := range states {
				dst[3*i+int(g.legal(nil, s)[0])] = 1
			}
			return nil
		}), nil
	}
	g.turnStart = func(s state) game.Player {
		if s.Rolling {
			return game.Player(s.Turns % 2)
		}
		return -1
	}
	g.sampleStart = func(dice *rand.PCG) state {
		r := rand.New(dice)
		s := state{Turns: int8(r.IntN(6)), Rolling: true}
		for p := range s.Score {
			taken := (int(s.Turns) + 1 - p) / 2
			s.Score[p] = int8(r.IntN(2*taken + 1))
		}
		if s.Turns > 0 {
			s.Cup = [][2]int8{{}, {0, 1}, {0, 2}, {1, 1}}[r.IntN(4)] // what was left
		}
		return s
	}
	g.kind = func(_ state, a, best game.Action) string { return g.name(a) + ", not " + g.name(best) }
	g.situation = func(s state) string {
		if s.Turns >= 4 {
			return "late"
		}
		return "early"
	}
	g.turnOf = func(s state) state {
		s.Cup, s.Rolling = [2]int8{}, true
		return s
	}
	g.newPlan = func() game.Plan[state] { return newPlan(g) }
	g.solveAll = func(plans []game.Plan[state], values [][]float64) {
		for i, p := range plans {
			p.(*plan).solve(values[i])
		}
	}
	g.newRows = func(int) game.Rows[state, float32] { return newCupRows(g) }
	codes, err := game.NewCodes(g.spec(), nil, nil)
	g.codes = func() (*game.Codes, error) { return codes, err }
	g.encodeCompact = func(dst []uint8, s state, p game.Player) {
		obs := make([]float32, len(codes.Scales))
		g.encode(obs, s, p)
		for i, x := range obs {
			codes.PutNumber(dst, i, x)
		}
	}
	g.newCompactRows = func(int) game.Rows[state, uint8] { return &compactCupRows{cupRows: newCupRows(g), g: g} }
	return g
}
