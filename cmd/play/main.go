// Command play plays a game against agents in the terminal, or shows a game of agents.
package main

import (
	"cmp"
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"marsgym/agents"
	"marsgym/cmd/play/dialogue"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/record"
	"marsgym/internal/cli"
	"marsgym/internal/input"
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
	seat     []string
	watch    bool
	seed     uint64
	games    int
	hints    bool
	record   string // file of games
	rules    bool
	coach    float64
	think    time.Duration
	network  string
	resume   string // file with a game to continue
	typed    bool
	language *message.Language
	flags    []string // on the command line, which the command that resumes the game keeps
}

func parse(args []string, stdout io.Writer) (*options, error) {
	var o options
	f := cli.NewFlags("play", "Play lets you play a game against agents, or watch agents play.")
	f.List(&o.opponent, "opponent", "`agent` in all other seats, or one agent per seat, separated by commas: exact, random, greedy, search, lookahead:3:MODEL, pretrained, a model file or a run folder (default greedy)")
	f.Policy(&o.sample)
	f.List(&o.seat, "seat", "your `seat`, from 0, or the seats of several people, separated by commas; the game decides which seat moves first (default 0)")
	f.BoolVar(&o.watch, "watch", false, "watch agents play in all seats")
	f.IntVar(&o.games, "games", 1, "`number` of games to play")
	f.Uint64Var(&o.seed, "seed", 0, "`seed` of the dice (default random)")
	f.BoolVar(&o.hints, "hints", false, "show the value of each action, where \"about\" marks an estimate, and price each game at its end")
	f.Float64Var(&o.coach, "coach", 0, "warn before a choice that loses more than this `share` of the win (in a game without a win, of the returns), such as 0.02")
	f.DurationVar(&o.think, "think", time.Second, "`time` to estimate a hint or a warning where the game is not solved; pricing a game takes up to "+fmt.Sprint(2*pricing)+" times as long")
	f.StringVar(&o.network, "network", "", "`model` file or run folder whose network estimates values where the game is not solved (default the first network of -opponent, else pretrained, else games of the game's bot)")
	f.StringVar(&o.resume, "resume", "", "continue the saved game in this `file`, with its seats and dice")
	dice := f.String("dice", "drawn", "`way` to roll dice: drawn by the program, or typed by people who roll real ones")
	f.StringVar(&o.record, "record", "", "append all decisions and dice of the games to this `file`; go run ./cmd/eval games FILE prices them")
	f.BoolVar(&o.rules, "rules", false, "print the rules of the game and exit")
	language := f.String("lang", "en", "`language` of what the game says: "+strings.Join(message.Codes(), ", "))
	f.Group("Play", "opponent", "policy", "seat", "watch", "games", "seed", "dice", "hints", "coach", "think", "network", "record", "resume", "rules", "lang")
	o.name = f.Game()
	f.Example("go run ./cmd/play")
	f.Example("go run ./cmd/play -opponent runs/martian-dice-2-001 -hints")
	f.Example("go run ./cmd/play -opponent exact -seat 1 -seed 7")
	f.Example("go run ./cmd/play -opponent search:400")
	f.Example("go run ./cmd/play -game mars-is-ours -players 3 -opponent greedy,search:20")
	f.Example("go run ./cmd/play -watch -opponent pretrained,greedy")
	f.Example("go run ./cmd/play -players 1")
	f.Example("go run ./cmd/play -game martian-risk-small -seat 0,2 -dice typed -coach 0.05")
	f.Example("go run ./cmd/play -rules -game martian-risk-small")
	f.Example("go run ./cmd/play -lang de")
	if err := f.Parse(args, stdout); err != nil {
		return nil, err
	}
	if o.games < 1 {
		return nil, cli.Usagef("-games is %d; want at least 1", o.games)
	}
	if o.watch && (f.Given("seat") || o.hints || f.Given("coach")) {
		return nil, cli.Usagef("-watch fills all seats with agents; leave out -seat, -hints and -coach")
	}
	if f.Given("coach") && !(o.coach > 0) {
		return nil, cli.Usagef("-coach is %v; want above 0", o.coach)
	}
	if !(o.think > 0) {
		return nil, cli.Usagef("-think is %v; want above 0, such as 2s", o.think)
	}
	if (f.Given("think") || f.Given("network")) && !o.hints && !f.Given("coach") {
		return nil, cli.Usagef("-think and -network are for -hints and -coach")
	}
	if o.language = message.Find(*language); o.language == nil {
		return nil, cli.Unknown("language", *language, message.Codes())
	}
	switch *dice {
	case "drawn":
	case "typed":
		o.typed = true
	default:
		return nil, cli.Unknown("way of dice", *dice, []string{"drawn", "typed"})
	}
	for _, name := range []string{"game", "players", "game-config", "seat", "opponent", "watch", "seed", "games"} {
		if o.resume != "" && f.Given(name) && !(name == "game" && catalog.IsFile(o.name.ID)) {
			return nil, cli.Usagef("-resume takes the game from the file; leave out -%s", name)
		}
	}
	if o.seat == nil && !o.watch {
		o.seat = []string{"0"}
	}
	o.flags = f.Arguments("policy", "dice", "hints", "coach", "think", "network", "record", "lang", "cache")
	if !f.Given("seed") {
		var b [4]byte // a short seed is easier to type
		crand.Read(b[:])
		o.seed = uint64(binary.LittleEndian.Uint32(b[:]))
	}
	err := o.name.DefaultOf(o.opponent)
	if catalog.IsFile(o.name.ID) { // which a saved game does not hold
		o.flags = append(o.flags, "-game", o.name.ID)
	}
	return &o, err
}

