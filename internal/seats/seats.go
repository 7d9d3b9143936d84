// Package seats names the seats of a game for the people who play it.
package seats

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Names names the seats [P] for people: the only person is [You].
type Names []string

// You names the only person.
const You = "you"

// Call names seats in which agents of these names sit, or people where a name is "". Several people
// have numbers from 1, by the format person. Agents of the same name have letters behind it, by the
// format same.
func Call(agents []string, person, same string) Names {
	n := make(Names, len(agents))
	for i, name := range agents {
		switch {
		case name == "" && count(agents, "") == 1:
			n[i] = You
		case name == "":
			n[i] = fmt.Sprintf(person, i+1)
		case count(agents, name) > 1:
			n[i] = fmt.Sprintf(same, name, 'A'+count(agents[:i], name))
		default:
			n[i] = name
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

// Person returns the seat of the only person, or -1.
func (n Names) Person() int { return slices.Index(n, You) }

// seatsText finds seats in a text of a game, perhaps behind a colour code: "seat 0", "seat 0's",
// "seats 0, 1", "seats 0 and 1" and "Seats 0 1".
var seatsText = regexp.MustCompile(`([Ss])eats? (\d+(?:(?:, ?| and | )\d+\b)*)('s)?`)

var digits = regexp.MustCompile(`\d+`)

// In returns a text of a game with the names in place of "seat 0". What such a clause says of
// the person is in the second person.
func (n Names) In(text string) string {
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
		switch own := name == You; {
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

// All returns texts of a game with the names.
func (n Names) All(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = n.In(text)
	}
	return list
}
