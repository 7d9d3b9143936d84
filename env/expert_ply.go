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
	moves []int32 // [N] decisions of the game so far

	options []plyOption[S]     // of all rows
	start   []int32            // [N+1] into options
	branch  []branch           // what may follow options
	move    []int32            // leaves that branches lead to
	leaf    []leaf             // states just after moves
	id      map[moved[S]]int32 // of leaves
	follows map[S]int32        // branches of one option, by decision
	roll    []game.Outcome[S]
}

// plyOption is what one action of a row leads to.
type plyOption[S comparable] struct {
	after    S
	from, to int32 // into branch
}

// moved is a state just after a move, with who made it.
type moved[S comparable] struct {
	state S
	mover game.Player
}

// branch is a decision that may follow, or an end.
type branch struct {
	prob     float64
	mover    game.Player // Nobody where nothing is to decide, with one leaf
	from, to int32       // into move
}

// leaf is what a state is worth: asked of the network, or known.
type leaf struct {
	viewer game.Player
	asked  int32     // -1 where known
	known  []float64 // [P]
}

func newPlyExpert[S comparable](s searcher[S]) *plyExpert[S] {
	return &plyExpert[S]{searcher: s, moves: make([]int32, len(s.state)), id: map[moved[S]]int32{}, follows: map[S]int32{}}
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

// Search keeps [Expert]: in every row it searches a decision and takes it.
func (e *plyExpert[S]) Search(dst *Lessons, value func(dst, obs []float32)) {
	dst.reset()
	e.obs, e.options, e.start = e.obs[:0], e.options[:0], append(e.start[:0], 0)
	e.branch, e.move, e.leaf = e.branch[:0], e.move[:0], e.leaf[:0]
	clear(e.id)
	for i := range e.state {
		e.expand(e.state[i])
		e.start = append(e.start, int32(len(e.options)))
	}
	e.ask(value)
	for i := range e.state {
		s := e.state[i]
		who := e.k.rules.Turn(s)
		e.worth = e.worth[:0]
		for _, o := range e.options[e.start[i]:e.start[i+1]] {
			e.backUp(o)
			e.worth = append(e.worth, e.value[who])
			if e.k.rules.Turn(o.after) != game.Nobody {
				e.lesson(dst, o.after, who, e.value)
			}
		}
		dst.Decisions++
		e.legal = e.k.rules.Legal(e.legal[:0], s)
		choice := 0
		if len(e.legal) > 1 {
			e.decision(dst, s, who, e.legal, e.worth)
			choice = e.choose(e.worth, chance(&e.dice[i]) < e.cfg.Strays, &e.dice[i])
		}
		e.state[i] = e.apply(s, e.legal[choice])
		e.moves[i]++
		over := e.k.settle(&e.state[i], &e.dice[i]) == game.Nobody
		if over || e.spec.MoveLimit > 0 && int(e.moves[i]) >= e.spec.MoveLimit {
			dst.Games++
			e.anew(i)
		}
		e.state[i], _ = e.k.canonical(e.state[i])
	}
}

// expand lists what the options of a decision lead to.
func (e *plyExpert[S]) expand(s S) {
	who := e.k.rules.Turn(s)
	e.legal = e.k.rules.Legal(e.legal[:0], s)
	for _, a := range e.legal {
		o := plyOption[S]{after: e.apply(s, a), from: int32(len(e.branch))}
		clear(e.follows)
		if e.k.rules.Turn(o.after) == game.Chance {
			e.roll = e.k.rules.Outcomes(e.roll[:0], o.after)
			for _, x := range e.roll {
				next, _ := e.k.canonical(x.State)
				e.follow(next, who, x.Prob)
			}
		} else {
			e.follow(o.after, who, 1)
		}
		o.to = int32(len(e.branch))
		e.options = append(e.options, o)
	}
}

// follow adds a branch: the decision in s with its moves, or s itself where
// nobody is to decide. The last to have moved sees the latter.
func (e *plyExpert[S]) follow(s S, last game.Player, prob float64) {
	if k, ok := e.follows[s]; ok {
		e.branch[k].prob += prob
		return
	}
	e.follows[s] = int32(len(e.branch))
	b := branch{prob: prob, mover: game.Nobody, from: int32(len(e.move))}
	if who := e.k.rules.Turn(s); who >= 0 {
		b.mover = who
		var acts [64]game.Action
		for _, a := range e.k.rules.Legal(acts[:0], s) {
			e.move = append(e.move, e.leafOf(e.apply(s, a), who))
		}
	} else {
		e.move = append(e.move, e.leafOf(s, last))
	}
	b.to = int32(len(e.move))
	e.branch = append(e.branch, b)
}

// leafOf numbers a state just after a move.
func (e *plyExpert[S]) leafOf(s S, mover game.Player) int32 {
	key := moved[S]{s, mover}
	if k, ok := e.id[key]; ok {
		return k
	}
	l := leaf{viewer: mover, asked: -1}
	if e.k.rules.Turn(s) == game.Nobody {
		l.known = e.k.rules.Returns(nil, s)
	} else {
		l.asked = int32(len(e.obs) / e.d)
		e.obs = e.see(e.obs, s, mover)
	}
	k := int32(len(e.leaf))
	e.leaf = append(e.leaf, l)
	e.id[key] = k
	return k
}

// backUp fills value [P] with what an option is worth.
func (e *plyExpert[S]) backUp(o plyOption[S]) {
	p := e.spec.Players
	e.value = resize(e.value, p)
	clear(e.value)
	for _, b := range e.branch[o.from:o.to] {
		best := e.move[b.from]
		if b.mover >= 0 {
			most := e.of(best, b.mover)
			for _, k := range e.move[b.from+1 : b.to] {
				if v := e.of(k, b.mover); v > most+game.Tie {
					best, most = k, v
				}
			}
		}
		for j := range e.value {
			e.value[j] += b.prob * e.of(best, game.Player(j))
		}
	}
}

// of is what a leaf is worth to a seat.
func (e *plyExpert[S]) of(k int32, seat game.Player) float64 {
	l := &e.leaf[k]
	if l.asked < 0 {
		return l.known[seat]
	}
	return e.seat(int(l.asked), l.viewer, seat)
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
	rest, err := e.restoreState(src)
	if err != nil {
		return err
	}
	if len(rest) != 4*len(e.moves) {
		return fmt.Errorf("env: %d bytes of move counts for %d rows", len(rest), len(e.moves))
	}
	if _, err := binary.Decode(rest, binary.LittleEndian, e.moves); err != nil {
		return err
	}
	for i, s := range e.state {
		if e.k.rules.Turn(s) < 0 {
			return fmt.Errorf("env: row %d holds a state in which nobody acts", i)
		}
	}
	return nil
}
