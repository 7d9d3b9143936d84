package env

import (
	"encoding/binary"
	"fmt"

	"marsgym/env/game"
)

// plyExpert searches one ply: what an action is worth is the expectation, over
// the dice that follow it, of the best next move by the network's values of the
// states just after moves.
type plyExpert[S comparable] struct {
	searcher[S]
	planner game.Planner[S] // or nil
	moves   []int32         // [N] decisions of the game so far

	path  []visit   // [moves of a search, N]
	found []float64 // [moves of a search, N, P] what the searches say of it

	fans    fans[S]
	used    []*fan[S] // in this search, each once
	options []*fan[S] // of all rows
	start   []int32   // [N+1] into options
	pay     []float64 // [n, P] what the leaves of used are worth
	asked   []asked   // of these
}

// visit is a move of a row, on the path of a search.
type visit struct {
	mover  game.Player
	lesson int  // index of what is taught of the state just after it; -1 if nothing
	joined bool // the next move of the row is the best, in the same game
}

// asked is a leaf that the network is asked about.
type asked struct {
	leaf   int32
	viewer game.Player
}

func newPlyExpert[S comparable](s searcher[S]) *plyExpert[S] {
	e := &plyExpert[S]{searcher: s, moves: make([]int32, len(s.state)), fans: newFans(s.k)}
	e.planner, _ = s.k.rules.(game.Planner[S])
	return e
}

// Reset keeps [Expert].
func (e *plyExpert[S]) Reset(seed uint64) {
	for i := range e.state {
		e.dice[i].Seed(seed, uint64(e.first+i))
		e.anew(i)
	}
}

// anew begins a game in row i. Games without a decision are passed over.
func (e *plyExpert[S]) anew(i int) {
	for range 1000 {
		e.state[i], e.moves[i] = e.k.rules.Initial(), 0
		if e.k.settle(&e.state[i], &e.dice[i]) != game.Nobody {
			e.state[i], _ = e.k.canonical(e.state[i])
			return
		}
	}
	panic("env: " + e.spec.ID + " offers no decision")
}

// Search keeps [Expert]: in every row it searches some decisions, one after the
// other, and takes them. What a state just after a move is worth is then a mean
// of what the searches say along the path:
//
//	G(t) = (1−λ)·Q(t) + λ·G(t+1)
//
// as long as the play is the best, or all of it random, in this game and this
// search.
func (e *plyExpert[S]) Search(dst *Lessons, how Manner, value func(dst, obs []float32)) {
	dst.reset()
	e.path, e.found = e.path[:0], e.found[:0]
	for i := range e.state {
		e.draw(i)
	}
	for range e.cfg.Moves {
		e.expand()
		e.ask(value)
		e.backUp()
		for i := range e.state {
			e.move(dst, i, how)
		}
	}
	e.join(dst, how.Lambda)
}

// draw puts row i into a game under way, now and then, if the game offers that.
func (e *plyExpert[S]) draw(i int) {
	if e.planner == nil || e.cfg.Anew == 0 || chance(&e.dice[i]) >= e.cfg.Anew {
		return
	}
	s := e.planner.DrawStart(&e.dice[i])
	if e.k.settle(&s, &e.dice[i]) != game.Nobody {
		e.state[i], _ = e.k.canonical(s)
		e.moves[i] = 0
	}
}

