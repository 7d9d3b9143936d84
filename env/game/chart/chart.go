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
