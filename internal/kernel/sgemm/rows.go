package sgemm

import (
	"fmt"
	"slices"
)

// Rows are the rows of a matrix as lists of their elements that are not 0. Reset it
// before use.
type Rows struct {
	k        int   // columns
	start    []int // [m+1] the elements of row i are start[i] to start[i+1]
	elements []element
}

// element is an element of a row that is not 0. The assembly depends on the order of
// the fields.
type element struct {
	column int32 // ascending within a row
	value  float32
}

// spare is how many elements behind the last a kernel may write.
const spare = 7

// Reset removes all rows and sets the number of columns.
func (r *Rows) Reset(k int) {
	r.k, r.start, r.elements = k, append(r.start[:0], 0), r.elements[:0]
}

// Len returns the number of rows.
func (r *Rows) Len() int { return max(0, len(r.start)-1) }

// Columns returns the number of columns.
func (r *Rows) Columns() int { return r.k }

// Append appends rows x [m, k]. It panics if the length of x is not a multiple of k.
func (r *Rows) Append(x []float32) {
	if len(x)%max(1, r.k) != 0 {
		panic(fmt.Sprintf("sgemm: %d elements cannot be divided into rows of %d", len(x), r.k))
	}
	for ; len(x) > 0; x = x[r.k:] {
		n := len(r.elements)
		r.elements = slices.Grow(r.elements, r.k+spare)
		r.elements = r.elements[:n+active().list(r.elements[n:n+r.k+spare], x[:r.k])]
		r.start = append(r.start, len(r.elements))
	}
}

// AppendDifference appends the row x − y, for x and y [k], if it has at most that many
// elements, and reports whether it has.
func (r *Rows) AppendDifference(x, y []float32, most int) bool {
	same("x", len(x), r.k)
	same("y", len(y), r.k)
	n, count := len(r.elements), 0
	if r.k > 0 {
		r.elements = slices.Grow(r.elements, r.k+spare)
		count = active().listDifference(r.elements[n:n+r.k+spare], x, y)
	}
	if count > most {
		return false
	}
	r.elements = r.elements[:n+count]
	r.EndRow()
	return true
}

// Add adds an element to a row that [Rows.EndRow] ends. Columns ascend within a row. It
// panics if there is no such column.
func (r *Rows) Add(column int32, value float32) {
	if uint(column) >= uint(r.k) {
		panic("sgemm: Add: the column is out of range")
	}
	r.elements = append(r.elements, element{column, value})
}

// EndRow ends a row.
func (r *Rows) EndRow() { r.start = append(r.start, len(r.elements)) }

// Truncate removes the rows from m on.
func (r *Rows) Truncate(m int) {
	r.start = r.start[:m+1]
	r.elements = r.elements[:r.start[m]]
}

// Count returns the number of elements of row i.
func (r *Rows) Count(i int) int { return r.start[i+1] - r.start[i] }

// AppendRows appends the rows from <= i < to of src, which must have as many columns.
func (r *Rows) AppendRows(src *Rows, from, to int) {
	same("src", src.k, r.k)
	lo, hi := src.start[from], src.start[to]
	shift := len(r.elements) - lo
	for _, end := range src.start[from+1 : to+1] {
		r.start = append(r.start, end+shift)
	}
	r.elements = append(r.elements, src.elements[lo:hi]...)
}

// isDense reports whether [Gemm] is faster. Measured.
func (r *Rows) isDense() bool { return 2*len(r.elements) > r.Len()*r.k }

// Dense sets x [to-from, K] to the rows from <= i < to.
func (r *Rows) Dense(x []float32, from, to int) {
	clear(x)
	for i := from; i < to; i++ {
		r.AddTo(x[(i-from)*r.k:][:r.k], i)
	}
}

// AddTo adds row i to x [k].
func (r *Rows) AddTo(x []float32, i int) {
	for _, e := range r.elements[r.start[i]:r.start[i+1]] {
		x[e.column] += e.value
	}
}

// Mul is [Sparse] with the rows from <= i < to as A, for B [K, n].
func (r *Rows) Mul(from, to, n int, b, c []float32, e Epilogue) {
	if from == to || n == 0 {
		return
	}
	check("b", b, n, r.k, n, false)
	check("c", c, n, to-from, n, false)
	e.check(to-from, n)
	if !r.isDense() {
		r.gather(from, to, n, b, c, false, e)
		return
	}
	s := pool.Get().(*scratch)
	x := s.matrix((to - from) * r.k)
	r.Dense(x, from, to)
	dense(to-from, n, r.k, x, b, c, e)
	pool.Put(s)
}

