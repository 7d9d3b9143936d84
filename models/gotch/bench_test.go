//go:build gotch && cgo

package gotch

// In package gotch: the package does not export libtorch's forward pass.

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"

	"marsgym/env/catalog"
	"marsgym/internal/parallel"
	"marsgym/internal/test/cputime"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

// The benchmarks compare the backends, on one thread and, in a second run with -cpu 2,
// on two:
//
//	go test -tags gotch -run '^$' -bench 'Fit|Forward|Run' -cpu 1 -count 2 ./models/gotch
//
// BenchmarkFit divides an update into as many shards as the flag -shards says. The script
// check-cuda runs it on a GPU and on the cores of the same machine.
//
// They report the CPU time of all cores beside the elapsed time, since other programs
// affect it less.

var backends = []struct {
	name    string
	device  string
	learner func(*models.MLP, models.AdamConfig) (models.Learner, error)
	forward func(mlp *models.MLP, policy, values, obs []float32) error
}{
	{"gorgonia", "cpu",
		gorgonia.New,
		func(mlp *models.MLP, policy, values, obs []float32) error {
			mlp.Forward(policy, values, obs)
			return nil
		}},
	{"gotch", "cpu", on(cpu), forwardOn(cpu)},
	{"gotch-cuda", "cuda:0", on(0), forwardOn(0)},
}

func on(d device) func(*models.MLP, models.AdamConfig) (models.Learner, error) {
	name := "cpu"
	if d != cpu {
		name = fmt.Sprint("cuda:", d)
	}
	return func(mlp *models.MLP, cfg models.AdamConfig) (models.Learner, error) { return New(mlp, cfg, name) }
}

// forwardOn returns MLP.Forward by libtorch, with the rows divided among the cores.
func forwardOn(d device) func(mlp *models.MLP, policy, values, obs []float32) error {
	return func(mlp *models.MLP, policy, values, obs []float32) error {
		defer lockThread()()
		w := tensors{device: d}
		defer w.free()
		var (
			s      = mlp.Shape()
			layers = upload(&w, mlp)
			n      = len(obs) / s.Obs
			procs  = runtime.GOMAXPROCS(0)
		)
		return parallel.ForContext(context.Background(), n, (n+procs-1)/procs, func(from, to int) error {
			defer lockThread()()
			t := tensors{device: d}
			defer t.free()
			xs := forward(&t, layers, t.of(obs[from*s.Obs:to*s.Obs], to-from, s.Obs))
			k, p := s.PolicyWidth(), s.Players
			y := make([]float32, (to-from)*(k+p))
			t.read(y, xs[len(layers)])
			models.Split(policy[from*k:to*k], values[from*p:to*p], y, k, p)
			return t.err
		})
	}
}

var nShards = flag.Int("shards", 4, "shards of an update in BenchmarkFit")

var widths = []int{64, 128, 256, 512, 1024, 2048}

// each calls run for every backend and each of the widths, with a network for Martian Dice with two
// players in which a third of the units are active, as after training.
func each(b *testing.B, widths []int, run func(b *testing.B, i int, mlp *models.MLP)) {
	for i, back := range backends {
		if CheckDevice(back.device) != nil {
			continue
		}
		for _, width := range widths {
			b.Run(fmt.Sprintf("%s/width=%d", back.name, width), func(b *testing.B) {
				s := models.Shape{Obs: 173, Hidden: []int{width, width}, Head: models.Score, Actions: 6, Players: 2}
				mlp, err := models.NewMLP(s, rand.NewPCG(1, 0))
				if err != nil {
					b.Fatal(err)
				}
				for _, l := range mlp.Layers()[:2] {
					for j := range l.B {
						l.B[j] = -0.12
					}
				}
				run(b, i, mlp)
			})
		}
	}
}

