package cluster

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"marsgym/internal/input"
	"marsgym/internal/jobs"
)

// Mixed is the identity of processes that need not find the same bits.
const Mixed = "any build on any machine"

// ErrUnnamed is wrapped by errors of [Identity].
var ErrUnnamed = errors.New("this program does not say what it is built of")

// Identity returns what decides the results of a process: its code, its Go release, its build
// tags and the fingerprint of its arithmetic. Builds of the same files have the same identity,
// whatever their folders, commands and other flags.
//
// The code is of all modules of the build: those in sources, by path, and others by the
// checksums that the go command records. It records none of a module that is built from a
// folder or from vendor. Unless sources has such a module, the error wraps [ErrUnnamed].
func Identity(info *debug.BuildInfo, sources map[string]fs.FS, arithmetic jobs.Digest) (string, error) {
	code, err := codeDigest(info, sources)
	if err != nil {
		return "", err
	}
	parts := []string{fmt.Sprintf("code %.12v", code), runtime.Version()}
	for _, s := range info.Settings {
		if s.Key != "-tags" {
			continue
		}
		tags := slices.DeleteFunc(strings.Split(s.Value, ","), isBackend)
		if slices.Sort(tags); len(tags) > 0 {
			parts = append(parts, "tags "+strings.Join(tags, " "))
		}
	}
	return strings.Join(append(parts, fmt.Sprintf("arithmetic %.12v", arithmetic)), ", "), nil
}

// isBackend reports whether a build tag chooses kernels, whose bits are those of the
// fingerprint, or a library that fits networks, which no job does by it.
func isBackend(tag string) bool { return tag == "purego" || tag == "gotch" }

// codeDigest returns the digest of the sources and of what else is in the build. Programs
// link different modules: one that the go.sum of the main module pins is in the sources of
// all, and is not added for those that link it.
func codeDigest(info *debug.BuildInfo, sources map[string]fs.FS) (d jobs.Digest, err error) {
	h := sha256.New()
	for _, module := range slices.Sorted(maps.Keys(sources)) {
		err := fs.WalkDir(sources[module], ".", func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir() && e.Name() == "testdata":
				return fs.SkipDir
			case e.IsDir() || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".md"):
				return nil
			}
			text, err := fs.ReadFile(sources[module], path)
			fmt.Fprintf(h, "%s/%s, %d bytes\n", module, path, len(text))
			h.Write(text)
			return err
		})
		if err != nil {
			return d, err
		}
	}
	pinned := checksums(sources[info.Main.Path])
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if sources[m.Path] != nil {
			continue
		}
		found, from := m, "a vendor folder, or from no version"
		if m.Replace != nil {
			found, from = m.Replace, m.Replace.Path
		}
		switch {
		case found.Sum == "":
			return d, fmt.Errorf("%w: module %s comes from %s, of which the go command records no checksum; docs/cluster.md says how to name its code, or give up equal bits by -mixed here and on the other side", ErrUnnamed, m.Path, from)
		case !slices.Equal(pinned[found.Path], []string{found.Version + " " + found.Sum}):
			fmt.Fprintf(h, "%s is %s %s %s\n", m.Path, found.Path, found.Version, found.Sum)
		}
	}
	return jobs.Digest(h.Sum(nil)), nil
}

// checksums returns the versions and checksums of the modules that the go.sum of a module
// lists, if it has one.
func checksums(module fs.FS) map[string][]string {
	list := map[string][]string{}
	if module == nil {
		return list
	}
	text, _ := fs.ReadFile(module, "go.sum")
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && !strings.HasSuffix(f[1], "/go.mod") {
			list[f[0]] = append(list[f[0]], f[1]+" "+f[2])
		}
	}
	return list
}

// refusal says how the identity of another process differs from that of this one, and what to
// do about it.
func refusal(other, own string) string {
	switch Mixed {
	case other:
		return "it was started with -mixed, and this process was not; give -mixed to both, or to neither"
	case own:
		return "this process was started with -mixed, and it was not; give -mixed to both, or to neither"
	}
	a, b := strings.Split(other, ", "), strings.Split(own, ", ")
	theirs, ours := without(a, b), without(b, a)
	do := "build both from the same files, with the same release of Go and the same tags"
	if arithmetic := "arithmetic "; strings.HasPrefix(ours, arithmetic) && strings.HasPrefix(theirs, arithmetic) { // the last part
		do = "run both on the same kind of machine"
	}
	return fmt.Sprintf("it has %s, and this process has %s; %s, or give up equal bits by -mixed on both", input.Cut(theirs), ours, do)
}

// without returns the parts of an identity that another one lacks.
func without(parts, others []string) string {
	left := slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return slices.Contains(others, p) })
	if len(left) == 0 {
		return "nothing else"
	}
	return strings.Join(left, ", ")
}
