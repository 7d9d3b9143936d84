package words

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
)

// maxAnswer bounds what Parse reads of an answer, from its end, in bytes. Chosen: many times
// the longest answer of a model.
const maxAnswer = 1 << 20

// thinking matches the marks around a thinking block.
var thinking = regexp.MustCompile(`(?i)<(/?)(?:think|thinking|thought|reasoning)>|\[(/?)think\]`)

// Parser finds the actions of a game in answers. Any goroutine may use it.
type Parser struct {
	names map[string][]game.Action // as in text.folded
	sizes []int                    // of the names, the longest first
}

// NewParser returns a parser for a game. It goes through the names of all actions, which takes longer
// than an answer.
func NewParser(g env.Game) *Parser {
	p := &Parser{names: map[string][]game.Action{}}
	for a := range game.Action(g.Spec().Actions) {
		name := g.ActionName(a)
		if plain.MatchString(name) {
			name = strings.ReplaceAll(name, "-", " ")
		} else {
			name = newText(name).folded
		}
		p.names[name] = append(p.names[name], a)
		if n := len(name); n > 0 && !slices.Contains(p.sizes, n) {
			p.sizes = append(p.sizes, n)
		}
	}
	slices.SortFunc(p.sizes, func(a, b int) int { return b - a })
	return p
}

// named returns the action of a name. Of equal names the first legal one counts.
func (p *Parser) named(name string, legal []game.Action) (a game.Action, ok bool) {
	list := p.names[name]
	if len(list) == 0 {
		return 0, false
	}
	if i := slices.IndexFunc(list, func(a game.Action) bool { return slices.Contains(legal, a) }); i >= 0 {
		return list[i], true
	}
	return list[len(list)-1], true
}

// Parse returns the legal action of a position that an answer names, and reports whether there
// is one. It reads what follows the last thinking block, and compares without regard to case, and to
// whether dashes, underscores or spaces part a name.
//
//   - The last action that the answer points out counts: in square brackets, in braces or tags, as a
//     value of JSON, on a line of its own such as in a code fence, or after a word such as "action:".
//     There the number of an action counts too. If that action is illegal there is none, so that an
//     illegal answer is not taken for an action that it mentions before.
//   - Otherwise the last legal action that the answer mentions counts. Names of one or two characters
//     must be in capitals there.
//   - Otherwise the last description of an action counts, in any language, as [Describe] lists it. One
//     of one or two characters must be in capitals or pointed out.
func (p *Parser) Parse(at env.Position, answer string) (game.Action, bool) {
	legal := at.Legal()
	if len(legal) == 0 {
		return 0, false
	}
	answer = strings.ToValidUTF8(answer[max(0, len(answer)-maxAnswer):], " ")
	if marks := thinking.FindAllStringSubmatchIndex(answer, -1); marks != nil {
		last := marks[len(marks)-1]
		if last[2] == last[3] && last[4] == last[5] { // it begins, and does not end
			return 0, false
		}
		answer = answer[last[1]:]
	}
	t := newText(answer)
	found, out := p.mentions(&t, legal), mention{start: -1}
	for _, m := range found {
		if t.pointsOut(m) {
			out = m
		}
	}
	if out.start >= 0 {
		return out.action, slices.Contains(legal, out.action)
	}
	for _, m := range slices.Backward(found) {
		if !m.number && (m.end-m.start > 2 || t.capitals[m.start]) && slices.Contains(legal, m.action) {
			return m.action, true
		}
	}
	return p.described(&t, at, legal)
}

// text is an answer in a form in which spellings that mean the same are equal.
type text struct {
	s        string // lower case, with simple marks
	folded   string // the same with a space for each dash; its bytes are at the places of s
	capitals []bool // [len(s)] whether the letter there was a capital
}

// marks are characters of answers by the simple ones that stand for them.
var marks = strings.NewReplacer(
	`\u003e`, ">", "->", ">", "=>", ">", "→", ">", "⇒", ">", "–", "-", "—", "-", "‑", "-", "−", "-", "_", "-", "：", ":", "＝", "=",
	"【", "[", "】", "]", "［", "[", "］", "]", "「", `"`, "」", `"`, "“", `"`, "”", `"`, "„", `"`, "。", ".\n", "\r", "\n",
)

// spaced matches spaces that mean nothing.
var spaced = regexp.MustCompile(`[^\S\n]*>[^\S\n]*|[^\S\n]+`)

func newText(s string) text {
	s = spaced.ReplaceAllStringFunc(marks.Replace(s), func(found string) string {
		if strings.Contains(found, ">") {
			return ">"
		}
		return " "
	})
	var t text
	var b strings.Builder
	for _, r := range s {
		low := unicode.ToLower(r)
		b.WriteRune(low)
		for range utf8.RuneLen(low) {
			t.capitals = append(t.capitals, low != r)
		}
	}
	t.s = b.String()
	t.folded = strings.ReplaceAll(t.s, "-", " ")
	return t
}

// mention is a place of a text, from start to end, that names an action or is a number.
type mention struct {
	start, end int
	action     game.Action
	number     bool
}

// plain matches names that newText would leave as they are. Such names save its time.
var plain = regexp.MustCompile(`^[a-z0-9:/+>]+(?:-[a-z0-9:/+]+)*$`)

