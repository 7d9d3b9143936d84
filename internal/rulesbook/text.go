package rulesbook

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"marsgym/internal/input"
)

// kind is the kind of a block.
type kind int

const (
	paragraph kind = iota
	heading
	item // of a list
	row  // of a table
	code // a line in a fixed form
)

func (k kind) String() string {
	return [...]string{"paragraph", "heading", "item", "row", "code"}[k]
}

// block is a block of a page.
type block struct {
	section string // title of its section
	kind    kind
	text    string
	indent  int      // of an item
	mark    string   // of an item: "- " or "1. "
	cells   []string // of a row
	loose   bool     // an empty line comes before it
}

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
func parse(text string) (list []block) {
	section, fenced, loose := "", false, false
	add := func(b block) {
		b.section, b.loose = section, loose
		list, loose = append(list, b), false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		trimmed := strings.TrimLeft(line, " ")
		last := len(list) - 1
		switch m := itemStart.FindStringSubmatch(line); {
		case strings.HasPrefix(trimmed, "```"):
			fenced, loose = !fenced, !fenced
		case fenced:
			add(block{kind: code, text: line})
		case trimmed == "":
			loose = true
		case strings.HasPrefix(line, "#"):
			section, loose = strings.TrimLeft(line, "# "), true
			add(block{kind: heading, text: section})
			loose = true
		case strings.HasPrefix(line, "|"):
			cells := strings.Split(strings.Trim(line, "| "), "|")
			if !strings.HasPrefix(strings.TrimSpace(cells[0]), "---") {
				add(block{kind: row, text: plain(line), cells: cells})
			}
		case m != nil:
			add(block{kind: item, text: m[3], indent: len(m[1]), mark: m[2]})
		case !loose && last >= 0 && (list[last].kind == item || list[last].kind == paragraph):
			list[last].text += " " + trimmed
		case line != trimmed: // goes on an item
			add(block{kind: item, text: trimmed, indent: len(line) - len(trimmed)})
		default:
			add(block{text: line})
		}
	}
	return list
}

// format writes blocks as text of width columns.
func format(list []block, width int) string {
	var b strings.Builder
	for i := 0; i < len(list); i++ {
		x := list[i]
		if x.loose && b.Len() > 0 {
			b.WriteByte('\n')
		}
		switch x.kind {
		case heading:
			b.WriteString(x.text + "\n" + strings.Repeat("-", utf8.RuneCountInString(x.text)) + "\n")
		case code:
			b.WriteString(x.text + "\n")
		case row:
			n := i
			for n+1 < len(list) && list[n+1].kind == row && !list[n+1].loose {
				n++
			}
			table(&b, list[i:n+1], width)
			i = n
		default:
			indent := strings.Repeat(" ", x.indent)
			input.Wrap(&b, indent+x.mark, indent+strings.Repeat(" ", len(x.mark)), plain(x.text), width)
		}
	}
	return b.String()
}

// table writes rows in columns; the last column is wrapped.
func table(b *strings.Builder, rows []block, width int) {
	var widths []int
	for _, r := range rows {
		for j, c := range r.cells {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(plain(c)))
		}
	}
	for _, r := range rows {
		first, n := "", 0
		for j, c := range r.cells[:len(r.cells)-1] {
			c = plain(c)
			first += c + strings.Repeat(" ", widths[j]-utf8.RuneCountInString(c)+2)
			n += widths[j] + 2
		}
		input.Wrap(b, first, strings.Repeat(" ", n), plain(r.cells[len(r.cells)-1]), width)
	}
}
