package web

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"marsgym/env/game"
)

// names names the seats [P] for those who sit at the page: the only person is "you", agents
// have the names of their levels, with a letter where several have the same, and where several people sit, seats are numbered from 1.
type names []string

const you = "you"

// names names the seats of a game.
func (r *replay) names() names {
	level := make([]string, len(r.Seats))
	for i, name := range r.Seats {
		level[i] = levelName(r.Game, name)
	}
	n := make(names, len(r.Seats))
	for i, name := range r.Seats {
		switch {
		case name == Human && count(r.Seats, Human) == 1:
			n[i] = you
		case name == Human:
			n[i] = fmt.Sprintf("seat %d", i+1)
		case count(level, level[i]) > 1:
			n[i] = level[i] + string(rune('A'+count(level[:i], level[i])))
		default:
			n[i] = level[i]
		}
	}
	return n
}

// count returns how often a name is in a list.
func count(list []string, name string) (n int) {
	for _, x := range list {
		if x == name {
			n++
		}
	}
	return n
}

// person returns the seat of the only person, or -1.
func (n names) person() int { return slices.Index(n, you) }

// seatsText finds seats in a text of a game: "seat 0", "seat 0's", "seats 0, 1" and "Seats 0 1".
var seatsText = regexp.MustCompile(`\b([Ss])eats? (\d+(?:(?:, ?| )\d+\b)*)('s)?`)

var digits = regexp.MustCompile(`\d+`)

// in returns a text of a game with the names in place of "seat 0". What such a clause says of
// the person is in the second person.
func (n names) in(text string) string {
	found := seatsText.FindAllStringSubmatchIndex(text, -1)
	var b strings.Builder
	last := 0
	for k, m := range found {
		end := len(text)
		if k+1 < len(found) {
			end = found[k+1][0]
		}
		if i := strings.IndexAny(text[m[1]:end], ";:"); i >= 0 {
			end = m[1] + i
		}
		list := digits.FindAllString(text[m[4]:m[5]], -1)
		if text[m[0]+4] != 's' { // of "seat 0 14", the second number is no seat
			m[1] -= len(text[m[4]:m[5]]) - len(list[0])
			if m[6] >= 0 {
				m[1] = m[7]
			}
			list = list[:1]
		}
		var called []string
		for _, s := range list {
			seat, err := strconv.Atoi(s)
			if err != nil || seat >= len(n) {
				return text // not of this game
			}
			called = append(called, n[seat])
		}
		name, clause := and(called), text[m[1]:end]
		switch own := name == you; {
		case own && m[6] >= 0:
			name = "your"
		case own:
			clause = secondPerson(clause)
		case m[6] >= 0:
			name += "'s"
		}
		b.WriteString(text[last:m[0]] + name + clause)
		last = end
	}
	return b.String() + text[last:]
}

// verbs of the texts of games in the third person, whose others end with s. A noun in the
// plural is none of them.
var verbs = regexp.MustCompile(`\b(rolls|stops|holds|chooses|places|attacks|passes|trades|buys|names|loses|wins|gets|pays|keeps|takes|reaches|begins|starts|reinforces|occupies|adds|spends|moves|has|is|does|its)\b`)

// secondPerson puts the verbs of a clause without its subject into the second person.
func secondPerson(clause string) string {
	return verbs.ReplaceAllStringFunc(clause, func(verb string) string {
		switch verb {
		case "has":
			return "have"
		case "is":
			return "are"
		case "does":
			return "do"
		case "its":
			return "your"
		case "passes", "reaches":
			return strings.TrimSuffix(verb, "es")
		case "occupies":
			return "occupy"
		}
		return strings.TrimSuffix(verb, "s")
	})
}

// and lists names in words.
func and(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// all replaces the seats in all texts.
func (n names) all(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = n.in(text)
	}
	return list
}

// scene replaces the seats in the texts of a scene, whose slices it owns.
func (n names) scene(s *game.Scene) {
	if s == nil {
		return
	}
	s.Text = n.in(s.Text)
	for i := range s.Options {
		s.Options[i].Text = n.in(s.Options[i].Text)
	}
	for i := range s.Places {
		s.Places[i].Text = n.in(s.Places[i].Text)
	}
	if s.Map != nil {
		for i := range s.Map.Cells {
			s.Map.Cells[i].Text = n.in(s.Map.Cells[i].Text)
		}
	}
}
