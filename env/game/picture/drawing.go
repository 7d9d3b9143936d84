package picture

import (
	"fmt"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/colour"
)

// drawing is a map on the screen: of tiles with a sign and a letter, or of names joined by
// lines.
type drawing struct {
	m                        *game.SceneMap
	left, top, right, bottom int
	at                       map[[2]int]int  // from column and row to the cell
	border                   map[[2]int]bool // whether a line shows it
	width                    int             // of a column
	pieces, slash            int             // where pieces and slanting borders stand in a column
}

// Columns of a border and of the letter of a group in the line below a cell, and the room
// that its pieces have there. Chosen.
const borderColumn, groupColumn, pieceRoom = 1, 3, 3

// tiled reports whether a map is drawn as tiles: its cells are on a grid, have kinds and are
// named by column and row.
func tiled(m *game.SceneMap) bool { return m != nil && m.Kinds != nil }

// newDrawing returns the drawing of a map. Columns are as wide as looks good, or else as the
// screen allows.
func newDrawing(m *game.SceneMap) *drawing {
	d := &drawing{m: m, at: map[[2]int]int{}, border: map[[2]int]bool{}}
	d.left, d.top = m.Cells[0].Tile[0], m.Cells[0].Tile[1]
	longest := 0
	for i, c := range m.Cells {
		d.left, d.right = min(d.left, c.Tile[0]), max(d.right, c.Tile[0])
		d.top, d.bottom = min(d.top, c.Tile[1]), max(d.bottom, c.Tile[1])
		d.at[c.Tile] = i
		longest = max(longest, len(c.Name+" 0:10"))
	}
	for _, b := range m.Borders {
		d.border[[2]int{min(b[0], b[1]), max(b[0], b[1])}] = false
	}
	d.width = min(longest+len(" -----"), max(longest+1, groupColumn+pieceRoom+2, columns/(d.right-d.left+1)))
	d.pieces = min(groupColumn+2, d.width-pieceRoom-1)
	d.slash = max(d.pieces+pieceRoom, d.width-3)
	return d
}

// lines returns the lines of the map.
func (d *drawing) lines() (lines []string) {
	if tiled(d.m) {
		return d.tiles()
	}
	for y := d.top; y <= d.bottom; y++ {
		lines = append(lines, d.row(y))
		if below := d.below(y); below != "" || y < d.bottom {
			lines = append(lines, below)
		}
	}
	return lines
}

