package dialogue

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/input"
)

// options are the legal actions of a position, as a person reads and types them.
type options struct {
	game   env.Game
	list   []option
	hinted bool
}

// option is a legal action.
type option struct {
	action     game.Action
	name       string
	kind, rest string // what it does; rest may be empty
	hint       Hint   // if the options are hinted
}

// description says what an option does.
func (x option) description() string {
	if x.rest == "" {
		return x.kind
	}
	return x.kind + ": " + x.rest
}

func (h *Human) options(p env.Position) (*options, error) {
	o := &options{game: h.game, hinted: h.Hints != nil}
	if scene := p.Scene(); scene != nil {
		for _, x := range scene.Options {
			o.list = append(o.list, option{action: x.Action, name: x.Name, kind: h.To.Say(x.Kind), rest: h.To.Say(x.Short)})
		}
	} else {
		for _, a := range p.Legal() {
			o.list = append(o.list, option{action: a, name: h.game.ActionName(a)})
		}
	}
	if o.hinted {
		hints, err := h.Hints(p)
		if err != nil {
			return nil, err
		}
		for k, hint := range hints {
			o.list[k].hint = hint
		}
	}
	return o, nil
}

const (
	screenWidth = 79 // a terminal of 80 columns breaks no line
	screenLines = 24
	fewOptions  = 7 // listed one a line. Chosen
	bestOptions = 3 // at most, listed with their hints where options are listed by kinds. Chosen
)

// short lists all options, below a board of the given number of lines: one a line if they are few, fit
// on the screen and are not mostly alike, otherwise by their kinds.
func (o *options) short(board int) string {
	different := map[string]bool{}
	for _, x := range o.list {
		different[x.description()] = true
	}
	var text string
	if n := len(o.list); n <= fewOptions && (n <= 4 || 2*len(different) > n) {
		if text = o.lines(o.list, true); board+strings.Count(text, "\n") < screenLines {
			return text
		}
	}
	for _, d := range []detail{full, brief, briefest} {
		if text = o.byKinds(d); board+strings.Count(text, "\n") < screenLines {
			break
		}
	}
	return text
}

// detail is what a list by kinds says of each option.
type detail int

const (
	full     detail = iota
	brief           // no more than names, in long lists
	briefest        // and those alone of their kind are on one line with the best
)

// byKinds lists all options by their kinds.
func (o *options) byKinds(d detail) string {
	var b strings.Builder
	last := ""
	kinds, members := o.kinds()
	for _, kind := range kinds {
		switch list := members[kind]; {
		case len(list) > 1:
			writeKind(&b, kind, list, d != full)
		case d == briefest:
			last += "  " + o.key(list[0])
		default:
			b.WriteString(o.lines(list, true))
		}
	}
	if last += o.best(len(last)); last != "" {
		b.WriteString(last + "\n")
	}
	return b.String()
}

// best returns the best options with their hints, as many as fit on a line of which used
// characters are taken. It counts those that are as good as the last one.
func (o *options) best(used int) string {
	if !o.hinted {
		return ""
	}
	sorted := slices.Clone(o.list)
	slices.SortStableFunc(sorted, func(x, y option) int { return cmp.Compare(y.hint.Value, x.hint.Value) })
	for n := min(bestOptions, len(sorted)); n > 0; n-- {
		line := "  best:"
		for _, x := range sorted[:n] {
			line += "  " + x.name + " " + strings.TrimSpace(x.hint.Text)
		}
		equal := 0
		for _, x := range sorted[n:] {
			if x.hint.Value >= sorted[n-1].hint.Value-game.Tie {
				equal++
			}
		}
		if equal > 0 {
			line += fmt.Sprintf("  and %d more as good", equal)
		}
		if used+input.Width(line) <= screenWidth {
			return line
		}
	}
	return ""
}

// kinds groups the options by their kinds.
func (o *options) kinds() (order []string, members map[string][]option) {
	members = map[string][]option{}
	for _, x := range o.list {
		kind := cmp.Or(x.kind, "actions")
		if members[kind] == nil {
			order = append(order, kind)
		}
		members[kind] = append(members[kind], x)
	}
	return order, members
}