// sparse returns n observations like those of a game: 14 one-hot fields.
func sparse(n int) []float32 {
	obs, r := make([]float32, n*173), rand.New(rand.NewPCG(2, 0))
	for row := range slices.Chunk(obs, 173) {
		for field := range 14 {
			row[12*field+r.IntN(12)] = 1
		}
	}
	return obs
}

// measure reports the cost of op, which handles n rows.
func measure(b *testing.B, n int, op func() error) {
	if err := op(); err != nil { // the first call allocates
		b.Fatal(err)
	}
	start := cputime.Used().Seconds()
	for b.Loop() {
		if err := op(); err != nil {
			b.Fatal(err)
		}
	}
	cpu := cputime.Used().Seconds() - start
	b.ReportMetric(1e3*cpu/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(n)*float64(b.N)/cpu, "rows/cpu-s")
}

// peakMemory returns by how much the memory of this process grows at most during run, in
// MB, or 0 where it is not known.
func peakMemory(run func()) float64 {
	read := func(field string) float64 {
		text, _ := os.ReadFile("/proc/self/status")
		for line := range bytes.Lines(text) {
			if f := bytes.Fields(line); len(f) > 1 && string(f[0]) == field {
				kb, _ := strconv.ParseFloat(string(f[1]), 64)
				return kb / 1e3
			}
		}
		return 0
	}
	debug.FreeOSMemory()
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // resets the peak
	before := read("VmRSS:")
	run()
	return read("VmHWM:") - before
}

// BenchmarkFit measures one update.
func BenchmarkFit(b *testing.B) {
	each(b, widths, func(b *testing.B, i int, mlp *models.MLP) {
		for _, n := range []int{256, 1024, 4096, 16384} {
			b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
				l, err := backends[i].learner(mlp, models.DefaultAdam())
				if err != nil {
					b.Fatal(err)
				}
				var shards []models.Shard
				for obs := range slices.Chunk(sparse(n), n / *nShards * 173) {
					shards = append(shards, models.Shard{Obs: models.NewObservations(173, obs), Loss: func(p, v, dp, dv []float32) {
						for i := range dp {
							dp[i] = p[i] - 1
						}
						for i := range dv {
							dv[i] = v[i] - 1
						}
					}})
				}
				mb := peakMemory(func() {
					measure(b, n, func() error {
						_, err := l.Fit(b.Context(), shards, 0)
						return err
					})
				})
				b.ReportMetric(mb, "MB")
			})
		}
	})
}

// BenchmarkForward computes the policy and the values of 4096 rows.
func BenchmarkForward(b *testing.B) {
	each(b, widths, func(b *testing.B, i int, mlp *models.MLP) {
		const n = 4096
		obs, policy, values := sparse(n), make([]float32, n), make([]float32, 2*n)
		measure(b, n, func() error { return backends[i].forward(mlp, policy, values, obs) })
	})
}

// BenchmarkRun measures the training loop without evaluation. Its steps are decisions.
func BenchmarkRun(b *testing.B) {
	g, err := catalog.Open("martian-dice", 2, nil)
	if err != nil {
		b.Fatal(err)
	}
	each(b, widths[:5], func(b *testing.B, i int, mlp *models.MLP) {
		for _, a := range []train.Algorithm{train.AlgorithmPPO, train.TurnExact} {
			b.Run(string(a), func(b *testing.B) {
				cfg := train.DefaultConfig(a)
				cfg.Hidden = mlp.Shape().Hidden
				cfg.Steps = 1 << 15
				steps := 0
				start := cputime.Used().Seconds()
				for b.Loop() {
					_, err := train.Run(context.Background(), cfg, train.Options{
						Game: g, Dir: b.TempDir(), Learner: backends[i].learner,
						Report: func(m train.Metrics) { steps = int(m.Steps) },
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(steps)*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
				b.ReportMetric(float64(steps)*float64(b.N)/(cputime.Used().Seconds()-start), "steps/cpu-s")
			})
		}
	})
}
