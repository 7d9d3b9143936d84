package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/record"
	"marsgym/internal/test/golden"
	"marsgym/internal/web"
)

// toldOf appends the texts for people in an answer, in a fixed order. English answers have words
// where those of a language have labels: faces of dice, kinds of cells, places and tracks.
func toldOf(dst []string, x any, key string) []string {
	switch x := x.(type) {
	case string:
		if x != "" && !strings.Contains(x, "\n") && slices.Contains(toldFields, key) {
			dst = append(dst, x)
		}
	case []any:
		for _, y := range x {
			dst = toldOf(dst, y, key)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			field := k
			switch {
			case k == "notation", k == "blocks":
				continue
			case k == "name" && slices.Contains([]string{"score", "counts", "dice"}, key):
				field = "names"
			}
			dst = toldOf(dst, x[k], field)
		}
		for _, word := range []string{"face", "name", "kind"} { // its label
			if y, ok := x[word].(string); ok && y != "" && slices.Contains([]string{"dice face", "faces name", "kinds kind", "places name", "tracks name"}, key+" "+word) {
				dst = append(dst, y)
			}
		}
	}
	return dst
}

var toldFields = []string{"title", "about", "names", "unit", "text", "ask", "told", "result", "goal", "notes", "track", "levels", "group", "pays", "power", "situation", "level", "strong", "brief", "end", "cells", "error"}

// TestSentencesGolden writes down a sentence of each kind that the page shows of random games, in
// each language.
func TestSentencesGolden(t *testing.T) {
	app := web.New(web.Options{Solvable: func(env.Game) bool { return true }})
	seen := map[string]bool{}
	byKind := map[string][]string{} // in each language, by the English sentence without its numbers
	engines := []*engine{nil, newEngine("de", tables(t)["de"].Games), newEngine("zh", tables(t)["zh"].Games)}
	ask := func(request map[string]any) {
		text, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := app.Handle(t.Context(), text)
		var x any
		if err := json.Unmarshal(b, &x); err != nil {
			t.Fatal(err)
		}
		for _, english := range toldOf(nil, x, "") {
			if seen[english] {
				continue
			}
			seen[english] = true
			said := []string{english}
			for _, e := range engines[1:] {
				said = append(said, e.say(english))
			}
			kind := kindOf(english)
			if known := byKind[kind]; known == nil || slices.Compare(said, known) < 0 {
				byKind[kind] = said
			}
		}
	}
	ask(map[string]any{"do": "games"})
	for _, text := range mistakes {
		var request map[string]any
		if err := json.Unmarshal([]byte(text), &request); err != nil {
			t.Fatal(err)
		}
		ask(request)
	}
	rng := rand.New(rand.NewPCG(2, 0))
	for _, id := range catalog.IDs() {
		ask(map[string]any{"do": "guide", "game": id})
		for players := 1; players <= 4; players++ {
			g, err := catalog.Open(id, players, nil)
			if err != nil {
				continue
			}
			ask(map[string]any{"do": "agents", "game": id, "players": players})
			for seed := range 4 {
				seats := slices.Repeat([]string{web.Human}, players)
				for i := range seats {
					if seed%4 != 3 && i != seed%players {
						seats[i] = []string{"greedy", "random", "search:100"}[rng.IntN(3)]
					}
				}
				r := record.New(g, seats)
				r.Session.Seed(uint64(seed))
				moves := []string{}
				for !r.Over() && len(moves) < 400 {
					at := r.Position()
					if at.CurrentPlayer() == game.Chance {
						r.Roll()
						continue
					}
					legal := at.Legal()
					action := legal[rng.IntN(len(legal))]
					if err := r.Apply(action); err != nil {
						t.Fatal(err)
					}
					moves = append(moves, r.Rules.ActionName(action))
				}
				request := map[string]any{"do": "view", "game": id, "players": players, "seed": fmt.Sprint(seed), "seats": seats, "moves": moves}
				ask(request)
				for range 4 {
					request["step"] = rng.IntN(len(r.Steps))
					ask(request)
				}
			}
		}
	}
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		fmt.Fprintf(&b, "%s\n", strings.Join(byKind[kind], "\n\t"))
	}
	golden.Check(t, "sentences.txt", []byte(b.String()))
}