// MulAdd sets C [to-from, n] to the product of the rows from <= i < to with B [K, n], or adds
// it if add is set.
func (r *Rows) MulAdd(from, to, n int, b, c []float32, add bool) {
	if from == to || n == 0 {
		return
	}
	check("b", b, n, r.k, n, false)
	check("c", c, n, to-from, n, false)
	if !r.isDense() {
		r.gather(from, to, n, b, c, add, Epilogue{})
		return
	}
	s := pool.Get().(*scratch)
	x := s.matrix((to - from) * r.k)
	r.Dense(x, from, to)
	Gemm(false, false, to-from, n, r.k, x, r.k, b, n, c, n, add)
	pool.Put(s)
}

// Transpose makes r the transpose of src.
func (r *Rows) Transpose(src *Rows) {
	m := src.Len()
	r.k = m
	r.elements = slices.Grow(r.elements[:0], len(src.elements))[:len(src.elements)]
	// First the number of elements of column j in start[j+2], then the end of column
	// j−1 in start[j+1], which rises to that of column j as its elements are added.
	r.start = slices.Grow(r.start[:0], src.k+2)[:src.k+2]
	clear(r.start)
	for _, e := range src.elements {
		r.start[e.column+2]++
	}
	for j := range src.k {
		r.start[j+2] += r.start[j+1]
	}
	next := r.start[1:]
	for i := range m {
		for _, e := range src.elements[src.start[i]:src.start[i+1]] {
			at := &next[e.column]
			r.elements[*at] = element{int32(i), e.value}
			*at++
		}
	}
	r.start = r.start[:src.k+1]
}

// gather sets C [to-from, n] to A·B, with the rows from <= i < to as A. The sums start
// from C if add is set.
func (r *Rows) gather(from, to, n int, b, c []float32, add bool, e Epilogue) {
	init, ldi, floor := e.start(n, c, add)
	elements := r.elements
	if len(elements) == 0 {
		elements = make([]element, 1) // kernels take the address of the first
	}
	active().gather(to-from, n, r.start[from:to+1], elements, b, c, init, ldi, floor)
	if e.Gate != nil {
		reluGrad(c[:(to-from)*n], e.Gate[:(to-from)*n])
	}
}

// listGo sets dst to the elements of x that are not 0 and returns their number.
func listGo(dst []element, x []float32) (count int) {
	for j, v := range x {
		if v != 0 {
			dst[count] = element{int32(j), v}
			count++
		}
	}
	return count
}

// listDifferenceGo sets dst to the elements of x − y that are not 0 and returns their number.
func listDifferenceGo(dst []element, x, y []float32) (count int) {
	y = y[:len(x)]
	for j, v := range x {
		if v != y[j] {
			dst[count] = element{int32(j), v - y[j]}
			count++
		}
	}
	return count
}

// gatherGo sets row i of C [m, n] to the sum of the row of init that starts at i·ldi, or
// of zeros if init is nil, and of the rows of B times the elements start[i] to
// start[i+1]. Numbers below floor become floor.
func gatherGo(m, n int, start []int, elements []element, b, c, init []float32, ldi int, floor float32) {
	for i := range m {
		row := c[i*n:][:n]
		begin(row, init, i*ldi)
		for _, e := range elements[start[i]:start[i+1]] {
			addRow(row, e.value, b[int(e.column)*n:])
		}
		limit(row, floor)
	}
}

// sparseGo is gatherGo for the elements of A [m, k] that are not 0, and returns their
// number. If gate [m, n] is not nil, numbers become 0 where those of gate are not above 0.
func sparseGo(m, n, k int, a, b, c, init []float32, ldi int, floor float32, gate []float32) (count int) {
	for i := range m {
		row := c[i*n:][:n]
		begin(row, init, i*ldi)
		for p, x := range a[i*k:][:k] {
			if x != 0 {
				addRow(row, x, b[p*n:])
				count++
			}
		}
		limit(row, floor)
		if gate != nil {
			reluGradGo(row, gate[i*n:][:n])
		}
	}
	return count
}

// begin sets row to that of init which starts at at, or to zeros if init is nil.
func begin(row, init []float32, at int) {
	if init == nil {
		clear(row)
		return
	}
	copy(row, init[at:])
}

// addRow adds x times y to row.
func addRow(row []float32, x float32, y []float32) {
	y = y[:len(row)]
	if x == 1 { // most elements of an observation
		for j, y := range y {
			row[j] += y
		}
		return
	}
	wide := float64(x)
	for j, y := range y {
		// This is fma(x, y, row[j]), which is too large for the compiler to inline.
		sum := float64(wide*float64(y)) + float64(row[j])
		if doubtful(sum) {
			sum = fma(wide, float64(y), float64(row[j]))
		}
		row[j] = float32(sum)
	}
}

// limit raises elements below floor to floor.
func limit(row []float32, floor float32) {
	for j, v := range row {
		if v < floor {
			row[j] = floor
		}
	}
}
