package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/record"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/web"
)

// template is an entry of the tables that stands for many sentences; see page/language.js.
type template struct {
	key   string
	test  *regexp.Regexp
	size  int
	holes []string
}

var hole = regexp.MustCompile(`\{\d\}|#`)

// templatesOf returns the templates of a table, the most specific first.
func templatesOf(games map[string]string) (list []template) {
	for _, key := range slices.Sorted(maps.Keys(games)) {
		holes := hole.FindAllString(key, -1)
		if holes == nil {
			continue
		}
		parts := hole.Split(key, -1)
		pattern := regexp.QuoteMeta(parts[0])
		if c := key[0]; c >= 'a' && c <= 'z' {
			pattern = "[" + key[:1] + strings.ToUpper(key[:1]) + "]" + regexp.QuoteMeta(parts[0][1:])
		}
		for i, x := range holes {
			pattern += map[bool]string{true: `([+-]?\d+(?:\.\d+)?)`, false: `(.+?)`}[x == "#"] + regexp.QuoteMeta(parts[i+1])
		}
		list = append(list, template{key, regexp.MustCompile("^ *" + pattern + "$"), len([]rune(strings.Join(parts, ""))), holes})
	}
	slices.SortStableFunc(list, func(x, y template) int { return y.size - x.size })
	return list
}

var (
	within    = regexp.MustCompile(`[;:]( |$)`)
	withCount = regexp.MustCompile(`^ *(.+) ([\d.]+)$`)
)

// untold is what is the same in every language: of agents, regions, towers, tiles and the program.
var untold = regexp.MustCompile(`^(?i:random|greedy|search:\d+)[A-J]?$|^[A-Z]{2,3}$|^[A-Z]{2} \d\+\d$|^[gsmt]{4}$`)

// speaker finds the entries for sentences.
type speaker struct {
	games     map[string]string
	templates []template
	said      map[string][]string // what is left over, by sentence
	used      map[string]bool
}

// say returns the parts of a sentence that no entry translates.
func (s *speaker) say(text string) (left []string) {
	if known, ok := s.said[text]; ok {
		return known
	}
	defer func() { s.said[text] = left }()
	for _, key := range []string{text, strings.ToLower(text[:1]) + text[1:]} {
		if _, ok := s.games[key]; ok {
			s.used[key] = true
			return nil
		}
	}
	for _, x := range s.templates {
		if m := x.test.FindStringSubmatch(text); m != nil && !slices.ContainsFunc(m[1:], within.MatchString) {
			s.used[x.key] = true
			for _, part := range m[1:] {
				left = append(left, s.say(part)...)
			}
			return left
		}
	}
	if rest, ok := strings.CutSuffix(text, "."); ok && rest != "" {
		return append(s.say(rest), s.say(".")...)
	}
	for _, mark := range []string{"; ", ": ", ", ", " and "} {
		if before, after, ok := strings.Cut(text, mark); ok && before != "" && after != "" {
			return slices.Concat(s.say(strings.TrimSpace(before)), s.say(mark), s.say(after))
		}
	}
	if m := withCount.FindStringSubmatch(text); m != nil {
		return s.say(m[1])
	}
	if words.MatchString(text) && !untold.MatchString(text) {
		return []string{text}
	}
	return nil
}

// told returns the fields of answers whose texts are for people, and those that hold names which
// are, as page/language.js has them.
func told(t *testing.T) (fields, named []string) {
	t.Helper()
	source, err := page.ReadFile("page/language.js")
	if err != nil {
		t.Fatal(err)
	}
	for i, list := range []*[]string{&fields, &named} {
		m := regexp.MustCompile(`const ` + []string{"told", "named"}[i] + ` = new Set\(\[(.*)\]\)`).FindSubmatch(source)
		if m == nil {
			t.Fatal("page/language.js has no such list")
		}
		for _, x := range inQuotes.FindAllSubmatch(m[1], -1) {
			*list = append(*list, string(x[1]))
		}
	}
	return fields, named
}

