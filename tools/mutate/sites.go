package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// edit replaces the bytes of a file from from to to by text.
type edit struct {
	from, to int
	text     string
}

// apply returns source with edits that do not overlap.
func apply(source []byte, edits ...edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var changed []byte
	at := 0
	for _, e := range edits {
		changed = append(append(changed, source[at:e.from]...), e.text...)
		at = e.to
	}
	return append(changed, source[at:]...)
}

// site is a place for a fault, which is an edit.
type site struct {
	edit
	file   string
	line   int
	column int       // in bytes, from 1
	what   string    // the fault in words
	in     *function // in whose body it is; or nil
}

// String names the file, the line, the column and the fault.
func (s site) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", filepath.Base(s.file), s.line, s.column, s.what)
}

// function is a function of which copies with faults can be made.
type function struct {
	from, to int    // bytes in the file
	name     int    // the byte after its name
	body     int    // the byte after the brace that opens its body
	call     string // a statement that calls the copy with the number %d and returns
	named    []edit // these give all parameters a name
}

// functionOf describes the function that a declaration declares; nil if it has no body.
func functionOf(d ast.Decl, offset func(token.Pos) int) *function {
	n, ok := d.(*ast.FuncDecl)
	if !ok || n.Body == nil {
		return nil
	}
	f := &function{from: offset(n.Pos()), to: offset(n.End()), name: offset(n.Name.End()), body: offset(n.Body.Lbrace) + 1}
	names := func(list *ast.FieldList) (all []string) {
		for _, field := range list.List {
			dots := ""
			if _, ok := field.Type.(*ast.Ellipsis); ok {
				dots = "..."
			}
			name := func() string { return fmt.Sprintf("parameter%d", len(f.named)) }
			if len(field.Names) == 0 {
				all = append(all, name()+dots)
				at := offset(field.Pos())
				f.named = append(f.named, edit{at, at, name() + " "})
			}
			for _, id := range field.Names {
				if id.Name != "_" {
					all = append(all, id.Name+dots)
					continue
				}
				all = append(all, name()+dots)
				f.named = append(f.named, edit{offset(id.Pos()), offset(id.End()), name()})
			}
		}
		return all
	}
	f.call = n.Name.Name + "__%d"
	if n.Recv != nil {
		f.call = names(n.Recv)[0] + "." + f.call
	}
	if t := n.Type.TypeParams; t != nil {
		f.call += "[" + strings.Join(names(t), ", ") + "]"
	}
	f.call += "(" + strings.Join(names(n.Type.Params), ", ") + ")"
	if n.Type.Results == nil {
		f.call += "; return"
	} else {
		f.call = "return " + f.call
	}
	return f
}

// choices returns a file in which each function with faults calls a copy of itself that has one of
// them, if the variable fault__ is its number. All sites are in functions.
func choices(source []byte, sites map[int]site) []byte {
	var edits []edit
	var copies []byte
	seen := map[*function]bool{}
	for _, k := range slices.Sorted(maps.Keys(sites)) {
		s := sites[k]
		f := s.in
		if !seen[f] {
			seen[f] = true
			edits = append(edits, f.named...)
		}
		call := fmt.Sprintf(" if fault__ == %d { "+f.call+" };", k, k)
		edits = append(edits, edit{f.body, f.body, call})
		with := apply(source[:f.to], edit{f.name, f.name, fmt.Sprintf("__%d", k)}, s.edit)
		copies = fmt.Appendf(copies, "\n//line fault%d.go:1\n%s\n", k, with[f.from:])
	}
	return append(apply(source, edits...), copies...)
}

// swaps are the operators that replace an operator.
var swaps = map[token.Token][]token.Token{
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR}, token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.AND: {token.OR}, token.OR: {token.AND}, token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.ADD_ASSIGN: {token.SUB_ASSIGN, token.ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN, token.ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN}, token.INC: {token.DEC}, token.DEC: {token.INC},
	token.BREAK: {token.CONTINUE}, token.CONTINUE: {token.BREAK},
}

