package words

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
)

// Options are how [Describe] describes a position.
type Options struct {
	Language *message.Language // nil is English
	Seat     game.Player       // who reads, and is "you"; below 0 it is nobody
	Legal    bool              // whether to list the legal actions
	// Past is what happened before, such as since the last decision of the reader; it ends in the
	// position. It is no part of what the observation says.
	Past []env.Transition
}

// Describe describes a position of a game in plain text, without colours: one fact or group of equal
// cells in a line. Legal actions are listed by their numbers, as in "[5] stop: end the turn with 2
// points". Texts of one seat in one language that are equal come from equal observations where a
// seat is to move. It panics if the seat is not below the number of players.
func Describe(g env.Game, p env.Position, o Options) string {
	players := g.Spec().Players
	d := describer{text: make([]byte, 0, 1<<10), to: message.Speaker{Language: o.Language}, scene: p.Scene(), names: make([]string, players)}
	for seat := range d.names {
		d.names[seat] = d.to.Say(message.New("seat {0}", seat))
	}
	if o.Seat >= 0 {
		d.say("words.you", int(o.Seat), players-1, players)
		d.to.Names = slices.Clone(d.names)
		d.to.Names[o.Seat] = ""
		d.names[o.Seat] += " (" + d.to.Word("you") + ")"
	}
	d.past(g, o.Past)
	if d.scene == nil {
		d.line(p.String())
	} else {
		d.position()
	}
	if o.Legal && p.CurrentPlayer() >= 0 {
		d.say("words.legal")
		d.actions(g, p)
	}
	return string(d.text)
}

// describer writes the lines of a description.
type describer struct {
	text  []byte
	to    message.Speaker
	scene *game.Scene // or nil
	names []string    // [P] of the seats by number, and which is the reader
}

func (d *describer) add(parts ...string) {
	for _, part := range parts {
		d.text = append(d.text, part...)
	}
}

func (d *describer) line(parts ...string) {
	d.add(parts...)
	d.end()
}

func (d *describer) end() { d.text = append(d.text, '\n') }

func (d *describer) tell(m message.Message) { d.text = d.to.Append(d.text, m) }

func (d *describer) word(english string) { d.tell(message.Message{Key: english}) }

func (d *describer) number(n int) { d.text = strconv.AppendInt(d.text, int64(n), 10) }

func (d *describer) say(key string, args ...any) {
	d.tell(message.New(key, args...))
	d.end()
}

// past says what happened: a decision in a line, with all that follows from it until the next one or
// until chance moves in the turn of another seat.
func (d *describer) past(g env.Game, steps []env.Transition) {
	if len(steps) == 0 {
		return
	}
	d.say("words.past")
	var line []string
	turn := -1                 // the seat whose line it is
	var before message.Message // in the line
	end := func() {
		if len(line) > 0 {
			d.line("- ", strings.Join(line, "; "))
		}
		line, before = nil, message.Message{}
	}
	for _, t := range steps {
		if seat := game.TurnSeat(t.Before.String()); seat >= 0 && seat != turn {
			end()
			turn = seat
		}
		if !t.Chance() {
			end()
			what := t.Before.DescribeAction(t.Action).Head()
			if what.IsZero() {
				what = message.Text(g.ActionName(t.Action))
			}
			line = []string{d.to.Say(message.Detail(message.New("{0}", message.Seat(t.Before.CurrentPlayer())), what))}
		}
		for _, told := range t.Told() {
			text := strings.Trim(d.to.Say(told.After(before)), " :")
			if told.Head().Key != told.Key {
				before = told
			}
			if name := d.to.Name(message.Seat(max(0, turn))); len(line) == 0 && turn >= 0 && !strings.HasPrefix(text, name) {
				who := message.Text(name)
				if scene := t.Before.Scene(); scene != nil && t.Chance() {
					who = scene.Text // such as that the seat rolls 13 dice
				}
				text = d.to.Say(message.Detail(who, message.Text(text)))
			}
			line = append(line, text)
		}
	}
	end()
}

