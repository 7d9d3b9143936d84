package env

import (
	"encoding/binary"
	"fmt"

	"marsgym/env/game"
)

// plyExpert searches one ply: what a move is worth is the expectation, over the
// dice that follow it, of the next move by the network's values of the states
// just after moves. Where its seat moves again before any dice, it is the best of
// what those moves are worth, or else nothing would be searched.
type plyExpert[S comparable] struct {
	searcher[S]
	planner game.Planner[S] // or nil
	moves   []int32         // [N] decisions of the game so far

	path []visit // [moves of a search, N]
	// [moves of a search, N, P] what the search says of the move, and of the best,
	// and what the network thought of the one that it would have made.
	found, best, thought []float64

	fans    fans[S]
	fresh   []*fan[S]   // of this move, and of none before in this search
	options []option[S] // of all rows
	next    []*fan[S]   // that they lead to
	start   []int32     // [N+1] into options
	says    estimates   // of the leaves of this search
	asked   []asked     // of these
	liked   []float32   // [asked]
	again   []game.Action
}

// option is a move that a row has.
type option[S comparable] struct {
	after    S
	at       int32 // the leaf of after
	from, to int   // into next: its seat may choose of these
}

// visit is a move of a row, on the path of a search.
type visit struct {
	mover  game.Player
	lesson int  // index of what is taught of the state just after it; -1 if nothing
	goesOn bool // the row has another move in the same game
	joined bool // and that is the best, or all are random
}

