package env

import (
	"context"
	"encoding/binary"
	"fmt"

	"marsgym/env/game"
)

// plyExpert searches one ply: what a move is worth is the expectation, over the
// dice that follow it, of the next move by the network's values of the states
// just after moves. Where its seat moves again before any dice, it is the best of
// what those moves are worth, or else nothing would be searched. Where a turn
// begins, in games that say so, the network's value of that is taken: the dice
// of the next turn are looked over once the play comes there.
type plyExpert[S comparable] struct {
	searcher[S]
	planner game.Planner[S] // or nil
	moves   []int32         // [N] decisions of the game so far

	path []visit // [moves of a search, N]
	// [moves of a search, N, P] what the search says of the move, and of the best,
	// and what the network thought of the one that it would have made.
	found, best, thought []float64

	arrived []arrival[S] // [N] how the rows came to what they are to decide
	lister  fanLister[S]
	known   map[fanKey[S]]*fan[S] // of this search
	fans    []*fan[S]             // those, and others to be used again
	options []option[S]           // of this move, of all rows
	next    []*fan[S]             // that they lead to
	start   []int32               // [N+1] into options
	says    estimates             // of this search
	asked   []asked               // of this move
	liked   []float32             // [asked]
	viewer  []game.Player         // [leaves]
	again   []game.Action
}

// fanKey tells fans apart. One that does not look over the dice has its state as
// its one leaf.
type fanKey[S comparable] struct {
	moved[S]
	dice bool
}

// arrival is how a row came to a decision in the present search.
type arrival[S comparable] struct {
	direct bool     // by a move of the same seat, without dice
	begun  bool     // by the start of a turn:
	start  moved[S] // which is this,
	fan    *fan[S]  // and what may follow it
}

// option is a move that a row has.
type option[S comparable] struct {
	after    S
	at       int // where its estimate is, unless the row arrived directly
	from, to int // into next: its seat may choose of these
}

// visit is a move of a row, on the path of a search.
type visit struct {
	mover  game.Player
	lesson int  // index of what is taught of the state just after it; -1 if nothing
	goesOn bool // the row has another move in the same game
	joined bool // and that is the best, or all are random
	direct bool // and no dice lie between
}

// asked is a state that the network is asked about.
type asked struct {
	at     int // where its estimate belongs
	viewer game.Player
	over   bool // it has paid; only the score is wanted
}

func newPlyExpert[S comparable](s searcher[S]) *plyExpert[S] {
	e := &plyExpert[S]{searcher: s, moves: make([]int32, len(s.state)), arrived: make([]arrival[S], len(s.state)), known: map[fanKey[S]]*fan[S]{}}
	e.lister = newFanLister(&e.k)
	e.planner, _ = s.k.rules.(game.Planner[S])
	return e
}

// Reset implements [Expert].
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
		if e.k.settle(&e.state[i], &e.dice[i]) >= 0 {
			e.state[i], _ = e.k.canonical(e.state[i])
			return
		}
	}
	panic("env: " + e.spec.ID + " offers no decision")
}

// Search implements [Expert]: in every row it searches some decisions, one after the
// other, and takes them. A state just after a move is then worth what the search
// says, Q, and as much more as the moves that followed turned out better than the
// network had thought, V:
//
//	G(t) = Q(t) + λ·(G(t+1) − V(t+1))
//
// Q is an expectation over the dice, so their luck is not in it; and for λ = 1
// errors of V cancel out. Where no dice lie between two moves Q(t) is that of the
// best that follows, which then is V(t+1), and λ is 1. Where the play strays from
// the best, unless all of it is random, the Q of the best stands for G(t+1).
//
// Source: the last is the control variate of Burch, Schmid, Moravčík, Morrill and
// Bowling, "AIVAT", arXiv:1612.06915, which takes the luck of chance and of known
// players out of a game's result.
func (e *plyExpert[S]) Search(ctx context.Context, dst *Lessons, how Manner, net Network) error {
	dst.reset()
	e.path, e.found, e.best, e.thought = e.path[:0], e.found[:0], e.best[:0], e.thought[:0]
	e.says = estimates{p: e.spec.Players, pay: e.says.pay[:0], score: e.says.score[:0], scored: how.Scores}
	clear(e.known)
	for i := range e.state {
		e.draw(i)
	}
	for range e.cfg.Moves {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.answer(net, e.expand())
		for i := range e.state {
			e.move(dst, i, how)
		}
	}
	e.join(dst, how.Lambda)
	return nil
}