// tiles returns the lines of a map of tiles, with letters and numbers at its edges.
func (d *drawing) tiles() (lines []string) {
	head := "    "
	for x := range d.right + 1 {
		head += fmt.Sprintf("  %c", 'a'+x)
	}
	lines = []string{head}
	for y := range d.bottom + 1 {
		line := fmt.Sprintf(" %2d ", y+1)
		for x := range d.right + 1 {
			if i, ok := d.at[[2]int{x, y}]; ok {
				line += " " + d.tile(i)
			} else {
				line += "   "
			}
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// tile draws a cell in two characters: the sign of its kind, and a piece.
func (d *drawing) tile(i int) string {
	c := &d.m.Cells[i]
	k := kind(d.m, c.Kind)
	switch len(k.Sign) {
	case 0:
		return " " + piece(c)
	case 1:
		return colour.Paint(k.Colour, k.Sign) + piece(c)
	}
	return colour.Paint(k.Colour, k.Sign)
}

// kind returns a kind of cells, without a sign if the map does not explain it.
func kind(m *game.SceneMap, name string) game.SceneKind {
	for _, k := range m.Kinds {
		if k.Kind == name {
			return k
		}
	}
	return game.SceneKind{}
}

// piece draws the piece of a tile: the letter of its seat, small if it lies.
func piece(c *game.SceneCell) string {
	if c.Pieces == nil {
		return colour.Paint(colour.Dim, ".")
	}
	p := c.Pieces[0]
	text := letter(int(p.Seat))
	if p.Lying {
		text = strings.ToLower(text)
	}
	return paint(int(p.Seat), text)
}

// row draws the cells of a row, and lines between neighbours.
func (d *drawing) row(y int) string {
	line := ""
	for x := d.left; x <= d.right; x++ {
		text, dash := "", " "
		if i, ok := d.at[[2]int{x, y}]; ok {
			text = d.cell(i)
			if d.show(x, y, x+1, y) {
				dash = "-"
			}
		}
		gap := strings.Repeat(dash, d.width-width(text))
		if dash == "-" && len(gap) > 2 {
			gap = " " + gap[2:] + " "
		}
		line += text + gap
	}
	return strings.TrimRight(line, " ")
}

// below draws the line below a row: groups and pieces of its cells, and borders with the
// next row.
func (d *drawing) below(y int) string {
	line := ""
	for x := d.left; x <= d.right; x++ {
		parts := strings.Split(strings.Repeat(" ", d.width), "")
		if d.show(x, y, x, y+1) {
			parts[borderColumn] = "|"
		}
		switch down, up := d.show(x, y, x+1, y+1), d.show(x+1, y, x, y+1); {
		case down && up:
			parts[d.slash] = "X"
		case down:
			parts[d.slash] = "\\"
		case up:
			parts[d.slash] = "/"
		}
		if i, ok := d.at[[2]int{x, y}]; ok {
			c := &d.m.Cells[i]
			if c.Group != "" {
				parts[groupColumn] = d.group(c.Group)
			}
			if text := small(c)[:min(pieceRoom, len(small(c)))]; text != "" {
				clear(parts[d.pieces : d.pieces+len(text)])
				parts[d.pieces] = paint(int(c.Pieces[0].Seat), text)
			}
		}
		line += strings.Join(parts, "")
	}
	return strings.TrimRight(line, " ")
}

// group draws the letter of a group, in the colour of the seat that holds it.
func (d *drawing) group(name string) string {
	for _, g := range d.m.Groups {
		if g.Name == name && g.Holder >= 0 {
			return paint(int(g.Holder), name[:1])
		}
	}
	return name[:1]
}

// cell names a cell with what stands there: a mark, the seat and the number of its armies.
func (d *drawing) cell(i int) string {
	c := &d.m.Cells[i]
	mark := map[string]string{"from": ">", "to": "!"}[c.Mark]
	if c.Pieces == nil {
		return colour.Paint(colour.Dim, c.Name+mark)
	}
	seat, armies := int(c.Pieces[0].Seat), 0
	for _, p := range c.Pieces {
		if p.Kind == "army" {
			armies += p.Count
		}
	}
	if mark == "" {
		return paint(seat, fmt.Sprintf("%s %d:%d", c.Name, seat, armies))
	}
	return colour.Paint(colour.Seats[seat]+";"+colour.Bold, fmt.Sprintf("%s%s%d:%d", c.Name, mark, seat, armies))
}

// small returns the first letters of the pieces of a cell that are no armies.
func small(c *game.SceneCell) (letters string) {
	for _, p := range c.Pieces {
		if p.Kind != "army" {
			letters += strings.ToUpper(p.Kind[:1])
		}
	}
	return letters
}

// show reports whether the cells at two places share a border, and notes that a line shows
// it.
func (d *drawing) show(x1, y1, x2, y2 int) bool {
	i, ok := d.at[[2]int{x1, y1}]
	k, both := d.at[[2]int{x2, y2}]
	b := [2]int{min(i, k), max(i, k)}
	if _, joined := d.border[b]; !ok || !both || !joined {
		return false
	}
	d.border[b] = true
	return true
}

// undrawn lists the borders that no line shows.
func (d *drawing) undrawn(to message.Speaker) []string {
	var rest []string
	for _, b := range d.m.Borders {
		if !tiled(d.m) && !d.border[[2]int{min(b[0], b[1]), max(b[0], b[1])}] {
			rest = append(rest, d.m.Cells[b[0]].Name+"-"+d.m.Cells[b[1]].Name)
		}
	}
	if rest == nil {
		return nil
	}
	return wrap(to.Say(message.New("map.undrawn")), rest, " ")
}
