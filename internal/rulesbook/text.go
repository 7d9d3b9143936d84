package rulesbook

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"marsgym/internal/input"
)

// Block is a part of the rules of a game, for programs that lay them out themselves.
type Block struct {
	Kind   string   `json:"kind"`
	Text   string   `json:"text,omitempty"`
	Mark   string   `json:"mark,omitempty"`   // of an item: "-", "- a." or "1."; "" goes on the one before
	Indent int      `json:"indent,omitempty"` // of an item, in characters
	Cells  []string `json:"cells,omitempty"`  // of a row of a table, the first of which has the titles
	Loose  bool     `json:"loose,omitempty"`  // an empty line comes before it

	section string // title of its section
}

// The kinds of blocks.
const (
	paragraph = "paragraph"
	heading   = "heading"
	item      = "item" // of a list
	row       = "row"  // of a table
	code      = "code" // a line in a fixed form
	drawing   = "map"  // a line of a drawn map, in place of which a program can show a picture
)

var (
	itemStart = regexp.MustCompile(`^( *)(- (?:[a-z]\. )?|\d+\. )(.*)`)
	link      = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	marks     = strings.NewReplacer("**", "", "`", "")
)

// plain removes the marks of a text: links, bold and code.
func plain(text string) string {
	return strings.Trim(marks.Replace(link.ReplaceAllString(text, "$1")), "* ")
}

// parse reads the part of Markdown that the rules use.
func parse(text string) (list []Block) {
	section, fenced, loose := "", "", false // fenced is the kind of the lines between fences, or ""
	add := func(b Block) {
		b.section, b.Loose = section, loose
		list, loose = append(list, b), false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		trimmed := strings.TrimLeft(line, " ")
		last := len(list) - 1
		switch m := itemStart.FindStringSubmatch(line); {
		case strings.HasPrefix(trimmed, "```"):
			loose = fenced == ""
			switch {
			case !loose:
				fenced = ""
			case trimmed == "```"+drawing:
				fenced = drawing
			default:
				fenced = code
			}
		case fenced != "":
			add(Block{Kind: fenced, Text: line})
		case strings.HasPrefix(line, "<!--"): // marks a part
			loose = true
		case trimmed == "":
			loose = true
		case strings.HasPrefix(line, "#"):
			section, loose = strings.TrimLeft(line, "# "), true
			add(Block{Kind: heading, Text: section})
			loose = true
		case strings.HasPrefix(line, "|"):
			cells := strings.Split(strings.Trim(line, "| "), "|")
			if !strings.HasPrefix(strings.TrimSpace(cells[0]), "---") {
				add(Block{Kind: row, Text: plain(line), Cells: cells})
			}
		case m != nil:
			add(Block{Kind: item, Text: m[3], Indent: len(m[1]), Mark: m[2]})
		case !loose && last >= 0 && (list[last].Kind == item || list[last].Kind == paragraph):
			list[last].Text += " " + trimmed
		case line != trimmed: // goes on an item
			add(Block{Kind: item, Text: trimmed, Indent: len(line) - len(trimmed)})
		default:
			add(Block{Kind: paragraph, Text: line})
		}
	}
	return list
}

// format writes blocks as text of width columns.
func format(list []Block, width int) string {
	var b strings.Builder
	for i := 0; i < len(list); i++ {
		x := list[i]
		if x.Loose && b.Len() > 0 {
			b.WriteByte('\n')
		}
		switch x.Kind {
		case heading:
			b.WriteString(x.Text + "\n" + strings.Repeat("-", utf8.RuneCountInString(x.Text)) + "\n")
		case code, drawing:
			b.WriteString(x.Text + "\n")
		case row:
			n := i
			for n+1 < len(list) && list[n+1].Kind == row && !list[n+1].Loose {
				n++
			}
			table(&b, list[i:n+1], width)
			i = n
		default:
			indent := strings.Repeat(" ", x.Indent)
			input.Wrap(&b, indent+x.Mark, indent+strings.Repeat(" ", len(x.Mark)), plain(x.Text), width)
		}
	}
	return b.String()
}

// table writes rows in columns; the last column is wrapped.
func table(b *strings.Builder, rows []Block, width int) {
	var widths []int
	for _, r := range rows {
		for j, c := range r.Cells {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(plain(c)))
		}
	}
	for _, r := range rows {
		first, n := "", 0
		for j, c := range r.Cells[:len(r.Cells)-1] {
			c = plain(c)
			first += c + strings.Repeat(" ", widths[j]-utf8.RuneCountInString(c)+2)
			n += widths[j] + 2
		}
		input.Wrap(b, first, strings.Repeat(" ", n), plain(r.Cells[len(r.Cells)-1]), width)
	}
}
