package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game/message"
)

// literal is a string of a module, or the fixed parts of a template.
type literal struct {
	text  string
	line  int
	calls []call // that it is within, the innermost last
	key   string // of the attribute that it is the value of
	equal bool   // whether it is compared
}

// call is an open bracket: the name before it, the number of arguments before, and the bracket.
type call struct {
	name string
	arg  int
	open byte
}

var (
	space  = regexp.MustCompile(`^(\s+|//.*|/\*(?s:.*?)\*/)+`)
	quoted = regexp.MustCompile(`^'(\\.|[^'\\])*'`)
	regex  = regexp.MustCompile(`^/(\\.|\[(\\.|[^\]\\])*\]|[^/\\\n[])+/[a-z]*`)
	name   = regexp.MustCompile(`^[\w$.#]+`)
	keyed  = regexp.MustCompile(`([\w-]+)'?:\s*$`)
	fields = regexp.MustCompile(`\{(\w+)\}`)
)

// literals returns the literals of a module in the style of the page: strings in single quotes.
func literals(t *testing.T, source string) (list []literal) {
	t.Helper()
	var calls []call
	last := "" // the token before
	add := func(text string, at int) {
		key := ""
		if m := keyed.FindStringSubmatch(source[max(0, at-20):at]); m != nil {
			key = m[1]
		}
		list = append(list, literal{text, 1 + strings.Count(source[:at], "\n"), slices.Clone(calls), key, strings.HasSuffix(last, "==")})
	}
	for i := 0; i < len(source); {
		rest := source[i:]
		token := rest[:1]
		switch c := rest[0]; {
		case space.MatchString(rest):
			i += len(space.FindString(rest))
			continue
		case c == '\'':
			token = quoted.FindString(rest)
			add(strings.ReplaceAll(token[1:len(token)-1], `\'`, "'"), i)
			list[len(list)-1].equal = list[len(list)-1].equal || strings.HasPrefix(strings.TrimSpace(rest[len(token):]), "==")
		case c == '/' && (last == "" || strings.ContainsAny(last[len(last)-1:], "(,=:[!&|?{};>") || last == "return"):
			token = regex.FindString(rest)
		case name.MatchString(rest):
			token = name.FindString(rest)
		case c == '`', c == '}' && len(calls) > 0 && calls[len(calls)-1].open == '`':
			if c == '}' {
				calls = calls[:len(calls)-1]
			}
			end := 1
			for rest[end] != '`' && !strings.HasPrefix(rest[end:], "${") {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			add(rest[1:end], i)
			if token = rest[:end+1]; rest[end] == '$' {
				token = rest[:end+2]
				calls = append(calls, call{"`", 0, '`'})
			}
		case strings.HasPrefix(rest, "==="), strings.HasPrefix(rest, "!=="):
			token = rest[:3]
		case strings.ContainsRune("([{", rune(c)):
			called := ""
			if c == '(' && name.MatchString(last) {
				called = last[strings.LastIndexByte(last, '.')+1:]
			}
			calls = append(calls, call{called, 0, c})
		case strings.ContainsRune(")]}", rune(c)):
			if len(calls) == 0 {
				t.Fatalf("the bracket of %.60s was not opened", rest)
			}
			calls = calls[:len(calls)-1]
		case c == ',' && len(calls) > 0:
			calls[len(calls)-1].arg++
		}
		i += len(token)
		last = token
	}
	if len(calls) != 0 {
		t.Fatalf("%d brackets stay open", len(calls))
	}
	return list
}

// translated reports whether a literal is a key of the tables.
func (l literal) translated() bool {
	if len(l.calls) == 0 {
		return false
	}
	in := l.calls[len(l.calls)-1]
	return slices.Contains([]string{"t", "mix", "later"}, in.name) && in.arg == 0
}

// shown reports whether a literal is a text for people: a part of an element, a label, a message,
// or a sentence anywhere.
func (l literal) shown() bool {
	switch {
	case l.translated(), l.equal, !words.MatchString(l.text), slices.Contains(untranslated, l.text):
		return false
	case sentence.MatchString(l.text):
		return true
	}
	for _, in := range slices.Backward(l.calls) {
		switch {
		case in.open == '{':
			return slices.Contains([]string{"aria-label", "title", "placeholder", "xLabel", "yLabel"}, l.key)
		case in.open == '[', in.open == '`', in.name == "":
			continue
		}
		from, ok := map[string]int{"h": 2, "svg": 2, "fill": 1, "button": 0, "announce": 0, "notice": 0, "tell": 0, "Error": 0, "AnswerError": 0}[in.name]
		return ok && in.arg >= from
	}
	return false
}

var (
	words    = regexp.MustCompile(`[A-Za-z]{2}`)
	sentence = regexp.MustCompile(`^[A-Z“][a-z]*('s)? [A-Za-z]+ ?.*[a-z]{2}|[a-z]{2} [a-z]{2,}[.?!…]$`)
	// untranslated are literals that are the same in every language.
	untranslated = []string{"go run ./cmd/train", "marsgym game 1 …"}
)

// modules returns the literals of the modules of the page, without its workers.
func modules(t *testing.T) map[string][]literal {
	t.Helper()
	names, err := filepath.Glob("page/*.js")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d modules, %v", len(names), err)
	}
	list := map[string][]literal{}
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if base := filepath.Base(name); base != "sw.js" && base != "worker.js" && base != "load.js" {
			list[base] = literals(t, string(source))
		}
	}
	return list
}

