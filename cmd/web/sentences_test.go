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

	"marsgym/env"
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
	parts []string // between what it stands for
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
		list = append(list, template{key, regexp.MustCompile("^ *" + pattern + "$"), len([]rune(strings.Join(parts, ""))), parts[1:]})
	}
	slices.SortStableFunc(list, func(x, y template) int { return y.size - x.size })
	return list
}

var (
	within    = regexp.MustCompile(`[;:]( |$)|\.$`)
	withCount = regexp.MustCompile(`^ *(.+) ([\d.]+)$`)
)

// untold is what is the same in every language: names of agents, games, actions, regions, towers and
// tiles, and what a person has typed.
var untold = regexp.MustCompile(`^(?i:random|greedy|exact|pretrained|search:\d+)[A-J]?$|^[a-z]+(-[a-z]+)+$|^pig$|^[a-z]{2}$|^".*"$|^[A-Z]{2,3}$|^[A-Z]{2} \d\+\d$|^[gsmt]{4}$`)

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
		if slices.ContainsFunc(x.parts, func(part string) bool { return !strings.Contains(text, part) }) {
			continue
		}
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
	shapes        map[string]bool
}

func (a *answers) ask(t *testing.T, request map[string]any) (answer map[string]any) {
	t.Helper()
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := a.app.Handle(t.Context(), text)
	var x any
	if err := json.Unmarshal(b, &x); err != nil {
		t.Fatal(err)
	}
	a.collect(x, "", string(text))
	answer, _ = x.(map[string]any)
	return answer
}

// add adds a text, unless there is one that differs in numbers only.
func (a *answers) add(text, from string) {
	shape := number.ReplaceAllString(text, "0")
	if !a.shapes[shape] {
		a.shapes[shape], a.texts[text] = true, from
	}
}

var number = regexp.MustCompile(`[2-9]|\d\d+`)