// kinds replace what sentences of one kind differ in: names of seats and places, lists and numbers.
var kinds = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?:(?:search:\d+|Level \d|random|greedy|pretrained|exact)[A-D]?|seat \d)\b`), "A"},
	{regexp.MustCompile(`\b[A-Z]{2}\b|\b[A-D]\b|\b[a-f]\d\b`), "P"},
	{regexp.MustCompile(`(?:gem|soda|metal|turf|stone|station)(?:(?:, |-)(?:gem|soda|metal|turf|stone|station))*`), "ground"},
	{regexp.MustCompile(`(?:fair|rocket|converter|vacuum|drill|shield)\b`), "lab"},
	{regexp.MustCompile(`\d+ (?:tank|ray|human|cow|chicken)s?(?:, \d+ (?:tank|ray|human|cow|chicken)s?)*`), "dice"},
	{regexp.MustCompile(`(?:[a-z]+ )+\d+ \([+-]\d+\)(?:, (?:[a-z]+ )+\d+ \([+-]\d+\))*`), "now"},
	{regexp.MustCompile(`P(?: \d| -)`), "P"},
	{regexp.MustCompile(`\d+\.\d+|[2-9]|\d\d+`), "0"},
}

// kindOf returns what sentences of one kind have in common.
func kindOf(text string) string {
	for _, k := range kinds {
		text = k.find.ReplaceAllString(text, k.with)
	}
	return text
}

// engine translates sentences as page/language.js does.
type engine struct {
	code      string
	games     map[string]string
	templates []template
	said      map[string]string
}

func newEngine(code string, games map[string]string) *engine {
	return &engine{code, games, templatesOf(games), map[string]string{}}
}

func (e *engine) say(text string) string {
	if _, ok := e.said[text]; !ok {
		e.said[text] = e.translated(text)
		if e.code == "zh" {
			e.said[text] = spaced(e.said[text])
		}
	}
	return e.said[text]
}

func spaced(text string) string {
	sign := func(r rune) bool { return r >= 0x4e00 && r <= 0x9fff }
	letter := func(r rune) bool { return r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	var once []rune
	for i, r := range []rune(text) {
		if i > 0 {
			last := []rune(text)[i-1]
			if (sign(last) || last == '」') && letter(r) || letter(last) && (sign(r) || r == '「') {
				once = append(once, ' ')
			}
		}
		once = append(once, r)
	}
	var twice []rune
	for i, r := range once {
		if r == ' ' && i > 0 && i+1 < len(once) && (sign(once[i-1]) || once[i-1] == '」') && (sign(once[i+1]) || once[i+1] == '「') {
			continue
		}
		twice = append(twice, r)
	}
	return string(twice)
}

var decimal = regexp.MustCompile(`^\d+\.\d+$`)

func (e *engine) written(text string) string {
	if e.code == "de" {
		return strings.Replace(text, ".", ",", 1)
	}
	return text
}

func first(text string, f func(string) string) string {
	r := []rune(text)
	return f(string(r[:1])) + string(r[1:])
}

func (e *engine) translated(text string) string {
	if own, ok := e.games[text]; ok {
		return own
	}
	small := first(text, strings.ToLower)
	if own, ok := e.games[small]; ok {
		return first(own, strings.ToUpper)
	}
	for _, x := range e.templates {
		if slices.ContainsFunc(x.parts, func(part string) bool { return !strings.Contains(text, part) }) {
			continue
		}
		m := x.test.FindStringSubmatch(text)
		if m == nil || slices.ContainsFunc(m[1:], within.MatchString) {
			continue
		}
		var values, numbers []string
		for i, part := range m[1:] {
			values = append(values, e.say(part))
			if hole.FindAllString(x.key, -1)[i] == "#" {
				numbers = append(numbers, values[i])
			}
		}
		out := hole.ReplaceAllStringFunc(e.games[x.key], func(h string) string {
			if h != "#" {
				return values[h[1]-'0']
			}
			n := numbers[0]
			numbers = numbers[1:]
			return n
		})
		if c := x.key[0]; c >= 'a' && c <= 'z' && small != text {
			return first(out, strings.ToUpper)
		}
		return out
	}
	if rest, ok := strings.CutSuffix(text, "."); ok && rest != "" {
		return e.say(rest) + e.say(".")
	}
	for _, mark := range []string{"; ", ": ", ", ", " and "} {
		if i := strings.Index(text, mark); i > 0 && text[i-1] != ' ' && i+len(mark) < len(text) {
			return e.say(strings.TrimSpace(text[:i])) + e.say(mark) + e.say(text[i+len(mark):])
		}
	}
	if m := withCount.FindStringSubmatch(text); m != nil {
		return e.say(m[1]) + " " + e.written(m[2])
	}
	if decimal.MatchString(text) {
		return e.written(text)
	}
	return text
}
