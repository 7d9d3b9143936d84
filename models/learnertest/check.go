// Package learnertest tests implementations of [models.Learner], as testing/fstest tests
// file systems.
package learnertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"marsgym/models"
)

// New returns a learner of a network.
type New func(*models.MLP, models.AdamConfig) (models.Learner, error)

// checks are the requirements that Check tests.
var checks = []struct {
	name string
	run  func(New) error
}{
	{"gradient equals finite differences", gradients},
	{"gradients of shards add up", shards},
	{"Fit takes a step of Adam", steps},
	{"loss is called with the outputs of Forward", outputs},
	{"Fit reduces the loss", learns},
	{"repeated run gives the same bits", repeats},
	{"resumed run gives the same bits", resumes},
	{"gradient that is not finite changes nothing", diverges},
	{"invalid arguments are errors and change nothing", refuses},
}

// Check returns an error that names all requirements of [models.Learner] that the
// learners of new violate, or nil. The learners must run on the same machine under the
// same settings, since Check compares their bits.
func Check(new New) error {
	var errs []error
	for _, c := range checks {
		if err := attempt(c.run, new); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.name, err))
		}
	}
	return errors.Join(errs...)
}

// attempt calls run and returns a panic as an error.
func attempt(run func(New) error, new New) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return run(new)
}

var shapes = []models.Shape{
	{Obs: 11, Hidden: []int{16, 12}, Head: models.Score, Actions: 6, Players: 2},
	{Obs: 7, Hidden: []int{9}, Head: models.Logits, Actions: 5, Players: 3},
	{Obs: 1, Hidden: []int{1}, Head: models.Score, Actions: 1, Players: 1},
	{Obs: 5, Hidden: []int{17, 1, 33}, Head: models.Logits, Actions: 1, Players: 4},
}

// settings have clipping, and an Eps so large that rounding errors of a small gradient do
// not change a step much.
var settings = models.AdamConfig{Beta1: 0.8, Beta2: 0.95, Eps: 1e-3, MaxGradNorm: 1}

func gradients(new New) error {
	for _, s := range shapes {
		mlp, r := network(s, 11), rand.New(rand.NewPCG(12, 0))
		a, b := newSquares(s, r, 5), newSquares(s, r, 8)
		want := differences(mlp.Weights(), a, b)
		got, norm, err := gradient(new, mlp, a.shard(), b.shard())
		if err == nil {
			err = near(got, want, 1e-5)
		}
		if err != nil {
			return fmt.Errorf("%s, %v: %w", s.Head, s.Hidden, err)
		}
		if want := models.Norm(got); !(math.Abs(norm-want) <= 1e-6*want) {
			return fmt.Errorf("norm returned by Fit is %v: want %v", norm, want)
		}
	}
	return nil
}

func shards(new New) error {
	for _, s := range shapes[:2] {
		mlp := network(s, 21)
		q := newSquares(s, rand.New(rand.NewPCG(22, 0)), 300)
		whole, _, err := gradient(new, mlp, q.shard())
		if err != nil {
			return err
		}
		empty := models.Shard{Loss: func(_, _, _, _ []float32) { panic("the loss of a shard without rows is called") }}
		sum, _, err := gradient(new, mlp, q.slice(0, 100).shard(), empty, q.slice(100, 101).shard(), q.slice(101, 300).shard())
		if err == nil {
			err = near(sum, whole, 1e-5)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Head, err)
		}
	}
	return nil
}

