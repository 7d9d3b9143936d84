package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/eval/analysis"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/web"
)

// newApp returns an App without files.
func newApp() *web.App { return web.New(web.Options{Work: 2}) }

// request returns the answer to a request, which must not be an error.
func request[T any](t testing.TB, a *web.App, fields map[string]any) (answer T) {
	t.Helper()
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	response, ok := a.Handle(t.Context(), text)
	for !ok && strings.Contains(string(response), `"goesOn":true`) { // the page asks again, too
		response, ok = a.Handle(t.Context(), text)
	}
	if !ok {
		t.Fatalf("%s: %s", text, response)
	}
	if err := json.Unmarshal(response, &answer); err != nil {
		t.Fatalf("%s: %v in %s", text, err, response)
	}
	return answer
}

// fields returns the fields of a request about a game.
func fields(do string, a web.Address) map[string]any {
	m := map[string]any{"do": do}
	text, _ := json.Marshal(a) // plain data
	json.Unmarshal(text, &m)
	return m
}

// TestGames plays whole games of every kind: a person who chooses at random in seat 0, and
// the random bot in all others. The game that is played again from the address, and the
// text of the game, must say the same.
func TestGames(t *testing.T) {
	a := newApp()
	const large = math.MaxUint64 // as a number, JavaScript would round it
	if v := request[web.View](t, a, map[string]any{"do": "view", "game": "pig", "seed": strconv.FormatUint(large, 10)}); v.Address.Seed != large {
		t.Errorf("the seed is %d", v.Address.Seed)
	}
	for _, id := range catalog.IDs() {
		t.Run(id, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			v := request[web.View](t, a, fields("view", web.Address{Game: id, Seed: 5}))
			address := v.Address
			for i := range address.Seats[1:] {
				address.Seats[i+1] = "random"
			}
			v = request[web.View](t, a, fields("view", address))
			for n := 0; !v.Ended; n++ {
				if v.Mover < 0 || len(v.Options) == 0 {
					t.Fatalf("nobody moves at %s", v.Position)
				}
				if v.Address.Seats[v.Mover] == web.Human {
					address := v.Address
					address.Moves = append(address.Moves, v.Options[r.IntN(len(v.Options))].Name)
					v = request[web.View](t, a, fields("view", address))
				} else {
					v = request[web.View](t, a, fields("play", v.Address))
				}
				if n >= 40 && !fulltest.On() && id != "pig" {
					break
				}
			}
			again := request[web.View](t, a, fields("view", v.Address))
			if again.Position != v.Position || !slices.Equal(again.Result, v.Result) {
				t.Errorf("the address leads to %s, want %s", again.Position, v.Position)
			}
			text := request[map[string]string](t, a, fields("write", v.Address))["text"]
			games := request[map[string][]struct {
				web.Address
				Open bool
			}](t, a, map[string]any{"do": "read", "text": text})["games"]
			if len(games) != 1 || games[0].Open == v.Ended {
				t.Fatalf("%d games in %s, of which the first goes on: %v", len(games), text, games[0].Open)
			}
			back, want := fmt.Sprint(games[0].Address), fmt.Sprint(v.Address)
			if back != want {
				t.Errorf("the text leads to %s, want %s", back, want)
			}
			if v.Ended != (len(v.Result) > 0) {
				t.Errorf("ended %v with the result %q", v.Ended, v.Result)
			}
		})
	}
}

// TestTyped plays a game again with its dice typed: the same positions.
func TestTyped(t *testing.T) {
	a := newApp()
	for _, id := range []string{"pig", "martian-dice", "mars-is-ours-fast", "martian-risk-tiny"} {
		g, err := catalog.Open(id, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(3, 4))
		dice := rand.NewPCG(5, 6)
		at, moves := g.Initial(), []string{}
		for range 60 {
			switch who := at.CurrentPlayer(); {
			case who == game.Terminal:
			case who == game.Chance:
				next := at.Sample(dice)
				moves = append(moves, at.DrawRoll(next, dice))
				at = next
			default:
				legal := at.Legal()
				act := legal[r.IntN(len(legal))]
				moves = append(moves, g.ActionName(act))
				if at, err = at.Apply(act); err != nil {
					t.Fatal(err)
				}
			}
		}
		v := request[web.View](t, a, fields("view", web.Address{Game: id, Typed: true, Moves: moves}))
		if v.Position != at.String() || v.Used != len(moves) {
			t.Errorf("%s: the typed game is at %s, want %s", id, v.Position, at)
		}
	}
}

