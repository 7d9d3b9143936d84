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
}

// newDrawing returns the drawing of the map. A column has the width of the longest text
// with a border behind it; on a screen of 80 columns that may be a single character.
func (r *Rules) newDrawing(s *State) drawing {
	regions := r.cfg.Map.Regions
	longest := 0
	d := drawing{left: regions[0].At[0], top: regions[0].At[1], at: map[[2]int]int{}}
	for i, g := range regions {
		d.left, d.right = min(d.left, g.At[0]), max(d.right, g.At[0])
		d.top, d.bottom = min(d.top, g.At[1]), max(d.bottom, g.At[1])
		d.at[g.At] = i
		text, _ := r.drawRegion(s, i)
		longest = max(longest, len(text))
	}
	const usual, screen = len("CA 0:10LMS") + 3, 79
	d.width = min(max(longest+3, usual), max(longest+1, screen/(d.right-d.left+1)))
	return d
}

// drawMap draws the map.
func (r *Rules) drawMap(s *State) string {
	d := r.newDrawing(s)
	shown := map[[2]byte]bool{}
	var lines []string
	for y := d.top; y <= d.bottom; y++ {
		lines = append(lines, r.drawRow(s, d, y, shown))
		if y < d.bottom {
			lines = append(lines, r.drawBetween(d, y, shown))
		}
	}
	var rest []string
	for _, e := range r.board.edges {
		if e[0] < e[1] && !shown[e] {
			rest = append(rest, r.board.names[e[0]]+"-"+r.board.names[e[1]])
		}
	}
	if rest != nil {
		lines = append(lines, wrap("borders without a line: ", rest)...)
	}
	var unions []string
	for i, u := range r.board.unions {
		unions = append(unions, unionName(i)+" "+strings.Join(r.regionNames(u), "+"))
	}
	if unions != nil {
		lines = append(lines, wrap("unions: ", unions)...)
	}
	return strings.Join(lines, "\n")
}

// drawRow draws the regions of a row, and lines between neighbours.
func (r *Rules) drawRow(s *State, d drawing, y int, shown map[[2]byte]bool) string {
	var b strings.Builder
	for x := d.left; x <= d.right; x++ {
		text, code, line := "", "", " "
		if i, ok := d.at[[2]int{x, y}]; ok {
			text, code = r.drawRegion(s, i)
			if k, ok := d.at[[2]int{x + 1, y}]; ok && r.show(i, k, shown) {
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

// drawBetween draws the borders between a row and the next.
func (r *Rules) drawBetween(d drawing, y int, shown map[[2]byte]bool) string {
	line := []byte(strings.Repeat(" ", d.width*(d.right-d.left+1)))
	border := func(x1, y1, x2, y2 int) bool {
		i, ok := d.at[[2]int{x1, y1}]
		k, both := d.at[[2]int{x2, y2}]
		return ok && both && r.show(i, k, shown)
	}
	for x := d.left; x <= d.right; x++ {
		at := d.width * (x - d.left)
		if border(x, y, x, y+1) {
			line[at+1] = '|'
		}
		down, up := border(x, y, x+1, y+1), border(x+1, y, x, y+1)
		switch {
		case down && up:
			line[at+d.width-3] = 'X'
		case down:
			line[at+d.width-3] = '\\'
		case up:
			line[at+d.width-3] = '/'
		}
	}
	return strings.TrimRight(string(line), " ")
}

// show reports whether two regions share a border, and notes that it is shown.
func (r *Rules) show(i, k int, shown map[[2]byte]bool) bool {
	if r.board.adj[i]>>k&1 == 0 {
		return false
	}
	shown[[2]byte{byte(min(i, k)), byte(max(i, k))}] = true
	return true
}

// drawRegion returns the text of a region on the map, and its colour.
func (r *Rules) drawRegion(s *State, i int) (text, code string) {
	text, code = r.board.names[i]+" -", colour.Dim
	if p := s.owner(i); p >= 0 {
		text, code = fmt.Sprintf("%s %d:%d%s", r.board.names[i], p, s.Armies[i], s.tower(i)), colour.Seats[p]
	}
	mark := ""
	switch {
	case s.Phase != Small && s.From == s.To:
	case i == int(s.To):
		mark = "!"
	case i == int(s.From) && s.Phase != Small:
		mark = ">"
	}
	if mark != "" {
		text, code = text+mark, code+";"+colour.Bold
	}
	return text, code
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

// Explain implements [game.Explainer]: a region with its armies, its union with its
// members, and its neighbours.
func (r *Rules) Explain(s State, word string) []string {
	i := slices.IndexFunc(r.board.names, func(name string) bool { return strings.EqualFold(name, word) })
	if i < 0 {
		return nil
	}
	describe := func(i int) string {
		text, _ := r.drawRegion(&s, i)
		return strings.TrimRight(text, "!>")
	}
	text := describe(i)
	if p := s.owner(i); p >= 0 {
		text = fmt.Sprintf("%s: seat %d, armies %d, height of the tower %d", r.board.names[i], p, s.Armies[i], s.height(uint8(i)))
	}
	lines := []string{text}
	list := func(set uint64) (texts []string) {
		for ; set != 0; set &= set - 1 {
			texts = append(texts, describe(bits.TrailingZeros64(set)))
		}
		return texts
	}
	for u, set := range r.board.unions {
		if set>>i&1 == 1 {
			lines = append(lines, wrap(fmt.Sprintf("union %s: ", unionName(u)), list(set))...)
		}
	}
	return append(lines, wrap("beside: ", list(r.board.adj[i]))...)
}
