package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/env/game/chart"
	"marsgym/internal/plot"
)

// sample returns a chart with all elements: both kinds of map, a cell without a value,
// lines.
func sample() chart.Chart {
	grid := func(diverging bool, edges ...float64) *chart.Map {
		return &chart.Map{
			Label: "colour of (%)", X: []float64{0, 1, 2}, Y: []float64{5, 6},
			Z:     [][]float64{{0, 10, math.NaN()}, {30, 20, 40}},
			Edges: edges, Diverging: diverging,
		}
	}
	line := chart.Line{Name: "a line", X: []float64{-0.5, 0, 6}, Y: []float64{1, 4, 2}}
	return chart.Chart{
		Name: "sample", Title: "A title & more", Caption: strings.Repeat("How to read it. ", 30),
		Panels: []chart.Panel{
			{Title: "two-sided", X: chart.Axis{Label: "own"}, Y: chart.Axis{Label: "other", Ticks: []chart.Tick{{At: 5, Label: "five"}}}, Map: grid(true, -20, 5, 20, 30, 40)},
			{Title: "one-sided", Map: grid(false, 0, 25, 40)},
			{Title: "lines", Lines: []chart.Line{line, {Name: "another", X: line.Y, Y: line.X}}},
		},
	}
}

func bytesOf(t *testing.T, draw func(io.Writer, chart.Chart) error, c chart.Chart) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := draw(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSVG reads the drawing: it has all words, and the colours of the classes of the
// values.
func TestSVG(t *testing.T) {
	drawn := bytesOf(t, plot.SVG, sample())
	if !bytes.Equal(drawn, bytesOf(t, plot.SVG, sample())) {
		t.Error("equal charts give different bytes")
	}
	var words strings.Builder
	d := xml.NewDecoder(bytes.NewReader(drawn))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			words.Write(text)
			words.WriteByte('\n')
		}
	}
	for _, want := range []string{
		"A title & more", "How to read it.", "two-sided", "one-sided", "lines", "own", "other", "five",
		"colour of (%)", "a line", "another", "25", "40", "−20",
	} {
		if !strings.Contains(words.String(), want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(words.String(), "−0\n") {
		t.Error("zero has a sign")
	}
	for color, want := range map[string]int{
		"#CA0020": 2, // lowest of four classes: in the key, and for 0
		"#0571B0": 3, // highest: in the key, and for 30 and 40
		"#E1E1E1": 2, // no value
	} {
		if n := bytes.Count(drawn, []byte(color)); n != want {
			t.Errorf("%d areas of %s, want %d", n, color, want)
		}
	}
	if !bytes.Contains(drawn, []byte("Arial")) {
		t.Error("no font replaces Liberation Sans")
	}
}

func TestPNG(t *testing.T) {
	data := bytesOf(t, plot.PNG, sample())
	if !bytes.Equal(data, bytesOf(t, plot.PNG, sample())) {
		t.Error("equal charts give different bytes")
	}
	c := sample()
	c.Panels = c.Panels[:2]
	img, err := png.Decode(bytes.NewReader(bytesOf(t, plot.PNG, c)))
	if err != nil {
		t.Fatal(err)
	}
	if w := img.Bounds().Dx(); w < 1200 {
		t.Errorf("%d pixels wide, want at least 1200", w)
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name, want string
		change     func(c *chart.Chart)
	}{
		{"one edge", "1 edges; want 4 to 12", func(c *chart.Chart) { c.Panels[0].Map.Edges = []float64{0} }},
		{"many edges", "11 edges; want 2 to 10", func(c *chart.Chart) { c.Panels[1].Map.Edges = make([]float64, 11) }},
		{"a missing row", "1 rows of values for 2 by 3 cells", func(c *chart.Chart) { c.Panels[1].Map.Z = c.Panels[1].Map.Z[:1] }},
		{"a short row", "a row has 1 values; want 3", func(c *chart.Chart) { c.Panels[1].Map.Z[1] = []float64{1} }},
		{"outside", "the value 41 lies outside 0 to 40", func(c *chart.Chart) { c.Panels[1].Map.Z[1][0] = 41 }},
		{"a short line", `line "a line" has 3 by 1 coordinates`, func(c *chart.Chart) { c.Panels[2].Lines[0].Y = []float64{1} }},
	}
	for _, tt := range tests {
		c := sample()
		tt.change(&c)
		if err := plot.SVG(io.Discard, c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	var log strings.Builder
	if err := plot.Write(&log, dir, []chart.Chart{sample()}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sample.svg", "sample.png"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(log.String(), path) {
			t.Errorf("the log does not name %s: %s", path, log.String())
		}
	}
	other := sample()
	other.Name = "other"
	err := plot.Write(&log, dir, []chart.Chart{other, sample()})
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "name another folder") {
		t.Errorf("an existing file: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "other.svg")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was written: %v", err)
	}
}

// TestLegend draws lines with the same names in several panels: the legend has each name
// once, each name has one colour, and lines of few points have dots.
func TestLegend(t *testing.T) {
	few := chart.Line{Name: "few", X: []float64{1, 2, 3}, Y: []float64{1, 2, 1}}
	many := chart.Line{Name: "many"}
	for i := range 100 {
		many.X, many.Y = append(many.X, float64(i+1)), append(many.Y, float64(i%7))
	}
	c := chart.Chart{Name: "legend", Panels: []chart.Panel{{Lines: []chart.Line{few, few}}, {Lines: []chart.Line{many, few}}}}
	drawn := string(bytesOf(t, plot.SVG, c))
	for text, want := range map[string]int{
		">few<": 1, ">many<": 1,
		"stroke:#0072B2": 4, // few: the legend and three lines
		"fill:#0072B2":   9, // their dots
		"stroke:#D55E00": 2, // many
		"fill:#D55E00":   0,
		">0<":            3, // both x axes and one y axis
	} {
		if n := strings.Count(drawn, text); n != want {
			t.Errorf("%d times %s, want %d", n, text, want)
		}
	}

	// Names that do not fit into one row add rows to the height.
	height := func(names int) int {
		c := chart.Chart{Panels: make([]chart.Panel, 1)}
		for i := range names {
			l := few
			l.Name = strings.Repeat("x", 20) + strings.Repeat("y", i)
			c.Panels[0].Lines = append(c.Panels[0].Lines, l)
		}
		img, err := png.DecodeConfig(bytes.NewReader(bytesOf(t, plot.PNG, c)))
		if err != nil {
			t.Fatal(err)
		}
		return img.Height
	}
	zero, one, two, four := height(0), height(1), height(2), height(4)
	if row := one - zero; row <= 0 || two != one || four != one+row {
		t.Errorf("heights %d, %d, %d, %d for 0, 1, 2, 4 names", zero, one, two, four)
	}
}

// TestReplaceCleans: Replace removes temporary files of a killed process.
func TestReplaceCleans(t *testing.T) {
	dir := t.TempDir()
	c := sample()
	left := filepath.Join(dir, c.Name+".png.ABCDEFGH.tmp")
	if err := os.WriteFile(left, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := plot.Replace(io.Discard, dir, c); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s still exists: %v", left, err)
	}
}
