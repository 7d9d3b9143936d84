// Command sgemm generates the arm64 kernels of package sgemm. Run it by go generate in the
// directory of that package.
package main

import (
	"fmt"

	"marsgym/tools/arm64/neon"
)

func main() {
	neon.Generate("arm64/sgemm", tile, transpose, list, listDifference, gather, relu, reluGrad, adam)
}

// lanes is the number of elements of a vector.
const lanes = 4

// tile generates the kernel of products for 1 to 6 rows by four or two vectors. Each
// number of rows has its own loop. In all of them an element is one chain of fused
// multiply-adds over ascending p, as in the kernels for other instruction sets.
func tile(file *neon.File) {
	const most = 6 // rows: 24 sums, a row of b and four elements of a fit in the registers
	f := file.Func("tileNEON", "func(rows, halves, k int, a *float32, ars, acs int, b *float32, bs int, c *float32, cs int, add bool)")
	rows, halves, k := f.Load("rows"), f.Load("halves"), f.Load("k")
	a, ars, acs := f.Load("a"), f.Load("ars"), f.Load("acs")
	b, bs := f.Load("b"), f.Load("bs")
	c, cs := f.Load("c"), f.Load("cs")
	add, at := f.Load("add"), f.R()
	for _, stride := range []neon.R{ars, acs, bs, cs} {
		f.Op("LSL", 2, stride)
	}
	row := []neon.R{a} // the place in each row of a
	for range most - 1 {
		next := f.R()
		f.Op("ADD", ars, row[len(row)-1], next)
		row = append(row, next)
	}
	label := func(r, v int, s string) string { return fmt.Sprintf("r%dv%d%s", r, v, s) }
	for _, v := range []int{4, 2} {
		if v == 4 {
			f.Op("CMP", 2, halves)
			f.Op("BNE", "narrow")
		} else {
			f.Label("narrow")
		}
		for r := most; r > 1; r-- {
			f.Op("CMP", r, rows)
			f.Op("BEQ", label(r, v, ""))
		}
		for r := 1; r <= most; r++ {
			f.Label(label(r, v, ""))
			acc := make([][]neon.V, r)
			for i := range acc {
				acc[i] = f.Vectors(v)
			}
			y := f.Vectors(v)
			x := []neon.V{f.V(), f.V(), f.V(), f.V()} // in turn, so that loads need not wait

			f.Op("CBZ", add, label(r, v, "zero"))
			f.Op("MOVD", c, at)
			for i := range acc {
				f.Op("VLD1.P", neon.Index(at, cs), neon.S4(acc[i]...))
			}
			f.Op("B", label(r, v, "loop"))
			f.Label(label(r, v, "zero"))
			for i := range acc {
				f.Zero(acc[i]...)
			}
			f.Label(label(r, v, "loop"))
			f.Op("VLD1.P", neon.Index(b, bs), neon.S4(y...))
			for i := range acc {
				x := x[i%len(x)]
				f.Op("VLD1R.P", neon.Index(row[i], acs), neon.S4(x))
				for j := range y {
					f.Op("VFMLA", x.S4(), y[j].S4(), acc[i][j].S4())
				}
			}
			f.Op("SUBS", 1, k)
			f.Op("BNE", label(r, v, "loop"))

			for i := range acc {
				f.Op("VST1.P", neon.S4(acc[i]...), neon.Index(c, cs))
				f.Free(acc[i]...)
			}
			f.Free(y...)
			f.Free(x...)
			f.Op("RET")
		}
	}
}

// transpose generates the kernel that transposes blocks of 8 by 8.
func transpose(file *neon.File) {
	f := file.Func("transpose8", "func(blocks int, dst *float32, ds int, src *float32, ss int)")
	blocks, dst, ds, src, ss, at := f.Load("blocks"), f.Load("dst"), f.Load("ds"), f.Load("src"), f.Load("ss"), f.R()
	f.Op("LSL", 2, ds)
	f.Op("LSL", 2, ss)
	var out [8][]neon.V // the rows of dst
	for p := range out {
		out[p] = f.Vectors(2)
	}
	f.Label("loop")
	f.Op("MOVD", src, at)
	for h := range 2 { // the halves of the rows of dst
		var row [lanes][]neon.V
		for j := range row {
			row[j] = f.Vectors(2)
			f.Op("VLD1.P", neon.Index(at, ss), neon.S4(row[j]...))
		}
		for i := range 2 { // the halves of the rows of src
			var even, odd [2]neon.V // of the elements of two rows each
			for j := range 2 {
				even[j], odd[j] = f.V(), f.V()
				x, y := row[2*j][i], row[2*j+1][i]
				f.Op("VTRN1", y.S4(), x.S4(), even[j].S4())
				f.Op("VTRN2", y.S4(), x.S4(), odd[j].S4())
			}
			for p, from := range [][2]neon.V{even, odd} {
				f.Op("VTRN1", from[1].D2(), from[0].D2(), out[lanes*i+p][h].D2())
				f.Op("VTRN2", from[1].D2(), from[0].D2(), out[lanes*i+p+2][h].D2())
				f.Free(from[:]...)
			}
		}
		for j := range row {
			f.Free(row[j]...)
		}
	}
	for p := range out {
		f.Op("VST1.P", neon.S4(out[p]...), neon.Index(dst, ds))
	}
	f.Op("ADD", 32, src)
	f.Op("SUBS", 1, blocks)
	f.Op("BNE", "loop")
	f.Op("RET")
}
