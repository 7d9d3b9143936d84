package pig_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/env/pig"
	"marsgym/internal/test/golden"
)

func rules(t testing.TB, players, target int) *pig.Rules {
	t.Helper()
	r, err := pig.New(pig.Config{Players: players, Target: target})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func parse(t testing.TB, r *pig.Rules, text string) pig.State {
	t.Helper()
	s, err := r.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContract(t *testing.T) {
	for _, cfg := range []pig.Config{pig.DefaultConfig(), {Players: 3, Target: 100}, {Players: 10, Target: 20}, {Players: 2, Target: 250}, {Players: 2, Target: 2}} {
		t.Run(fmt.Sprint(cfg), func(t *testing.T) {
			r, err := pig.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if err := gametest.Check(r, gametest.Games(20)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestApply(t *testing.T) {
	r := rules(t, 2, 100)
	for _, test := range []struct {
		rule, position string
		action         game.Action
		want           string
	}{
		{"a turn begins with a roll", "0-0@0", pig.Roll, "0-0@0 rolling"},
		{"the player chooses to roll again", "37-52@0 turn 14", pig.Roll, "37-52@0 turn 14 rolling"},
		{"a player who holds adds the turn total and passes", "37-52@0 turn 14", pig.Hold, "51-52@1"},
		{"the last seat passes to the first", "37-52@1 turn 40", pig.Hold, "37-92@0"},
	} {
		got, err := r.Apply(parse(t, r, test.position), test.action)
		if err != nil || r.Format(got) != test.want {
			t.Errorf("%s: from %s got %s, %v; want %s", test.rule, test.position, r.Format(got), err, test.want)
		}
	}
}

func TestIllegal(t *testing.T) {
	r := rules(t, 2, 100)
	for _, test := range []struct {
		rule, position string
		action         game.Action
		want           error
		text           string
	}{
		{"a turn begins with a roll", "37-52@0", pig.Hold, game.ErrIllegalAction, "a turn begins with a roll"},
		{"the die is rolled first", "37-52@0 turn 14 rolling", pig.Hold, game.ErrIllegalAction, "the die is to be rolled first"},
		{"there are two actions", "37-52@0 turn 14", 2, game.ErrIllegalAction, "there is no action 2"},
		{"the first to 100 wins", "37-103 over 1", pig.Roll, game.ErrGameOver, "the game is over"},
	} {
		before := parse(t, r, test.position)
		if got, err := r.Apply(before, test.action); !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) || got != before {
			t.Errorf("%s: from %s got %s, error %v; want %v, %q", test.rule, test.position, r.Format(got), err, test.want, test.text)
		}
	}
}

func TestOutcomes(t *testing.T) {
	r := rules(t, 3, 100)
	for _, test := range []struct {
		rule, position string
		want           string // after 1, 2, 3, 4, 5, 6
	}{
		{"a 1 scores nothing and passes, others add", "37-52-0@1 turn 14 rolling",
			"37-52-0@2, 37-52-0@1 turn 16, 37-52-0@1 turn 17, 37-52-0@1 turn 18, 37-52-0@1 turn 19, 37-52-0@1 turn 20"},
		{"a turn total that reaches the target wins", "37-52-80@2 turn 16 rolling",
			"37-52-80@0, 37-52-80@2 turn 18, 37-52-80@2 turn 19, 37-52-100 over 2, 37-52-101 over 2, 37-52-102 over 2"},
	} {
		var got []string
		for _, o := range r.Outcomes(nil, parse(t, r, test.position)) {
			got = append(got, r.Format(o.State))
		}
		if text := strings.Join(got, ", "); text != test.want {
			t.Errorf("%s: from %s\n got %s\nwant %s", test.rule, test.position, text, test.want)
		}
	}
}

func TestReturns(t *testing.T) {
	for _, test := range []struct {
		players  int
		position string
		want     []float64
	}{
		{2, "99-99@0", []float64{0, 0}},
		{2, "100-99 over 0", []float64{1, -1}},
		{3, "2-105-99 over 1", []float64{-0.5, 1, -0.5}},
	} {
		r := rules(t, test.players, 100)
		if got := r.Returns(nil, parse(t, r, test.position)); !slices.Equal(got, test.want) {
			t.Errorf("%s pays %v, want %v", test.position, got, test.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	r := rules(t, 2, 100)
	for _, test := range []struct{ text, want string }{
		{"", "empty"},
		{"37@0", "1 scores for 2 players"},
		{"37-52", "no seat to move"},
		{"37-x@0", `score "x"`},
		{"37--5@0", "3 scores"},
		{"37-52@2", `seat "2"`},
		{"37-106@0", `score "106"`},
		{"1-52@0", "no turn scores 1 point"},
		{"37-52@0 turn 1", "turn total of 1"},
		{"37-52@0 turn 63", "has won with its turn total"},
		{"37-52@0 turn", `"turn" has no meaning`},
		{"37-52@0 held", `"held" has no meaning`},
		{"37-100@0", "seat 1 has won"},
		{"37-52 over 1", "cannot have won with 52"},
		{"100-100 over 1", "seat 0 has won"},
		{"37-100 over 2", `seat "2"`},
	} {
		if s, err := r.Parse(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q became %+v, error %v; want one that contains %q", test.text, s, err, test.want)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := pig.DefaultConfig().Validate(); err != nil {
		t.Errorf("the default is refused: %v", err)
	}
	_, err := pig.New(pig.Config{Players: 1, Target: 251})
	for _, want := range []string{"players is 1; want 2 to 10", "target is 251; want 2 to 250"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one that contains %q", err, want)
		}
	}
}

func TestEncode(t *testing.T) {
	r := rules(t, 3, 100)
	for _, test := range []struct {
		position string
		viewer   game.Player
		want     []float32
	}{
		{"10-20-30@0 turn 40", 0, []float32{0.1, 0.2, 0.3, 1, 0, 0, 0.4, 0, 0}},
		{"10-20-30@0 turn 40 rolling", 1, []float32{0.2, 0.3, 0.1, 0, 0, 1, 0.4, 1, 0}},
		{"10-20-100 over 2", 1, []float32{0.2, 1, 0.1, 0, 1, 0, 0, 0, 1}},
	} {
		got := make([]float32, r.Spec().ObsLen())
		r.Encode(got, parse(t, r, test.position), test.viewer)
		for i, want := range test.want {
			if !(math.Abs(float64(got[i]-want)) <= 1e-6) {
				t.Errorf("seat %d sees %v of %s, want %v", test.viewer, got, test.position, test.want)
				break
			}
		}
	}
	n := testing.AllocsPerRun(100, func() { r.Encode(make([]float32, 9), pig.State{}, 0) })
	if n != 0 {
		t.Errorf("%v allocations in Encode, want 0", n)
	}
}

// Distinct points must stay distinct when scaled.
func TestEncodeDistinct(t *testing.T) {
	r := rules(t, 2, 250)
	seen := make(map[float32]int)
	obs := make([]float32, r.Spec().ObsLen())
	for n := range 256 {
		s := pig.State{Score: [10]uint8{uint8(n)}}
		r.Encode(obs, s, 0)
		if m, ok := seen[obs[0]]; ok {
			t.Errorf("%d and %d points have the same observation", m, n)
		}
		seen[obs[0]] = n
	}
}

// TestTranscript plays one seeded game: seat 0 is greedy, seat 1 plays at random. Each
// line is a position and the action, if any.
func TestTranscript(t *testing.T) {
	r := rules(t, 2, 100)
	greedy, err := r.Bot("greedy")
	if err != nil {
		t.Fatal(err)
	}
	dice, choices := rand.NewPCG(1, 0), rand.New(rand.NewPCG(1, 1))
	var b bytes.Buffer
	row := make([]float64, 2)
	for s := r.Initial(); ; {
		switch r.CurrentPlayer(s) {
		case game.Terminal:
			fmt.Fprintf(&b, "%-28s %v\n", r.Format(s), r.Returns(nil, s))
			golden.Check(t, "game.txt", b.Bytes())
			return
		case game.Chance:
			fmt.Fprintf(&b, "%s\n", r.Format(s))
			s = r.Sample(s, dice)
		default:
			legal := r.Legal(nil, s)
			a := legal[choices.IntN(len(legal))]
			if r.CurrentPlayer(s) == 0 {
				if err := greedy.Probs(row, []pig.State{s}); err != nil {
					t.Fatal(err)
				}
				a = game.Action(slices.Index(row, 1))
			}
			fmt.Fprintf(&b, "%-28s %s\n", r.Format(s), r.ActionName(a))
			if s, err = r.Apply(s, a); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	r, err := pig.New(pig.DefaultConfig())
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"0-0@0", "37-52@0 turn 14", "37-52@1 turn 14 rolling", "37-103 over 1", "", "-@"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := r.Parse(text)
		if err != nil {
			return
		}
		if again, err := r.Parse(r.Format(s)); err != nil || again != s {
			t.Errorf("%q became %+v, and written %q: %+v, %v", text, s, r.Format(s), again, err)
		}
		for _, a := range r.Legal(nil, s) {
			if _, err := r.Apply(s, a); err != nil {
				t.Errorf("in %q legal action %d gives %v", r.Format(s), a, err)
			}
		}
	})
}

// FuzzApply plays games of any size. Each of up to 256 bytes is an action, legal or not,
// or a roll.
func FuzzApply(f *testing.F) {
	f.Add(2, 100, bytes.Repeat([]byte{0, 5, 0, 4, 1}, 50))
	f.Add(10, 250, bytes.Repeat([]byte{0, 5}, 120))
	f.Add(3, 2, []byte{1, 0, 0, 7, 0, 1})
	f.Fuzz(func(t *testing.T, players, target int, moves []byte) {
		r, err := pig.New(pig.Config{Players: players, Target: target})
		if err != nil {
			return
		}
		s := r.Initial()
		for _, b := range moves[:min(len(moves), 256)] {
			if back, err := r.Parse(r.Format(s)); err != nil || back != s {
				t.Fatalf("%+v is written %q and read %+v, error %v", s, r.Format(s), back, err)
			}
			if r.CurrentPlayer(s) == game.Chance {
				faces := r.Outcomes(nil, s)
				s = faces[int(b)%len(faces)].State
				continue
			}
			a := game.Action(b%4) - 1 // -1 to 2
			next, err := r.Apply(s, a)
			switch legal := slices.Contains(r.Legal(nil, s), a); {
			case r.CurrentPlayer(s) == game.Terminal:
				if !errors.Is(err, game.ErrGameOver) || next != s {
					t.Fatalf("at %s, the end, action %d gave %s, error %v", r.Format(s), a, r.Format(next), err)
				}
				return
			case !legal:
				if !errors.Is(err, game.ErrIllegalAction) || next != s {
					t.Fatalf("at %s the illegal action %d gave %s, error %v", r.Format(s), a, r.Format(next), err)
				}
			case err != nil:
				t.Fatalf("at %s action %d: %v", r.Format(s), a, err)
			}
			s = next
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	r := rules(b, 2, 100)
	obs := make([]float32, r.Spec().ObsLen())
	s := parse(b, r, "37-52@1 turn 14")
	for b.Loop() {
		r.Encode(obs, s, 1)
	}
}

func BenchmarkBatch(b *testing.B) {
	const rows = 256
	batch := env.NewVec(rules(b, 2, 100), rows, 0)
	batch.Reset(1)
	buf := batch.Buffers()
	d := batch.Spec().ObsLen()
	for b.Loop() {
		for i := range rows {
			buf.Action[i] = pig.Roll
			if buf.Obs[(i+1)*d-3] >= 0.2 { // the turn total
				buf.Action[i] = pig.Hold
			}
		}
		if err := batch.Step(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*rows/b.Elapsed().Seconds(), "decisions/s")
}
