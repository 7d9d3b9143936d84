package plot

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"marsgym/env/game/chart"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/brewer"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// noValue is the colour of cells without a value.
var noValue = color.Gray{225}

const keyWidth = 84 // of the colour key of a map

// renderPanel draws a panel and the colour key of its map.
func renderPanel(c draw.Canvas, p chart.Panel, names []string) {
	head := style(16, draw.XCenter, draw.YTop)
	axes := draw.Crop(c, 0, 0, 0, -1.8*head.Font.Size)
	if p.Map != nil {
		axes = draw.Crop(axes, 0, -keyWidth, 0, 0)
	}
	main := newPlot(p, names)
	main.Draw(axes)
	data := main.DataCanvas(axes)
	c.FillText(head, vg.Point{X: data.Center().X, Y: c.Max.Y}, p.Title)
	if p.Map != nil {
		data.Min.X, data.Max.X = data.Max.X+12, c.Max.X
		renderKey(data, p.Map)
	}
}

// newPlot returns a plot of a panel without its title.
func newPlot(p chart.Panel, names []string) *plot.Plot {
	pl := plot.New()
	for _, a := range []struct {
		axis *plot.Axis
		from chart.Axis
	}{{&pl.X, p.X}, {&pl.Y, p.Y}} {
		a.axis.Label.Text = a.from.Label
		a.axis.Label.TextStyle.Font = style(15, 0, 0).Font
		a.axis.Label.Padding = 5
		a.axis.Tick.Label.Font = style(13, 0, 0).Font
		a.axis.Tick.Length = 5
		a.axis.Width, a.axis.Tick.Width = 1, 1
		a.axis.Tick.Marker = ticks(a.from.Ticks)
	}
	if p.Map != nil {
		pl.X.Padding, pl.Y.Padding = 0, 0
		pl.Add(newCells(p.Map))
		return pl
	}
	pl.Add(plotter.NewGrid())
	for _, l := range p.Lines {
		xy := make(plotter.XYs, len(l.X))
		for k := range xy {
			xy[k] = plotter.XY{X: l.X[k], Y: l.Y[k]}
		}
		style := lineStyle(slices.Index(names, l.Name))
		pl.Add(&plotter.Line{XYs: xy, LineStyle: style})
		if len(xy) <= maxDots {
			pl.Add(&plotter.Scatter{XYs: xy, GlyphStyle: draw.GlyphStyle{Color: style.Color, Radius: 3.5, Shape: draw.CircleGlyph{}}})
		}
	}
	pl.X.Min = min(pl.X.Min, 0) // counts start at 0
	return pl
}

// ticks are the marks of an axis; nil means marks at round numbers.
type ticks []chart.Tick

// Ticks implements [plot.Ticker].
func (t ticks) Ticks(from, to float64) (list []plot.Tick) {
	for _, k := range t {
		list = append(list, plot.Tick{Value: k.At, Label: k.Label})
	}
	if t != nil {
		return list
	}
	step := math.Pow10(int(math.Floor(math.Log10(to - from))))
	for _, f := range []float64{0.1, 0.2, 0.5} { // at most ten ticks
		if (to-from)/(f*step) <= 10 {
			step *= f
			break
		}
	}
	first := math.Ceil(from / step)
	for i := range 12 { // enough for all ticks; a loop on the value would not end for first beyond 2⁵³
		if x := (first + float64(i)) * step; x <= to {
			list = append(list, plot.Tick{Value: x, Label: number(x)})
		}
	}
	return list
}

// number formats a number with a minus sign instead of a hyphen, and zero without one.
func number(x float64) string { return strings.Replace(fmt.Sprintf("%.4g", x+0), "-", "−", 1) }

