package agents

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/input"
)

// options are the legal actions of a position, as a person reads and types them.
type options struct {
	game         env.Game
	legal        []game.Action
	names        []string // [k]
	descriptions []string // [k]
	hints        []string // [k]
}

func (h *Human) options(p env.Position) (*options, error) {
	o := &options{game: h.game, legal: p.Legal()}
	o.hints = make([]string, len(o.legal))
	for _, a := range o.legal {
		o.names = append(o.names, h.game.ActionName(a))
		o.descriptions = append(o.descriptions, p.DescribeAction(a))
	}
	if h.Hints != nil {
		hints, err := h.Hints(p)
		if err != nil {
			return nil, err
		}
		o.hints = hints
	}
	return o, nil
}

const (
	screenWidth = 79 // a terminal of 80 columns breaks no line
	fewOptions  = 7  // listed one a line. Chosen: with a board they fit on 24 lines
)

// short lists all options: one a line if they are few, otherwise by their kinds.
func (o *options) short() string {
	if len(o.legal) <= fewOptions {
		return o.lines(o.legal)
	}
	var b strings.Builder
	kinds, members := o.kinds()
	for _, kind := range kinds {
		list := members[kind]
		if len(list) == 1 {
			b.WriteString(o.lines(list))
			continue
		}
		o.writeKind(&b, kind, list)
	}
	return b.String()
}

// kinds groups the options by the part of their descriptions before a colon.
func (o *options) kinds() (order []string, members map[string][]game.Action) {
	members = map[string][]game.Action{}
	for i, a := range o.legal {
		kind, _, _ := strings.Cut(o.descriptions[i], ": ")
		if kind == "" {
			kind = "actions"
		}
		if members[kind] == nil {
			order = append(order, kind)
		}
		members[kind] = append(members[kind], a)
	}
	return order, members
}

// writeKind writes options of one kind in columns: their names without what all have in
// common, the rest of their descriptions, and the hints.
func (o *options) writeKind(b *strings.Builder, kind string, list []game.Action) {
	common := o.game.ActionName(list[0])
	for _, a := range list[1:] {
		for !strings.HasPrefix(o.game.ActionName(a), common) {
			common = common[:len(common)-1]
		}
	}
	common = common[:strings.LastIndexFunc(common, isMark)+1]
	entries := make([]string, len(list))
	width := 0
	for i, a := range list {
		k := slices.Index(o.legal, a)
		_, rest, _ := strings.Cut(o.descriptions[k], ": ")
		words := []string{o.names[k][len(common):], rest, strings.TrimSpace(o.hints[k])}
		entries[i] = strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " ")
		width = max(width, len([]rune(entries[i])))
	}
	first := "  " + kind + ":"
	indent := len(first)
	// Few long entries a line begin below the title, where there is more room.
	if perLine := (screenWidth - indent) / (width + 2); perLine < len(entries) && width > 14 {
		b.WriteString(first + "\n")
		first, indent = "", 2
	}
	line := first
	for _, e := range entries {
		if len([]rune(line))+2+len([]rune(e)) > screenWidth {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = ""
		}
		if line == "" {
			line = strings.Repeat(" ", indent)
		}
		line += "  " + e + strings.Repeat(" ", width-len([]rune(e)))
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// lines lists options, one a line.
func (o *options) lines(list []game.Action) string {
	var b strings.Builder
	var keyWidth, width int
	keys := make([]string, len(list))
	for i, a := range list {
		keys[i] = o.key(a)
		keyWidth, width = max(keyWidth, len(keys[i])), max(width, len(o.descriptions[slices.Index(o.legal, a)]))
	}
	for i, a := range list {
		k := slices.Index(o.legal, a)
		line := fmt.Sprintf("  %-*s   %-*s   %s", keyWidth, keys[i], width, o.descriptions[k], o.hints[k])
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// explain lists all options, one a line, or describes what words name: options, and what
// is on the board.
func (o *options) explain(p env.Position, words []string) string {
	if len(words) == 0 {
		return o.lines(o.legal)
	}
	var b strings.Builder
	for _, line := range p.Explain(strings.Join(words, " ")) {
		b.WriteString(line + "\n")
	}
	b.WriteString(o.lines(withTokens(o.legal, o.names, words)))
	if b.Len() == 0 {
		return fmt.Sprintf("Nothing here is named %s.\n", input.Quote(strings.Join(words, " ")))
	}
	return b.String()
}

// key returns the name of a, with the shortest unambiguous prefix in brackets.
func (o *options) key(a game.Action) string {
	name := o.game.ActionName(a)
	for n := 1; n < len(name); n++ {
		if b, err := o.match([]string{name[:n]}); err == nil && b == a {
			return "[" + name[:n] + "]" + name[n:]
		}
	}
	return "[" + name + "]"
}

// match returns the action that words name: a legal action by its name, the beginning of
// its name or parts of it, or otherwise an illegal one by the beginning of its name, for
// which Apply returns the reason.
func (o *options) match(words []string) (game.Action, error) {
	word := strings.Join(words, " ")
	found := withPrefix(o.legal, o.names, word)
	if found == nil {
		found = withTokens(o.legal, o.names, words)
	}
	switch len(found) {
	case 0:
	case 1:
		return found[0], nil
	default:
		const most = 4 // chosen: they fit on a line
		list := make([]string, min(len(found), most))
		for i := range list {
			list[i] = o.game.ActionName(found[i])
		}
		text := strings.Join(list, " or ")
		if len(found) > most {
			text += fmt.Sprintf(", or %d others", len(found)-most)
		}
		return 0, fmt.Errorf("%s could be %s", input.Quote(word), text)
	}
	for a := range game.Action(o.game.Spec().Actions) {
		if strings.HasPrefix(o.game.ActionName(a), word) {
			return a, nil
		}
	}
	if near := input.Nearest(word, o.names); near != "" {
		return 0, fmt.Errorf("%s is no action here, but %s is", input.Quote(word), near)
	}
	return 0, errors.New(input.Quote(word) + " is no action here; ? lists them")
}

// withPrefix returns the action that word names in full, or those whose names begin
// with it.
func withPrefix(actions []game.Action, names []string, word string) (found []game.Action) {
	for i, name := range names {
		if name == word {
			return actions[i : i+1]
		}
		if strings.HasPrefix(name, word) {
			found = append(found, actions[i])
		}
	}
	return found
}

// withTokens returns the actions whose names have all parts of the words, in their order:
// "e2" and "pl e2" name place-e2. If the parts of some are the same, not only beginnings,
// it returns those.
func withTokens(actions []game.Action, names []string, words []string) (found []game.Action) {
	var typed []string
	for _, w := range words {
		typed = append(typed, strings.FieldsFunc(w, isMark)...)
	}
	if typed == nil {
		return nil
	}
	same := false
	for i, name := range names {
		parts := strings.FieldsFunc(name, isMark)
		k, equal := 0, true
		for _, part := range parts {
			if k < len(typed) && strings.HasPrefix(part, typed[k]) {
				equal = equal && part == typed[k]
				k++
			}
		}
		switch {
		case k < len(typed) || same && !equal:
			continue
		case equal && !same:
			found, same = nil, true
		}
		found = append(found, actions[i])
	}
	return found
}

// isMark reports whether a character separates the parts of a name.
func isMark(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