// writeKind writes options of one kind: their names without what all have in common, and
// the rest of their descriptions, once for all options that share it if most do. If brief
// is set, it leaves out these rests.
func writeKind(b *strings.Builder, kind string, list []option, brief bool) {
	common := list[0].name
	for _, x := range list[1:] {
		for !strings.HasPrefix(x.name, common) {
			common = common[:len(common)-1]
		}
	}
	common = common[:strings.LastIndexAny(common, "-:")+1] // a verb; in nv>ca, nv is a place
	var rests, entries []string
	names := map[string][]string{}
	for _, x := range list {
		rest := x.rest
		if brief {
			rest = ""
		}
		name := x.name[len(common):]
		if names[rest] == nil {
			rests = append(rests, rest)
		}
		names[rest] = append(names[rest], name)
		entries = append(entries, strings.TrimSpace(name+" "+rest))
	}
	title := "  " + kind + ":"
	var texts []string
	if rests[0] != "" && 2*len(rests) <= len(list) { // a line may end between the names
		shared := make([]string, len(rests))
		for i, rest := range rests {
			shared[i] = rest + ": " + strings.Join(names[rest], " ")
		}
		texts = append(texts, inSequence(title, shared, true))
	} else {
		texts = append(texts, inColumns(title, entries), inSequence(title, entries, false))
	}
	if groups := byBeginning(entries); groups != nil {
		texts = append(texts, inSequence(title, groups, false))
	}
	b.WriteString(slices.MinFunc(texts, func(x, y string) int {
		return cmp.Compare(strings.Count(x, "\n"), strings.Count(y, "\n"))
	}))
}

// byBeginning joins entries, such as "nv>ca 41" and "nv>or 66", that begin with the same
// part: "nv> ca 41, or 66". It returns nil if many begin alone.
func byBeginning(entries []string) (groups []string) {
	joined := map[string]int{}
	for _, e := range entries {
		i := strings.IndexFunc(e, isMark)
		if i < 0 || e[i] == ' ' {
			return nil
		}
		head, tail := e[:i+1], e[i+1:]
		if k, ok := joined[head]; ok {
			groups[k] += ", " + tail
			continue
		}
		joined[head] = len(groups)
		groups = append(groups, head+" "+tail)
	}
	if 2*len(groups) > len(entries) {
		return nil
	}
	return groups
}

// widest returns the number of characters of the longest text.
func widest(texts []string) (n int) {
	for _, text := range texts {
		n = max(n, input.Width(text))
	}
	return n
}

// inColumns writes entries behind a title in columns.
func inColumns(title string, entries []string) string {
	width := widest(entries) + 2
	indent := input.Width(title)
	perLine := (screenWidth - indent) / width
	var b strings.Builder
	b.WriteString(title)
	// Few long entries a line begin below the title, where there is more room.
	if perLine < len(entries) && width > 14 {
		b.WriteString("\n  ")
		indent = 2
		perLine = max(1, (screenWidth-indent)/width)
	}
	for i, e := range entries {
		if i > 0 && i%perLine == 0 {
			b.WriteString("\n" + strings.Repeat(" ", indent))
		}
		b.WriteString("  " + e)
		if last := i == len(entries)-1 || (i+1)%perLine == 0; !last {
			b.WriteString(strings.Repeat(" ", width-2-input.Width(e)))
		}
	}
	return b.String() + "\n"
}

// inSequence writes entries behind a title, each behind the other. If breaks is set, a
// line may end between the names of an entry.
func inSequence(title string, entries []string, breaks bool) string {
	indent := input.Width(title)
	if indent > screenWidth/3 {
		indent = 2
	}
	var b strings.Builder
	line := title
	for _, e := range entries {
		words := []string{e}
		if breaks {
			label, names, _ := strings.Cut(e, ": ")
			words = strings.Split(names, " ")
			words[0] = label + ": " + words[0]
		}
		space := "  "
		for _, word := range words {
			if input.Width(line+space+word) > screenWidth {
				b.WriteString(line + "\n")
				line, space = strings.Repeat(" ", indent), "  "
			}
			line += space + word
			space = " "
		}
	}
	return b.String() + line + "\n"
}

// lines lists options, one a line. If fit is set and lines are too long for the screen, it
// leaves out the kinds of the options. A description that is too long even so goes on in
// the next line.
func (o *options) lines(list []option, fit bool) string {
	keys, texts, hints := make([]string, len(list)), make([]string, len(list)), make([]string, len(list))
	for i, x := range list {
		keys[i], texts[i] = o.key(x), x.description()
		if o.hinted {
			hints[i] = "   " + x.hint.Text
		}
	}
	keyWidth := widest(keys)
	if fit && 2+keyWidth+3+widest(texts)+widest(hints) > screenWidth {
		for i, x := range list {
			texts[i] = cmp.Or(x.rest, x.kind)
		}
	}
	room := max(screenWidth/3, screenWidth-2-keyWidth-3-widest(hints))
	for i, text := range texts {
		texts[i] = input.Fit(text, room)
	}
	width := widest(strings.Split(strings.Join(texts, "\n"), "\n"))
	var b strings.Builder
	for i := range list {
		key, hint := keys[i], hints[i]
		for text := range strings.SplitSeq(texts[i], "\n") {
			b.WriteString(strings.TrimRight(fmt.Sprintf("  %-*s   %s%s%s", keyWidth, key, text, strings.Repeat(" ", width-input.Width(text)), hint), " ") + "\n")
			key, hint = "", ""
		}
	}
	return b.String()
}

