package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// site is a place for a fault: the bytes of a file from from to to become text.
type site struct {
	file     string
	line     int
	column   int // in bytes, from 1
	from, to int
	text     string
	what     string // the fault in words
}

// apply returns the file with the fault.
func (s site) apply() ([]byte, error) {
	source, err := os.ReadFile(s.file)
	if err != nil {
		return nil, err
	}
	return slices.Concat(source[:s.from], []byte(s.text), source[s.to:]), nil
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
	add := func(from, to token.Pos, text, what string) {
		p, end := set.Position(from), set.Position(to)
		found = append(found, site{file, p.Line, p.Column, p.Offset, end.Offset, text, what})
	}
	swap := func(at token.Pos, t token.Token) {
		for _, other := range swaps[t] {
			add(at, at+token.Pos(len(t.String())), other.String(), fmt.Sprintf("%s becomes %s", t, other))
		}
	}
	code := func(n ast.Node) string {
		return string(source[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset])
	}
	short := func(n ast.Node) string { // in one line
		if text, _, more := strings.Cut(code(n), "\n"); more {
			return text + " ..."
		}
		return code(n)
	}
	ast.Inspect(f, func(n ast.Node) bool {
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
	})
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