// mentions returns where a text names actions of the game, legal or not, by the longest name that
// stands there, and its numbers, in their order.
func (p *Parser) mentions(t *text, legal []game.Action) (found []mention) {
	for i := 0; i < len(t.s); {
		m := mention{start: i, end: i}
		if t.begins(i) {
			for _, n := range p.sizes {
				if i+n > len(t.s) || !t.ends(i+n) {
					continue
				}
				if a, ok := p.named(t.folded[i:i+n], legal); ok {
					m.end, m.action = i+n, a
					break
				}
			}
			if digits := len(t.s[i:]) - len(strings.TrimLeft(t.s[i:], "0123456789")); m.end == i && digits > 0 && t.ends(i+digits) {
				if n, err := strconv.ParseInt(t.s[i:i+digits], 10, 32); err == nil {
					m.end, m.action, m.number = i+digits, game.Action(n), true
				}
			}
		}
		if m.end > i {
			found, i = append(found, m), m.end
			continue
		}
		_, size := utf8.DecodeRuneInString(t.s[i:])
		i += size
	}
	return found
}

// inWord reports whether a character joins the one beside it to a word. Scripts without spaces have
// none.
func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// near is how far one looks around a place of a text, in bytes. Chosen: more than the longest cue and
// the longest tag.
const near = 40

// joints join the parts of a name.
const joints = "-/+>"

// begins reports whether a name can begin at i: no word goes on there.
func (t *text) begins(i int) bool {
	r, size := utf8.DecodeLastRuneInString(t.s[:i])
	if strings.ContainsRune(joints, r) {
		r, _ = utf8.DecodeLastRuneInString(t.s[:i-size])
		before := t.s[max(0, i-near):i]
		return !inWord(r) || t.s[i-size] == '>' && strings.LastIndexByte(before, '<') > strings.LastIndexAny(before, " \n")
	}
	return !inWord(r)
}

// ends reports whether a name can end at i.
func (t *text) ends(i int) bool {
	r, size := utf8.DecodeRuneInString(t.s[i:])
	if r == '+' {
		return false
	}
	if strings.ContainsRune(joints+":", r) {
		r, _ = utf8.DecodeRuneInString(t.s[i+size:])
	}
	return !inWord(r)
}

// cue matches the end of a text after which an answer stands.
var cue = regexp.MustCompile(`(?:action|answer|move|choice|decision|aktion|antwort|zug|wahl|行動|行动|答案|選擇|选择)["'*]*(?: (?:is|ist))? ?[:=是為为][ "'*\x60\[({<]*$`)

// picks matches the end of a text after which the number of an action stands.
var picks = regexp.MustCompile(`(?:action|option|choose|pick|select|number|no\.|aktion|wähle|nummer|行動|行动|選擇|选择|選|选)[ "'*\x60\[(#]*$`)

// value matches the end of a text after which a value of JSON stands.
var value = regexp.MustCompile(`" ?: ?"$`)

// pointsOut reports whether a mention is what the answer says to do, and not only spoken of.
func (t *text) pointsOut(m mention) bool {
	before, after := t.s[max(0, m.start-near):m.start], t.s[m.end:min(len(t.s), m.end+near)]
	if cue.MatchString(before) || m.number && picks.MatchString(before) {
		return true
	}
	if !m.number && value.MatchString(before) && strings.HasPrefix(after, `"`) {
		return true
	}
	const quotes = " \"'`*"
	open, shut := strings.TrimRight(before, quotes), strings.TrimLeft(after, quotes)
	for _, pair := range []string{"[]", "{}", "><"} {
		if strings.HasSuffix(open, pair[:1]) && strings.HasPrefix(shut, pair[1:]) {
			return pair != "[]" || !m.number || !listed.MatchString(shut)
		}
	}
	line := before[strings.LastIndexByte(before, '\n')+1:] // a longer line has words in it
	rest, _, _ := strings.Cut(after, "\n")
	return strings.Trim(line, quotes+"-#>.()[]0123456789") == "" && strings.Trim(rest, quotes+".!()[]0123456789") == ""
}

// listed matches what follows the number of an action in a line of [Describe].
var listed = regexp.MustCompile(`^\] \S+: `)

// described returns the action whose description stands last in the text. Descriptions that are names
// do not count: mentions has found them. Those of one or two characters count as names do.
func (p *Parser) described(t *text, at env.Position, legal []game.Action) (action game.Action, ok bool) {
	last := 0 // the end of the description
	for _, l := range message.Languages() {
		for _, a := range legal {
			what := newText(message.Speaker{Language: l}.Say(at.DescribeAction(a).Head())).folded
			if what == "" || p.names[what] != nil {
				continue
			}
			for end := len(t.folded); end > last; {
				start := strings.LastIndex(t.folded[:end], what)
				if start < 0 {
					break
				}
				m := mention{start: start, end: start + len(what)}
				end = m.end - 1
				if m.end > last && t.begins(start) && t.ends(m.end) && (len(what) > 2 || t.capitals[start] || t.pointsOut(m)) {
					action, ok, last = a, true, m.end
				}
			}
		}
	}
	return action, ok
}