func (d *describer) position() {
	s := d.scene
	d.say("words.now", s.Text)
	if !s.Warning.IsZero() {
		d.tell(s.Warning)
		d.end()
	}
	if s.Board != "" {
		d.line(strings.TrimRight(s.Board, "\n"))
	}
	d.say("words.goal", s.Goal)
	d.say("words.seats")
	for p := range s.Seats {
		d.add("- ", d.names[p], ": ")
		d.seat(&s.Seats[p])
	}
	if s.Dice != nil {
		d.say("words.dice")
	}
	for i := range s.Dice {
		d.dice(&s.Dice[i])
	}
	if s.Map != nil {
		d.say("words.map")
		d.cells(s.Map)
	}
	if s.Places != nil {
		d.say("words.places")
	}
	for _, c := range s.Places {
		d.line("- ", d.to.Word(c.Name), d.mark(&c), ": ", d.to.Say(c.Text), "; ", d.to.Say(c.Power))
	}
	if s.Tracks != nil {
		d.say("words.tracks")
	}
	for _, t := range s.Tracks {
		levels := make([]string, len(t.At))
		for p, level := range t.At {
			levels[p] = d.to.Say(message.New("words.at", d.names[p], level))
		}
		d.line("- ", d.to.Word(t.Name), ": ", strings.Join(levels, ", "))
	}
}

// seat says what a seat has, as in "money 2; tokens 9/10; robots: in hand 1, on the map 6; passed".
func (d *describer) seat(seat *game.SceneSeat) {
	d.count(seat.Score.Name, seat.Score.Value, seat.Score.Target)
	if seat.Score.Gain != 0 {
		d.add(", ")
		d.tell(message.New("words.gain", seat.Score.Gain))
	}
	for i, n := range seat.Counts {
		switch {
		case n.Group == "":
			d.add("; ")
		case i > 0 && seat.Counts[i-1].Group == n.Group:
			d.add(", ")
		default:
			d.add("; ")
			d.word(n.Group)
			d.add(": ")
		}
		d.count(n.Name, n.Value, n.Most)
	}
	for _, note := range seat.Notes {
		d.add("; ")
		d.tell(note)
	}
	d.end()
}

// count names a number of things and, if it is not 0, their largest number.
func (d *describer) count(name string, value, most int) {
	d.word(name)
	d.add(" ")
	d.number(value)
	if most != 0 {
		d.add("/")
		d.number(most)
	}
}

func (d *describer) dice(group *game.SceneDice) {
	d.add("- ")
	d.word(group.Name)
	d.add(": ")
	for i, x := range group.Dice {
		if i > 0 {
			d.add(", ")
		}
		d.tell(message.Count(x.Count, cmp.Or(x.Face, "die")))
	}
	if len(group.Dice) == 0 {
		d.word("nothing")
	}
	if !group.Text.IsZero() {
		d.add(" (")
		d.tell(group.Text)
		d.add(")")
	}
	d.end()
}

// cells describes a map. Cells on a grid are grouped by what they are and what stands there; those
// whose borders do not follow from their names are described one by one.
func (d *describer) cells(m *game.SceneMap) {
	if m.Kinds != nil {
		names, texts := map[string][]string{}, []string(nil)
		for i := range m.Cells {
			c := &m.Cells[i]
			text := d.to.Say(c.Text)
			if names[text] == nil {
				texts = append(texts, text)
			}
			names[text] = append(names[text], c.Name+d.mark(c))
		}
		for _, text := range texts {
			d.line("- ", text, ": ", strings.Join(names[text], " "))
		}
		return
	}
	beside := make([][]string, len(m.Cells))
	for _, b := range m.Borders {
		for k, i := range b {
			beside[i] = append(beside[i], m.Cells[b[1-k]].Name)
		}
	}
	for i := range m.Cells {
		c := &m.Cells[i]
		slices.Sort(beside[i])
		d.line("- ", c.Name, d.mark(c), ": ", d.to.Say(c.Text), "; ", d.to.Say(message.New("map.beside")), strings.Join(beside[i], " "))
	}
	for _, g := range m.Groups {
		var names []string
		for _, i := range g.Cells {
			names = append(names, m.Cells[i].Name)
		}
		text := d.to.Say(message.New("map.group", message.New(m.Group), g.Name)) + strings.Join(names, " ")
		if g.Holder >= 0 {
			text += "; " + d.to.Say(message.New("words.held", message.Seat(g.Holder)))
		}
		d.line("- ", text)
	}
	if !m.Pays.IsZero() {
		d.line("- ", d.to.Say(m.Pays))
	}
}

// mark says which cell an attack or a move starts from, or goes to.
func (d *describer) mark(c *game.SceneCell) string {
	if c.Mark == "" {
		return ""
	}
	return " (" + d.to.Say(message.New("words."+c.Mark)) + ")"
}

// actions lists the legal actions.
func (d *describer) actions(g env.Game, p env.Position) {
	if d.scene != nil {
		for _, o := range d.scene.Options {
			d.add("[")
			d.number(int(o.Action))
			d.add("] ", o.Name, ": ")
			d.tell(o.Text)
			d.end()
		}
		return
	}
	for _, a := range p.Legal() {
		d.line("[", strconv.Itoa(int(a)), "] ", g.ActionName(a))
	}
}