func steps(new New) error {
	for _, s := range shapes[:2] {
		mlp := network(s, 31)
		want := slices.Clone(mlp.Weights())
		adam, err := models.NewAdam(len(want), settings)
		if err != nil {
			return err
		}
		l, err := new(mlp, settings)
		if err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(32, 0))
		for u := range 10 {
			q := newSquares(s, r, 5+u)
			wantNorm, err := adam.Step(want, differences(want, q), 0.01)
			if err != nil {
				return err
			}
			norm, err := l.Fit(context.Background(), []models.Shard{q.shard()}, 0.01)
			if err != nil {
				return err
			}
			if !(math.Abs(norm-wantNorm) <= 1e-4*wantNorm) {
				return fmt.Errorf("%s: step %d returns the norm %v: want %v", s.Head, u, norm, wantNorm)
			}
			if err := near(l.MLP().Weights(), want, 1e-5); err != nil {
				return fmt.Errorf("%s: weights after step %d: %w", s.Head, u, err)
			}
		}
		if l.MLP() != mlp {
			return errors.New("MLP is another network than the one given to New")
		}
	}
	return nil
}

func outputs(new New) error {
	for _, s := range shapes {
		mlp, err := models.NewMLP(s, rand.NewPCG(41, 0))
		if err != nil {
			return err
		}
		l, err := new(mlp, settings)
		if err == nil {
			err = train(l, 0, 20)
		}
		if err != nil {
			return err
		}
		for _, n := range []int{1, 9, 1000} {
			var (
				obs        = noise(rand.New(rand.NewPCG(42, 0)), n*s.Obs)
				policy     = make([]float32, n*s.PolicyWidth())
				values     = make([]float32, n*s.Players)
				gotP, gotV []float32
				dirty      bool
				shard      = models.Shard{Obs: models.NewObservations(s.Obs, obs)}
				notZero    = func(d float32) bool { return d != 0 }
			)
			shard.Loss = func(p, v, dp, dv []float32) {
				gotP, gotV = slices.Clone(p), slices.Clone(v)
				dirty = slices.ContainsFunc(dp, notZero) || slices.ContainsFunc(dv, notZero)
				dp[0], dv[0] = 1, 1
			}
			l.MLP().Forward(policy, values, obs)
			for range 2 { // the second may reuse the memory of the first
				if _, err := l.Fit(context.Background(), []models.Shard{shard}, 0); err != nil {
					return err
				}
				if dirty {
					return fmt.Errorf("%s: the gradient of %d rows is not zero before the call", s.Head, n)
				}
			}
			got, want := slices.Concat(gotP, gotV), slices.Concat(policy, values)
			if len(got) != len(want) {
				return fmt.Errorf("%s: %d outputs of %d rows: want %d", s.Head, len(got), n, len(want))
			}
			for i, w := range want {
				if !(math.Abs(float64(got[i]-w)) <= 1e-5) {
					return fmt.Errorf("%s: output %d of %d rows is %v: want %v", s.Head, i, n, got[i], w)
				}
			}
		}
	}
	return nil
}

func learns(new New) error {
	s, n := shapes[0], 128
	mlp, err := models.NewMLP(s, rand.NewPCG(51, 0))
	if err != nil {
		return err
	}
	cfg := models.DefaultAdam()
	cfg.MaxGradNorm = 1
	l, err := new(mlp, cfg)
	if err != nil {
		return err
	}
	obs, sum := noise(rand.New(rand.NewPCG(52, 0)), n*s.Obs), 0.0
	shard := models.Shard{Obs: models.NewObservations(s.Obs, obs), Loss: func(policy, values, dpolicy, dvalues []float32) {
		sum = 0
		for i := range n {
			x, v := obs[i*s.Obs:], i*s.Players
			dpolicy[i] = policy[i] - x[0]*x[1]
			dvalues[v] = values[v] - max(x[2], x[3])
			sum += float64(dpolicy[i]*dpolicy[i] + dvalues[v]*dvalues[v])
		}
	}}
	for range 400 {
		if _, err := l.Fit(context.Background(), []models.Shard{shard}, 1e-2); err != nil {
			return err
		}
	}
	if mean := sum / float64(n); !(mean <= 0.02) {
		return fmt.Errorf("the mean squared error is %v after training: want 0.02 or less", mean)
	}
	return nil
}

