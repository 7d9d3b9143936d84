package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/record"
	"marsgym/internal/web"
	"marsgym/models"
)

// runFolder makes a run folder with a network for Pig.
func runFolder(t testing.TB, dir, name string) {
	t.Helper()
	g, err := catalog.Open("pig", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	meta := agents.MetaOf(g.Spec())
	meta.Net.Head, meta.Net.Hidden = models.Score, []int{4}
	mlp, err := models.NewMLP(meta.Net, rand.NewPCG(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, name)
	if err := errors.Join(os.Mkdir(run, 0o777), (&models.File{Meta: meta, MLP: mlp}).Save(filepath.Join(run, "model.safetensors")),
		os.WriteFile(filepath.Join(run, "metrics.jsonl"), []byte("{\"steps\": 1, \"entropy\": 0.5}\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// openRoot opens a folder until the test ends.
func openRoot(t testing.TB, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// TestRunNames checks which names of run folders are shown, and that their networks play.
func TestRunNames(t *testing.T) {
	dir := t.TempDir()
	a := web.New(web.Options{Runs: openRoot(t, dir)})
	for name, shown := range map[string]bool{
		"plain": true, "with spaces, and a comma": true, "-100 %": true, "läuft 走る": true, `"quoted" <b>`: true, strings.Repeat("x", 200): true,
		".hidden": false, " leading": false, "trailing ": false, "bell\a": false, "\x1b[2J": false, "line\nbreak": false, "not\xff text": false,
	} {
		if filepath.Base(name) != name {
			continue
		}
		if err := os.Mkdir(filepath.Join(dir, "probe"+name), 0o777); err != nil {
			t.Logf("there is no file of the name %q here: %v", name, err)
			continue
		}
		os.Remove(filepath.Join(dir, "probe"+name))
		runFolder(t, dir, name)
		list := request[struct{ Runs []struct{ Name string } }](t, a, map[string]any{"do": "runs"}).Runs
		if got := slices.ContainsFunc(list, func(r struct{ Name string }) bool { return r.Name == name }); got != shown {
			t.Errorf("%q is shown: %v; want %v", name, got, shown)
		}
		if !shown {
			continue
		}
		agent := "run:" + name
		request[web.Curve](t, a, map[string]any{"do": "run", "run": name})
		v := request[web.View](t, a, fields("play", web.Address{Game: "pig", Seats: []string{agent, web.Human}}))
		text := request[map[string]string](t, a, fields("write", v.Address))["text"]
		back := request[map[string][]web.Address](t, a, map[string]any{"do": "read", "text": text})["games"][0]
		if !slices.Equal(back.Seats, []string{agent, web.Human}) {
			t.Errorf("the game of %q has the seats %q", name, back.Seats)
		}
	}
}

// TestLargeFiles requests what is in run folders with files without an end: the answers take
// less memory than a file has.
func TestLargeFiles(t *testing.T) {
	const size = 256 << 20
	dir := t.TempDir()
	for _, name := range []string{"sparse", "grown"} {
		runFolder(t, dir, name)
		for _, file := range []string{"model.safetensors", "metrics.jsonl"} {
			path := filepath.Join(dir, name, file)
			if name == "sparse" {
				if err := os.Truncate(path, 0); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Truncate(path, size); err != nil {
				t.Fatal(err)
			}
		}
	}
	a := web.New(web.Options{Runs: openRoot(t, dir)})
	for _, request := range []string{
		`{"do":"agents","game":"pig"}`, `{"do":"runs"}`, `{"do":"run","run":"sparse"}`, `{"do":"run","run":"grown"}`,
		`{"do":"play","game":"pig","seats":["run:sparse","human"]}`, `{"do":"play","game":"pig","seats":["run:grown","human"]}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		answer, ok := a.Handle(t.Context(), []byte(request))
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > size/8 {
			t.Errorf("%s takes %d bytes of memory", request, used)
		}
		if list := !strings.Contains(request, `"run"`) && !strings.Contains(request, `"play"`); ok != list || strings.Contains(string(answer), `"run:`) {
			t.Errorf("%s: %.300s", request, answer)
		}
	}
}

// longGames returns games of Martian Dice as text of about that size.
func longGames(t *testing.T, size int) string {
	t.Helper()
	g, err := catalog.Open("martian-dice", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for seed := uint64(0); b.Len() < size; seed++ {
		dice := rand.NewPCG(seed, 0)
		r := rand.New(dice)
		rec := record.New(g, []string{"a", "b"})
		for rec.Position().CurrentPlayer() >= -1 {
			at := rec.Position()
			if at.CurrentPlayer() < 0 {
				rec.Chance(at.Sample(dice))
			} else if err := rec.Apply(at.Legal()[r.IntN(len(at.Legal()))]); err != nil {
				t.Fatal(err)
			}
		}
		if err := rec.Write(&b); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestLimit sends requests of every kind whose games are long, with a limit that is over, or
// after the page has left: each ends without an answer.
func TestLimit(t *testing.T) {
	roll := slices.Repeat([]string{"roll"}, 7_000)
	long := web.Address{Game: "pig", Typed: true, Moves: roll}
	for i := range long.Moves {
		if i%2 == 1 {
			long.Moves[i] = "1"
		}
	}
	text := longGames(t, 100_000)
	step, report := fields("view", long), map[string]any{"do": "report", "games": []web.Address{long}}
	step["step"] = 3
	dir := t.TempDir()
	runFolder(t, dir, "run")
	root := openRoot(t, dir)
	for _, request := range []map[string]any{
		step, fields("view", long), fields("write", long), fields("explain", long), fields("play", long), fields("values", long), fields("chance", long),
		fields("review", long), report, {"do": "read", "text": text}, fields("agents", web.Address{Game: "pig"}), {"do": "runs"}, {"do": "run", "run": "run"},
	} {
		body, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if answer, ok := web.New(web.Options{Runs: root}).Handle(gone, body); ok || !strings.Contains(string(answer), "canceled") {
			t.Errorf("%.60s after the page has left: %.200s", body, answer)
		}
		short := web.New(web.Options{Runs: root, Limit: time.Nanosecond})
		if answer, ok := short.Handle(t.Context(), body); ok || !strings.Contains(string(answer), "limit") && !strings.Contains(string(answer), "too many") {
			t.Errorf("%.60s beyond the limit: %.200s", body, answer)
		}
	}
	// The limit ends the reading of games in the middle.
	ctx := &countdown{Context: t.Context(), left: 3}
	body, _ := json.Marshal(map[string]any{"do": "read", "text": text})
	if answer, ok := web.New(web.Options{}).Handle(ctx, body); ok || ctx.left > 0 {
		t.Errorf("reading goes on for %d checks: %.200s", ctx.left, answer)
	}
}

// countdown is a context that is done after some calls of Err.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left <= 0 {
		return context.Canceled
	}
	return nil
}

// TestShortAndLong: a short request does not wait for a long one.
func TestShortAndLong(t *testing.T) {
	a := web.New(web.Options{})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.Handle(ctx, []byte(`{"do":"values","game":"martian-risk","time":60000}`))
	}()
	request[web.View](t, a, fields("view", web.Address{Game: "pig"}))
	select {
	case <-done:
		t.Error("the short request has waited for the long one")
	default:
	}
	stop()
	<-done
}

// TestPlaces: as many long requests compute at once as there are places, and the others end at
// the limit.
func TestPlaces(t *testing.T) {
	const places, requests = 2, 5
	var entered, refused sync.WaitGroup
	entered.Add(places)
	refused.Add(requests - places)
	a := web.New(web.Options{
		Work: places, Limit: time.Second, Solvable: func(env.Game) bool { return false },
		Pretrained: func(ctx context.Context, _ game.Spec) (*models.File, error) {
			if ctx.Err() == nil { // not the question whether there is one
				entered.Done() // panics if more are here than there are places
				refused.Wait()
			}
			return nil, errors.New("no network")
		},
	})
	var all sync.WaitGroup
	for range requests {
		all.Go(func() {
			answer, ok := a.Handle(t.Context(), []byte(`{"do":"values","game":"mars-is-ours","players":2}`))
			if ok {
				t.Errorf("%.200s", answer)
			}
			if strings.Contains(string(answer), "too many requests") {
				refused.Done()
			}
		})
	}
	all.Wait()
	entered.Wait()
}

// TestSolvedOnly: games without a solution offer no exact agent, and say so at once.
func TestSolvedOnly(t *testing.T) {
	a := newApp()
	for _, players := range []int{3, 4} {
		address := web.Address{Game: "martian-risk-tiny", Players: players, Seats: slices.Repeat([]string{web.Human}, players)}
		list := request[[]struct{ Name string }](t, a, fields("agents", address))
		if slices.ContainsFunc(list, func(x struct{ Name string }) bool { return x.Name == agents.Exact }) {
			t.Errorf("%d players: exact is offered", players)
		}
		address.Seats[0] = agents.Exact
		body, _ := json.Marshal(fields("play", address))
		if answer, ok := a.Handle(t.Context(), body); ok || !strings.Contains(string(answer), "no exact solution") {
			t.Errorf("%d players: %.300s", players, answer)
		}
	}
}