var inQuotes = regexp.MustCompile(`'(\w+)'`)

// answers asks the logic of the page and collects what it tells people, with the request.
type answers struct {
	app           *web.App
	fields, named []string
	texts         map[string]string
}

func (a *answers) ask(t *testing.T, request map[string]any) {
	t.Helper()
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	answer, _ := a.app.Handle(context.Background(), text)
	var x any
	if err := json.Unmarshal(answer, &x); err != nil {
		t.Fatal(err)
	}
	a.collect(x, "", string(text))
}

// collect does what inLanguage of page/language.js does.
func (a *answers) collect(x any, key, from string) {
	switch x := x.(type) {
	case string:
		if x != "" && slices.Contains(a.fields, key) {
			a.texts[x] = from
		}
	case []any:
		for _, y := range x {
			a.collect(y, key, from)
		}
	case map[string]any:
		for k, y := range x {
			switch {
			case k == "notation", k == "blocks":
				continue
			case k == "name" && slices.Contains(a.named, key):
				k = "names"
			}
			a.collect(y, k, from)
		}
	}
}

// TestSentences plays random games of every preset: every sentence that the page shows of them has a
// translation in every table, down to its words.
func TestSentences(t *testing.T) {
	a := &answers{app: web.New(web.Options{}), texts: map[string]string{}}
	a.fields, a.named = told(t)
	rng := rand.New(rand.NewPCG(1, 0))
	a.ask(t, map[string]any{"do": "games"})
	for _, id := range catalog.IDs() {
		a.ask(t, map[string]any{"do": "guide", "game": id})
		for players := 1; players <= 4; players++ {
			g, err := catalog.Open(id, players, nil)
			if err != nil {
				continue
			}
			a.ask(t, map[string]any{"do": "agents", "game": id, "players": players})
			n := 2
			if fulltest.On() {
				n = 40
			}
			for seed := range n {
				seats := slices.Repeat([]string{web.Human}, players)
				for i := range seats {
					if seed%3 != 1 && (i != rng.IntN(players) || seed%3 == 2) {
						seats[i] = []string{"greedy", "random", "search:100"}[rng.IntN(3)]
					}
				}
				a.play(t, rng, record.New(g, seats), map[string]any{"do": "view", "game": id, "players": players, "seed": fmt.Sprint(seed), "seats": seats}, uint64(seed))
			}
		}
	}
	if b, err := json.Marshal(a.texts); err == nil && os.Getenv("DUMP") != "" {
		os.WriteFile("/tmp/texts.json", b, 0o666)
	}
	for code, table := range tables(t) {
		s := &speaker{table.Games, templatesOf(table.Games), map[string][]string{}, map[string]bool{}}
		for _, text := range slices.Sorted(maps.Keys(a.texts)) {
			if left := s.say(text); left != nil && !strings.Contains(text, "\n") {
				t.Errorf("lang/%s.json lacks %q of %q, asked by %.300s", code, left, text, a.texts[text])
			}
		}
		if os.Getenv("UNUSED") != "" {
			for k := range table.Games {
				if !s.used[k] {
					t.Logf("unused %q", k)
				}
			}
		}
	}
}

// play plays a game at random, and asks for some of its positions and for its end.
func (a *answers) play(t *testing.T, rng *rand.Rand, r *record.Game, request map[string]any, seed uint64) {
	t.Helper()
	r.Session.Seed(seed)
	moves := []string{}
	for !r.Over() {
		if r.Position().CurrentPlayer() == game.Chance {
			r.Roll()
			continue
		}
		legal := r.Position().Legal()
		act := legal[rng.IntN(len(legal))]
		if err := r.Apply(act); err != nil {
			t.Fatal(err)
		}
		moves = append(moves, r.Rules.ActionName(act))
	}
	request["moves"] = moves
	a.ask(t, request)
	for range 6 {
		request["step"] = rng.IntN(len(r.Steps))
		a.ask(t, request)
	}
}
