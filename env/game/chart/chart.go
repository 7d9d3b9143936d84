// Package chart describes charts as data: what is drawn, not how. Solutions return
// them (see game.Solution), and programs draw them.
package chart

// Chart is a picture as data.
type Chart struct {
	Name    string // of its file, such as "win-probability"
	Title   string
	Caption string  // how to read it, in a sentence or two
	Panels  []Panel // side by side
}

// Panel is one pair of axes with a map or lines.
type Panel struct {
	Title string
	X, Y  Axis
	Map   *Map   // or nil
	Lines []Line // where there is no map
}

// Axis is a scale.
type Axis struct {
	Label string // what it shows, and in what unit
	Ticks []Tick // nil stands for round numbers
	Log   bool   // whether the values are decimal logarithms of what Label names
}

// Tick is a mark on an axis.
type Tick struct {
	At    float64
	Label string
}

// Line joins points.
type Line struct {
	Name string    // in the legend
	X, Y []float64 // of the same length
}

// Map colours the cells of a grid by their values.
type Map struct {
	Label string      // what the colours show, and in what unit
	X, Y  []float64   // the middles of columns and rows, evenly spaced, ascending
	Z     [][]float64 // [rows, columns]; NaN where there is nothing
	// Edges, ascending, separate the values into classes, each with its colour. No
	// value lies below the first or above the last. If Diverging, the middle edge
	// separates two opposites, and a line is drawn along it.
	Edges     []float64
	Diverging bool
}

// Percent returns a map for probabilities in per cent, whose line is at even chances.
func Percent(label string) *Map {
	m := &Map{Label: label, Diverging: true}
	for e := range 11 {
		m.Edges = append(m.Edges, float64(10*e))
	}
	return m
}

// Fill sets Z to f over the whole numbers from the first to the last of x and y.
func (m *Map) Fill(x, y [2]int, f func(x, y int) float64) {
	for j := y[0]; j <= y[1]; j++ {
		m.Y = append(m.Y, float64(j))
		var row []float64
		for i := x[0]; i <= x[1]; i++ {
			row = append(row, f(i, j))
		}
		m.Z = append(m.Z, row)
	}
	for i := x[0]; i <= x[1]; i++ {
		m.X = append(m.X, float64(i))
	}
}
