package plot

import (
	"image/color"
	"slices"

	"marsgym/env/game/chart"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// lineColors can be distinguished by colour-blind people.
//
// Source: Okabe and Ito, "Color universal design", 2008.
var lineColors = []color.Color{
	color.RGBA{0, 114, 178, 255}, color.RGBA{213, 94, 0, 255}, color.RGBA{0, 158, 115, 255},
	color.RGBA{204, 121, 167, 255}, color.RGBA{230, 159, 0, 255}, color.RGBA{86, 180, 233, 255},
}

// maxDots is the largest number of points of a line that are drawn with dots. Chosen.
const maxDots = 40

// lineStyle returns the style of the lines of the i-th name, which no other has: when all colours
// are taken, they come again with one more dot after each dash.
func lineStyle(i int) draw.LineStyle {
	s := draw.LineStyle{Color: lineColors[i%len(lineColors)], Width: 3}
	dots := i / len(lineColors)
	switch {
	case dots > 0:
		s.Dashes = []vg.Length{12, 4}
	case i > 0:
		s.Dashes = []vg.Length{vg.Length(max(2, 10/i)), 4}
	}
	for range dots {
		s.Dashes = append(s.Dashes, 2, 4)
	}
	return s
}

// lineNames returns the distinct names of a chart's lines. Lines of the same name have
// the same style in all panels.
func lineNames(c chart.Chart) (names []string) {
	for _, p := range c.Panels {
		for _, l := range p.Lines {
			if !slices.Contains(names, l.Name) {
				names = append(names, l.Name)
			}
		}
	}
	return names
}

var legendText = style(14, draw.XLeft, draw.YCenter)

// entry is a name in the legend and the start of its sample line, from the top left.
type entry struct {
	name string
	x, y vg.Length
}

const (
	sampleWidth  = 40
	legendHeight = 22 // of a row
)

// legend lays out names in rows of the given width.
func legend(names []string, width vg.Length) (list []entry, height vg.Length) {
	var x vg.Length
	for _, name := range names {
		w := sampleWidth + 6 + legendText.Width(name)
		if x > 0 && x+w > width {
			x, height = 0, height+legendHeight
		}
		list = append(list, entry{name, x, height + legendHeight/2})
		x += w + 24
	}
	if len(list) > 0 {
		height += legendHeight
	}
	return list, height
}

// renderLegend draws the legend at the top of c and returns the area below it.
func renderLegend(c draw.Canvas, names []string) draw.Canvas {
	list, height := legend(names, c.Size().X)
	for i, e := range list {
		x, y := c.Min.X+e.x, c.Max.Y-e.y
		c.StrokeLine2(lineStyle(i), x, y-2, x+sampleWidth, y-2) // the middle of lower-case letters
		c.FillText(legendText, vg.Point{X: x + sampleWidth + 6, Y: y}, e.name)
	}
	return draw.Crop(c, 0, 0, 0, -height)
}
