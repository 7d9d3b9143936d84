package docs_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"marsgym/internal/test/docs"
)

// readmeLines is the most that the README has, so that a reader comes to an end.
const readmeLines = 130

// steps is the most links from the README to any page below docs.
const steps = 2

func TestDocs(t *testing.T) {
	module := os.DirFS("../../..")
	pages, err := docs.Pages(module)
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 15 {
		t.Errorf("found %d pages", len(pages))
	}
	for _, fault := range check(module, pages) {
		t.Error(fault)
	}
}

// TestReadmeCommands: whoever tries the commands of README changes no file of the repository, as programs for
// maintainers do.
func TestReadmeCommands(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	p := docs.Page{Name: "README.md", Text: string(text)}
	if count := len(p.Commands("go", "run")); count < 5 {
		t.Errorf("README.md has %d calls of go run", count)
	}
	if tools := p.Commands("go", "-C", "tools"); len(tools) > 0 {
		t.Errorf("README.md calls go -C tools %s", strings.Join(tools[0], " "))
	}
}

// TestReadmeProgram compiles the program of README as the body of a function, with what it leaves out.
func TestReadmeProgram(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks, _ := docs.Page{Name: "README.md", Text: string(text)}.Split("go")
	if len(blocks) != 1 {
		t.Fatalf("README.md has %d programs in Go; want 1", len(blocks))
	}
	const before = `package p

import (
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
)

func play(choose func(obs []float32, mask []bool) game.Action) error {
`
	file := filepath.Join(t.TempDir(), "readme.go")
	if err := os.WriteFile(file, []byte(before+blocks[0]+"\nreturn nil\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", os.DevNull, file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// check returns what is wrong with the documents of a module.
func check(module fs.FS, pages []docs.Page) (faults []string) {
	names := exported{module: module, packages: map[string]map[string]bool{}}
	links := map[string][]string{} // pages that a page links to
	for _, p := range pages {
		report := func(format string, args ...any) { faults = append(faults, p.Name+": "+fmt.Sprintf(format, args...)) }
		for _, target := range targets(p) {
			to, err := resolve(module, p, target)
			if err != nil {
				report("link %s: %v", target, err)
			}
			links[p.Name] = append(links[p.Name], to)
		}
		for _, code := range p.Code() {
			for _, err := range slices.Concat(paths(module, code), tests(module, code), names.mentions(code)) {
				report("`%s`: %v", code, err)
			}
		}
		blocks, _ := p.Split("go")
		for _, block := range blocks {
			for _, err := range names.program(block) {
				report("%v in the program\n%s", err, block)
			}
		}
	}
	far := distances("README.md", links)
	for _, p := range pages {
		if n, ok := far[p.Name]; strings.HasPrefix(p.Name, "docs/") && (!ok || n > steps) {
			faults = append(faults, fmt.Sprintf("README.md: no path of at most %d links to %s", steps, p.Name))
		}
		if n := strings.Count(p.Text, "\n"); p.Name == "README.md" && n > readmeLines {
			faults = append(faults, fmt.Sprintf("README.md: %d lines; want at most %d", n, readmeLines))
		}
	}
	return faults
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
)

// targets returns the links and images of a page that stay within the module.
func targets(p docs.Page) (list []string) {
	_, prose := p.Split("*")
	for _, m := range link.FindAllStringSubmatch(prose, -1) {
		if !strings.Contains(m[1], "://") {
			list = append(list, m[1])
		}
	}
	return list
}

// resolve returns the file that a link of a page leads to.
func resolve(module fs.FS, p docs.Page, target string) (file string, err error) {
	file, anchor, _ := strings.Cut(target, "#")
	if file = path.Join(path.Dir(p.Name), file); strings.HasPrefix(target, "#") {
		file = p.Name
	}
	text, err := fs.ReadFile(module, file)
	if err != nil {
		if info, e := fs.Stat(module, file); e == nil && info.IsDir() && anchor == "" {
			err = nil
		}
		return file, err
	}
	if anchor != "" && !slices.Contains(anchors(docs.Page{Name: file, Text: string(text)}), anchor) {
		return file, fmt.Errorf("no heading %s in %s", anchor, file)
	}
	return file, nil
}

// anchors returns the names that GitHub gives to the headings of a page.
func anchors(p docs.Page) (list []string) {
	_, prose := p.Split("*")
	seen := map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(prose, -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, link.ReplaceAllString(m[1], ""))
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, seen[name]-1)
		}
		list = append(list, name)
	}
	return list
}