func play(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	o, err := parse(args, stdout)
	if err != nil {
		return err
	}
	resumed, g, err := openGame(o, stderr)
	if err != nil {
		return err
	}
	spec := g.Spec()
	people, err := parseSeats(o.seat, spec.Players)
	if err != nil {
		return err
	}
	if o.rules {
		return printRules(stdout, spec, "")
	}
	stdout = cli.Colours(stdout)
	in, stop := untilDone(ctx, stdin)
	defer stop()
	bar := cli.NewProgress(stderr)
	defer bar.Clear()
	table := &cli.Agents{Game: g, Sample: o.sample, Cache: o.name.CacheDir(), Command: "play", Bar: bar, Played: resumed != nil}
	table.Begin = func(float64) { fmt.Fprintf(stdout, "Solving %s; this may take a while.\n", spec.Title) }
	s := &session{game: g, spec: spec, typed: o.typed, seed: o.seed, out: stdout, rec: resumed, flags: o.flags}
	if s.agents, err = o.open(ctx, table, people); err != nil {
		return err
	}
	s.to.Language = o.language
	s.to.Names = s.called()
	s.person = dialogue.NewHuman(g, in, stdout)
	s.person.Command, s.person.To = s.command, s.to
	if o.hints || o.coach > 0 {
		network := cmp.Or(o.network, agents.Network(o.opponent, g))
		if s.advisor, err = newAdvisor(ctx, table, stdout, network, o.think, o.seed); err != nil {
			return err
		}
		s.advisor.coach, s.advisor.to = o.coach, s.to
		if o.hints {
			s.person.Hints = s.advisor.hints
		}
		if o.coach > 0 {
			s.person.Confirm = s.advisor.confirm
		}
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
	if errors.Is(err, dialogue.ErrQuit) || errors.Is(err, context.Canceled) && s.rec != nil && !s.rec.Over() && len(s.people()) > 0 {
		fmt.Fprintf(stdout, "You quit at %s\n", s.rec.Position())
		s.keep(o.name.CacheDir(), o.resume)
		return ctx.Err()
	}
	return err
}

// openGame opens the game of the flags, or the game of the file to continue.
func openGame(o *options, stderr io.Writer) (resumed *record.Game, g env.Game, err error) {
	if o.resume == "" {
		g, err = o.name.Open()
		return nil, g, err
	}
	resumed, err = lastUnfinished(o.resume, o.name.ID, func(err error) {
		fmt.Fprintf(stderr, "play: -resume: %s; it is left out\n", input.Message(err))
	})
	if err != nil {
		return nil, nil, &cli.UsageError{Err: fmt.Errorf("-resume: %w", err)}
	}
	if resumed.Seed != nil {
		o.seed = *resumed.Seed
	}
	o.seat, o.opponent = nil, nil
	for i, name := range resumed.Seats {
		switch {
		case name == human:
			o.seat = append(o.seat, strconv.Itoa(i))
		case strings.HasPrefix(name, agents.Pretrained+" ("): // and how it plays
			o.opponent = append(o.opponent, agents.Pretrained)
		default:
			o.opponent = append(o.opponent, name)
		}
	}
	return resumed, resumed.Rules, nil
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

// open opens the agents of all seats [P] except those of people, which are nil.
func (o *options) open(ctx context.Context, table *cli.Agents, people []game.Player) ([]*agents.Agent, error) {
	list := o.opponent
	seats := make([]*agents.Agent, table.Game.Spec().Players)
	if err := cli.CheckSeats("opponent", list, len(seats)-len(people), "seats to fill"); err != nil {
		return nil, err
	}
	if list == nil {
		list = []string{agents.BestBot(table.Game)}
	}
	next := 0
	for i := range seats {
		if slices.Contains(people, game.Player(i)) {
			continue
		}
		var err error
		if seats[i], err = table.Open(ctx, list[next%len(list)]); err != nil {
			return nil, err
		}
		next++
	}
	return seats, nil
}
