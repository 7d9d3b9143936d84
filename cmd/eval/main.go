// Command eval measures the strength of agents: exactly, if the game is solved.
package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/cli"
)

func main() { cli.Main(run) }

// commands are the commands of eval; without a name it is the first.
var commands = []struct {
	cli.Entry
	define func(*session) work
}{
	{cli.Entry{Name: "exact", About: "measure an agent, exactly if the game is solved, else by a match"}, exactCommand},
	{cli.Entry{Name: "match", About: "play a match of an agent against others"}, matchCommand},
	{cli.Entry{Name: "tournament", About: "rate agents by matches against each other"}, tournamentCommand},
	{cli.Entry{Name: "regret", About: "rate a slow agent in a solved game, from few games"}, regretCommand},
	{cli.Entry{Name: "table", About: "compute exactly what agents win against each other"}, tableCommand},
	{cli.Entry{Name: "compare", About: "compare runs of cmd/train"}, compareCommand},
	{cli.Entry{Name: "games", About: "price recorded games: what each decision lost, and what was luck"}, gamesCommand},
	{cli.Entry{Name: "position", About: "show the value of each option or dice outcome of a position"}, positionCommand},
}

// renamed are the flags of former releases, with what they are now.
var renamed = map[string]string{
	"blunders":   "mistakes",
	"compare":    "eval compare RUN...",
	"decisions":  "eval games -decisions FILE",
	"exploit":    "train -exploit AGENT -steps DECISIONS",
	"games-file": "eval games FILE",
	"out":        "train -exploit AGENT -steps DECISIONS -out FOLDER",
	"pool":       "eval tournament AGENT AGENT...",
	"position":   "eval position POSITION",
	"rollouts":   "eval games -rollouts NUMBER FILE, or eval position -rollouts NUMBER POSITION",
	"searches":   "eval games -searches NUMBER FILE, or eval position -searches NUMBER POSITION",
	"sequential": "eval match -model AGENT -sequential MARGIN",
	"settle":     "eval match -model AGENT -sequential MARGIN",
	"table":      "eval table AGENT...",
	"tournament": "eval tournament AGENT AGENT...",
}

// work computes the result of a command, after its flags are read.
type work func(context.Context) (result, error)

// result is the result of a command. Its JSON is that of -json.
type result interface {
	print(b *strings.Builder, spec game.Spec)
}

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	name, i := "eval", 0
	var parts []cli.Entry
	var names []string
	for _, c := range commands {
		parts, names = append(parts, c.Entry), append(names, c.Name)
	}
	if named := len(args) > 0 && !strings.HasPrefix(args[0], "-"); named {
		if i = slices.Index(names, args[0]); i < 0 {
			return cli.Run(name, stdout, stderr, func(io.Writer) error { return cli.Unknown("command", args[0], names) })
		}
		name, args, parts = name+" "+args[0], args[1:], nil
	}
	return cli.Run(name, stdout, stderr, func(stdout io.Writer) error {
		c := commands[i]
		s := &session{Flags: cli.NewFlags(name, strings.ToUpper(c.About[:1])+c.About[1:]+"."), bar: cli.NewProgress(stderr)}
		defer s.bar.Clear()
		work := c.define(s)
		asJSON := s.Bool("json", false, "write one JSON document")
		if parts != nil {
			s.Parts("Eval measures the strength of agents.", parts)
			for former, now := range renamed {
				s.Renamed(former, now)
			}
		}
		if err := s.Parse(args, stdout); err != nil {
			return err
		}
		r, err := work(ctx)
		if err != nil {
			return err
		}
		s.bar.Clear()
		return cli.Write(stdout, *asJSON, r, func(b *strings.Builder) { r.print(b, s.spec) })
	})
}
