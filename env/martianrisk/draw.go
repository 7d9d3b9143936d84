package martianrisk

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"marsgym/internal/colour"
)

// drawing is the place of the regions on the screen.
type drawing struct {
	left, top, right, bottom int
	at                       map[[2]int]int // from column and row to the region
	width                    int            // of a column
	tower, slash             int            // where towers and slanting borders stand in a column
	shown                    map[[2]byte]bool
}

const (
	screen = 79 // columns
	// Columns of a border and of the letter of a union in the line below a region.
	borderColumn, unionColumn = 1, 3
	longestTower              = len("LMS")
)

// newDrawing returns the drawing of the map. Columns are as wide as looks good, or else as
// the screen allows.
func (r *Rules) newDrawing() drawing {
	regions := r.cfg.Map.Regions
	longest := 0
	d := drawing{left: regions[0].At[0], top: regions[0].At[1], at: map[[2]int]int{}, shown: map[[2]byte]bool{}}
	for i, g := range regions {
		d.left, d.right = min(d.left, g.At[0]), max(d.right, g.At[0])
		d.top, d.bottom = min(d.top, g.At[1]), max(d.bottom, g.At[1])
		d.at[g.At] = i
		longest = max(longest, len(g.Name+" 0:10"))
	}
	const usual = len(" -----")
	d.width = min(longest+usual, max(longest+1, unionColumn+longestTower+2, screen/(d.right-d.left+1)))
	d.tower = min(unionColumn+2, d.width-longestTower-1)
	d.slash = max(d.tower+longestTower, d.width-3)
	return d
}

// drawMap draws the map.
func (r *Rules) drawMap(s *State, d drawing) (lines []string) {
	for y := d.top; y <= d.bottom; y++ {
		lines = append(lines, r.drawRow(s, d, y))
		if below := r.drawBelow(s, d, y); below != "" || y < d.bottom {
			lines = append(lines, below)
		}
	}
	return lines
}

// drawRow draws the regions of a row, and lines between neighbours.
func (r *Rules) drawRow(s *State, d drawing, y int) string {
	var b strings.Builder
	for x := d.left; x <= d.right; x++ {
		text, code, line := "", "", " "
		if i, ok := d.at[[2]int{x, y}]; ok {
			text, code = r.drawRegion(s, i)
			if k, ok := d.at[[2]int{x + 1, y}]; ok && r.show(d, i, k) {
				line = "-"
			}
		}
		if text != "" {
			b.WriteString(colour.Paint(code, text))
		}
		gap := strings.Repeat(line, d.width-len(text))
		if line == "-" && len(gap) > 2 {
			gap = " " + gap[2:] + " "
		}
		b.WriteString(gap)
	}
	return strings.TrimRight(b.String(), " ")
}

// drawBelow draws the line below a row: unions and towers of its regions, and borders with
// the next row.
func (r *Rules) drawBelow(s *State, d drawing, y int) string {
	border := func(x1, y1, x2, y2 int) bool {
		i, ok := d.at[[2]int{x1, y1}]
		k, both := d.at[[2]int{x2, y2}]
		return ok && both && r.show(d, i, k)
	}
	var b strings.Builder
	for x := d.left; x <= d.right; x++ {
		cell := []byte(strings.Repeat(" ", d.width))
		if border(x, y, x, y+1) {
			cell[borderColumn] = '|'
		}
		down, up := border(x, y, x+1, y+1), border(x+1, y, x, y+1)
		switch {
		case down && up:
			cell[d.slash] = 'X'
		case down:
			cell[d.slash] = '\\'
		case up:
			cell[d.slash] = '/'
		}
		text := string(cell)
		if i, ok := d.at[[2]int{x, y}]; ok {
			text = text[:unionColumn] + r.unionOf(i) + text[unionColumn+1:]
			if tower := s.tower(i); tower != "" {
				_, code := r.drawRegion(s, i)
				text = text[:d.tower] + colour.Paint(code, tower) + text[d.tower+len(tower):]
			}
		}
		b.WriteString(text)
	}
	return strings.TrimRight(b.String(), " ")
}

// unionOf returns the letter of the union of a region, or a space.
func (r *Rules) unionOf(i int) string {
	for u, set := range r.board.unions {
		if set>>i&1 == 1 {
			return unionName(u)
		}
	}
	return " "
}

// show reports whether two regions share a border, and notes that it is shown.
func (r *Rules) show(d drawing, i, k int) bool {
	if r.board.adj[i]>>k&1 == 0 {
		return false
	}
	d.shown[[2]byte{byte(min(i, k)), byte(max(i, k))}] = true
	return true
}

// drawRegion returns the text of a region on the map, and its colour.
func (r *Rules) drawRegion(s *State, i int) (text, code string) {
	p := s.owner(i)
	if p < 0 {
		return r.board.names[i], colour.Dim
	}
	mark, code := " ", colour.Seats[p]
	switch {
	case s.Phase != Small && s.From == s.To:
	case i == int(s.To):
		mark = "!"
	case i == int(s.From) && s.Phase != Small:
		mark = ">"
	}
	if mark != " " {
		code += ";" + colour.Bold
	}
	return fmt.Sprintf("%s%s%d:%d", r.board.names[i], mark, p, s.Armies[i]), code
}

// regionNames lists the names of a set of regions, in alphabetical order.
func (r *Rules) regionNames(set uint64) (names []string) {
	for ; set != 0; set &= set - 1 {
		names = append(names, r.board.names[bits.TrailingZeros64(set)])
	}
	slices.Sort(names)
	return names
}

// wrap writes words after a title, in lines of 78 columns.
func wrap(title string, words []string) (lines []string) {
	line := title
	for i, w := range words {
		if len(line)+len(w)+1 > 78 {
			lines = append(lines, strings.TrimRight(line, " "))
			line = strings.Repeat(" ", len(title))
		}
		if i < len(words)-1 {
			w += " "
		}
		line += w
	}
	return append(lines, line)
}
