package tablegame_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/tablegame"
	"marsgym/internal/tensorfile"
)

// coin is a small table: seat 0 may leave, or toss a coin that gives the move to seat 1, who ends the
// game or gives the coin back.
func coin() *tablegame.Table {
	return &tablegame.Table{
		Name: "coin", Players: 2, Actions: 3,
		Graph: tablegame.Graph{
			Mover: []game.Player{0, -1, 1, -2, -2},
			First: []uint32{0, 0, 2, 0, 1}, Count: []uint16{2, 2, 2, 0, 0},
			Next: []uint32{3, 1, 1, 4}, Outcome: []uint32{2, 3}, Probability: []float64{0.25, 0.75},
			Returns: []float64{1, -1, -1, 1},
		},
		Action: []uint16{0, 2, 0, 1},
	}
}

// luck makes a coin begin with two draws of chance: with probability p it then goes on, else it ends.
func luck(x *tablegame.Table, p float64) {
	x.Mover, x.First, x.Count = append(x.Mover, 0), append(x.First, 0), append(x.Count, 2)
	x.Mover[0], x.First[0], x.Count[0] = -1, 2, 1
	x.Outcome, x.Probability = append(x.Outcome, 1), append(x.Probability, 1)
	x.Probability[0], x.Probability[1] = p, 1-p
}

// TestLuck: a game that comes to a decision rarely, but often enough, starts in a batch.
func TestLuck(t *testing.T) {
	x := coin()
	luck(x, 0.06)
	x.MoveLimit = 2
	env.NewVec(listed(t, x), 64, 0).Reset(1)
}

// TestInconsistent: each fault of a table is refused by an error that names the state.
func TestInconsistent(t *testing.T) {
	if _, err := tablegame.New(coin()); err != nil {
		t.Fatal(err)
	}
	observe := func(seats, n int, floats ...float32) func(*tablegame.Table) {
		return func(x *tablegame.Table) {
			x.Observation = tablegame.Observation{Seats: seats, Len: n, Floats: floats}
		}
	}
	for _, tt := range []struct {
		change func(x *tablegame.Table)
		want   string
	}{
		{func(x *tablegame.Table) { x.Name = "Coin!" }, `the name is "Coin!"; want up to 64 lower-case letters`},
		{func(x *tablegame.Table) { x.About = "a\x1b[2J" }, "the line about the game is"},
		{func(x *tablegame.Table) { x.Players = 0 }, "it is for 0 players; want 1 to 127"},
		{func(x *tablegame.Table) { x.Actions = 70_000 }, "it has 70000 action numbers; want 1 to 65536"},
		{func(x *tablegame.Table) { x.MoveLimit = -1 }, "the limit of moves is -1"},
		{func(x *tablegame.Table) { x.Graph = tablegame.Graph{} }, "it has 0 states"},
		{func(x *tablegame.Table) { x.First = x.First[:4] }, "player has 5 states, first 4 and count 5; want as many"},
		{func(x *tablegame.Table) { x.Action = x.Action[:3] }, "action has 3 numbers and next 4; want as many"},
		{func(x *tablegame.Table) { x.Outcome = x.Outcome[:1] }, "outcome has 1 numbers and probability 2; want as many"},
		{func(x *tablegame.Table) { x.Returns = x.Returns[:3] }, "returns has 3 numbers; want rows of 2"},
		{func(x *tablegame.Table) { x.Mover[2] = 2 }, "state 2: the player is 2; want a seat from 0 to 1, -1 for chance or -2 at the end"},
		{func(x *tablegame.Table) { x.Mover[0] = -3 }, "state 0: the player is -3"},
		{func(x *tablegame.Table) { x.Count[3] = 1 }, "state 3 is an end with 1 successors; want none"},
		{func(x *tablegame.Table) { x.First[4] = 2 }, "state 4 is an end with row 2 of returns, and there are 2"},
		{func(x *tablegame.Table) { x.Count[1] = 0 }, "state 1 is a chance state without outcomes"},
		{func(x *tablegame.Table) { x.Count[2] = 0 }, "state 2 has no legal action for seat 1"},
		{func(x *tablegame.Table) { x.First[1] = 1 }, "state 1 has outcomes 1 to 2, and there are 2"},
		{func(x *tablegame.Table) { x.Count[2] = 3 }, "state 2 has actions 2 to 4 of the list, and it has 4"},
		{func(x *tablegame.Table) { x.Action, x.First[2], x.Count[2] = []uint16{0, 1, 2, 0}, 0, 3 }, "state 2 shares actions or outcomes with another"},
		{func(x *tablegame.Table) { x.Next[3] = 5 }, "state 2 leads to state 5, which is missing: the last is 4"},
		{func(x *tablegame.Table) { x.Outcome[0] = 9 }, "state 1 leads to state 9, which is missing"},
		{func(x *tablegame.Table) { x.Action[3] = 3 }, "state 2 has action 3; want 0 to 2"},
		{func(x *tablegame.Table) { x.Action[1] = 0 }, "state 0 has action 0 after 0; want ascending numbers, each once"},
		{func(x *tablegame.Table) { x.Probability[1] = 0.74 }, "state 1: the probabilities of its outcomes sum to 0.99; want 1"},
		{func(x *tablegame.Table) { x.Probability[0], x.Probability[1] = 0, 1 }, "state 1 has an outcome of probability 0"},
		{func(x *tablegame.Table) { x.Probability[0] = math.NaN() }, "state 1 has an outcome of probability NaN"},
		{func(x *tablegame.Table) { x.Outcome[1] = 2 }, "state 1 has two outcomes that lead to state 2; list it once"},
		{func(x *tablegame.Table) { x.Returns[3] = math.Inf(1) }, "state 4 ends with a return of +Inf for seat 1; want a finite number"},
		{func(x *tablegame.Table) { x.Returns = append(x.Returns, math.NaN(), 0) }, "row 2 of the returns, which no state has, holds NaN"},
		{func(x *tablegame.Table) {
			x.Outcome, x.Probability, x.Count[1], x.Next[3] = []uint32{2}, []float64{1}, 1, 2
		},
			"state 1: no play leads from it to an end, so it is in, or leads to, a cycle of forced moves"},
		{func(x *tablegame.Table) { x.Outcome[0] = 1 }, "state 1: chance leads back to it without a decision"},
		{func(x *tablegame.Table) { x.Mover[0], x.Count[0] = -2, 0 }, "from state 0 a seat comes to move with a probability of 0 within 10000 draws of chance; want at least 0.05"},
		{func(x *tablegame.Table) { luck(x, 1e-4) }, "from state 0 a seat comes to move with a probability of 0.0001 within 10000 draws"},
		{func(x *tablegame.Table) { luck(x, 0.5); x.MoveLimit = 1 }, "from state 0 a seat comes to move with a probability of 0 within 1 draws of chance; want at least 0.05"},
		{observe(3, 1, make([]float32, 15)...), "each state has observations of 3 seats; want 1 for all, or 2"},
		{observe(1, 2, make([]float32, 9)...), "the observations have 9 numbers; want 10: 5 states of 1 seats with 2 each"},
		{observe(1, 1, 0, 1, 2, float32(math.NaN()), 4), "state 3: number 0 of its observation is NaN"},
		{func(x *tablegame.Table) { x.StateText.Append("start") }, "there are 1 texts of states; want 5"},
		{func(x *tablegame.Table) { x.ActionText = tablegame.Texts{Bytes: []byte("abc"), End: []uint64{1, 3, 2}} }, "the text of action 2 ends at byte 2; want 3 to 3"},
		{func(x *tablegame.Table) {
			for range 5 {
				x.StateText.Append("a\x1b[2J")
			}
		}, "the text of state 0 is no UTF-8, or has control characters"},
	} {
		x := coin()
		tt.change(x)
		if _, err := tablegame.New(x); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v; want %q", err, tt.want)
		}
	}
}

