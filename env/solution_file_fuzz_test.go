package env_test

import (
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
)

// solvedGames are small games with their values at the start. It adds their solution files as
// seeds.
func solvedGames(f *testing.F) (games []env.Game, want [][]float64) {
	for i, config := range []string{
		`{"dice": 2, "target": 2}`,
		`{"dice": 3, "target": 4, "players": 3}`,
		`{"dice": 3, "target": 5, "players": 1}`,
	} {
		g, err := catalog.Open("martian-dice", 0, []byte(config))
		if err != nil {
			f.Fatal(err)
		}
		dir := f.TempDir()
		s, err := g.SolveCached(f.Context(), dir, nil, func(err error) { f.Error(err) })
		if err != nil {
			f.Fatal(err)
		}
		v, err := s.Value(g.Initial())
		if err != nil {
			f.Fatal(err)
		}
		b, err := os.ReadFile(env.SolutionFile(dir, g.Spec()))
		if err != nil {
			f.Fatal(err)
		}
		games, want = append(games, g), append(want, v)
		f.Add(uint8(i), b)
		f.Add(uint8(i), b[:len(b)-8])
	}
	return games, want
}

// asItShouldBe returns the file with the SHA-256 that it should have.
func asItShouldBe(t *testing.T, file []byte) []byte {
	return rehashed(t, file, func(head, _ []byte) []byte { return head })
}

// FuzzSolutionFile solves small games with any solution file in the folder, once as it
// is and once with the SHA-256 that it should have. The file is refused, or the
// solution is right.
func FuzzSolutionFile(f *testing.F) {
	games, want := solvedGames(f)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, which uint8, file []byte) {
		i := int(which) % len(games)
		g := games[i]
		path := env.SolutionFile(dir, g.Spec())
		for _, b := range [][]byte{file, asItShouldBe(t, file)} {
			os.Remove(path) // file systems wait for the disk where a file is written anew in place
			if err := os.WriteFile(path, b, 0o666); err != nil {
				t.Fatal(err)
			}
			s, err := g.SolveCached(t.Context(), dir, nil, func(err error) { t.Error(err) })
			if err != nil {
				if !errors.Is(err, env.ErrSolutionFile) {
					t.Errorf("error %v; want one that wraps ErrSolutionFile", err)
				}
				continue
			}
			v, err := s.Value(g.Initial())
			if err != nil {
				t.Fatal(err)
			}
			for k := range v {
				if !(math.Abs(v[k]-want[i][k]) <= 1e-4) { // the residual of a file may be 10⁻⁶
					t.Errorf("with the file %q the game has the values %v; want %v", b, v, want[i])
				}
			}
		}
	})
}

// FuzzDecodeSolution decodes any content of a solution file, once as it is and once with the
// SHA-256 that it should have. It is refused, or what it holds can be asked for.
func FuzzDecodeSolution(f *testing.F) {
	games, want := solvedGames(f)
	f.Fuzz(func(t *testing.T, which uint8, file []byte) {
		i := int(which) % len(games)
		g := games[i]
		for _, b := range [][]byte{file, asItShouldBe(t, file)} {
			s, err := g.DecodeSolution(t.Context(), slices.Clone(b))
			if err != nil {
				if !errors.Is(err, env.ErrSolutionFile) {
					t.Errorf("error %v; want one that wraps ErrSolutionFile", err)
				}
				continue
			}
			v, err := s.Value(g.Initial())
			if err != nil || len(v) != len(want[i]) {
				t.Errorf("the values are %v, %v", v, err)
			}
			for _, o := range g.Initial().Outcomes() {
				if options, err := s.Options(o.State); err != nil || len(options) != len(o.State.Legal()) {
					t.Errorf("in %s the options are %v, %v", o.State, options, err)
				}
			}
		}
	})
}
