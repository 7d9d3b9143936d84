package cli

import (
	"runtime/debug"
	"slices"
	"strings"
)

// Command returns the command line that runs cmd/name with these arguments, to be copied into
// a shell. It has the build tags of this program.
func Command(name string, args ...string) string {
	words := []string{"go", "run"}
	if tags := buildTags(debug.ReadBuildInfo()); tags != "" {
		words = append(words, "-tags", Argument(tags))
	}
	words = append(words, "./cmd/"+name)
	for _, a := range args {
		words = append(words, Argument(a))
	}
	return strings.Join(words, " ")
}

func buildTags(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return ""
	}
	i := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "-tags" })
	if i < 0 {
		return ""
	}
	return info.Settings[i].Value
}

// Arguments returns the flags of these names that are on the command line with their values,
// as arguments; without names it returns all of the command line.
func (f *Flags) Arguments(names ...string) (args []string) {
	for _, g := range f.given {
		switch {
		case len(names) > 0 && !slices.Contains(names, g.name):
		case g.boolean && g.text == "true":
			args = append(args, "-"+g.name)
		case g.boolean:
			args = append(args, "-"+g.name+"="+g.text)
		default:
			args = append(args, "-"+g.name, g.text)
		}
	}
	if len(names) == 0 {
		args = append(args, f.operands...)
	}
	return args
}

// given is a flag on the command line.
type given struct {
	name, text string
	boolean    bool
}
