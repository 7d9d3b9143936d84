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
	"marsgym/env/game/message"
	"marsgym/env/record"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/golden"
	"marsgym/internal/web"
)

// told appends the texts for people in an answer, in a fixed order.
func told(dst []string, x any, key string) []string {
	switch x := x.(type) {
	case string:
		if x != "" && !strings.Contains(x, "\n") && slices.Contains(toldFields, key) { // several lines are a position
			dst = append(dst, x)
		}
	case []any:
		for _, y := range x {
			dst = told(dst, y, key)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			field := k
			switch {
			case k == "notation", k == "blocks", k == "kept":
				continue
			case k == "name" && slices.Contains([]string{"score", "counts", "dice"}, key):
				field = "names"
			}
			dst = told(dst, x[k], field)
		}
	}
	return dst
}

// toldFields are the fields of answers that are for people.
var toldFields = []string{"title", "about", "names", "unit", "text", "ask", "told", "result", "goal", "notes", "track", "levels", "group", "pays", "power", "situation", "level", "strong", "brief", "end", "cells", "error", "label"}

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

// alike are texts that are the same in every language: numbers, names of agents, games, actions,
// regions, towers and tiles, and what a person has typed; and those that are so in German.
var alike = regexp.MustCompile(`^[^a-z]*$|^(?i:random|greedy|exact|pretrained|search:\d+)[A-J]?$|^[a-z]+(-[a-z]+)+$|^[gsmt]{4}$|^[a-z]$|^(Pig|Soda|Start|Martian Risk|Mars is Ours!)$`)

// TestSentences plays random games of every preset, and writes down a sentence of each kind that
// the page shows of them, in each language.
func TestSentences(t *testing.T) {
	fulltest.Gate(t)
	app := web.New(web.Options{Solvable: func(env.Game) bool { return true }})
	seen := map[string]bool{}
	byKind := map[string][]string{} // in each language, by the English sentence without its numbers
	ask := func(request map[string]any) {
		var said [][]string // by language
		var text []byte
		for _, l := range message.Languages() {
			request["language"] = l.Code
			var err error
			if text, err = json.Marshal(request); err != nil {
				t.Fatal(err)
			}
			b, _ := app.Handle(t.Context(), text)
			var x any
			if err := json.Unmarshal(b, &x); err != nil {
				t.Fatal(err)
			}
			if said = append(said, told(nil, x, "")); len(said[len(said)-1]) != len(said[0]) {
				t.Fatalf("%.300s has %d texts in %s, and %d in English", text, len(said[len(said)-1]), l.Name, len(said[0]))
			}
		}
		for i, english := range said[0] {
			if seen[english] {
				continue
			}
			seen[english] = true
			var all []string
			for k, l := range message.Languages() {
				if all = append(all, said[k][i]); k > 0 && said[k][i] == english && !alike.MatchString(english) {
					t.Errorf("%q is English in %s, in the answer to %.300s", english, l.Name, text)
				}
			}
			kind := kindOf(english)
			if known := byKind[kind]; known == nil || slices.Compare(all, known) < 0 {
				byKind[kind] = all
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