// TestTexts writes games and reads them: one that ends at the limit of moves keeps its seed, and
// a name may begin with any letter.
func TestTexts(t *testing.T) {
	a := newApp()
	back := func(address web.Address, old, new string) web.Address {
		t.Helper()
		written := request[struct{ Text string }](t, a, fields("write", address))
		games := request[struct{ Games []web.Address }](t, a, map[string]any{"do": "read", "text": strings.Replace(written.Text, old, new, 1)}).Games
		if len(games) != 1 {
			t.Fatalf("%d games", len(games))
		}
		return games[0]
	}
	people := []string{web.Human, web.Human}
	// With this seed nobody wins who always rolls.
	long := web.Address{Game: "pig", Players: 2, Seed: 178, Seats: people, Moves: slices.Repeat([]string{"roll"}, 4000)}
	if v := request[web.View](t, a, fields("view", long)); !v.Ended {
		t.Fatal("4000 moves are not the end")
	}
	if got := back(long, "", ""); got.Seed != long.Seed || got.Typed {
		t.Errorf("a game of seed %d is read as one of seed %d, typed: %v", long.Seed, got.Seed, got.Typed)
	}
	won := back(web.Address{Game: "pig", Players: 2, Typed: true, Seats: people, Moves: slices.Repeat([]string{"roll", "6"}, 17)}, "seat 0 human", "seat 0 änne")
	if v := request[web.View](t, a, fields("view", won)); !slices.Contains(v.Result, "Änne reaches 100 with 102 points.") {
		t.Errorf("the result is %q", v.Result)
	}
}