func repeats(new New) error {
	for _, s := range shapes[:2] {
		first, err := trained(new, s, 61, 100)
		if err != nil {
			return err
		}
		procs := runtime.GOMAXPROCS(0)
		for _, n := range []int{procs, procs%2 + 1} { // 2 where it is 1
			runtime.GOMAXPROCS(n)
			again, err := trained(new, s, 61, 100)
			runtime.GOMAXPROCS(procs)
			if err == nil {
				err = same(again, first)
			}
			if err != nil {
				return fmt.Errorf("%s, GOMAXPROCS %d and then %d: %w", s.Head, procs, n, err)
			}
		}
	}
	return nil
}

func resumes(new New) error {
	dir, err := os.MkdirTemp("", "learnertest")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for i, s := range shapes {
		whole, err := trained(new, s, 71, 100)
		if err != nil {
			return err
		}
		half, err := trained(new, s, 71, 50)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, fmt.Sprint(i))
		other := models.Tensor{Name: "other", Shape: []int{1}, Data: []float32{1}} // to be ignored
		f := &models.File{MLP: half.MLP(), Tensors: append(half.State(), other)}
		if err := f.Save(path); err != nil {
			return err
		}
		if f, err = models.Load(path); err != nil {
			return err
		}
		rest, err := new(f.MLP, settings)
		if err != nil {
			return err
		}
		if err := rest.Restore(f.Tensors); err != nil {
			return err
		}
		if err := train(rest, 50, 100); err != nil {
			return err
		}
		if err := same(rest, whole); err != nil {
			return fmt.Errorf("%s: %w", s.Head, err)
		}
	}
	return nil
}

func diverges(new New) error {
	s := shapes[1]
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e30} {
		l, err := trained(new, s, 81, 3)
		if err != nil {
			return err
		}
		before := snapshot(l)
		shard := models.Shard{Obs: models.NewObservations(s.Obs, make([]float32, s.Obs)), Loss: func(_, _, _, dv []float32) { dv[1] = float32(bad) }}
		if _, err := l.Fit(context.Background(), []models.Shard{shard}, 1e-3); !errors.Is(err, models.ErrDiverged) {
			return fmt.Errorf("gradient of %v: Fit returns the error %v: want ErrDiverged", bad, err)
		}
		if err := equal(snapshot(l), before); err != nil {
			return fmt.Errorf("after a gradient of %v: %w", bad, err)
		}
		want, err := trained(new, s, 81, 6)
		if err != nil {
			return err
		}
		if err := train(l, 3, 6); err != nil {
			return fmt.Errorf("after a gradient of %v: %w", bad, err)
		}
		if err := same(l, want); err != nil {
			return fmt.Errorf("after a gradient of %v and three steps: %w", bad, err)
		}
	}
	return nil
}

func refuses(new New) error {
	s := shapes[0]
	if _, err := new(network(s, 91), models.AdamConfig{}); err == nil {
		return errors.New("New accepts settings that are zero")
	}
	l, err := trained(new, s, 91, 3)
	if err != nil {
		return err
	}
	before := snapshot(l)
	q := newSquares(s, rand.New(rand.NewPCG(92, 0)), 4)
	for _, shards := range [][]models.Shard{nil, {}, {q.slice(0, 0).shard()}} {
		if _, err := l.Fit(context.Background(), shards, 1e-3); err == nil {
			return fmt.Errorf("no error from Fit of %d shards without rows", len(shards))
		}
	}
	for _, rate := range []float64{math.NaN(), math.Inf(1), -1} {
		if _, err := l.Fit(context.Background(), []models.Shard{q.shard()}, rate); err == nil {
			return fmt.Errorf("no error from Fit at a learning rate of %v", rate)
		}
	}
	small, err := trained(new, shapes[2], 91, 1)
	if err != nil {
		return err
	}
	nan := l.State()
	nan[0].Data[0] = float32(math.NaN())
	for i, state := range [][]models.Tensor{nil, small.State(), nan} {
		if err := l.Restore(state); !errors.Is(err, models.ErrMismatch) {
			return fmt.Errorf("wrong state %d: Restore returns the error %v: want ErrMismatch", i, err)
		}
	}
	return equal(snapshot(l), before)
}
