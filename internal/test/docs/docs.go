// Package docs reads the documents of this module, for tests that compare them with
// the code.
package docs

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// Page is a document in Markdown.
type Page struct {
	Name string // its path below the root of the module, with slashes
	Text string
}

// Pages returns the documents of a module, by name, except CHANGELOG.md, which holds
// names of older releases.
func Pages(module fs.FS) ([]Page, error) {
	var pages []Page
	err := fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || name == "runs"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".md") || name == "CHANGELOG.md":
			return nil
		}
		text, err := fs.ReadFile(module, name)
		pages = append(pages, Page{name, string(text)})
		return err
	})
	return pages, err
}

// span is code within a line, or within several lines of a paragraph.
var span = regexp.MustCompile("(?s)`([^`]+)`")

// Split returns the blocks of code of the page that have this language, each with
// its line breaks, and the text outside all blocks. The language of a block is the
// word behind its fence; "*" stands for every language.
func (p Page) Split(language string) (blocks []string, prose string) {
	var out strings.Builder
	open, wanted := false, false
	for line := range strings.Lines(p.Text) {
		fence, ok := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case ok && !open:
			if wanted = language == "*" || fence == language; wanted {
				blocks = append(blocks, "")
			}
			open = true
		case ok:
			open = false
		case open && wanted:
			blocks[len(blocks)-1] += line
		case !open:
			out.WriteString(line)
		}
	}
	return blocks, out.String()
}

// Code returns the lines of all blocks of code, and all code within lines, each with
// spaces in the place of line breaks.
func (p Page) Code() []string {
	blocks, prose := p.Split("*")
	var code []string
	for _, b := range blocks {
		code = slices.AppendSeq(code, strings.Lines(b))
	}
	for _, m := range span.FindAllStringSubmatch(prose, -1) {
		code = append(code, strings.Join(strings.Fields(m[1]), " "))
	}
	return code
}

// Commands returns the arguments of each command in the code of the page that
// begins with these words, such as "go run ./cmd/train", up to a comment or an
// operator of the shell.
func (p Page) Commands(words ...string) [][]string {
	var list [][]string
	for _, code := range p.Code() {
		for _, command := range commands(code) {
			for i := range command {
				if rest := command[i:]; len(rest) >= len(words) && slices.Equal(rest[:len(words)], words) {
					list = append(list, rest[len(words):])
					break
				}
			}
		}
	}
	return list
}

// word is a word of a shell, a comment or an operator.
var word = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"#;|&<>()])(?:'[^']*'|"[^"]*"|[^\s'";|&<>()])*|#.*|[;|&<>()]`)

// commands splits a line into commands and those into words, without quotes. Names
// of files behind < and > are words of a command of their own.
func commands(line string) [][]string {
	list := [][]string{nil}
	for _, w := range word.FindAllString(line, -1) {
		switch {
		case strings.HasPrefix(w, "#"):
			return list
		case strings.Contains(";|&<>()", w):
			list = append(list, nil)
		default:
			last := &list[len(list)-1]
			*last = append(*last, strings.NewReplacer(`'`, "", `"`, "").Replace(w))
		}
	}
	return list
}
