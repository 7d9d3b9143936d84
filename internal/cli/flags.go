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
	"unicode/utf8"

	"marsgym/internal/input"
	"marsgym/internal/simd"
)

// Flags is a flag.FlagSet whose help is grouped and ends with examples, and which takes only
// the arguments that [Flags.Operands] allows.
type Flags struct {
	*flag.FlagSet
	about    string
	groups   []group
	hidden   []string // flags that the help leaves to a document
	examples []string
	parts    []Part
	renamed  map[string]string // from the former name of a flag to its name
	version  bool
	valueErr error // of the value that Parse read last
	given    []given

	operand     string // what Operands says
	least, most int
	operands    []string
}

// Part is one of several commands of a program, such as match of cmd/eval.
type Part struct{ Name, About string }

type group struct {
	title string
	flags []*flag.Flag
}

// NewFlags returns the flags of the command in cmd/name; name may have a second word, as in
// "eval match". about says in a sentence or two what the command does.
func NewFlags(name, about string) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), about: about, renamed: map[string]string{}}
	f.SetOutput(io.Discard) // Status prints errors, and Parse the help
	f.BoolVar(&f.version, "version", false, "print the version and exit")
	if f.isPart() {
		f.Hide("version")
	}
	return f
}

// isPart reports whether the command is one of several of a program.
func (f *Flags) isPart() bool { return strings.Contains(f.Name(), " ") }

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

// Hide leaves flags out of the help; a document, which the help names, explains them.
func (f *Flags) Hide(names ...string) { f.hidden = append(f.hidden, names...) }

// Parts makes the help that of the program: it says what that does and lists its commands.
func (f *Flags) Parts(about string, list []Part) { f.about, f.parts = about, list }

// Operands allows arguments beside the flags, at least and at most so many. The help names them
// as what says. After Parse the result is their values.
func (f *Flags) Operands(what string, least, most int) *[]string {
	f.operand, f.least, f.most = what, least, most
	return &f.operands
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

// List defines a flag for names separated by commas. A name that holds a comma or a quote
// stands in double quotes, and a quote in it is doubled, as in CSV.
func (f *Flags) List(p *[]string, name, usage string) {
	f.Func(name, usage, func(text string) (err error) {
		*p, err = ParseNames(text)
		return err
	})
}

// ParseNames returns the names of a value of a [Flags.List].
func ParseNames(text string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(text))
	names, err := r.Read()
	if _, end := r.Read(); err != nil || end != io.EOF {
		return nil, fmt.Errorf("%s has a quote in the wrong place; a name that holds a comma or a quote stands in double quotes, and a quote in it is doubled", input.Quote(text))
	}
	if slices.Contains(names, "") {
		return nil, fmt.Errorf("%s holds an empty name; want names separated by single commas", input.Quote(text))
	}
	return names, nil
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
	for err == nil && f.NArg() > 0 && len(f.operands) < f.most { // flags may follow operands
		f.operands = append(f.operands, f.Arg(0))
		err = f.FlagSet.Parse(f.Args()[1:])
	}
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
	case len(f.operands) < f.least:
		return Usagef("an argument is missing; want %s", f.operand)
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

// columns is the width of the help.
const columns = 80

// help writes the help: of a program with commands the list of them, of one of these all flags
// without titles, so that it fits on a screen.
func (f *Flags) help(w io.Writer) error {
	var b strings.Builder
	paragraph := func(text string) { input.Wrap(&b, "", "", text, columns) }
	paragraph(f.about)
	words := "[flags]"
	if f.parts != nil {
		words = "[COMMAND] [flags]"
	}
	fmt.Fprintf(&b, "\nUsage: %s\n", strings.TrimSpace("go run ./cmd/"+f.Name()+" "+words+" "+f.operand))
	switch {
	case f.parts != nil:
		list := [][2]string{}
		for _, c := range f.parts {
			list = append(list, [2]string{c.Name, c.About})
		}
		b.WriteString("\nCommands:\n")
		describe(&b, list)
		fmt.Fprintf(&b, "\nWithout a command it is %s. For flags: go run ./cmd/%s COMMAND -h\n", f.parts[0].Name, f.Name())
	case f.isPart():
		b.WriteByte('\n')
		f.others(f.hidden).describe(&b)
	default:
		grouped := slices.Clone(f.hidden)
		for _, g := range f.groups {
			fmt.Fprintf(&b, "\n%s:\n", g.title)
			g.describe(&b)
			for _, fl := range g.flags {
				grouped = append(grouped, fl.Name)
			}
		}
		b.WriteString("\nFlags:\n")
		f.others(grouped).describe(&b)
	}
	if !f.isPart() {
		b.WriteString("\nExit status:\n")
		for _, x := range Statuses {
			fmt.Fprintf(&b, "  %-3d  %s\n", x.Status, x.Means)
		}
	}
	if title := "Examples:\n  "; len(f.examples) > 0 {
		if f.isPart() {
			title = "Example: "
		}
		fmt.Fprintf(&b, "\n%s%s\n", title, strings.Join(f.examples, "\n  "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// others returns the flags except those.
func (f *Flags) others(except []string) (g group) {
	f.VisitAll(func(fl *flag.Flag) {
		if !slices.Contains(except, fl.Name) {
			g.flags = append(g.flags, fl)
		}
	})
	return g
}

// describe writes the flags of a group.
func (g group) describe(b *strings.Builder) {
	list := [][2]string{}
	for _, fl := range g.flags {
		value, usage := flag.UnquoteUsage(fl)
		if !slices.Contains([]string{"", "0", "0s", "false"}, fl.DefValue) {
			usage += " (default " + fl.DefValue + ")"
		}
		list = append(list, [2]string{strings.TrimSpace("-" + fl.Name + " " + value), usage})
	}
	describe(b, list)
}

// describe writes names with a text behind each.
func describe(b *strings.Builder, list [][2]string) {
	width := 0
	for _, x := range list {
		width = max(width, utf8.RuneCountInString(x[0]))
	}
	for _, x := range list {
		input.Wrap(b, fmt.Sprintf("  %-*s  ", width, x[0]), strings.Repeat(" ", width+4), x[1], columns)
	}
}
