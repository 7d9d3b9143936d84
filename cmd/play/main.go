// Command play plays a game against agents in the terminal, or shows a game of agents.
package main

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

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

// options are the flags.
type options struct {
	name     *cli.Game
	opponent []string // of all other seats, or of each
	sample   bool
	seat     int
	watch    bool
	seed     uint64
	games    int
	hints    bool
	record   string // file of games
	rules    bool
}

func parse(args []string, stdout io.Writer) (*options, error) {
	var o options
	f := cli.NewFlags("play", "Play lets you play a game against agents, or watch agents play.")
	f.List(&o.opponent, "opponent", "`agent` in the other seats, or one for each of them, separated by commas: exact, random, greedy, search, lookahead:3:MODEL, pretrained, a model file or a run folder (default greedy)")
	sample := f.Policy()
	f.IntVar(&o.seat, "seat", 0, "your `seat`, from 0; the game decides which seat moves first (default 0)")
	f.BoolVar(&o.watch, "watch", false, "watch: agents play in all seats")
	f.IntVar(&o.games, "games", 1, "`number` of games")
	f.Uint64Var(&o.seed, "seed", 0, "`seed` of the dice (default a random one)")
	f.BoolVar(&o.hints, "hints", false, "show the value of each action under best play")
	f.StringVar(&o.record, "record", "", "`file` to which the games are added, with all decisions and dice; go run ./cmd/eval -games-file prices them")
	f.BoolVar(&o.rules, "rules", false, "print the rules of the game and exit")
	f.Group("Play", "opponent", "policy", "seat", "watch", "games", "seed", "hints", "record", "rules")
	o.name = f.Game(catalog.IDs())
	f.Example("go run ./cmd/play")
	f.Example("go run ./cmd/play -opponent runs/martian-dice-2-001 -hints")
	f.Example("go run ./cmd/play -opponent exact -seat 1 -seed 7")
	f.Example("go run ./cmd/play -opponent search:400")
	f.Example("go run ./cmd/play -game mars-is-ours -players 3 -opponent greedy,search:20")
	f.Example("go run ./cmd/play -watch -opponent pretrained,greedy")
	f.Example("go run ./cmd/play -players 1")
	f.Example("go run ./cmd/play -rules -game martian-risk-small")
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
		return nil, cli.Usagef("-watch fills all seats with agents; leave out -seat and -hints")
	}
	if !f.Given("seed") {
		var b [4]byte // a short seed is easier to type
		crand.Read(b[:])
		o.seed = uint64(binary.LittleEndian.Uint32(b[:]))
	}
	// The game of a model file is the default.
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
	if o.rules {
		return printRules(stdout, spec, "")
	}
	stdout = cli.Colours(stdout)
	in, stop := untilDone(ctx, stdin)
	defer stop()
	solver := &solver{game: g, cache: o.name.CacheDir(), out: stdout, bar: cli.NewProgress(stderr)}
	defer solver.bar.Clear()
	s := &session{game: g, spec: spec, seat: game.Player(o.seat), seed: o.seed, out: stdout}
	if o.watch {
		s.seat = game.Terminal
	}
	if s.agents, err = solver.open(ctx, o, s.seat); err != nil {
		return err
	}
	s.person = agents.NewHuman(g, in, stdout)
	s.person.Command = s.command
	if o.hints {
		if _, err := solver.solve(ctx); err != nil {
			return fmt.Errorf("-hints: %w", err)
		}
		s.person.Hints = solver.hints
	}
	if o.record != "" {
		f, err := os.OpenFile(o.record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return &cli.UsageError{Err: fmt.Errorf("-record: %w", err)}
		}
		defer f.Close()
		s.records = f
	}
	err = s.play(ctx, o.games)
	if errors.Is(err, agents.ErrQuit) {
		fmt.Fprintf(stdout, "You quit at %s\n", s.at)
		return ctx.Err()
	}
	return err
}

// untilDone returns a reader of r that ends when ctx is done, even while a read from r
// waits for a person. stop ends the copying from r.
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

// solver solves the game once, for hints and for the opponent exact.
type solver struct {
	game     env.Game
	cache    string // folder of solutions
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

// hints returns the value of each legal action to the mover, as text.
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

// open opens the agents of all seats [P] except that of the person, which is nil.
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
	opened := map[string]*agents.Agent{}
	seats := make([]*agents.Agent, spec.Players)
	next := 0
	for i := range seats {
		if game.Player(i) == person {
			continue
		}
		name := list[next%len(list)]
		next++
		if opened[name] == nil {
			a, err := cli.OpenAgent(ctx, name, agents.Options{Game: s.game, Sample: o.sample, Solve: s.solve})
			if err != nil {
				return nil, err
			}
			opened[name] = a
		}
		seats[i] = opened[name]
	}
	return seats, nil
}