// distances returns how many links are between a page and all others.
func distances(from string, links map[string][]string) map[string]int {
	far := map[string]int{from: 0}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, to := range links[queue[0]] {
			if _, ok := far[to]; !ok {
				far[to] = far[queue[0]] + 1
				queue = append(queue, to)
			}
		}
	}
	return far
}

// local is a path from the root of the module, as the go command has it.
var local = regexp.MustCompile(`(?:^|[\s'"=])\./([\w./-]+)`)

// folder is where the go command runs.
var folder = regexp.MustCompile(`go -C (\S+)`)

// paths returns an error for each path of packages that does not exist. Programs of a folder are named
// from there, and what they work on from the root.
func paths(module fs.FS, code string) (errs []error) {
	for _, m := range local.FindAllStringSubmatch(code, -1) {
		name := path.Clean(strings.TrimSuffix(m[1], "..."))
		_, err := fs.Stat(module, name)
		if f := folder.FindStringSubmatch(code); f != nil && err != nil {
			_, err = fs.Stat(module, path.Join(f[1], name))
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// choice is a flag of go test that chooses functions by a pattern.
var choice = regexp.MustCompile(`-(run|bench|fuzz) +('[^']*'|\S+)`)

// function is a test, benchmark or fuzz target.
var function = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`)

// tests returns an error for each pattern of a call of go test, such as -bench Pig,
// that none of its packages has a function for.
func tests(module fs.FS, code string) (errs []error) {
	_, args, ok := strings.Cut(code, "go test ")
	args, _, _ = strings.Cut(args, "#")
	if !ok || strings.Contains(args, "$p") { // a loop over all of them
		return nil
	}
	var functions []string
	for _, m := range local.FindAllStringSubmatch(args, -1) {
		dir, below := strings.CutSuffix(m[1], "...")
		root := path.Clean(dir)
		fs.WalkDir(module, root, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && name != root && !below:
				return fs.SkipDir
			case strings.HasSuffix(name, "_test.go"):
				text, err := fs.ReadFile(module, name)
				for _, f := range function.FindAllSubmatch(text, -1) {
					functions = append(functions, string(f[1]))
				}
				return err
			}
			return nil
		})
	}
	for _, m := range choice.FindAllStringSubmatch(args, -1) {
		pattern, _, _ := strings.Cut(strings.Trim(m[2], "'"), "/")
		if pattern == "^$" { // none, on purpose
			continue
		}
		kinds := map[string][]string{"run": {"Test", "Example", "Fuzz"}, "bench": {"Benchmark"}, "fuzz": {"Fuzz"}}[m[1]]
		re, err := regexp.Compile(pattern)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if !slices.ContainsFunc(functions, func(f string) bool {
			return re.MatchString(f) && slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(f, kind) })
		}) {
			errs = append(errs, fmt.Errorf("-%s %s matches nothing", m[1], pattern))
		}
	}
	return errs
}

// exported knows the exported names of the packages that users hold.
type exported struct {
	module   fs.FS
	packages map[string]map[string]bool // by the name of the package
}

// folders are the packages whose names the documents use, by name.
var folders = map[string]string{
	"game": "env/game", "chart": "env/game/chart", "gametest": "env/game/gametest", "tabular": "env/tabular", "search": "agents/search",
	"expert": "train/expert", "env": "env", "catalog": "env/catalog", "models": "models", "agents": "agents", "train": "train", "sweep": "train/sweep",
	"eval": "eval", "sgemm": "internal/kernel/sgemm", "atomicfile": "internal/atomicfile",
}

// has reports whether a package exports a name at its top level.
func (e *exported) has(pkg, name string) (bool, error) {
	names, ok := e.packages[pkg]
	if !ok {
		names = map[string]bool{}
		files, err := fs.Glob(e.module, folders[pkg]+"/*.go")
		if err != nil {
			return false, err
		}
		for _, f := range files {
			text, err := fs.ReadFile(e.module, f)
			if err != nil {
				return false, err
			}
			file, err := parser.ParseFile(token.NewFileSet(), f, text, parser.SkipObjectResolution)
			if err != nil {
				return false, err
			}
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil {
						names[d.Name.Name] = true
					}
				case *ast.GenDecl:
					for _, s := range d.Specs {
						switch s := s.(type) {
						case *ast.TypeSpec:
							names[s.Name.Name] = true
						case *ast.ValueSpec:
							for _, n := range s.Names {
								names[n.Name] = true
							}
						}
					}
				}
			}
		}
		e.packages[pkg] = names
	}
	return names[name], nil
}

// qualified is an exported name with its package.
var qualified = regexp.MustCompile(`(?:^|[^\w./"])([a-z]\w*)\.([A-Z]\w*)`)

// mentions returns an error for each name of a package of ours, in code, that it does
// not export.
func (e *exported) mentions(code string) (errs []error) {
	for _, m := range qualified.FindAllStringSubmatch(code, -1) {
		if _, ours := folders[m[1]]; !ours {
			continue
		}
		if ok, err := e.has(m[1], m[2]); err != nil || !ok {
			errs = append(errs, cmp.Or(err, fmt.Errorf("package %s exports no %s", m[1], m[2])))
		}
	}
	return errs
}

// program returns what is wrong with a block of Go: a file, or statements.
func (e *exported) program(block string) (errs []error) {
	if !strings.HasPrefix(block, "package ") {
		block = "package p\n\nfunc _() error {\n" + block + "}\n"
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "", block, 0); err != nil {
		errs = append(errs, err)
	}
	return errs
}

// TestFaults checks documents with a fault each.
func TestFaults(t *testing.T) {
	right := map[string]string{
		"README.md":     "# A\n\n[b](docs/b.md#two-words) ![c](docs/c.svg)\n\n## A\n",
		"docs/b.md":     "# Two `words`!\n\n[a](../README.md#a-1), [code](../env), `go test -run '^$' -bench Pig/x ./env`,\n`go test -run\nPig ./env/...`\n\n```go\nenv.New(1)\n```\n",
		"docs/c.svg":    "",
		"env/a.go":      "package env\n\nfunc New() {}\n",
		"env/a_test.go": "package env\n\nfunc BenchmarkPig(b *testing.B) {\n}\n\nfunc TestPig(t *testing.T) {\n}\n",
	}
	for _, tt := range []struct {
		name, file, text string
		want             string // "" for none
	}{
		{"nothing", "docs/c.svg", "", ""},
		{"link", "docs/b.md", "# Two words\n[a](../READ.md)\n", "docs/b.md: link ../READ.md: open READ.md: file does not exist"},
		{"anchor", "docs/b.md", "# Three words\n", "README.md: link docs/b.md#two-words: no heading two-words in docs/b.md"},
		{"image", "README.md", "![c](docs/d.svg) [b](docs/b.md)\n## A\n## A\n", "README.md: link docs/d.svg: open docs/d.svg: file does not exist"},
		{"heading in code", "docs/b.md", "```\n# Two words\n```\n", "README.md: link docs/b.md#two-words: no heading two-words in docs/b.md"},
		{"package", "docs/b.md", "# Two words\n`go doc ./eval`\n", "docs/b.md: `go doc ./eval`: open eval: file does not exist"},
		{"package of a folder", "docs/b.md", "# Two words\n`go -C docs vet ./b.md ./env ./eval`\n", "docs/b.md: `go -C docs vet ./b.md ./env ./eval`: open docs/eval: file does not exist"},
		{"benchmark", "docs/b.md", "# Two words\n`go test -bench Dice ./env`\n", "docs/b.md: `go test -bench Dice ./env`: -bench Dice matches nothing"},
		{"test", "docs/b.md", "# Two words\n`go test -fuzz Pig ./env`\n", "docs/b.md: `go test -fuzz Pig ./env`: -fuzz Pig matches nothing"},
		{"name", "docs/b.md", "# Two words\n`env.Of(rules)`\n", "docs/b.md: `env.Of(rules)`: package env exports no Of"},
		{"program", "docs/b.md", "# Two words\n```go\nenv.New(\n```\n", "docs/b.md: 5:1: expected operand, found '}' in the program\nenv.New(\n"},
		{"page without a link", "docs/d.md", "", "README.md: no path of at most 2 links to docs/d.md"},
		{"lines", "README.md", right["README.md"] + strings.Repeat("\n", readmeLines), "README.md: 135 lines; want at most 130"},
	} {
		module := fstest.MapFS{}
		for name, text := range right {
			module[name] = &fstest.MapFile{Data: []byte(text)}
		}
		module[tt.file] = &fstest.MapFile{Data: []byte(tt.text)}
		pages, err := docs.Pages(module)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(check(module, pages), "\n"); got != tt.want {
			t.Errorf("%s: %q; want %q", tt.name, got, tt.want)
		}
	}
}

func TestCommands(t *testing.T) {
	p := docs.Page{Text: "`go run ./a -x 'one two'` and `go run\n./a` but not `go run ./b`\n\n```\n$ go run ./a -y 1   # why\necho '{\"a\": 1}' > f; go run ./a -z=\"q\" | less\n  evaluate it    go run ./a -w > out\n```\n"}
	want := [][]string{{"-y", "1"}, {"-z=q"}, {"-w"}, {"-x", "one two"}, {}}
	got := p.Commands("go", "run", "./a")
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q; want %q", got, want)
	}
}
