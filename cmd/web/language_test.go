package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// literal is a string of a module, or the fixed parts of a template.
type literal struct {
	text  string
	line  int
	calls []call // that it is within, the innermost last
	key   string // of the attribute that it is the value of
	equal bool   // whether it is compared
}

// call is an open bracket: the name before it, the number of arguments before, and the bracket.
type call struct {
	name string
	arg  int
	open byte
}

var (
	space  = regexp.MustCompile(`^(\s+|//.*|/\*(?s:.*?)\*/)+`)
	quoted = regexp.MustCompile(`^'(\\.|[^'\\])*'`)
	regex  = regexp.MustCompile(`^/(\\.|\[(\\.|[^\]\\])*\]|[^/\\\n[])+/[a-z]*`)
	name   = regexp.MustCompile(`^[\w$.#]+`)
	keyed  = regexp.MustCompile(`([\w-]+)'?:\s*$`)
	fields = regexp.MustCompile(`\{(\w+)\}`)
)

// literals returns the literals of a module in the style of the page: strings in single quotes.
func literals(t *testing.T, source string) (list []literal) {
	t.Helper()
	var calls []call
	last := "" // the token before
	add := func(text string, at int) {
		key := ""
		if m := keyed.FindStringSubmatch(source[:at]); m != nil {
			key = m[1]
		}
		list = append(list, literal{text, 1 + strings.Count(source[:at], "\n"), slices.Clone(calls), key, strings.HasSuffix(last, "==")})
	}
	for i := 0; i < len(source); {
		rest := source[i:]
		token := rest[:1]
		switch c := rest[0]; {
		case space.MatchString(rest):
			i += len(space.FindString(rest))
			continue
		case c == '\'':
			token = quoted.FindString(rest)
			add(strings.ReplaceAll(token[1:len(token)-1], `\'`, "'"), i)
			list[len(list)-1].equal = list[len(list)-1].equal || strings.HasPrefix(strings.TrimSpace(rest[len(token):]), "==")
		case c == '/' && (last == "" || strings.ContainsAny(last[len(last)-1:], "(,=:[!&|?{};>") || last == "return"):
			token = regex.FindString(rest)
		case name.MatchString(rest):
			token = name.FindString(rest)
		case c == '`', c == '}' && len(calls) > 0 && calls[len(calls)-1].open == '`':
			if c == '}' {
				calls = calls[:len(calls)-1]
			}
			end := 1
			for rest[end] != '`' && !strings.HasPrefix(rest[end:], "${") {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			add(rest[1:end], i)
			if token = rest[:end+1]; rest[end] == '$' {
				token = rest[:end+2]
				calls = append(calls, call{"`", 0, '`'})
			}
		case strings.HasPrefix(rest, "==="), strings.HasPrefix(rest, "!=="):
			token = rest[:3]
		case strings.ContainsRune("([{", rune(c)):
			called := ""
			if c == '(' && name.MatchString(last) {
				called = last[strings.LastIndexByte(last, '.')+1:]
			}
			calls = append(calls, call{called, 0, c})
		case strings.ContainsRune(")]}", rune(c)):
			if len(calls) == 0 {
				t.Fatalf("the bracket of %.60s was not opened", rest)
			}
			calls = calls[:len(calls)-1]
		case c == ',' && len(calls) > 0:
			calls[len(calls)-1].arg++
		}
		i += len(token)
		last = token
	}
	if len(calls) != 0 {
		t.Fatalf("%d brackets stay open", len(calls))
	}
	return list
}

// translated reports whether a literal is a key of the tables.
func (l literal) translated() bool {
	if len(l.calls) == 0 {
		return false
	}
	in := l.calls[len(l.calls)-1]
	return slices.Contains([]string{"t", "mix", "later"}, in.name) && in.arg == 0
}
