package words_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/tablegame"
	"marsgym/env/words"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/testgames"
)

// sampled is a position of a random game.
type sampled struct {
	*testing.T
	game   env.Game
	at     env.Position
	parser *words.Parser
	seen   map[string]string // of this game: observations by the text of the position
}

// eachPosition calls f with at least n decisions of random games of each game of the catalog, and
// with the other positions between them.
func eachPosition(t *testing.T, n int, f func(*sampled)) {
	for _, e := range catalog.List() {
		t.Run(e.ID, func(t *testing.T) {
			t.Parallel()
			if e.ID == "martian-risk" {
				fulltest.Gate(t) // it has the most actions
			}
			g, err := catalog.Open(e.ID, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			parser, dice := words.NewParser(g), rand.NewPCG(1, 2)
			choices := rand.New(dice)
			seen := map[string]string{}
			for decisions := 0; decisions < n; {
				for at := g.Initial(); ; {
					f(&sampled{t, g, at, parser, seen})
					mover := at.CurrentPlayer()
					if mover == game.Terminal {
						break
					}
					if mover == game.Chance {
						at = at.Sample(dice)
						continue
					}
					decisions++
					legal := at.Legal()
					if at, err = at.Apply(legal[choices.IntN(len(legal))]); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// TestDescribe reads descriptions back. First, what a description says is exactly what the scene
// holds: scores, counts, notes, dice, pieces, kinds, marks, groups, tracks and options (see read). The
// contract of scenes makes observations follow from that. Second, that is tried with the
// observations: positions with the same text have the same observation for the seat that reads, among
// all positions met and all that follow from each of them, which differ in little.
func TestDescribe(t *testing.T) {
	n := 12
	if fulltest.On() {
		n = 10_000
	}
	const siblings = 8 // of the positions that follow, at most
	eachPosition(t, n, func(s *sampled) {
		check := func(p env.Position) {
			mover := p.CurrentPlayer()
			if mover < 0 {
				return
			}
			o := words.Options{Seat: mover, Legal: true}
			text := words.Describe(s.game, p, o)
			obs := make([]float32, s.game.Spec().ObsLen())
			p.Observe(obs, mover)
			if was, there := s.seen[text]; there && was != fmt.Sprint(obs) {
				s.Fatalf("two positions with different observations are described as\n%s", text)
			}
			s.seen[text] = fmt.Sprint(obs)
		}
		if strings.Contains(words.Describe(s.game, s.at, words.Options{Seat: 0, Legal: true}), "\x1b") {
			s.Fatal("a description has colours")
		}
		if want, got := facts(s.at.Scene()), read(s.T, words.Describe(s.game, s.at, words.Options{Seat: game.Chance, Legal: true})); !slices.Equal(got, want) {
			s.Fatalf("%s is described as\n%s\nwhich says\n%q\nwant\n%q", s.at, words.Describe(s.game, s.at, words.Options{Seat: game.Chance, Legal: true}), got, want)
		}
		check(s.at)
		legal := s.at.Legal()
		for k, a := range legal {
			if k*siblings/len(legal) == (k-1)*siblings/len(legal) && k > 0 {
				continue
			}
			if next, err := s.at.Apply(a); err != nil {
				s.Fatal(err)
			} else if check(next); next.CurrentPlayer() == game.Chance {
				check(next.Sample(rand.NewPCG(uint64(a), 1)))
			}
		}
	})
}

// facts lists what a scene says that changes during a game, in an order of its own.
func facts(s *game.Scene) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	add("now %s", s.Text)
	for p, seat := range s.Seats {
		add("seat %d %s %d %d %d", p, seat.Score.Name, seat.Score.Value, seat.Score.Target, seat.Score.Gain)
		for _, n := range seat.Counts {
			add("seat %d %s|%s %d %d", p, n.Group, n.Name, n.Value, n.Most)
		}
		for _, note := range seat.Notes {
			add("seat %d note %s", p, note)
		}
	}
	for _, group := range s.Dice {
		for _, d := range group.Dice {
			face := d.Face
			if face == "" {
				face = "die"
			}
			add("%s %d %s", group.Name, d.Count, face)
		}
	}
	cell := func(c *game.SceneCell, kinds, group bool) {
		text := c.Name
		if group {
			text += " in " + c.Group
		}
		if kinds && c.Kind != "" && c.Kind != "ground" {
			text += " " + c.Kind
		}
		for _, p := range c.Pieces {
			text += fmt.Sprintf(" %d:%d %s", p.Seat, p.Count, p.Kind)
			if p.Lying {
				text += " lying"
			}
		}
		add("%s %s", text, c.Mark)
	}
	if s.Map != nil {
		for i := range s.Map.Cells {
			cell(&s.Map.Cells[i], s.Map.Kinds != nil, s.Map.Groups != nil)
		}
		for _, g := range s.Map.Groups {
			add("group %s %d", g.Name, g.Holder)
		}
		if s.Map.Kinds == nil {
			for _, b := range s.Map.Borders {
				for k := range 2 {
					add("border %s %s", s.Map.Cells[b[k]].Name, s.Map.Cells[b[1-k]].Name)
				}
			}
		}
	}
	for i := range s.Places {
		cell(&s.Places[i], true, false)
	}
	for _, t := range s.Tracks {
		for p, level := range t.At {
			add("track %s %d %d", t.Name, p, level)
		}
	}
	for _, o := range s.Options {
		add("option %d %s", o.Action, o.Name)
	}
	slices.Sort(list)
	return list
}

var (
	scoreForm  = regexp.MustCompile(`^(.+) (-?\d+)(?:/(\d+))?(?:, (\d+) more in this turn)?$`)
	countForm  = regexp.MustCompile(`^(.+) (\d+)(?:/(\d+))?$`)
	diceForm   = regexp.MustCompile(`^(\d+) (?:× )?(.+)$`)
	markForm   = regexp.MustCompile(`^(\S+)(?: \((from|to)\))?$`)
	namesForm  = regexp.MustCompile(`\S+(?: \((?:from|to)\))?`)
	robotForm  = regexp.MustCompile(`^seat (\d+)'s robot(, lying|, standing)?$`)
	armiesForm = regexp.MustCompile(`^seat (\d+)'s armies: (\d+)(?:, tower: (.+))?$`)
	optionForm = regexp.MustCompile(`^\[(\d+)\] (\S+)(?:: .+)?$`)
	unionForm  = regexp.MustCompile(`^union (\S+): (.+?)(?:; seat (\d+) holds it)?$`)
)

// read reads the facts out of an English description for nobody. It knows the form of descriptions,
// and no position.
func read(t *testing.T, description string) (list []string) {
	t.Helper()
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	pieces := func(what string) string {
		if m := robotForm.FindStringSubmatch(what); m != nil {
			text := fmt.Sprintf(" %s:1 robot", m[1])
			if m[2] == ", lying" {
				text += " lying"
			}
			return text
		}
		if m := armiesForm.FindStringSubmatch(what); m != nil {
			text := ""
			if m[2] != "0" {
				text = fmt.Sprintf(" %s:%s army", m[1], m[2])
			}
			for _, kind := range strings.Split(m[3], ", ") {
				if kind != "" {
					text += fmt.Sprintf(" %s:1 %s", m[1], kind)
				}
			}
			return text
		}
		return ""
	}
	section, union := "", map[string]string{}
	var regions [][3]string // name, pieces, mark
	for line := range strings.Lines(description) {
		line = strings.TrimSuffix(line, "\n")
		item, isItem := strings.CutPrefix(line, "- ")
		if !isItem {
			switch {
			case strings.HasPrefix(line, "Now: "):
				add("now %s", line[len("Now: "):])
			case strings.HasPrefix(line, "Goal: "):
			case section == "Legal actions, by number and name" && line != "":
				m := optionForm.FindStringSubmatch(line)
				if m == nil {
					t.Fatalf("no option: %s", line)
				}
				add("option %s %s", m[1], m[2])
			default:
				section = strings.TrimSuffix(line, ":")
			}
			continue
		}
		head, rest, _ := strings.Cut(item, ": ")
		switch section {
		case "Seats":
			for i, part := range strings.Split(rest, "; ") {
				if m := scoreForm.FindStringSubmatch(part); i == 0 {
					add("%s %s %d %d %d", head, m[1], number(m[2]), number(m[3]), number(m[4]))
					continue
				}
				group, counts, grouped := strings.Cut(part, ": ")
				if !grouped {
					group, counts = "", part
				}
				for _, c := range strings.Split(counts, ", ") {
					if m := countForm.FindStringSubmatch(c); m != nil && !strings.HasPrefix(c, "shares ") {
						add("%s %s|%s %d %d", head, group, m[1], number(m[2]), number(m[3]))
					} else {
						add("%s note %s", head, part)
						break
					}
				}
			}
		case "Dice":
			rest, _, _ = strings.Cut(rest, " (")
			for _, d := range strings.Split(rest, ", ") {
				if m := diceForm.FindStringSubmatch(d); m != nil {
					face := m[2]
					if face == "dice" {
						face = "die"
					}
					if face != "die" {
						face = strings.TrimSuffix(face, "s")
					}
					add("%s %s %s", head, m[1], face)
				}
			}
		case "Map":
			if _, beside, region := strings.Cut(rest, "; beside it: "); region {
				m := markForm.FindStringSubmatch(head)
				what, _, _ := strings.Cut(rest, "; beside it: ")
				regions = append(regions, [3]string{m[1], pieces(what), m[2]})
				for _, n := range strings.Fields(beside) {
					add("border %s %s", m[1], n)
				}
				continue
			}
			if m := unionForm.FindStringSubmatch(item); m != nil {
				holder := "-1"
				if m[3] != "" {
					holder = m[3]
				}
				add("group %s %s", m[1], holder)
				for _, n := range strings.Fields(m[2]) {
					union[n] = m[1]
				}
				continue
			}
			if !strings.Contains(item, ": ") {
				continue // what a union pays
			}
			kind, what := "", head
			if head == "space station" {
				kind, what = " station", ""
			} else if k, w, ok := strings.Cut(head, ", "); ok && k != "" && !strings.HasPrefix(k, "seat ") {
				kind, what = " "+k, w
			} else if head == "stone" {
				kind = " stone"
			}
			for _, name := range namesForm.FindAllString(rest, -1) {
				m := markForm.FindStringSubmatch(name)
				add("%s%s%s %s", m[1], kind, pieces(what), m[2])
			}
		case "Beside the map":
			m := markForm.FindStringSubmatch(head)
			what, _, _ := strings.Cut(strings.TrimPrefix(rest, "lab, "), "; ")
			add("%s lab%s %s", m[1], pieces(what), m[2])
		case "Levels on the tracks":
			for _, at := range strings.Split(rest, ", ") {
				words := strings.Fields(at) // seat 1 at 3
				add("track %s %s %s", head, words[1], words[3])
			}
		default:
			t.Fatalf("a line of %q: %s", section, line)
		}
	}
	for _, r := range regions {
		text := r[0]
		if len(union) > 0 {
			text += " in " + union[r[0]]
		}
		add("%s%s %s", text, r[1], r[2])
	}
	slices.Sort(list)
	return list
}

// TestLanguages: descriptions in other languages have no English words of the tables, and as many
// lines.
func TestLanguages(t *testing.T) {
	eachPosition(t, 5, func(s *sampled) {
		seat := max(0, s.at.CurrentPlayer())
		english := words.Describe(s.game, s.at, words.Options{Seat: seat, Legal: true})
		for _, l := range message.Languages()[1:] {
			text := words.Describe(s.game, s.at, words.Options{Language: l, Seat: seat, Legal: true})
			if strings.Contains(text, "words.") || strings.Contains(text, "Legal actions") || strings.Count(text, "\n") != strings.Count(english, "\n") {
				s.Fatalf("%s in %s:\n%s", s.at, l.Name, text)
			}
		}
		without := words.Describe(s.game, s.at, words.Options{Seat: seat})
		if !strings.HasPrefix(english, without) || s.at.CurrentPlayer() >= 0 && len(without) == len(english) {
			s.Fatalf("without legal actions:\n%s", without)
		}
	})
}

// TestBoard: the text of a state of a table is in its description, in every language.
func TestBoard(t *testing.T) {
	g := env.NewGame(game.Rules[tablegame.State](testgames.NewTicTacToe()))
	p := g.Initial()
	for _, name := range []string{"b2", "a1"} {
		a := slices.IndexFunc(p.Legal(), func(a game.Action) bool { return g.ActionName(a) == name })
		next, err := p.Apply(p.Legal()[a])
		if err != nil {
			t.Fatal(err)
		}
		p = next
	}
	for _, l := range message.Languages() {
		if text := words.Describe(g, p, words.Options{Language: l}); !strings.Contains(text, "\n...\n.x.\no..\n") {
			t.Errorf("in %s:\n%s", l.Name, text)
		}
	}
}

// TestPast: what happened names whose turn it was, once, and leaves out nothing.
func TestPast(t *testing.T) {
	g, err := catalog.Open("pig", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := env.NewSession(g)
	play := func(a game.Action, face string) {
		if err := s.Apply(a); err != nil {
			t.Fatal(err)
		}
		if face != "" {
			if err := s.ReadRoll(face); err != nil {
				t.Fatal(err)
			}
		}
	}
	play(0, "4")
	play(1, "")
	play(0, "1")
	play(0, "6")
	want := "What has just happened:\n" +
		"- you: roll the die; a 4, turn total 4\n- you: hold; you have 4 points\n" +
		"- seat 1: roll the die; a 1 ends the turn: seat 1 loses 0 points and has 0\n" +
		"- you: roll the die; a 6, turn total 6\nNow: "
	if text := words.Describe(g, s.Position(), words.Options{Seat: 0, Past: s.Steps}); !strings.Contains(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	dice, err := catalog.Open("martian-dice", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	s = env.NewSession(dice)
	if err := s.ReadRoll("t4 r9"); err != nil {
		t.Fatal(err)
	}
	text := words.Describe(dice, s.Position(), words.Options{Seat: 1, Past: s.Steps})
	if want := "What has just happened:\n- seat 0 rolls 13 dice: 4 tanks, 9 rays\n"; !strings.Contains(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	mars, err := catalog.Open("mars-is-ours", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	at, err := mars.Parse("0-0@1 start 0 tokens 9-10 hand 4-4 junk 6-6 passed 0 map ogso/mtmt/sgtm/otso robots o..o/.aA./.bB./o..o labs ...... round 1")
	if err != nil {
		t.Fatal(err)
	}
	s = env.NewSession(mars)
	s.Begin(at)
	const pass, down = 72, 77
	for _, a := range []game.Action{pass, down} {
		if err := s.Apply(a); err != nil {
			t.Fatal(err)
		}
	}
	text = words.Describe(mars, s.Position(), words.Options{Seat: 1, Past: s.Steps})
	if want := "; production of turf, robots by seat (1, 1): seat 0: turf track 1 (+1); you: turf track 1 (+1); income: "; !strings.Contains(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	s = env.NewSession(dice)
	if err := s.ReadRoll("h13"); err != nil {
		t.Fatal(err)
	}
	text = words.Describe(dice, s.Position(), words.Options{Seat: game.Chance})
	if want := "\n- set aside: nothing (0 points if the turn ends)\n"; !strings.Contains(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
