package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"marsgym/internal/cli"
)

// TestMoved: the error for a flag of a former release gives the command line of today.
func TestMoved(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{`-tournament greedy,random -games 9 -json`, `eval tournament -games 9 -json greedy random`},
		{`-game pig -tournament "x,y",random`, `eval tournament -game pig x,y random`},
		{`-pool=a,b -json=true`, `eval tournament -json=true a b`},
		{`-table`, `eval table`},
		{`-players 3 -model a -table -against greedy,random`, `eval table -players 3 -model a greedy random`},
		{`--compare a,b -plot p`, `eval compare -plot p a b`},
		{`-games-file a,b.games -mistakes 3 -decisions`, `eval games -mistakes 3 -decisions a,b.games`},
		{`-game pig -position 0-0@0 -rollouts 9`, `eval position -game pig -rollouts 9 0-0@0`},
		{`-model a -against b -sequential 0.01 -games 9`, `eval match -model a -against b -sequential 0.01 -games 9`},
		{`-model a -settle 0.01`, `eval match -model a -sequential 0.01`},
		{`-model a -exploit 1e6 -games 9 -out r`, `train -exploit a -steps 1e6 -games 9 -out r`},
	} {
		stdout, stderr, status := command(t, strings.Fields(tt.args)...)
		if status != cli.Misuse || stdout != "" || !strings.Contains(stderr, "has become a command:\n\n\tgo run ./cmd/"+tt.want+"\n\nFor help") {
			t.Errorf("%s: status %d, %s%s; want %s", tt.args, status, stdout, stderr, tt.want)
		}
		// Its flags are those of the command.
		if words := strings.Fields(tt.want); words[0] == "eval" {
			if stdout, stderr, status := command(t, append(words[1:], "-h")...); status != cli.Done || stderr != "" {
				t.Errorf("%s: status %d, %s%s", tt.want, status, stdout, stderr)
			}
		}
	}
}

// TestScreens: the help of each command fits on a terminal of 80 columns and 24 lines, with the
// prompt below it.
func TestScreens(t *testing.T) {
	calls := [][]string{{"-h"}}
	for _, c := range commands {
		calls = append(calls, []string{c.Name, "-h"})
	}
	for _, args := range calls {
		help := text(t, args...)
		if n := strings.Count(help, "\n"); n > 23 {
			t.Errorf("%q has %d lines:\n%s", args, n, help)
		}
		for line := range strings.Lines(help) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
				t.Errorf("%q: a line has %d columns: %s", args, n, line)
			}
		}
	}
}
