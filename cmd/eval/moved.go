package main

import (
	"cmp"
	"strings"

	"marsgym/internal/cli"
)

// moves are the flags of former releases that have become commands, and what they and the flags
// beside them are called there: "LIST" and "ARGUMENT" stand for arguments.
var moves = []struct {
	flag, command string
	flags         map[string]string
}{
	{"tournament", "eval tournament", map[string]string{"tournament": "LIST"}},
	{"pool", "eval tournament", map[string]string{"pool": "LIST"}},
	{"table", "eval table", map[string]string{"table": "LIST", "against": "LIST"}},
	{"compare", "eval compare", map[string]string{"compare": "LIST"}},
	{"games-file", "eval games", map[string]string{"games-file": "ARGUMENT"}},
	{"position", "eval position", map[string]string{"position": "ARGUMENT"}},
	{"sequential", "eval match", nil},
	{"settle", "eval match", map[string]string{"settle": "sequential"}},
	{"exploit", "train", map[string]string{"exploit": "steps", "model": "exploit"}},
}

// moved returns an error with the present command line if that of a call without a command has
// such a flag.
func moved(args []string) error {
	type given struct{ name, value string }
	var list []given
	for len(args) > 0 {
		name, value, ok := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
		if args = args[1:]; !ok && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
			value, args = args[0], args[1:]
		}
		list = append(list, given{name, value})
	}
	for _, m := range moves {
		found := false
		var flags, rest []string
		for _, x := range list {
			found = found || x.name == m.flag
			switch to := cmp.Or(m.flags[x.name], x.name); {
			case to == "LIST":
				names, _ := cli.ParseNames(x.value)
				rest = append(rest, names...)
			case to == "ARGUMENT":
				rest = append(rest, x.value)
			case x.value == "":
				flags = append(flags, "-"+to)
			case x.name == "json" || x.name == "mixed" || x.name == "decisions": // a boolean with a value
				flags = append(flags, "-"+to+"="+x.value)
			default:
				flags = append(flags, "-"+to, x.value)
			}
		}
		if found {
			return cli.Usagef("-%s has become a command:\n\n\t%s\n", m.flag, cli.Command(m.command, append(flags, rest...)...))
		}
	}
	return nil
}