// explain lists all options, one a line, or describes what words name: options, and what
// is on the board.
func (o *options) explain(p env.Position, to message.Speaker, words []string) string {
	if len(words) == 0 {
		return o.lines(o.list, false)
	}
	var b strings.Builder
	for _, line := range p.Explain(to, strings.Join(words, " ")) {
		b.WriteString(line + "\n")
	}
	b.WriteString(o.lines(o.withTokens(words), false))
	if b.Len() == 0 {
		return fmt.Sprintf("Nothing here is named %s.\n", input.Quote(strings.Join(words, " ")))
	}
	return b.String()
}

// key returns the name of an option, with the shortest unambiguous prefix in brackets.
func (o *options) key(x option) string {
	name := x.name
	for n := 1; n < len(name); n++ {
		if a, err := o.match([]string{name[:n]}); err == nil && a == x.action {
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
	found := o.withPrefix(word)
	if found == nil {
		found = o.withTokens(words)
		if len(found) == 1 && o.vague(found[0].name, word) {
			return 0, fmt.Errorf("%s is only a part of %s; type its beginning too", input.Quote(word), found[0].name)
		}
	}
	switch len(found) {
	case 0:
	case 1:
		return found[0].action, nil
	default:
		text, rest := found[0].name, found[1:]
		for len(rest) > 0 && len(text+" or "+rest[0].name) <= screenWidth/2 { // one line
			text, rest = text+" or "+rest[0].name, rest[1:]
		}
		if len(rest) > 0 {
			text += fmt.Sprintf(", or %d others", len(rest))
		}
		return 0, fmt.Errorf("%s could be %s", input.Quote(word), text)
	}
	for a := range game.Action(o.game.Spec().Actions) {
		if strings.HasPrefix(o.game.ActionName(a), word) {
			return a, nil
		}
	}
	var names []string
	for _, x := range o.list {
		names = append(names, x.name)
	}
	if near := input.Nearest(word, names); near != "" {
		return 0, fmt.Errorf("%s is no action here, but %s is", input.Quote(word), near)
	}
	return 0, errors.New(input.Quote(word) + " is no action here; ? lists them")
}

// vague reports whether parts of a name are too few to choose it: they are not its
// beginning, and not its end, or no other option begins as it does, so that the screen
// lists it with its beginning. Otherwise the name of a free cell, typed to place a piece
// where that is illegal, would start the only attack on it.
func (o *options) vague(name, word string) bool {
	parts, typed := strings.FieldsFunc(name, isMark), strings.FieldsFunc(word, isMark)
	if strings.HasPrefix(parts[0], typed[0]) {
		return false
	}
	alike := 0
	for _, x := range o.list {
		if strings.FieldsFunc(x.name, isMark)[0] == parts[0] {
			alike++
		}
	}
	return alike == 1 || !strings.HasPrefix(parts[len(parts)-1], typed[len(typed)-1])
}

// withPrefix returns the option that word names in full, or those whose names begin
// with it.
func (o *options) withPrefix(word string) (found []option) {
	for _, x := range o.list {
		if x.name == word {
			return []option{x}
		}
		if strings.HasPrefix(x.name, word) {
			found = append(found, x)
		}
	}
	return found
}

// withTokens returns the options whose names have all parts of the words, in their order:
// "e2" and "pl e2" name place-e2. If the parts of some are the same, not only beginnings,
// it returns those.
func (o *options) withTokens(words []string) (found []option) {
	var typed []string
	for _, w := range words {
		typed = append(typed, strings.FieldsFunc(w, isMark)...)
	}
	if typed == nil {
		return nil
	}
	same := false
	for _, x := range o.list {
		parts := strings.FieldsFunc(x.name, isMark)
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
		found = append(found, x)
	}
	return found
}

// isMark reports whether a character separates the parts of a name.
func isMark(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