// asked is a leaf that the network is asked about.
type asked struct {
	leaf   int32
	viewer game.Player
	over   bool // it has paid; only the score is wanted
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
// other, and takes them. A state just after a move is then worth what the search
// says, Q, and as much more as the moves that followed turned out better than the
// network had thought, V:
//
//	G(t) = Q(t) + λ·(G(t+1) − V(t+1))
//
// Q is an expectation over the dice, so their luck is not in it; and for λ = 1
// errors of V cancel out. Where the play strays from the best, unless all of it
// is random, the Q of the best stands for G(t+1).
//
// Source: the last is the control variate of Burch, Schmid, Moravčík, Morrill and
// Bowling, "AIVAT", arXiv:1612.06915, which takes the luck of chance and of known
// players out of a game's result.
func (e *plyExpert[S]) Search(dst *Lessons, how Manner, net Network) {
	dst.reset()
	e.path, e.found, e.best, e.thought = e.path[:0], e.found[:0], e.best[:0], e.thought[:0]
	e.says = estimates{p: e.spec.Players, pay: e.says.pay[:0], score: e.says.score[:0], scored: how.Scores}
	e.fans.begin()
	for i := range e.state {
		e.draw(i)
	}
	for range e.cfg.Moves {
		e.expand()
		e.answer(net)
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
	for _, o := range options {
		e.worth = append(e.worth, e.value(o, who)[who])
	}
	dst.Decisions++
	e.legal = e.k.rules.Legal(e.legal[:0], s)
	choice, best := 0, 0
	if len(options) > 1 {
		e.decision(dst, s, who, e.legal, e.worth)
		best = e.choose(e.worth, 0, nil)
		choice = e.choose(e.worth, e.stray(how, &e.dice[i]), &e.dice[i])
	}
	if at := len(e.path) - len(e.state); at >= 0 && e.path[at].goesOn {
		e.path[at].joined = how.Random || choice == best
	}
	e.found = append(e.found, e.value(options[choice], who)...)
	e.best = append(e.best, e.value(options[best], who)...)
	e.thought = append(e.thought, e.says.worth(e.prefer(options, who))...)
	v := visit{mover: who, lesson: -1}
	for k, o := range options {
		if e.k.rules.Turn(o.after) == game.Nobody {
			continue
		}
		if k == choice {
			v.lesson = len(dst.Obs) / e.d
		}
		e.lesson(dst, o.after, who, e.value(o, who))
	}
	e.state[i] = options[choice].after
	e.moves[i]++
	over := e.k.settle(&e.state[i], &e.dice[i]) == game.Nobody
	if over || e.spec.MoveLimit > 0 && int(e.moves[i]) >= e.spec.MoveLimit {
		dst.Games++
		e.anew(i)
	} else {
		v.goesOn = true
	}
	e.state[i], _ = e.k.canonical(e.state[i])
	e.path = append(e.path, v)
}

// value is what the search says that an option is worth to each seat.
func (e *plyExpert[S]) value(o option[S], who game.Player) []float64 {
	best := e.next[o.from].value
	for _, f := range e.next[o.from+1 : o.to] {
		if f.value[who] > best[who]+game.Tie {
			best = f.value
		}
	}
	return best
}

// prefer is the leaf of the option that the network prefers, as in a fan.
func (e *plyExpert[S]) prefer(options []option[S], who game.Player) int32 {
	best := options[0].at
	for _, o := range options[1:] {
		if e.says.prefers(o.at, best, who) {
			best = o.at
		}
	}
	return best
}

// join puts what came of the play in the place of what single searches say.
func (e *plyExpert[S]) join(dst *Lessons, lambda float64) {
	n, p := len(e.state), e.spec.Players
	for at := len(e.path) - 1; at >= 0; at-- {
		v, next := e.path[at], at+n
		if !v.goesOn || next >= len(e.path) {
			continue
		}
		came := e.best
		if v.joined {
			came = e.found
		}
		for j := range p {
			g := &e.found[at*p+j]
			*g += lambda * (came[next*p+j] - e.thought[next*p+j])
			if v.lesson >= 0 {
				dst.Value[v.lesson*p+(j+p-int(v.mover))%p] = float32(*g)
			}
		}
	}
}

// expand lists the options of all rows, and what they lead to.
func (e *plyExpert[S]) expand() {
	e.fresh, e.options, e.next, e.start = e.fresh[:0], e.options[:0], e.next[:0], append(e.start[:0], 0)
	e.obs, e.asked = e.obs[:0], e.asked[:0]
	for _, s := range e.state {
		who := e.k.rules.Turn(s)
		e.legal = e.k.rules.Legal(e.legal[:0], s)
		for _, a := range e.legal {
			l := e.fans.leafOf(moved[S]{e.k.apply(s, a), who})
			e.look(l)
			o := option[S]{after: l.state, at: l.at, from: len(e.next)}
			if e.k.rules.Turn(l.state) == who {
				e.again = e.k.rules.Legal(e.again[:0], l.state)
				for _, a := range e.again {
					e.follow(moved[S]{e.k.apply(l.state, a), who})
				}
			} else {
				e.follow(l.moved)
			}
			o.to = len(e.next)
			e.options = append(e.options, o)
		}
		e.start = append(e.start, int32(len(e.options)))
	}
}

// follow lists the fan from a state just after a move.
func (e *plyExpert[S]) follow(after moved[S]) {
	f, before := e.fans.of(after)
	e.next = append(e.next, f)
	if before {
		return
	}
	e.fresh = append(e.fresh, f)
	for _, l := range f.leaf {
		e.look(l)
	}
}

// look asks about a leaf that is new in this search.
func (e *plyExpert[S]) look(l *leaf[S]) {
	if l.search == e.fans.search {
		return
	}
	l.search, l.at = e.fans.search, int32(len(e.says.score))
	over := e.k.rules.Turn(l.state) == game.Nobody
	if e.says.scored || !over {
		e.asked = append(e.asked, asked{l.at, l.mover, over})
		e.obs = e.see(e.obs, l.state, l.mover)
	}
	e.says.pay = e.k.rules.Returns(e.says.pay, l.state) // zeros, unless it is over
	e.says.score = append(e.says.score, 0)
}

// answer asks the network, and works out what the fans are worth.
func (e *plyExpert[S]) answer(net Network) {
	var liked []float32
	if e.says.scored {
		e.liked = resize(e.liked, len(e.asked))
		liked = e.liked
	}
	e.ask(net, liked)
	for i, x := range e.asked {
		if liked != nil {
			e.says.score[x.leaf] = liked[i]
		}
		worth := e.says.worth(x.leaf)
		for j := 0; j < len(worth) && !x.over; j++ {
			worth[j] = e.seat(i, x.viewer, game.Player(j))
		}
	}
	for _, f := range e.fresh {
		f.backUp(&e.says)
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