// move teaches what the search of row i has found, and moves on.
func (e *plyExpert[S]) move(dst *Lessons, i int, how Manner) {
	s := e.state[i]
	who := e.k.rules.Turn(s)
	options := e.options[e.start[i]:e.start[i+1]]
	e.worth = e.worth[:0]
	for _, f := range options {
		e.worth = append(e.worth, f.value[who])
	}
	dst.Decisions++
	e.legal = e.k.rules.Legal(e.legal[:0], s)
	choice, best := 0, true
	if len(e.legal) > 1 {
		e.decision(dst, s, who, e.legal, e.worth)
		choice = e.choose(e.worth, e.stray(how, &e.dice[i]), &e.dice[i])
		best = how.Random || choice == e.choose(e.worth, 0, nil)
	}
	if at := len(e.path) - len(e.state); at >= 0 {
		e.path[at].joined = e.path[at].joined && best
	}
	v := visit{mover: who, lesson: -1}
	for k, f := range options {
		if e.k.rules.Turn(f.after.state) == game.Nobody {
			continue
		}
		if k == choice {
			v.lesson = len(dst.Obs) / e.d
		}
		e.lesson(dst, f.after.state, who, f.value)
	}
	e.state[i] = options[choice].after.state
	e.moves[i]++
	over := e.k.settle(&e.state[i], &e.dice[i]) == game.Nobody
	if over || e.spec.MoveLimit > 0 && int(e.moves[i]) >= e.spec.MoveLimit {
		dst.Games++
		e.anew(i)
	} else {
		v.joined = true
	}
	e.state[i], _ = e.k.canonical(e.state[i])
	e.path, e.found = append(e.path, v), append(e.found, options[choice].value...)
}

// join puts the means along the path in the place of what single searches say.
func (e *plyExpert[S]) join(dst *Lessons, lambda float64) {
	n, p := len(e.state), e.spec.Players
	for at := len(e.path) - n - 1; at >= 0; at-- {
		v := e.path[at]
		if !v.joined {
			continue
		}
		g, next := e.found[at*p:][:p], e.found[(at+n)*p:][:p]
		for j := range g {
			g[j] = (1-lambda)*g[j] + lambda*next[j]
			if v.lesson >= 0 {
				dst.Value[v.lesson*p+(j+p-int(v.mover))%p] = float32(g[j])
			}
		}
	}
}

// expand lists what the options of all rows lead to.
func (e *plyExpert[S]) expand() {
	e.fans.begin()
	e.used, e.options, e.start = e.used[:0], e.options[:0], append(e.start[:0], 0)
	e.obs, e.pay, e.asked = e.obs[:0], e.pay[:0], e.asked[:0]
	for _, s := range e.state {
		who := e.k.rules.Turn(s)
		e.legal = e.k.rules.Legal(e.legal[:0], s)
		for _, a := range e.legal {
			f, again := e.fans.of(moved[S]{e.k.apply(s, a), who})
			e.options = append(e.options, f)
			if !again {
				e.use(f)
			}
		}
		e.start = append(e.start, int32(len(e.options)))
	}
}

// use lists the leaves of a fan, and asks about those that are not the end.
func (e *plyExpert[S]) use(f *fan[S]) {
	e.used = append(e.used, f)
	f.first = len(e.pay)
	for _, l := range f.leaf {
		if e.k.rules.Turn(l.state) != game.Nobody {
			e.asked = append(e.asked, asked{int32(len(e.pay) / e.spec.Players), l.mover})
			e.obs = e.see(e.obs, l.state, l.mover)
		}
		e.pay = e.k.rules.Returns(e.pay, l.state) // zeros for the others, until they are answered
	}
}

// backUp works out what the fans are worth, once the network has answered.
func (e *plyExpert[S]) backUp() {
	p := e.spec.Players
	for i, x := range e.asked {
		for j := range p {
			e.pay[int(x.leaf)*p+j] = e.seat(i, x.viewer, game.Player(j))
		}
	}
	for _, f := range e.used {
		f.backUp(e.pay[f.first:], p)
	}
}

// AppendState keeps [Expert].
func (e *plyExpert[S]) AppendState(dst []byte) ([]byte, error) {
	dst, err := e.appendState(dst)
	if err != nil {
		return nil, err
	}
	return binary.Append(dst, binary.LittleEndian, e.moves)
}

// RestoreState keeps [Expert].
func (e *plyExpert[S]) RestoreState(src []byte) error {
	moves, err := e.restoreState(src, 4*len(e.moves))
	if err != nil {
		return err
	}
	if _, err := binary.Decode(moves, binary.LittleEndian, e.moves); err != nil {
		return err
	}
	for i, s := range e.state {
		if e.k.rules.Turn(s) < 0 {
			return fmt.Errorf("env: row %d holds a state in which nobody acts", i)
		}
	}
	return nil
}
