package models_test

import (
	"math/rand/v2"
	"os"
	"testing"
	"fmt"

	"marsgym/models"
	"marsgym/internal/kernel/sgemm"
	"marsgym/env/martiandice"
	"marsgym/env/game"
)

func BenchmarkZZ(b *testing.B) {
	file, err := os.Open("../agents/pretrained/martian-dice-2.safetensors")
	if err != nil {
		b.Fatal(err)
	}
	f, err := models.LoadFrom(file)
	if err != nil {
		b.Fatal(err)
	}
	r, _ := martiandice.New(martiandice.DefaultConfig())
	d := r.Spec().ObsLen()
	dice := rand.NewPCG(1, 2)
	const n = 256
	x := make([]float32, n*d)
	s := r.SampleStart(dice)
	for i := range n {
		for {
			if who := r.CurrentPlayer(s); who == game.Chance {
				s = r.Sample(s, dice)
			} else if who == game.Terminal {
				s = r.SampleStart(dice)
			} else {
				l := r.Legal(nil, s)
				s, _ = r.Apply(s, l[int(dice.Uint64()%uint64(len(l)))])
				s, _ = r.Canonical(s)
				r.Encode(x[i*d:][:d], s, 0)
				break
			}
		}
	}
	for k, l := range f.MLP.Layers() {
		c := 0
		for _, v := range x {
			if v != 0 {
				c++
			}
		}
		y := make([]float32, n*l.Out)
		b.Run(fmt.Sprintf("layer%d/sparse", k), func(b *testing.B) {
			for b.Loop() {
				sgemm.Sparse(n, l.Out, l.In, x, l.W, y, sgemm.Epilogue{Bias: l.B, ReLU: true})
			}
			b.ReportMetric(float64(c)/float64(n*l.In), "density")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/n*1e9, "ns/row")
		})
		b.Run(fmt.Sprintf("layer%d/gemm", k), func(b *testing.B) {
			for b.Loop() {
				sgemm.Gemm(false, false, n, l.Out, l.In, x, l.In, l.W, l.Out, y, l.Out, false)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/n*1e9, "ns/row")
		})
		sgemm.Sparse(n, l.Out, l.In, x, l.W, y, sgemm.Epilogue{Bias: l.B, ReLU: true})
		x = y
	}
}
