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
	"marsgym/internal/kernel/simd"
)

// Flags is a flag.FlagSet whose help is grouped and ends with examples, and which takes only
// the arguments that [Flags.Operands] allows.
type Flags struct {
	*flag.FlagSet
	about    string
	groups   []group
	hidden   []string // flags that the help leaves to a document
	examples []string
	parts    []Entry
	renamed  map[string]string // from the former name of a flag to its name, or a command
	version  bool
	valueErr error // of the value that Parse read last
	given    []given

	operand     string // what Operands says
	least, most int
	operands    []string
}

// Entry is a line of the help: a name, and what it is.
type Entry struct{ Name, About string }

type group struct {
	title string
	names []string
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
	for _, name := range names {
		if f.Lookup(name) == nil {
			panic(fmt.Sprintf("cli: group %q: no flag -%s", title, name))
		}
	}
	f.groups = append(f.groups, group{title, names})
}

// Hide leaves flags out of the help; a document, which the help names, explains them.
func (f *Flags) Hide(names ...string) { f.hidden = append(f.hidden, names...) }

// Parts makes the help that of the program: it says what that does and lists its commands.
func (f *Flags) Parts(about string, list []Entry) { f.about, f.parts = about, list }

// Operands allows arguments beside the flags, from least to most of them. The help calls them
// what. After Parse the result is their values.
func (f *Flags) Operands(what string, least, most int) *[]string {
	f.operand, f.least, f.most = what, least, most
	return &f.operands
}

// Example adds a command line to the help.
func (f *Flags) Example(line string) { f.examples = append(f.examples, line) }

// Renamed makes the error for the former name of a flag give its present name, or the command
// that it has become, which begins with the name of its program. The help does not list former
// names. It panics if the name is neither.
func (f *Flags) Renamed(former, now string) {
	if f.Lookup(now) == nil && !strings.Contains(now, " ") {
		panic(fmt.Sprintf("cli: renamed from -%s: no flag -%s", former, now))
	}
	f.renamed[former] = now
}

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
func (f *Flags) Others(except ...string) []string { return visit(f.Visit, except) }

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
	now, ok := f.renamed[name]
	switch {
	case strings.Contains(now, " "):
		return Usagef("-%s is now: go run ./cmd/%s", name, now)
	case ok:
		return Usagef("-%s has been renamed to -%s", name, now)
	}
	if near := input.Nearest(name, f.except(nil)); near != "" {
		return Usagef("unknown flag -%s; did you mean -%s?", name, near)
	}
	return Usagef("unknown flag -%s", name)
}

// columns is the width of the help.
const columns = 80

// help writes the help: of a program with commands their list, and of one of these all flags
// without titles, so that it fits on a screen.
func (f *Flags) help(w io.Writer) error {
	var b strings.Builder
	input.Wrap(&b, "", "", f.about, columns)
	usage, examples := strings.TrimSpace("[flags] "+f.operand), "Examples:\n  "
	if f.parts != nil {
		usage = "[COMMAND] [flags]"
	}
	fmt.Fprintf(&b, "\nUsage: go run ./cmd/%s %s\n", f.Name(), usage)
	switch {
	case f.parts != nil:
		describe(&b, "Commands:\n", f.parts)
		fmt.Fprintf(&b, "Without a command it is %s. For flags: go run ./cmd/%s COMMAND -h\n", f.parts[0].Name, f.Name())
	case f.isPart():
		examples = "Example: "
		describe(&b, "", f.describeFlags(f.except(f.hidden)))
	default:
		shown := slices.Clone(f.hidden)
		for _, g := range f.groups {
			describe(&b, g.title+":\n", f.describeFlags(g.names))
			shown = append(shown, g.names...)
		}
		describe(&b, "Flags:\n", f.describeFlags(f.except(shown)))
	}
	if !f.isPart() {
		describe(&b, "Exit status:\n", Statuses)
	}
	if len(f.examples) > 0 {
		fmt.Fprintf(&b, "\n%s%s\n", examples, strings.Join(f.examples, "\n  "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// except lists all flags, in lexical order, but those.
func (f *Flags) except(names []string) []string { return visit(f.VisitAll, names) }

func visit(all func(func(*flag.Flag)), except []string) (names []string) {
	all(func(fl *flag.Flag) {
		if !slices.Contains(except, fl.Name) {
			names = append(names, fl.Name)
		}
	})
	return names
}

func (f *Flags) describeFlags(names []string) (list []Entry) {
	for _, name := range names {
		fl := f.Lookup(name)
		value, usage := flag.UnquoteUsage(fl)
		if !slices.Contains([]string{"", "0", "0s", "false"}, fl.DefValue) {
			usage += " (default " + fl.DefValue + ")"
		}
		list = append(list, Entry{strings.TrimSpace("-" + name + " " + value), usage})
	}
	return list
}

// describe writes a part of the help: names with a text behind each.
func describe(b *strings.Builder, title string, list []Entry) {
	b.WriteString("\n" + title)
	width := 0
	for _, x := range list {
		width = max(width, utf8.RuneCountInString(x.Name))
	}
	for _, x := range list {
		input.Wrap(b, fmt.Sprintf("  %-*s  ", width, x.Name), strings.Repeat(" ", width+4), x.About, columns)
	}
}
