// Command play seats a person at the table, or lets agents be watched.
package main

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/cli"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return cli.Run("play", stdout, stderr, func(stdout io.Writer) error { return play(ctx, args, stdin, stdout, stderr) })
}

// options are the command line.
type options struct {
	name     *cli.Game
	opponent []string // of all other seats, or of each
	sample   bool
	seat     int
	watch    bool
	seed     uint64
	games    int
	hints    bool
}

func parse(args []string, stdout io.Writer) (*options, error) {
	var o options
	f := cli.NewFlags("play", "Play seats you at the table, with agents in all other seats, or lets you watch them.")
	f.List(&o.opponent, "opponent", "`agent` in the other seats, or one for each of them, with commas: exact, random, greedy, search, pretrained, a model file or a run folder (default greedy)")
	sample := f.Policy()
	f.IntVar(&o.seat, "seat", 0, "your `seat`, from 0; the game decides who moves first (default 0)")
	f.BoolVar(&o.watch, "watch", false, "sit by and watch: agents take all seats")
	f.IntVar(&o.games, "games", 1, "`number` of games")
	f.Uint64Var(&o.seed, "seed", 0, "`seed` of the dice (default another one each time)")
	f.BoolVar(&o.hints, "hints", false, "show what each choice is worth under best play")
	f.Group("Table", "opponent", "policy", "seat", "watch", "games", "seed", "hints")
	o.name = f.Game(catalog.IDs())
	f.Example("go run ./cmd/play")
	f.Example("go run ./cmd/play -opponent runs/martian-dice-2-001 -hints")
	f.Example("go run ./cmd/play -opponent exact -seat 1 -seed 7")
	f.Example("go run ./cmd/play -opponent search:400")
	f.Example("go run ./cmd/play -game mars-is-ours -players 3 -opponent greedy,search:20")
	f.Example("go run ./cmd/play -watch -opponent pretrained,greedy")
	f.Example("go run ./cmd/play -players 1")
	if err := f.Parse(args, stdout); err != nil {
		return nil, err
	}
	var err error
	if o.sample, err = sample(); err != nil {
		return nil, err
	}
	if o.games < 1 {
		return nil, cli.Usagef("-games is %d; want at least 1", o.games)
	}
	if o.watch && (f.Given("seat") || o.hints) {
		return nil, cli.Usagef("-watch leaves you no seat; leave out -seat and -hints")
	}
	if !f.Given("seed") {
		var b [4]byte // short, to be typed again
		crand.Read(b[:])
		o.seed = uint64(binary.LittleEndian.Uint32(b[:]))
	}
	// What a model file plays goes without saying.
	meta, err := agents.CommonMeta(o.opponent)
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	o.name.Default(meta.Game, meta.Config)
	return &o, nil
}

func play(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	o, err := parse(args, stdout)
	if err != nil {
		return err
	}
	g, err := cli.OpenGame(o.name, catalog.Open)
	if err != nil {
		return err
	}
	spec := g.Spec()
	if o.seat < 0 || o.seat >= spec.Players {
		return cli.Usagef("-seat is %d; want 0 to %d", o.seat, spec.Players-1)
	}
	stdout = cli.Colours(stdout)
	in, stop := untilDone(ctx, stdin)
	defer stop()
	s := &solver{game: g, cache: o.name.CacheDir(), out: stdout, bar: cli.NewProgress(stderr)}
	defer s.bar.Clear()
	t := &table{game: g, spec: spec, seat: game.Player(o.seat), out: stdout}
	if o.watch {
		t.seat = game.Terminal
	}
	if t.agents, err = s.open(ctx, o, t.seat); err != nil {
		return err
	}
	var hints func(env.Position) ([]string, error)
	if o.hints {
		if _, err := s.solve(ctx); err != nil {
			return fmt.Errorf("-hints: %w", err)
		}
		hints = s.hints
	}
	t.person = agents.NewHuman(g, in, stdout, hints)
	err = t.play(ctx, o.games, o.seed)
	if errors.Is(err, agents.ErrQuit) {
		fmt.Fprintf(stdout, "You leave at %s\n", t.at)
		return ctx.Err()
	}
	return err
}

// untilDone returns a reader of r that ends when ctx does, though a read from r
// may still be waiting for a person. stop lets go of r.
func untilDone(ctx context.Context, r io.Reader) (in io.Reader, stop func()) {
	pr, pw := io.Pipe()
	go func() {
		_, err := io.Copy(pw, r)
		pw.CloseWithError(err)
	}()
	cancel := context.AfterFunc(ctx, func() { pw.Close() })
	return pr, func() {
		cancel()
		pr.Close()
	}
}

// solver solves the game once, for hints and for the exact opponent.
type solver struct {
	game     env.Game
	cache    string // the folder of solutions
	out      io.Writer
	bar      *cli.Progress
	solution env.Solution
}

func (s *solver) solve(ctx context.Context) (env.Solution, error) {
	if s.solution == nil {
		title := s.game.Spec().Title
		fmt.Fprintf(s.out, "Solving %s; this may take a while.\n", title)
		solution, err := s.game.SolveCached(ctx, s.cache, func(done float64) { s.bar.Set(done, "solving "+title) }, cli.NotCached(s.bar, "play"))
		s.bar.Clear()
		if err != nil {
			return nil, err
		}
		s.solution = solution
	}
	return s.solution, nil
}

// hints says what each legal action is worth to the mover.
func (s *solver) hints(p env.Position) ([]string, error) {
	values, err := s.solution.Options(p)
	if err != nil {
		return nil, err
	}
	spec := s.game.Spec()
	var list []string
	for _, v := range values {
		if spec.HasWin() {
			list = append(list, fmt.Sprintf("wins %8.4f %%", 100*spec.WinShare(v)))
		} else {
			list = append(list, fmt.Sprintf("%8.4f %s", -v, spec.Unit))
		}
	}
	return list, nil
}

// open opens the agents of all seats [P] but the person's, whose is nil.
func (s *solver) open(ctx context.Context, o *options, person game.Player) ([]*agents.Agent, error) {
	spec, list := s.game.Spec(), o.opponent
	if list == nil {
		names := s.game.BotNames()
		list = names[len(names)-1:]
	}
	others := spec.Players - 1
	if o.watch {
		others++
	}
	switch {
	case others == 0 && o.opponent != nil:
		return nil, cli.Usagef("-opponent: there are no other seats")
	case len(list) > 1 && len(list) != others:
		return nil, cli.Usagef("-opponent names %d agents, and the number of seats to fill is %d; name one agent, or one for each of these seats", len(list), others)
	}
	known := map[string]*agents.Agent{}
	at := make([]*agents.Agent, spec.Players)
	next := 0
	for i := range at {
		if game.Player(i) == person {
			continue
		}
		name := list[next%len(list)]
		next++
		if known[name] == nil {
			a, err := cli.OpenAgent(ctx, name, agents.Options{Game: s.game, Sample: o.sample, Solve: s.solve})
			if err != nil {
				return nil, err
			}
			known[name] = a
		}
		at[i] = known[name]
	}
	return at, nil
}
