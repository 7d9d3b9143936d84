package web_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"time"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/web"
	"marsgym/models"
)

// FuzzHandle sends any request to an App with a run folder, within a short limit: each answer is
// one JSON document, and a refused request has an error with a text. Solutions and the networks
// that come with the program, which take seconds to load, are left out.
func FuzzHandle(f *testing.F) {
	dir := f.TempDir()
	runFolder(f, dir, "run")
	root := openRoot(f, dir)
	a := web.New(web.Options{
		Runs: root, Work: 4, Limit: 5 * time.Millisecond,
		Solvable:   func(env.Game) bool { return false },
		Pretrained: func(context.Context, game.Spec) (*models.File, error) { return nil, fs.ErrNotExist },
	})
	for _, text := range []string{
		``, `{}`, `[]`, `{"do":"view"} {}`, `{"do":"games"}`, `{"do":"runs"}`, `{"do":"run","run":"run"}`, `{"do":"run","run":"../run"}`,
		`{"do":"agents","game":"martian-risk-small","players":3}`, `{"do":"rules","game":"mars-is-ours"}`,
		`{"do":"view","game":"pig","seed":"7","seats":["human","greedy"],"moves":["roll","roll"],"step":1}`,
		`{"do":"play","game":"pig","seed":"18446744073709551615","seats":["run:run","search:9"]}`,
		`{"do":"play","game":"pig","seats":["search:5:run:run/checkpoint","human"]}`,
		`{"do":"view","game":"martian-dice","typed":true,"moves":["t2r4h4c2k1","chickens","roll","t2r4h1c2"]}`,
		`{"do":"view","game":"mars-is-ours-fast","typed":true,"moves":["6 2"]}`, `{"do":"view","game":"martian-risk-small","typed":true,"moves":["8 2 3"]}`,
		`{"do":"explain","game":"martian-dice","word":"humans"}`, `{"do":"values","game":"pig","players":3,"start":"9-8-7@1 turn 4","time":1}`,
		`{"do":"chance","game":"pig","action":"roll","time":1}`, `{"do":"review","game":"pig","seed":"1","moves":["roll","hold"],"time":1}`,
		`{"do":"report","games":[{"game":"pig","moves":["roll"]}]}`, `{"do":"write","game":"pig","seats":["a","b"],"moves":["roll"]}`,
		`{"do":"read","text":"marsgym game 1\ngame pig\nrules 1 x\nconfig {}\nseat 0 a\nseat 1 b\n\nresult unfinished\n"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, request []byte) {
		answer, ok := a.Handle(t.Context(), request)
		if !json.Valid(answer) {
			t.Fatalf("%q", answer)
		}
		var failure struct{ Error *string }
		if err := json.Unmarshal(answer, &failure); !ok && (err != nil || failure.Error == nil || *failure.Error == "") {
			t.Fatalf("a failure is %q", answer)
		}
		if !ok && strings.Contains(*failure.Error, "runtime error") {
			t.Fatal(*failure.Error)
		}
	})
}