// TestTranslated checks that each table has the texts of the page and no others, with the same
// values in them, and that the page shows no text that is in no table.
func TestTranslated(t *testing.T) {
	used := map[string]string{} // where, by text
	for module, list := range modules(t) {
		for _, l := range list {
			switch place := fmt.Sprintf("%s:%d", module, l.line); {
			case l.translated():
				used[l.text] = place
			case l.shown():
				t.Errorf("%s shows %q, which is not translated; write t('…')", place, l.text)
			}
		}
	}
	values := func(text string) []string { return slices.Sorted(slices.Values(fields.FindAllString(text, -1))) }
	for _, l := range message.Languages()[1:] {
		for text, place := range used {
			switch got, ok := l.Page[text]; {
			case !ok || got == "":
				t.Errorf("%s lacks %q of %s", l.Name, text, place)
			case !slices.Equal(values(got), values(text)):
				t.Errorf("%s: %q has other values than %q", l.Name, got, text)
			}
		}
		for text := range l.Page {
			if used[text] == "" {
				t.Errorf("%s has %q, which nothing uses", l.Name, text)
			}
		}
	}
}

// speak chooses a language of the page.
func (x *tab) speak(code string) {
	x.t.Helper()
	x.do(`(() => { const s = document.querySelector('#language select'); s.value = '` + code + `'; s.dispatchEvent(new Event('change')); })()`)
}

// TestBrowserLanguages: the page is in the first language of the browser that it has, or in the one
// that the person chooses, which stays; a change keeps the game. Nothing is wider than a phone.
func TestBrowserLanguages(t *testing.T) {
	address := served(t)
	x := open(t, browser(t), "about:blank")
	x.script(`Object.defineProperty(navigator, 'languages', { get: () => ['fr', 'de-AT', 'en'] })`)
	x.must(x.Open(x.ctx, address+"#play?game=martian-dice&players=2&seed=7&seats=human,greedy&moves=chickens"))
	x.wait(choice)
	x.do(`document.querySelector('.switch input').click()`)
	x.must(x.Size(x.ctx, 360, 740, false))
	hash := x.text("location.hash")
	for _, step := range []struct{ choose, tag, heading, value, status string }{
		{"", "de", "Deine Züge", `\d,\d\s%`, "Du würfelst weiter oder hörst auf."},
		{"zh", "zh-Hant", "你的選擇", `\d\.\d\s%`, "你繼續擲或停手。"},
		{"en", "en", "Your choices", `\d\.\d\s%`, "You roll on or stop."},
		{"de", "de", "Deine Züge", `\d,\d\s%`, "Du würfelst weiter oder hörst auf."},
	} {
		if step.choose != "" {
			x.speak(step.choose)
		}
		x.wait(fmt.Sprintf(`document.documentElement.lang === %q`, step.tag), fmt.Sprintf(`document.querySelector('.actions h2')?.textContent === %q`, step.heading), fmt.Sprintf(`/%s/.test(document.querySelector('.worth')?.textContent)`, step.value))
		if got := x.text(`document.querySelector('.status').textContent`); got != step.status {
			t.Errorf("in %s the status is %q; want %q", step.tag, got, step.status)
		}
		if got := x.text("location.hash"); got != hash {
			t.Errorf("in %s the address is %s; want %s", step.tag, got, hash)
		}
		if got := x.text(`[document.documentElement, ...document.querySelectorAll('header, .head, .tools, button')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML.slice(0, 80)).join(' | ')`); got != "" {
			t.Errorf("in %s these are too wide: %s", step.tag, got)
		}
	}
	for hash, want := range map[string]string{"rules?game=martian-dice": "Todesstrahlen |", "rules?game=pig": "your turn ends|en"} {
		x.load(address + "#" + hash)
		x.wait(fmt.Sprintf(`((e) => %q.split('|').every((part, i) => (i ? e?.lang : e?.textContent)?.includes(part.trim())))(document.querySelector('article.rules'))`, want))
	}
	x.load(address + "#home")
	x.wait(`document.documentElement.lang === 'de'`, `document.querySelector('.setup .primary')?.textContent === 'Partie starten'`)
	for name, want := range map[string]string{"Sprache": "#language select", "Seiten": "nav"} {
		if got := x.text(`document.querySelector('` + want + `').getAttribute('aria-label')`); got != name {
			t.Errorf("%s is called %q; want %q", want, got, name)
		}
	}
}
