package testgames

import (
	"fmt"
	"strings"

	"marsgym/env/game"
	"marsgym/env/tablegame"
)

// TicTacToe returns tic-tac-toe as a table of its 5,478 positions. The 27 numbers of an observation
// mark empty cells, noughts and crosses.
func TicTacToe() *tablegame.Table {
	t := &tablegame.Table{Name: "tic_tac_toe", About: "three in a row", Players: 2, Actions: 9}
	t.Observation.Seats, t.Observation.Len = 1, 27
	t.Returns = []float64{0, 0, 1, -1, -1, 1}
	for a := range 9 {
		t.ActionText.Append(fmt.Sprintf("%c%d", 'a'+a%3, 3-a/3))
	}
	type board [9]uint8 // 0 empty, 1 nought, 2 cross
	number := map[board]uint32{{}: 0}
	list := []board{{}}
	for i := 0; i < len(list); i++ {
		b := list[i]
		marks, won := 0, uint8(0)
		var planes [27]uint8
		var text strings.Builder
		for c, mark := range b {
			if mark > 0 {
				marks++
			}
			planes[int(mark)*9+c] = 1
			text.WriteByte(".ox"[mark])
			if c%3 == 2 && c < 8 {
				text.WriteByte('\n')
			}
		}
		t.Observation.Bytes = append(t.Observation.Bytes, planes[:]...)
		t.StateText.Append(text.String())
		for _, l := range [][3]int{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}} {
			if b[l[0]] > 0 && b[l[0]] == b[l[1]] && b[l[1]] == b[l[2]] {
				won = b[l[0]]
			}
		}
		if won > 0 || marks == 9 {
			t.Mover, t.First, t.Count = append(t.Mover, game.Terminal), append(t.First, []uint32{0, 2, 1}[won]), append(t.Count, 0)
			continue
		}
		t.Mover, t.First, t.Count = append(t.Mover, game.Player(marks%2)), append(t.First, uint32(len(t.Next))), append(t.Count, uint16(9-marks))
		for c, mark := range b {
			if mark > 0 {
				continue
			}
			next := b
			next[c] = uint8(2 - marks%2)
			n, ok := number[next]
			if !ok {
				n = uint32(len(list))
				number[next], list = n, append(list, next)
			}
			t.Action, t.Next = append(t.Action, uint16(c)), append(t.Next, n)
		}
	}
	return t
}

// NewTicTacToe returns the rules of [TicTacToe].
func NewTicTacToe() *tablegame.Rules {
	r, err := tablegame.New(TicTacToe())
	if err != nil {
		panic(err)
	}
	return r
}

// NewShares returns the rules of a table whose returns are not shares of a win: seat 0 leaves seat 1
// half a point of 3, or loses one and leaves it 2.
func NewShares() *tablegame.Rules {
	r, err := tablegame.New(&tablegame.Table{
		Name: "shares", Players: 2, Actions: 2,
		Graph: tablegame.Graph{
			Mover: []game.Player{0, game.Terminal, game.Terminal}, First: []uint32{0, 0, 1}, Count: []uint16{2, 0, 0},
			Next: []uint32{1, 2}, Returns: []float64{3, 0.5, -1, 2},
		},
		Action: []uint16{0, 1},
	})
	if err != nil {
		panic(err)
	}
	return r
}

// List returns the table of a game, with its states in the order in which they are found. If observed, it
// has the observations of the game.
func List[S comparable](name string, rules game.Rules[S], observed bool) *tablegame.Table {
	spec := rules.Spec()
	t := &tablegame.Table{Name: name, Players: spec.Players, Actions: spec.Actions, MoveLimit: spec.MoveLimit}
	start := rules.Initial()
	number, list := map[S]uint32{start: 0}, []S{start}
	find := func(s S) uint32 {
		n, ok := number[s]
		if !ok {
			n = uint32(len(list))
			number[s], list = n, append(list, s)
		}
		return n
	}
	if observed {
		t.Observation.Seats, t.Observation.Len = spec.Players, spec.ObsLen()
	}
	obs := make([]float32, spec.ObsLen())
	for i := 0; i < len(list); i++ {
		s := list[i]
		mover, first, n := rules.CurrentPlayer(s), 0, 0
		switch mover {
		case game.Terminal:
			first = len(t.Returns) / spec.Players
			t.Returns = rules.Returns(t.Returns, s)
		case game.Chance:
			first = len(t.Outcome)
			for _, o := range rules.Outcomes(nil, s) {
				t.Outcome, t.Probability = append(t.Outcome, find(o.State)), append(t.Probability, o.Prob)
			}
			n = len(t.Outcome) - first
		default:
			first = len(t.Next)
			for _, a := range rules.Legal(nil, s) {
				next, err := rules.Apply(s, a)
				if err != nil {
					panic(err)
				}
				t.Action, t.Next = append(t.Action, uint16(a)), append(t.Next, find(next))
			}
			n = len(t.Next) - first
		}
		t.Mover, t.First, t.Count = append(t.Mover, mover), append(t.First, uint32(first)), append(t.Count, uint16(n))
		for seat := range t.Observation.Seats {
			rules.Encode(obs, s, game.Player(seat))
			t.Observation.Floats = append(t.Observation.Floats, obs...)
		}
	}
	return t
}
