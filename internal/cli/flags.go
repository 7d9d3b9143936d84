package cli

import (
	"cmp"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"

	"marsgym/internal/input"
	"marsgym/internal/simd"
)

// Flags is a flag.FlagSet whose help is grouped and ends with examples, and
// which takes no positional arguments.
type Flags struct {
	*flag.FlagSet
	about    string
	groups   []group
	examples []string
	renamed  map[string]string // from the former name of a flag to its name
	version  bool
	valueErr error // of the value that Parse read last
	given    []given
}

type group struct {
	title string
	flags []*flag.Flag
}

// NewFlags returns the flags of the command in cmd/name. about says in a
// sentence or two what the command does.
func NewFlags(name, about string) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), about: about, renamed: map[string]string{}}
	f.SetOutput(io.Discard) // Status prints errors, and Parse the help
	f.BoolVar(&f.version, "version", false, "print the version and exit")
	return f
}

// Group lists flags together in the help, in that order, under a title. It panics
// if one is not defined.
func (f *Flags) Group(title string, names ...string) {
	g := group{title: title}
	for _, name := range names {
		fl := f.Lookup(name)
		if fl == nil {
			panic(fmt.Sprintf("cli: group %q: no flag -%s", title, name))
		}
		g.flags = append(g.flags, fl)
	}
	f.groups = append(f.groups, g)
}

// Example adds a command line to the help.
func (f *Flags) Example(line string) { f.examples = append(f.examples, line) }

// Renamed makes the error for the former name of a flag give its present name. The
// help does not list former names. It panics if the flag is not defined.
func (f *Flags) Renamed(former, name string) {
	if f.Lookup(name) == nil {
		panic(fmt.Sprintf("cli: renamed from -%s: no flag -%s", former, name))
	}
	f.renamed[former] = name
}

// Commas says how the names of a [Flags.List] are written.
const Commas = "separated by commas, with double quotes around a name that holds one"

// List defines a flag for names separated by commas. A name that holds a comma or a quote
// stands in double quotes, and a quote in it is doubled, as in CSV.
func (f *Flags) List(p *[]string, name, usage string) {
	f.Func(name, usage, func(text string) error {
		r := csv.NewReader(strings.NewReader(text))
		names, err := r.Read()
		if _, end := r.Read(); err != nil || end != io.EOF {
			return fmt.Errorf("%s has a quote in the wrong place; a name that holds a comma or a quote stands in double quotes, and a quote in it is doubled", input.Quote(text))
		}
		if slices.Contains(names, "") {
			return fmt.Errorf("%s holds an empty name; want names separated by single commas", input.Quote(text))
		}
		*p = names
		return nil
	})
}

// Names returns the value of a [Flags.List] with these names.
func Names(names ...string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(names) // a strings.Builder returns no error
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// Given reports whether a flag is on the command line.
func (f *Flags) Given(name string) bool { return slices.Contains(f.Others(), name) }

// Others lists the flags on the command line, in lexical order, except those.
func (f *Flags) Others(except ...string) (names []string) {
	f.Visit(func(fl *flag.Flag) {
		if !slices.Contains(except, fl.Name) {
			names = append(names, fl.Name)
		}
	})
	return names
}

// Parse sets the flags from args. For -h it writes the help to stdout, for
// -version the version, and returns flag.ErrHelp; its other errors are
// UsageErrors. A flag may be given once, and its value must not be empty.
func (f *Flags) Parse(args []string, stdout io.Writer) error {
	f.VisitAll(func(fl *flag.Flag) { fl.Value = &once{Value: fl.Value, flags: f, name: fl.Name} })
	err := f.FlagSet.Parse(args)
	f.VisitAll(func(fl *flag.Flag) { fl.Value = fl.Value.(*once).Value })
	switch {
	case err == flag.ErrHelp:
		return cmp.Or(f.help(stdout), err)
	case f.valueErr != nil:
		return &UsageError{f.valueErr}
	case err != nil:
		return f.unknown(err)
	case f.NArg() > 0:
		return Usagef("unexpected argument %s", input.Quote(f.Arg(0)))
	case simd.Err() != nil:
		return &UsageError{simd.Err()}
	case f.version:
		info, _ := debug.ReadBuildInfo()
		_, err := fmt.Fprintln(stdout, version(f.Name(), info))
		return cmp.Or(err, flag.ErrHelp)
	}
	return nil
}

// unknown returns a UsageError for an error of the flag package.
func (f *Flags) unknown(err error) error {
	// The flag package has no type for an unknown flag, only this text.
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		return &UsageError{err}
	}
	if now, ok := f.renamed[name]; ok {
		return Usagef("-%s has been renamed to -%s", name, now)
	}
	var known []string
	f.VisitAll(func(fl *flag.Flag) { known = append(known, fl.Name) })
	if near := input.Nearest(name, known); near != "" {
		return Usagef("unknown flag -%s; did you mean -%s?", name, near)
	}
	return Usagef("unknown flag -%s", name)
}

func (f *Flags) help(w io.Writer) error {
	var grouped []*flag.Flag
	for _, g := range f.groups {
		grouped = append(grouped, g.flags...)
	}
	rest := group{title: "Flags"}
	f.VisitAll(func(fl *flag.Flag) {
		if !slices.Contains(grouped, fl) {
			rest.flags = append(rest.flags, fl)
		}
	})

	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "%s\n\nUsage:\n  go run ./cmd/%s [flags]\n", f.about, f.Name())
	for _, g := range append(slices.Clip(f.groups), rest) {
		if len(g.flags) == 0 {
			continue
		}
		fmt.Fprintf(tw, "\n%s:\n", g.title)
		for _, fl := range g.flags {
			value, usage := flag.UnquoteUsage(fl)
			if value != "" {
				value = " " + value
			}
			if !slices.Contains([]string{"", "0", "0s", "false"}, fl.DefValue) {
				usage += " (default " + fl.DefValue + ")"
			}
			fmt.Fprintf(tw, "  -%s%s\t%s\n", fl.Name, value, usage)
		}
	}
	fmt.Fprintf(tw, "\nExit status:\n")
	for _, x := range Statuses {
		fmt.Fprintf(tw, "  %d\t%s\n", x.Status, x.Means)
	}
	if len(f.examples) > 0 {
		fmt.Fprintf(tw, "\nExamples:\n  %s\n", strings.Join(f.examples, "\n  "))
	}
	return tw.Flush()
}