// collect does what inLanguage of page/language.js does.
func (a *answers) collect(x any, key, from string) {
	switch x := x.(type) {
	case string:
		if x != "" && !strings.Contains(x, "\n") && slices.Contains(a.fields, key) { // several lines are a position
			a.add(x, from)
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

// play plays a game at random, and asks for some of its positions and for its end.
func (a *answers) play(t *testing.T, rng *rand.Rand, r *record.Game, request map[string]any, seed uint64, most int) {
	t.Helper()
	r.Session.Seed(seed)
	moves := []string{}
	for !r.Over() && len(moves) < most {
		at := r.Position()
		if at.CurrentPlayer() == game.Chance {
			r.Roll()
			continue
		}
		if text := at.Situation(); text != "" {
			a.add(text, "a situation of "+at.String())
		}
		legal := at.Legal()
		action := legal[rng.IntN(len(legal))]
		if err := r.Apply(action); err != nil {
			t.Fatal(err)
		}
		moves = append(moves, r.Rules.ActionName(action))
	}
	request["moves"] = moves
	a.ask(t, request)
	for range 3 {
		request["step"] = rng.IntN(len(r.Steps))
		a.ask(t, request)
	}
}

// mistakes are requests with the answers that people meet.
var mistakes = []string{
	`{"do":"view","game":"pig","players":2,"moves":["hld"]}`, `{"do":"view","game":"pig","players":2,"typed":true,"moves":["7"]}`,
	`{"do":"view","game":"pig","players":99}`, `{"do":"view","game":"chess"}`, `{"do":"view","game":"pig","seats":["human"]}`, `{"do":"view","game":"pig","step":9}`,
	`{"do":"view","game":"martian-dice","typed":true,"moves":["t1"]}`, `{"do":"view","game":"martian-dice","typed":true,"moves":["x"]}`,
	`{"do":"view","game":"mars-is-ours-fast","typed":true,"moves":["1"]}`, `{"do":"view","game":"mars-is-ours-fast","typed":true,"moves":["1 7"]}`,
	`{"do":"view","game":"mars-is-ours-fast","typed":true,"moves":["2 2"]}`, `{"do":"view","game":"mars-is-ours-fast","typed":true,"moves":["2 1 3"]}`,
	`{"do":"view","game":"mars-is-ours","typed":true,"moves":["gggg"]}`, `{"do":"guide","game":"chess"}`, `{"do":"read","text":"x"}`, `{"do":"read","text":""}`,
	`{"do":"write","game":"pig","start":"0-0@0 turn 2"}`, `{"do":"play","game":"pig","seats":["search:99999","human"]}`, `{"do":"play","game":"pig","seats":["chess","human"]}`,
	`{"do":"view","game":"martian-risk","typed":true,"players":3,"moves":["2 3 4","al","8"]}`,
}

// TestSentences plays random games of every preset: every sentence that the page shows of them has a
// translation in every table, down to its words.
func TestSentences(t *testing.T) {
	a := &answers{app: web.New(web.Options{Solvable: func(env.Game) bool { return true }}), texts: map[string]string{}, shapes: map[string]bool{}}
	a.fields, a.named = told(t)
	rng := rand.New(rand.NewPCG(1, 0))
	a.ask(t, map[string]any{"do": "games"})
	for _, text := range mistakes {
		var request map[string]any
		if err := json.Unmarshal([]byte(text), &request); err != nil {
			t.Fatal(err)
		}
		if a.ask(t, request)["error"] == nil {
			t.Errorf("%s is no mistake", text)
		}
	}
	most, games := 100, 2
	if fulltest.On() {
		most, games = 20_000, 60
	}
	parts := map[string][]string{} // what rules have that is not on their pages, by language
	for _, id := range catalog.IDs() {
		a.ask(t, map[string]any{"do": "guide", "game": id})
		for players := 1; players <= 4; players++ {
			g, err := catalog.Open(id, players, nil)
			if err != nil || !fulltest.On() && players != max(2, g.Spec().Players) {
				continue
			}
			a.ask(t, map[string]any{"do": "agents", "game": id, "players": players})
			english := blocks(a.ask(t, map[string]any{"do": "rules", "game": id, "players": players}))
			for code := range tables(t) {
				own := a.ask(t, map[string]any{"do": "rules", "game": id, "players": players, "language": code})
				if own["language"] == code {
					parts[code] = append(parts[code], slices.DeleteFunc(blocks(own), func(x string) bool { return !slices.Contains(english, x) })...)
				}
			}
			for seed := range games {
				seats := slices.Repeat([]string{web.Human}, players)
				for i := range seats {
					if seed%4 != 3 && i != seed%players {
						seats[i] = []string{"greedy", "random", "search:100"}[rng.IntN(3)]
					}
				}
				a.play(t, rng, record.New(g, seats), map[string]any{"do": "view", "game": id, "players": players, "seed": fmt.Sprint(seed), "seats": seats}, uint64(seed), most)
			}
		}
	}
	for code, table := range tables(t) {
		s := &speaker{table.Games, templatesOf(table.Games), map[string][]string{}, map[string]bool{}}
		for _, text := range slices.Concat(slices.Sorted(maps.Keys(a.texts)), parts[code]) {
			if left := s.say(text); left != nil {
				t.Errorf("lang/%s.json lacks %q of %q, in the answer to %.300s", code, left, text, a.texts[text])
			}
		}
		for key, own := range table.Games {
			if !slices.Equal(used(own, key), used(key, key)) {
				t.Errorf("lang/%s.json: %q does not have the parts of %q", code, own, key)
			}
			if fulltest.On() && !s.used[key] {
				t.Logf("lang/%s.json has %q, which no game needed", code, key)
			}
		}
	}
}

// blocks returns the texts of rules, without the lines of code and of drawn maps.
func blocks(rules map[string]any) (texts []string) {
	list, _ := rules["blocks"].([]any)
	for _, b := range list {
		block := b.(map[string]any)
		if text, ok := block["text"].(string); ok && block["kind"] != "code" && block["kind"] != "map" {
			texts = append(texts, text)
		}
		cells, _ := block["cells"].([]any)
		for _, c := range cells {
			texts = append(texts, c.(string))
		}
	}
	return texts
}

// used returns which parts of a template an entry has, by their places in it.
func used(entry, key string) (places []int) {
	numbers := []int{}
	for i, x := range hole.FindAllString(key, -1) {
		if x == "#" {
			numbers = append(numbers, i)
		}
	}
	for _, x := range hole.FindAllString(entry, -1) {
		switch {
		case x != "#":
			places = append(places, int(x[1]-'0'))
		case len(numbers) > 0:
			places, numbers = append(places, numbers[0]), numbers[1:]
		default:
			places = append(places, -1)
		}
	}
	slices.Sort(places)
	return places
}