// TestValues compares the values of positions of random play with those of the solution, to
// the bit: they are what cmd/solve prints.
func TestValues(t *testing.T) {
	a := newApp()
	ids := []string{"martian-dice"}
	if fulltest.On() {
		ids = append(ids, "mars-is-ours-fast", "martian-risk-tiny", "pig")
	}
	for _, id := range ids {
		g, err := catalog.Open(id, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		solution, err := g.Solve(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		start := web.Address{Game: id, Players: 2, Typed: true, Start: g.Initial().String()}
		request[web.Values](t, a, fields("values", start)) // which starts the solver
		for !request[web.Solving](t, a, fields("solving", start)).Solved {
			time.Sleep(time.Millisecond)
		}
		spec, dice := g.Spec(), rand.NewPCG(7, 8)
		r := rand.New(dice)
		for range 60 {
			at := g.Initial()
			for range r.IntN(30) {
				at = step(t, at, r, dice)
			}
			v := request[web.Values](t, a, fields("values", web.Address{Game: id, Players: 2, Typed: true, Start: at.String()}))
			want, err := solution.Value(at)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range want {
				if v.Values[i].Value != spec.WinShare(x) || !v.Values[i].Exact {
					t.Fatalf("%s: value %v of seat %d, want %v", at, v.Values[i], i, spec.WinShare(x))
				}
			}
			if at.CurrentPlayer() < 0 {
				continue
			}
			if want, err = solution.Options(at); err != nil {
				t.Fatal(err)
			}
			best := spec.WinShare(slices.Max(want))
			for i, act := range at.Legal() {
				k := slices.IndexFunc(v.Options, func(o analysis.Option) bool { return o.Action == g.ActionName(act) })
				if o := v.Options[k]; !(math.Abs(o.Value.Value-spec.WinShare(want[i])) <= game.Tie) || !(math.Abs(o.Regret.Value-(best-spec.WinShare(want[i]))) <= game.Tie) {
					t.Errorf("%s: %s is worth %v with regret %v, want %v", at, o.Action, o.Value.Value, o.Regret.Value, spec.WinShare(want[i]))
				}
			}
		}
	}
}

// step plays a random transition, except from the end.
func step(t *testing.T, at env.Position, r *rand.Rand, dice *rand.PCG) env.Position {
	switch at.CurrentPlayer() {
	case game.Terminal:
		return at
	case game.Chance:
		return at.Sample(dice)
	}
	legal := at.Legal()
	next, err := at.Apply(legal[r.IntN(len(legal))])
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// TestChance checks that the mean over a roll is the value of the action before it.
func TestChance(t *testing.T) {
	a := newApp()
	at := web.Address{Game: "martian-dice", Typed: true, Start: "13-17@1 aside T3R2H4"}
	ask := fields("values", at)
	ask["time"] = 60_000 // the solver may be slow
	values := request[web.Values](t, a, ask)
	ask["do"], ask["action"] = "chance", "roll"
	c := request[web.Chance](t, a, ask)
	mean, sum := 0.0, 0.0
	for i, o := range c.Outcomes {
		mean, sum = mean+o.Prob*o.Value.Value, sum+o.Prob
		if i > 0 && o.Value.Value > c.Outcomes[i-1].Value.Value {
			t.Errorf("%s comes after a worse outcome", o.Outcome.Outcome)
		}
	}
	for _, o := range values.Options {
		if o.Action == "roll" && (!near(mean, o.Value.Value) || !near(sum, 1)) || c.Seat != 1 || !c.Exact {
			t.Errorf("the mean is %v and the probabilities add up to %v; want %v and 1, for seat 1", mean, sum, o.Value.Value)
		}
	}
}

func near(x, y float64) bool { d := x - y; return d < 1e-12 && d > -1e-12 }

// TestReview checks that the parts of the result of a solved game add up, and its mistakes
// and ratings.
func TestReview(t *testing.T) {
	a := newApp()
	v := request[web.View](t, a, fields("view", web.Address{Game: "martian-dice", Seed: 9, Seats: []string{"greedy", "random"}}))
	for !v.Ended {
		v = request[web.View](t, a, fields("play", v.Address))
	}
	whole := request[web.Review](t, a, fields("review", v.Address))
	if len(whole.Points) != v.Steps+1 || !whole.Exact {
		t.Fatalf("%d points of %d steps", len(whole.Points), v.Steps)
	}
	for i, s := range whole.Seats {
		if sum := s.Start.Value + s.Luck.Value - s.Losses.Value + s.Others.Value; !near(sum, s.Result.Value) {
			t.Errorf("seat %d: the parts add up to %v, the result is %v", i, sum, s.Result.Value)
		}
		if first := whole.Points[0].Values[i].Value; !near(first, s.Start.Value) {
			t.Errorf("seat %d: the graph begins at %v, the game at %v", i, first, s.Start.Value)
		}
	}
	if best, worst := whole.Ratings[0], whole.Mistakes[0]; best == nil || best.Interval != nil || worst.Seat != 1 || !worst.Loss.Exact || worst.Best().Regret.Value != 0 {
		t.Errorf("the ratings %v, the costliest mistake %+v", whole.Ratings, worst)
	}
	report := request[analysis.Report](t, a, map[string]any{"do": "report", "games": []web.Address{v.Address, v.Address}})
	if len(report.Summary) != 2 || report.Summary[0].Name != "greedy" || report.Summary[0].Rating == nil || report.Summary[0].Rating.Interval == nil {
		t.Errorf("the report: %+v", report.Summary)
	}
}

// TestEstimates checks that numbers of games that are not solved are marked, with an
// interval and the method, by the network where there is one.
func TestEstimates(t *testing.T) {
	fulltest.Gate(t)
	a := newApp()
	for _, test := range []struct {
		address web.Address
		method  string
	}{
		{web.Address{Game: "pig", Players: 3, Start: "9-8-7@1 turn 4"}, `^searches:4:\d+:greedy$`},
		{web.Address{Game: "mars-is-ours", Players: 2, Seed: 1}, `^searches:4:\d+:pretrained$`},
	} {
		ask := fields("values", test.address)
		ask["time"] = 1000
		v := request[web.Values](t, a, ask)
		if v.Exact || !strings.Contains(v.About, "the error of the search") || !regexp.MustCompile(test.method).MatchString(v.Method) || len(v.Options) < 2 {
			t.Fatalf("%+v, want %s", v, test.method)
		}
		for _, o := range v.Options {
			if o.Value.Exact || !(o.Value.Low <= o.Value.Value && o.Value.Value <= o.Value.High) {
				t.Errorf("%s: %+v", test.address.Game, o)
			}
		}
	}
	response, ok := a.Handle(t.Context(), []byte(`{"do":"values","game":"martian-risk","players":6,"time":1}`)) // without a network, and its rollouts are long
	if ok || !strings.Contains(string(response), `"moreTime":true`) {
		t.Errorf("in a millisecond: %.300s", response)
	}
}

// TestEstimatedReview reviews a game that is not solved: with mistakes and a rating of the
// person where the time allows it, and with the values of all positions where it does not.
func TestEstimatedReview(t *testing.T) {
	fulltest.Gate(t)
	a := newApp()
	address := web.Address{Game: "pig", Players: 3, Seed: 5, Start: "96-90-90@0", Seats: []string{web.Human, "greedy", "greedy"}}
	v := request[web.View](t, a, fields("view", address))
	for n := 0; !v.Ended; n++ {
		if v.Mover > 0 {
			v = request[web.View](t, a, fields("play", v.Address))
			continue
		}
		address := v.Address
		address.Moves = append(address.Moves, v.Options[len(v.Options)-1].Name) // holds as soon as it may
		v = request[web.View](t, a, fields("view", address))
	}
	ask := fields("review", v.Address)
	ask["time"] = 2000
	r := request[web.Review](t, a, ask)
	if r.Exact || !strings.HasPrefix(r.Method, "searches:4:") || len(r.Points) != v.Steps+1 || !slices.Equal(r.Priced, []int{0}) || len(r.Ratings) != 3 || r.Ratings[1] != nil {
		t.Fatalf("%+v", r)
	}
	if last := r.Points[v.Steps].Values; !last[0].Exact || !near(last[0].Value+last[1].Value+last[2].Value, 1) {
		t.Errorf("the last position is worth %v", last)
	}
	if s := r.Seats[0]; !s.Result.Exact || s.Result.Value != r.Points[v.Steps].Values[0].Value || s.Start != r.Points[0].Values[0] || s.Luck.Exact || s.Losses.Exact {
		t.Errorf("the parts of the result are %+v", s)
	}
	if s := r.Seats[0].Losses; s.NoInterval && (s.Low != 0 || s.High != 1) {
		t.Errorf("the losses %+v are vague", s)
	}
	for _, d := range r.Mistakes {
		if d.Seat != 0 || d.Loss.Exact || !(d.Loss.Low > 0) {
			t.Errorf("the mistake %+v", d)
		}
	}

	// A game in which searches of all options take longer than a millisecond.
	long := web.Address{Game: "mars-is-ours", Players: 2, Seed: 1, Seats: []string{"random", web.Human}}
	for v = request[web.View](t, a, fields("view", long)); v.Step < 60 && !v.Ended; v = request[web.View](t, a, fields("view", v.Address)) {
		if v.Mover == 0 {
			v = request[web.View](t, a, fields("play", v.Address))
		} else {
			v.Address.Moves = append(v.Address.Moves, v.Options[0].Name)
		}
	}
	ask = fields("review", v.Address)
	ask["time"] = 1
	body, _ := json.Marshal(ask)
	switch answer, ok := a.Handle(t.Context(), body); {
	case !ok && !strings.Contains(string(answer), `"moreTime":true`):
		t.Errorf("in a millisecond: %.300s", answer)
	case ok && !strings.Contains(string(answer), `"priced":[]`):
		t.Errorf("a millisecond is enough for all losses: %.300s", answer)
	}
}

// TestRefusals sends requests that must be refused, each with a text that says why.
func TestRefusals(t *testing.T) {
	a := newApp()
	long := strings.Repeat("x", 5000)
	for _, test := range []struct{ request, want string }{
		{"", "it is empty"},
		{"[]", "the document is an array; want an object"},
		{`{"do":"view"} x`, "after the JSON document"},
		{`{"do":"nothing"}`, "no request is named"},
		{`{"do":"view","gamee":"pig"}`, "unknown field"},
		{`{"do":"view","game":"../../etc/passwd"}`, "unknown game"},
		{`{"do":"view","game":"pig","players":-1}`, "players is -1"},
		{`{"do":"view","game":"pig","players":1000000000}`, "players is 1000000000"},
		{`{"do":"view","game":"pig","seats":["human"]}`, "want 2"},
		{`{"do":"view","game":"pig","seats":["human","` + long + `"]}`, "at most 512"},
		{`{"do":"view","game":"pig","moves":["hop"]}`, "no legal action"},
		{`{"do":"view","game":"pig","moves":["rol"]}`, "did you mean roll"},
		{`{"do":"view","game":"pig","typed":true,"moves":["roll","7"]}`, "the roll"},
		{`{"do":"view","game":"pig","step":-1}`, "step is -1"},
		{`{"do":"view","game":"pig","step":99}`, "has 0 steps"},
		{`{"do":"view","game":"pig","start":"nonsense"}`, "nonsense"},
		{`{"do":"view","game":"pig","start":"` + long + `"}`, "5000 bytes"},
		{`{"do":"play","game":"pig"}`, "no agent is to move"},
		{`{"do":"play","game":"pig","seats":["/etc/passwd","human"]}`, "unknown agent"},
		{`{"do":"play","game":"pig","seats":["../x","human"]}`, "unknown agent"},
		{`{"do":"play","game":"pig","seats":["run:../x","human"]}`, "unknown agent"},
		{`{"do":"play","game":"pig","seats":["search:999999","human"]}`, "want 1 to 10000"},
		{`{"do":"play","game":"pig","seats":["search:10h","human"]}`, "unknown agent"},
		{`{"do":"play","game":"pig","seats":["search:10:/etc/passwd","human"]}`, "unknown agent"},
		{`{"do":"play","game":"pig","seats":["lookahead:9:x","human"]}`, "unknown agent"},
		{`{"do":"values","game":"pig","time":-1}`, "want 1 to 60000"},
		{`{"do":"values","game":"pig","time":1000000}`, "want 1 to 60000"},
		{`{"do":"chance","game":"pig","action":"hold"}`, "no legal action"},
		{`{"do":"chance","game":"pig","players":3}`, "nothing is rolled"},
		{`{"do":"report","games":[]}`, "want 1 to 200"},
		{`{"do":"report","games":[{"game":"martian-risk"}]}`, "estimates a rating of its own"},
		{`{"do":"read","text":"nonsense"}`, "a game begins with the line"},
		{`{"do":"read","text":""}`, "holds no game"},
		{`{"do":"run","run":"../../etc"}`, "no run folder"},
		{`{"do":"write","game":"pig","start":"1-0@0"}`, "position"},
		{`{"do":"view","text":"` + strings.Repeat("x", web.MaxRequest) + `"}`, "at most"},
	} {
		response, ok := a.Handle(context.Background(), []byte(test.request))
		if ok || !strings.Contains(string(response), test.want) || len(response) > 1200 {
			t.Errorf("%.100s: %.300s, want %q", test.request, response, test.want)
		}
	}
}

// TestSolving: while a game is being solved, values are estimates that say so, and another agent
// plays for exact.
func TestSolving(t *testing.T) {
	done, ended := make(chan struct{}), make(chan struct{})
	a := web.New(web.Options{Limit: 10 * time.Second, Solvable: func(env.Game) bool { return true }, Solve: func(_ context.Context, g env.Game) (env.Solution, error) {
		if g.Spec().ID == "pig" {
			defer close(ended)
		}
		<-done
		return nil, game.ErrNoSolution
	}})
	pig := web.Address{Game: "pig", Players: 2, Seed: 7, Seats: []string{"exact", web.Human}}
	if v := request[web.View](t, a, fields("play", pig)); len(v.Address.Moves) != 1 || v.Solving == nil {
		t.Errorf("while the game is being solved the best player plays %v, %v", v.Address.Moves, v.Solving)
	}
	ask := fields("values", pig)
	ask["time"] = 200
	if v := request[web.Values](t, a, ask); v.Exact || v.Solving == nil || v.Solving.Solved || len(v.Options) == 0 {
		t.Errorf("while the game is being solved the values are %+v", v)
	}
	// Searches cannot estimate turns.
	if response, ok := a.Handle(t.Context(), []byte(`{"do":"values","game":"martian-dice","players":1,"time":200}`)); ok || string(response) != `{"error":"the game is still being solved","goesOn":true}` {
		t.Errorf("while the game for one is being solved its values are %s", response)
	}
	solo := web.Address{Game: "martian-dice", Players: 1, Seed: 7, Seats: []string{"exact"}}
	if v := request[web.View](t, a, fields("play", solo)); len(v.Address.Moves) != 1 || v.Solving == nil {
		t.Errorf("while the game for one is being solved the best player plays %v, %v", v.Address.Moves, v.Solving)
	}
	if response, ok := a.Handle(t.Context(), []byte(`{"do":"report","games":[{"game":"pig","seed":"1","moves":["roll"]}]}`)); ok || string(response) != `{"error":"the game is still being solved","goesOn":true}` {
		t.Errorf("while the game is being solved its report is %s", response)
	}
	close(done)
	<-ended
	for request[*web.Solving](t, a, fields("solving", pig)) != nil { // until it has found that there is no solution
		time.Sleep(time.Millisecond)
	}
}

// TestCancelled checks that a request ends with its context, and at the limit.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ask := []byte(`{"do":"values","game":"martian-risk","time":60000}`)
	if response, ok := newApp().Handle(ctx, ask); ok || !strings.Contains(string(response), "canceled") {
		t.Errorf("cancelled: %.200s", response)
	}
	short := web.New(web.Options{Limit: 1})
	if response, ok := short.Handle(context.Background(), ask); ok || !strings.Contains(string(response), "limit") && !strings.Contains(string(response), "too many") {
		t.Errorf("limited: %.200s", response)
	}
}

// TestDaily: the exercise of a day is the same in two programs, another day has another one, and
// its values tell the choices apart.
func TestDaily(t *testing.T) {
	a, other, seen := newApp(), newApp(), map[string]bool{}
	for day := 20261127; day < 20261130; day++ {
		r := map[string]any{"do": "daily", "seed": strconv.Itoa(day)}
		d := request[web.Daily](t, a, r)
		if again := request[web.Daily](t, other, r); fmt.Sprint(again) != fmt.Sprint(d) {
			t.Errorf("%d has the exercises %v and %v", day, d, again)
		}
		f := fields("values", d.Address)
		f["step"], f["time"] = d.Step, 60_000
		v := request[web.Values](t, a, f)
		if n := len(v.Options); !v.Exact || n < 3 || v.Options[n-1].Regret.Value < 0.02 {
			t.Errorf("%d has the options %v", day, v.Options)
		}
		seen[fmt.Sprint(d)] = true
	}
	if len(seen) != 3 {
		t.Errorf("three days have %d exercises", len(seen))
	}
}

// TestOthers: values tell what other seats have thrown away since the last choice of the mover, as the values
// at those decisions say.
func TestOthers(t *testing.T) {
	fulltest.Gate(t)
	a, found := newApp(), 0
	g := web.Address{Game: "pig", Players: 2, Seed: 3, Seats: []string{web.Human, "random"}}
	request[web.Values](t, a, fields("values", g))                 // which starts the solver
	for !request[web.Solving](t, a, fields("solving", g)).Solved { // estimates differ from one request to the next
		time.Sleep(10 * time.Millisecond)
	}
	for v := request[web.View](t, a, fields("view", g)); !v.Ended && len(v.Log) < 100; {
		if v.Mover != 0 {
			v = request[web.View](t, a, fields("play", v.Address))
			continue
		}
		var want []string
		for i := len(v.Log) - 1; i >= 0 && v.Log[i].Seat != 0; i-- {
			if v.Log[i].Seat < 0 {
				continue
			}
			f := fields("values", v.Address)
			f["step"] = i
			for _, o := range request[web.Values](t, a, f).Options {
				if o.Action == v.Log[i].Name && o.Regret.Value > game.Tie {
					want = append([]string{fmt.Sprint(i, v.Log[i].Seat, o.Action, o.Regret.Value)}, want...)
				}
			}
		}
		var got []string
		for _, d := range request[web.Values](t, a, fields("values", v.Address)).Others {
			got = append(got, fmt.Sprint(d.Step, d.Seat, d.Action, d.Loss.Value))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("at step %d the others have lost %q, want %q", v.Step, got, want)
		}
		found += len(got)
		v.Address.Moves = append(v.Address.Moves, v.Options[len(v.Log)%len(v.Options)].Name)
		v = request[web.View](t, a, fields("view", v.Address))
	}
	if found < 5 {
		t.Errorf("the test has seen %d mistakes", found)
	}
}

// TestLevels: a level is the same agent in every game, and says what was measured, since its number says
// little: in Martian Risk random play is the first, and beats the second.
func TestLevels(t *testing.T) {
	for id, want := range map[string][]string{
		"martian-risk": {
			"Level 1: plays at random, and wins 57 of 100 games against 2 of level 2", "Level 2: the simple bot, with which the other levels are compared",
			"Level 3: wins 99.8 of 100 games against 2 of level 2",
		},
		"pig": {
			"Level 1: plays at random, and wins 10 of 100 games against level 2", "Level 2: the simple bot, with which the other levels are compared",
			"Level 4: never makes a mistake, and wins 54 of 100 games against level 2",
		},
	} {
		var got []string
		for _, x := range request[[]struct{ Level, Strong string }](t, newApp(), map[string]any{"do": "agents", "game": id}) {
			if x.Level != "" {
				got = append(got, x.Level+": "+x.Strong)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has the levels %q, want %q", id, got, want)
		}
	}
	for _, x := range request[[]struct{ Level, Strong string }](t, newApp(), map[string]any{"do": "agents", "game": "martian-dice", "players": 1}) {
		if x.Strong != "" {
			t.Errorf("alone, %s is said to be %q, which was measured for two", x.Level, x.Strong)
		}
	}
}