// TestUnreachable: states that no play reaches are played, and warned of.
func TestUnreachable(t *testing.T) {
	x := coin()
	x.Next[1] = 4
	r := listed(t, x)
	if got, want := r.Warning(), "coin.game: no play leads to 2 of 5 states, the first of which is state 1"; got != want {
		t.Errorf("%q; want %q", got, want)
	}
	if got := listed(t, coin()).Warning(); got != "" {
		t.Errorf("without such states: %q", got)
	}
}

// TestDigits: a table whose states are too many for one-hot observations is played, and warned of.
func TestDigits(t *testing.T) {
	for n, want := range map[int]bool{1 << 14: false, 1<<14 + 1: true} {
		if got := listed(t, large(n)).Warning(); strings.Contains(got, "number of a state in binary digits") != want {
			t.Errorf("%d states: %q; want %v", n, got, want)
		}
	}
}

// save writes the table of a coin, and returns the path and the content.
func save(t *testing.T) (path string, content []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "coin.game")
	if err := listed(t, coin()).Save(path); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, content
}

// TestDamaged: a file with one changed byte, or without its end, is refused, and so is what is no file of
// a table.
func TestDamaged(t *testing.T) {
	path, content := save(t)
	load := func(b []byte, want string) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := tablegame.Load(path); !errors.Is(err, tablegame.ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	for i := range content {
		changed := bytes.Clone(content)
		changed[i] ^= 1
		load(changed, "")
	}
	for n := range content {
		load(content[:n], "")
	}
	load(append(bytes.Clone(content), 0), "it is truncated, or its content has changed since it was written; copy it again, or make it again")
	load([]byte(strings.Repeat("no table ", 100)), "it is not a safetensors file, or truncated; give the path")
	if _, err := tablegame.Load(t.TempDir()); !errors.Is(err, tablegame.ErrFormat) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := tablegame.Load(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestForeign: files that other programs write with the right SHA-256 are refused if their metadata or
// tensors are not those of a table.
func TestForeign(t *testing.T) {
	metadata := func(change map[string]string) map[string]string {
		md := map[string]string{"format": "marsgym.table.1", "name": "coin", "players": "2", "actions": "3"}
		for key, v := range change {
			md[key] = v
		}
		return md
	}
	x := coin()
	seats := []uint8{0, 255, 1, 254, 254}
	tensors := func(change ...tensorfile.Tensor) []tensorfile.Tensor {
		list := []tensorfile.Tensor{
			tensorfile.NewTensor("player", "I8", []int{5}, seats), tensorfile.NewTensor("first", "U32", []int{5}, x.First), tensorfile.NewTensor("count", "U16", []int{5}, x.Count),
			tensorfile.NewTensor("action", "U16", []int{4}, x.Action), tensorfile.NewTensor("next", "U32", []int{4}, x.Next),
			tensorfile.NewTensor("outcome", "U32", []int{2}, x.Outcome), tensorfile.NewTensor("probability", "F64", []int{2}, x.Probability),
			tensorfile.NewTensor("returns", "F64", []int{2, 2}, x.Returns),
		}
	changes:
		for _, c := range change {
			for i := range list {
				if list[i].Name == c.Name {
					list[i] = c
					continue changes
				}
			}
			list = append(list, c)
		}
		return list
	}
	for _, tt := range []struct {
		metadata map[string]string
		tensors  []tensorfile.Tensor
		want     string
	}{
		{metadata(nil), tensors(), ""},
		{metadata(map[string]string{"format": "marsgym.table.2"}), tensors(), `its format is "marsgym.table.2"; this release reads marsgym.table.1`},
		{metadata(map[string]string{"players": "two"}), tensors(), `players is "two"; want a number`},
		{metadata(map[string]string{"players": "4"}), tensors(), "its tensor returns has rows of 2; want 4"},
		{metadata(nil), tensors()[1:], "it has no tensor player"},
		{metadata(nil), tensors(tensorfile.NewTensor("first", "F32", []int{5}, make([]float32, 5))), "its tensor first is of type F32; want U32"},
		{metadata(nil), tensors(tensorfile.NewTensor("first", "U32", []int{5, 1}, x.First)), "its tensor first has the shape [5 1]; want 1 dimensions"},
		{metadata(nil), tensors(tensorfile.NewTensor("values", "F64", []int{1}, []float64{1})), `it has a tensor "values", which no table of this format has`},
		{metadata(nil), tensors(tensorfile.NewTensor("next", "U32", []int{4}, []uint32{3, 1, 1, 9})), "state 2 leads to state 9, which is missing"},
		{metadata(nil), tensors(tensorfile.NewTensor("state_text", "U8", []int{1}, []uint8{'a'})), "it has no tensor state_text_end"},
		{metadata(nil), tensors(tensorfile.NewTensor("observation", "U8", []int{5, 1}, make([]uint8, 5))), "its tensor observation has the shape [5 1]; want 3 dimensions"},
		{metadata(nil), tensors(tensorfile.NewTensor("observation", "U8", []int{5, 1, 0}, []uint8{})), "an observation has 0 numbers; want 1 or more"},
	} {
		var b bytes.Buffer
		sum, err := tensorfile.Sum(tt.metadata, tt.tensors)
		if err == nil {
			err = tensorfile.Write(&b, sum, tt.metadata, tt.tensors)
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "coin.game")
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := tablegame.Load(path)
		switch {
		case tt.want != "":
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v; want %q", err, tt.want)
			}
		case err != nil:
			t.Error(err)
		case r.Digest() != listed(t, coin()).Digest():
			t.Error("tensors in another order have another digest than the same table")
		}
	}
}

// TestSaveOverwritesNothing: an existing file stays as it is, and the same table is no error.
func TestSaveOverwritesNothing(t *testing.T) {
	path, content := save(t)
	if err := listed(t, coin()).Save(path); err != nil {
		t.Errorf("the same table: %v", err)
	}
	other := coin()
	other.Probability[0], other.Probability[1] = 0.5, 0.5
	if err := listed(t, other).Save(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("another table: %v; want %v", err, fs.ErrExist)
	}
	if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, content) {
		t.Errorf("the file has changed: %v", err)
	}
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 {
		t.Errorf("%d files, %v; want 1", len(list), err)
	}
	if listed(t, other).Digest() == listed(t, coin()).Digest() {
		t.Error("tables with other probabilities have the same digest")
	}
}