// draw puts row i into a game under way, now and then, if the game offers that.
func (e *plyExpert[S]) draw(i int) {
	e.arrived[i] = arrival[S]{}
	if e.planner == nil || e.cfg.Anew == 0 || chance(&e.dice[i]) >= e.cfg.Anew {
		return
	}
	s := e.planner.SampleStart(&e.dice[i])
	begun := arrival[S]{begun: true, start: moved[S]{state: s, mover: e.before(e.planner.Mover(s))}}
	begun.start.state, _ = e.k.canonical(s)
	if e.k.settle(&s, &e.dice[i]) >= 0 {
		e.state[i], _ = e.k.canonical(s)
		e.moves[i], e.arrived[i] = 0, begun
	}
}

// begins reports whether a turn begins in s.
func (e *plyExpert[S]) begins(s S) bool { return e.planner != nil && e.planner.Mover(s) >= 0 }

// before is the seat before another.
func (e *plyExpert[S]) before(who game.Player) game.Player {
	p := game.Player(e.spec.Players)
	return (who + p - 1) % p
}

// move teaches what the search of row i has found, and moves on.
func (e *plyExpert[S]) move(dst *Lessons, i int, how Manner) {
	s, came := e.state[i], e.arrived[i]
	who := e.k.rules.CurrentPlayer(s)
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
	var last *visit // the move before, in the same game
	if at := len(e.path) - len(e.state); at >= 0 && e.path[at].goesOn {
		last = &e.path[at]
		last.joined, last.direct = how.Random || choice == best, came.direct
	}
	if came.begun {
		if last != nil {
			last.lesson = len(dst.Obs) / e.d
			copy(e.found[(len(e.path)-len(e.state))*e.spec.Players:], came.fan.value)
		}
		e.lesson(dst, came.start.state, came.start.mover, came.fan.value)
	}
	e.found = append(e.found, e.value(options[choice], who)...)
	e.best = append(e.best, e.value(options[best], who)...)
	if came.direct {
		e.thought = append(e.thought, e.value(options[best], who)...)
	} else {
		e.thought = append(e.thought, e.says.worth(e.prefer(options, who))...)
	}
	v := visit{mover: who, lesson: -1}
	for k, o := range options {
		if came.direct || e.k.rules.CurrentPlayer(o.after) == game.Terminal || e.begins(o.after) {
			continue
		}
		if k == choice {
			v.lesson = len(dst.Obs) / e.d
		}
		e.lesson(dst, o.after, who, e.value(o, who))
	}
	after := options[choice].after
	e.state[i] = after
	e.moves[i]++
	over := e.k.settle(&e.state[i], &e.dice[i]) < 0
	if over || e.spec.MoveLimit > 0 && int(e.moves[i]) >= e.spec.MoveLimit {
		dst.Games++
		e.arrived[i] = arrival[S]{}
		e.anew(i)
	} else {
		v.goesOn = true
		e.arrived[i] = arrival[S]{direct: e.k.rules.CurrentPlayer(after) == who, begun: e.begins(after), start: moved[S]{after, who}}
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
func (e *plyExpert[S]) prefer(options []option[S], who game.Player) int {
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
		came, lambda := e.best, lambda
		if v.direct {
			lambda = 1 // what the search says of this move is what it says of the next
		}
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

// expand lists the options of all rows and what they lead to, and returns how many
// fans were known before.
func (e *plyExpert[S]) expand() (known int) {
	known = len(e.known)
	e.options, e.next, e.start = e.options[:0], e.next[:0], append(e.start[:0], 0)
	e.obs, e.asked = e.obs[:0], e.asked[:0]
	for i, s := range e.state {
		if came := &e.arrived[i]; came.begun {
			came.fan = e.fan(fanKey[S]{came.start, true})
		}
		who := e.k.rules.CurrentPlayer(s)
		e.legal = e.k.rules.Legal(e.legal[:0], s)
		for _, a := range e.legal {
			after := e.k.apply(s, a)
			o := option[S]{after: after, from: len(e.next)}
			if !e.arrived[i].direct {
				o.at = e.look(after, who)
			}
			if e.k.rules.CurrentPlayer(after) == who {
				e.again = e.k.rules.Legal(e.again[:0], after)
				for _, a := range e.again {
					e.follow(moved[S]{e.k.apply(after, a), who})
				}
			} else {
				e.follow(moved[S]{after, who})
			}
			o.to = len(e.next)
			e.options = append(e.options, o)
		}
		e.start = append(e.start, int32(len(e.options)))
	}
	return known
}

// follow adds what may follow a move to what its option leads to.
func (e *plyExpert[S]) follow(after moved[S]) {
	e.next = append(e.next, e.fan(fanKey[S]{after, !e.begins(after.state)}))
}

// fan lists a fan, unless this search has it.
func (e *plyExpert[S]) fan(key fanKey[S]) *fan[S] {
	f, ok := e.known[key]
	if ok {
		return f
	}
	if n := len(e.known); n == len(e.fans) {
		e.fans = append(e.fans, &fan[S]{value: make([]float64, e.spec.Players)})
	}
	f = e.fans[len(e.known)]
	e.known[key] = f
	if key.dice {
		e.lister.list(f, key.state)
	} else {
		f.leave(key.state)
	}
	e.viewer = resize(e.viewer, len(f.Leaf))
	move := f.Move
	for _, b := range f.Branch {
		viewer := b.Mover
		if viewer < 0 {
			viewer = key.mover
		}
		for _, k := range move[:b.Moves] {
			e.viewer[k] = viewer
		}
		move = move[b.Moves:]
	}
	f.from = len(e.says.score)
	for k, s := range f.Leaf {
		e.look(s, e.viewer[k])
	}
	return f
}

// look asks about a state just after a move, and returns where the estimate will be.
func (e *plyExpert[S]) look(s S, viewer game.Player) (at int) {
	at = len(e.says.score)
	over := e.k.rules.CurrentPlayer(s) == game.Terminal
	if e.says.scored || !over {
		e.asked = append(e.asked, asked{at, viewer, over})
		e.obs = e.see(e.obs, s, viewer)
	}
	e.says.pay = e.k.rules.Returns(e.says.pay, s) // zeros, unless it is over
	e.says.score = append(e.says.score, 0)
	return at
}

// answer asks the network, and works out what the new fans are worth.
func (e *plyExpert[S]) answer(net Network, known int) {
	var liked []float32
	if e.says.scored {
		e.liked = resize(e.liked, len(e.asked))
		liked = e.liked
	}
	e.ask(net, liked)
	for i, x := range e.asked {
		if liked != nil {
			e.says.score[x.at] = liked[i]
		}
		worth := e.says.worth(x.at)
		for j := 0; j < len(worth) && !x.over; j++ {
			worth[j] = e.seat(i, x.viewer, game.Player(j))
		}
	}
	for _, f := range e.fans[known:len(e.known)] {
		f.backUp(&e.says)
	}
}

// AppendState implements [Expert].
func (e *plyExpert[S]) AppendState(dst []byte) ([]byte, error) {
	dst, err := e.appendState(dst)
	if err != nil {
		return nil, err
	}
	return binary.Append(dst, binary.LittleEndian, e.moves)
}

// RestoreState implements [Expert].
func (e *plyExpert[S]) RestoreState(src []byte) error {
	moves, err := e.restoreState(src, 4*len(e.moves))
	if err != nil {
		return err
	}
	if _, err := binary.Decode(moves, binary.LittleEndian, e.moves); err != nil {
		return err
	}
	for i, s := range e.state {
		if e.k.rules.CurrentPlayer(s) < 0 {
			return fmt.Errorf("env: row %d holds a state in which nobody acts", i)
		}
		if e.moves[i] < 0 {
			return fmt.Errorf("env: row %d has taken %d moves", i, e.moves[i])
		}
	}
	return nil
}
