package main

import "marsgym/tools/arm64/neon"

// vectors generates a kernel that loops over slices of 8·blocks elements, with blocks at
// least 1. setup generates what comes before the loop and returns the generator of its
// body, which is called with the places of the next 8 elements of each slice and leaves
// them as they are.
func vectors(file *neon.File, name, params string, slices []string, setup func(f *neon.Func) func(at []neon.R)) {
	f := file.Func(name, "func(blocks int, "+params+")")
	blocks := f.Load("blocks")
	at := make([]neon.R, len(slices))
	for i, s := range slices {
		at[i] = f.Load(s)
	}
	body := setup(f)
	f.Label("loop")
	body(at)
	f.Op("SUBS", 1, blocks)
	f.Op("BNE", "loop")
	f.Op("RET")
}

// Both load 8 elements or store them and go on to the next.
func load(f *neon.Func, at neon.R, x []neon.V)  { f.Op("VLD1", neon.At(at, 0), neon.S4(x...)) }
func store(f *neon.Func, x []neon.V, at neon.R) { f.Op("VST1.P", neon.S4(x...), neon.At(at, 32)) }

// relu does not use a maximum: -0 and NaN stay what they are.
func relu(file *neon.File) {
	vectors(file, "relu8", "y *float32", []string{"y"}, func(f *neon.Func) func([]neon.R) {
		y, below := f.Vectors(2), f.V()
		return func(at []neon.R) {
			load(f, at[0], y)
			for _, y := range y {
				f.Word("fcmlt #", neon.Single, below, y)
				f.Word("bic", neon.Bytes, y, y, below)
			}
			store(f, y, at[0])
		}
	})
}

func reluGrad(file *neon.File) {
	vectors(file, "reluGrad8", "dy, y *float32", []string{"dy", "y"}, func(f *neon.Func) func([]neon.R) {
		dy, y := f.Vectors(2), f.Vectors(2)
		return func(at []neon.R) {
			f.Op("VLD1.P", neon.At(at[1], 32), neon.S4(y...))
			load(f, at[0], dy)
			for i, dy := range dy {
				f.Word("fcmle #", neon.Single, y[i], y[i])
				f.Word("bic", neon.Bytes, dy, dy, y[i])
			}
			store(f, dy, at[0])
		}
	})
}

func adam(file *neon.File) {
	vectors(file, "adam8", "c, w, m, v, grad *float32", []string{"w", "m", "v", "grad"}, func(f *neon.Func) func([]neon.R) {
		c := f.Load("c")
		var field [8]neon.V
		for i := range field {
			field[i] = f.V()
			f.Op("VLD1R.P", neon.At(c, 4), neon.S4(field[i]))
		}
		scale, beta1, rest1, beta2, rest2 := field[0], field[1], field[2], field[3], field[4]
		rate, root, eps := field[5], field[6], field[7]
		least := f.V() // the least normal number
		f.Op("MOVD", 0x00800000, c)
		f.Op("VDUP", c, least.S4())
		w, m, v, g, t := f.Vectors(2), f.Vectors(2), f.Vectors(2), f.Vectors(2), f.Vectors(2)
		op := func(name string, dst, x, y neon.V) { f.Word(name, neon.Single, dst, x, y) }
		flush := func(x, small neon.V) {
			op("facgt", small, least, x)
			f.Word("bic", neon.Bytes, x, x, small)
		}
		return func(at []neon.R) {
			f.Op("VLD1.P", neon.At(at[3], 32), neon.S4(g...))
			load(f, at[1], m)
			load(f, at[2], v)
			load(f, at[0], w)
			for i := range 2 {
				g, m, v, t := g[i], m[i], v[i], t[i]
				op("fmul", g, g, scale)

				op("fmul", m, m, beta1)
				op("fmul", t, rest1, g)
				op("fadd", m, m, t)
				flush(m, t)

				op("fmul", v, v, beta2)
				op("fmul", t, rest2, g)
				op("fmul", t, t, g)
				op("fadd", v, v, t)
				flush(v, t)
			}
			store(f, m, at[1])
			store(f, v, at[2])
			for i := range 2 {
				w, m, v := w[i], m[i], v[i]
				f.Word("fsqrt", neon.Single, v, v)
				op("fmul", v, v, root)
				op("fadd", v, v, eps)
				op("fmul", m, m, rate)
				op("fdiv", m, m, v)
				op("fsub", w, w, m)
			}
			store(f, w, at[0])
		}
	})
}