// renderKey draws the colour key of a map: classes of the same height, their edges, and
// the label of the map.
func renderKey(c draw.Canvas, m *chart.Map) {
	const width = 20
	palette := colors(m)
	small, label := style(13, draw.XLeft, draw.YCenter), style(15, draw.XCenter, draw.YBottom)
	y := func(i int) vg.Length { return c.Min.Y + c.Size().Y*vg.Length(i)/vg.Length(len(palette)) }
	for i, color := range palette {
		c.FillPolygon(color, []vg.Point{
			{X: c.Min.X, Y: y(i)}, {X: c.Min.X + width, Y: y(i)},
			{X: c.Min.X + width, Y: y(i + 1)}, {X: c.Min.X, Y: y(i + 1)},
		})
	}
	for i, e := range m.Edges {
		c.FillText(small, vg.Point{X: c.Min.X + width + 4, Y: y(i)}, number(e))
		if m.Diverging && 2*i == len(palette) {
			c.StrokeLine2(border, c.Min.X, y(i), c.Min.X+width, y(i))
		}
	}
	label.Rotation = math.Pi / 2
	c.FillText(label, vg.Point{X: c.Max.X - 4, Y: c.Center().Y}, m.Label)
}

// cell is a rectangle of one colour.
type cell struct {
	x0, y0, x1, y1 float64
	color          color.Color
}

// cells are the rectangles of a map and the border between its two sides.
type cells struct {
	list   []cell
	border [][4]float64 // from x, y to x, y
}

// edgeCounts returns the smallest and largest number of edges that a palette supports.
func edgeCounts(m *chart.Map) (least, most int) {
	if m.Diverging {
		return 4, 12
	}
	return 2, 10
}

// colors returns the colours of a map's classes. Both palettes can be distinguished by
// colour-blind people.
//
// Source: Brewer, colorbrewer2.org.
func colors(m *chart.Map) []color.Color {
	n, kind, name := len(m.Edges)-1, brewer.TypeSequential, "YlGnBu"
	if m.Diverging {
		kind, name = brewer.TypeDiverging, "RdBu"
	}
	p, err := brewer.GetPalette(kind, name, max(3, n)) // the smallest palette has 3
	if err != nil {
		panic(fmt.Sprintf("plot: palette of %d colours: %v", n, err)) // check has checked the number of edges
	}
	return p.Colors()[:n]
}

func newCells(m *chart.Map) *cells {
	l := new(cells)
	palette := colors(m)
	half := func(x []float64) float64 {
		if len(x) < 2 {
			return 0.5
		}
		return (x[1] - x[0]) / 2
	}
	dx, dy := half(m.X), half(m.Y)
	upper := func(z float64) bool { return 2*class(m.Edges, z) >= len(palette) }
	for i, row := range m.Z {
		for j, z := range row {
			c := cell{m.X[j] - dx, m.Y[i] - dy, m.X[j] + dx, m.Y[i] + dy, noValue}
			if !math.IsNaN(z) {
				c.color = palette[class(m.Edges, z)]
			}
			if n := len(l.list); j > 0 && l.list[n-1].color == c.color {
				l.list[n-1].x1 = c.x1
			} else {
				l.list = append(l.list, c)
			}
			if !m.Diverging || math.IsNaN(z) {
				continue
			}
			if j > 0 && !math.IsNaN(row[j-1]) && upper(row[j-1]) != upper(z) {
				l.border = append(l.border, [4]float64{c.x0, c.y0, c.x0, c.y1})
			}
			if i > 0 && !math.IsNaN(m.Z[i-1][j]) && upper(m.Z[i-1][j]) != upper(z) {
				l.border = append(l.border, [4]float64{c.x0, c.y0, c.x1, c.y0})
			}
		}
	}
	return l
}

// class returns the index of the class of z. An edge belongs to the class above it.
func class(edges []float64, z float64) int {
	i := 0
	for i < len(edges)-2 && z >= edges[i+1] {
		i++
	}
	return i
}

var border = draw.LineStyle{Color: color.Black, Width: 2}

// Plot implements [plot.Plotter].
func (l *cells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	// Neighbours overlap by a point, otherwise the background is visible between them.
	const seam = 1
	for _, k := range l.list {
		x0, y0 := x(k.x0), y(k.y0)
		x1, y1 := min(x(k.x1)+seam, c.Max.X), min(y(k.y1)+seam, c.Max.Y)
		c.FillPolygon(k.color, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
	}
	for _, b := range l.border {
		c.StrokeLine2(border, x(b[0]), y(b[1]), x(b[2]), y(b[3]))
	}
}

// DataRange implements [plot.DataRanger].
func (l *cells) DataRange() (x0, x1, y0, y1 float64) {
	first, last := l.list[0], l.list[len(l.list)-1]
	return first.x0, last.x1, first.y0, last.y1
}