// sites returns the places for faults in a file: operators, conditions, whole numbers, signs,
// branches, and statements that can be left out.
func sites(file string) ([]site, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(f) {
		return nil, err
	}
	var found []site
	var in *function
	offset := func(p token.Pos) int { return set.Position(p).Offset }
	add := func(from, to token.Pos, text, what string) {
		p := set.Position(from)
		s := site{edit{p.Offset, offset(to), text}, file, p.Line, p.Column, what, in}
		if in != nil && s.from < in.body {
			s.in = nil
		}
		found = append(found, s)
	}
	swap := func(at token.Pos, t token.Token) {
		for _, other := range swaps[t] {
			add(at, at+token.Pos(len(t.String())), other.String(), fmt.Sprintf("%s becomes %s", t, other))
		}
	}
	code := func(n ast.Node) string {
		return string(source[offset(n.Pos()):offset(n.End())])
	}
	short := func(n ast.Node) string { // in one line
		if text, _, more := strings.Cut(code(n), "\n"); more {
			return text + " ..."
		}
		return code(n)
	}
	inspect := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.IMPORT
		case *ast.BinaryExpr:
			swap(n.OpPos, n.Op)
		case *ast.IncDecStmt:
			swap(n.TokPos, n.Tok)
		case *ast.AssignStmt:
			swap(n.TokPos, n.Tok)
		case *ast.BranchStmt:
			if n.Label == nil {
				swap(n.TokPos, n.Tok)
			}
		case *ast.IfStmt:
			c := code(n.Cond) // what it names stays in use
			add(n.Cond.Pos(), n.Cond.End(), "("+c+") == ("+c+")", "condition "+short(n.Cond)+" is always true")
			add(n.Cond.Pos(), n.Cond.End(), "("+c+") != ("+c+")", "condition "+short(n.Cond)+" is always false")
		case *ast.UnaryExpr:
			if n.Op == token.NOT || n.Op == token.SUB {
				add(n.OpPos, n.OpPos+1, "", fmt.Sprintf("%s without %s", short(n), n.Op))
			}
		case *ast.BasicLit:
			if x, err := strconv.ParseUint(n.Value, 0, 62); err == nil && n.Kind == token.INT {
				add(n.Pos(), n.End(), strconv.FormatUint(x+1, 10), fmt.Sprintf("%s becomes %d", n.Value, x+1))
			}
		case *ast.ExprStmt:
			add(n.Pos(), n.End(), "", "without "+short(n))
		}
		return true
	}
	for _, d := range f.Decls {
		in = functionOf(d, offset)
		ast.Inspect(d, inspect)
	}
	return found, nil
}

// blocks are the ranges of statements, by the base names of the files.
type blocks map[string][]block

// block is a range from a line and column to others, and how often tests reach it.
type block struct{ fromLine, fromColumn, toLine, toColumn, count int }

// parseBlocks reads a profile of go test -coverprofile.
func parseBlocks(profile string) blocks {
	all := blocks{}
	for line := range strings.Lines(profile) {
		name, rest, ok := strings.Cut(line, ":")
		var b block
		var statements int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.fromLine, &b.fromColumn, &b.toLine, &b.toColumn, &statements, &b.count); !ok || err != nil {
			continue // the first line
		}
		name = path.Base(name)
		all[name] = append(all[name], b)
	}
	return all
}

// has reports whether tests reach a site. One outside functions counts as reached.
func (b blocks) has(s site) bool {
	outside := true
	for _, x := range b[path.Base(s.file)] {
		after := s.line > x.fromLine || s.line == x.fromLine && s.column >= x.fromColumn
		before := s.line < x.toLine || s.line == x.toLine && s.column < x.toColumn
		if after && before {
			if x.count > 0 {
				return true
			}
			outside = false
		}
	}
	return outside
}
