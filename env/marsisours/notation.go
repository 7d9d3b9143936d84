package marsisours

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/input"
)

// Format implements [game.Presenter]: the scores, @ and the seat to move, then words
// with their values. The package comment lists them.
func (r *Rules) Format(s State) string {
	var b strings.Builder
	word := func(format string, args ...any) { fmt.Fprintf(&b, " "+format, args...) }
	b.WriteString(game.JoinSeats(r.cfg.Players, func(p int) int { return r.points(&s, p) }))
	if r.CurrentPlayer(s) >= 0 || s.Attackers > 0 {
		fmt.Fprintf(&b, "@%d", s.Mover)
	}
	if name := phaseWords[s.Phase]; name != "" {
		word("%s", name)
	}
	if s.Attackers > 0 {
		word("attack %s x%d", r.board.name[s.Place], s.Attackers)
	}
	switch s.Phase {
	case Missed:
		word("missed %d", s.Die)
	case Rerolling:
		word("again %d", s.Die)
	}
	if s.Phase > Drawing {
		r.formatSeats(&s, word)
	}
	if !r.fast {
		word("map %s", r.drawMap(func(c int) byte { return r.groundLetter(&s, c) }))
	}
	if s.Phase > Drawing {
		word("robots %s", r.drawMap(func(c int) byte { return r.robotLetter(&s, c) }))
		if !r.fast {
			word("labs ")
			for l := range labs {
				b.WriteByte(r.robotLetter(&s, firstLab+l))
			}
			word("round %d", s.Round)
		}
	}
	return b.String()
}

// phaseWords holds the words of the phases that have one without a value.
var phaseWords = [phases]string{Laying: "laying", Drawing: "drawing", LayDown: "down",
	Cashing: "cash", Buying: "buy", Naming: "name", Scoring: "scoring", Over: "over"}

// points returns the score of a seat: money, or in the quick game robots on the map.
func (r *Rules) points(s *State, p int) int {
	if r.fast {
		return bits.OnesCount64(s.Robots[p])
	}
	return int(s.Seats[p].Money)
}

// formatSeats writes what the seats have. It leaves out what no seat has.
func (r *Rules) formatSeats(s *State, word func(string, ...any)) {
	word("start %d", s.Start)
	for _, f := range r.seatFields() {
		if text := game.JoinSeats(r.cfg.Players, func(p int) int { return int(*f.at(&s.Seats[p])) }); !f.optional || strings.Trim(text, "0-") != "" {
			word("%s %s", f.word, text)
		}
	}
	tracks := make([]string, r.cfg.Players)
	empty := true
	for p := range tracks {
		track := s.Seats[p].Track
		empty = empty && track == [products]uint8{}
		for _, level := range track {
			tracks[p] += strconv.Itoa(int(level))
		}
	}
	if !empty {
		word("tracks %s", strings.Join(tracks, "-"))
	}
	var passed []string
	for p := range r.cfg.Players {
		if s.Passed>>p&1 == 1 {
			passed = append(passed, strconv.Itoa(p))
		}
	}
	if passed != nil {
		word("passed %s", strings.Join(passed, ","))
	}
}

// seatField is a number of each seat and its word in the notation.
type seatField struct {
	word     string
	optional bool // left out if all are zero
	most     int
	at       func(*Seat) *uint8
}

var seatFields = []seatField{
	{"tokens", false, maxTokens, func(s *Seat) *uint8 { return &s.Tokens }},
	{"dice", true, poolDice, func(s *Seat) *uint8 { return &s.Dice }},
	{"hand", false, maxRobots, func(s *Seat) *uint8 { return &s.Hand }},
	{"junk", false, maxRobots, func(s *Seat) *uint8 { return &s.Junk }},
}

// seatFields returns the fields of the game; the quick game has only the last two.
func (r *Rules) seatFields() []seatField {
	if r.fast {
		return seatFields[2:]
	}
	return seatFields
}

// drawMap draws the map with a letter for each cell and a slash between rows.
func (r *Rules) drawMap(letter func(c int) byte) string {
	var b strings.Builder
	for c := range r.board.cells {
		if c > 0 && r.board.row[c] != r.board.row[c-1] {
			b.WriteByte('/')
		}
		b.WriteByte(letter(c))
	}
	return b.String()
}

// groundLetter returns the letter of the terrain of a cell, o for a station, # for the
// stone and ? for a cell that is not laid yet.
func (r *Rules) groundLetter(s *State, c int) byte {
	b := r.board
	switch {
	case b.stone>>c&1 == 1 && (b.stations>>c&1 == 0 || s.Phase == Laying):
		return '#'
	case s.Phase != Laying && b.stations>>c&1 == 1:
		return 'o'
	case s.Phase == Laying && r.known(s)>>c&1 == 0:
		return '?'
	}
	return terrainLetters[s.terrainAt(c)]
}

// known returns the set of cells whose terrain is known.
func (r *Rules) known(s *State) uint64 {
	set := r.board.fixed &^ r.board.stations
	for _, u := range r.board.units[:s.Place] {
		for _, c := range u {
			set |= 1 << c
		}
	}
	return set
}

// terrainAt returns the terrain of a cell other than the stone.
func (s *State) terrainAt(c int) int {
	return int(s.Terrain[0]>>c&1 | s.Terrain[1]>>c&1<<1)
}

// robotLetter returns the letter of the robot in a place: A to D by seat, in lower
// case if it lies; a dot for none, o for a station. In the quick game all stand.
func (r *Rules) robotLetter(s *State, place int) byte {
	if p, ok := s.owner(place); ok {
		if r.fast || s.Standing>>place&1 == 1 {
			return byte('A' + p)
		}
		return byte('a' + p)
	}
	if r.board.stations>>place&1 == 1 {
		return 'o'
	}
	return '.'
}

// Parse implements [game.Presenter]. It refuses positions that the rules exclude, such
// as an attack on an empty cell. It does not check that a game can reach a position.
func (r *Rules) Parse(text string) (State, error) {
	p := parser{r: r}
	err := p.read(text)
	if err == nil {
		err = r.check(&p.s)
	}
	if err == nil && p.s.Phase == Laying && r.Format(p.s) != text {
		err = errors.New("map: tiles are laid row by row")
	}
	if err != nil {
		return State{}, fmt.Errorf("position %q: %w", text, err)
	}
	return p.s, nil
}

// parser reads a position.
type parser struct {
	r     *Rules
	s     State
	score []int
	seen  []string
}

func (p *parser) read(text string) error {
	words := strings.Split(text, " ")
	scores, mover, moves := strings.Cut(words[0], "@")
	var err error
	most := 1<<16 - 1
	if p.score, err = p.numbers("score", scores, most); err != nil {
		return err
	}
	for i, n := range p.score {
		if !p.r.fast {
			p.s.Seats[i].Money = uint16(n)
		}
	}
	p.s.Phase = phases
	if moves {
		n, err := input.Number("seat", mover, 0, p.r.cfg.Players-1)
		if err != nil {
			return err
		}
		p.s.Mover, p.s.Phase = uint8(n), Acting
	}
	for words = words[1:]; len(words) > 0; {
		key := words[0]
		if slices.Contains(p.seen, key) {
			return fmt.Errorf("%q is there twice", key)
		}
		p.seen = append(p.seen, key)
		if i := slices.Index(phaseWords[:], key); key != "" && i >= 0 {
			if Phase(i) <= Drawing || Phase(i) >= Scoring {
				moves = !moves // these have no seat to move
			}
			if !moves || p.s.Phase < phases && p.s.Phase != Acting {
				return fmt.Errorf("%q is in the wrong place", key)
			}
			p.s.Phase, words = Phase(i), words[1:]
			continue
		}
		n := 2
		if key == "attack" {
			n = 3
		}
		if len(words) < n {
			return fmt.Errorf("%q has no value", key)
		}
		if err := p.field(key, words[1:n]); err != nil {
			return err
		}
		words = words[n:]
	}
	if p.s.Phase == phases {
		return errors.New("it names no seat to move; write @ and the seat after the scores")
	}
	for i, n := range p.score {
		if p.r.fast && n != p.r.points(&p.s, i) {
			return fmt.Errorf("score: seat %d has %d robots", i, p.r.points(&p.s, i))
		}
	}
	return p.complete()
}

// complete returns an error if words are missing or too many.
func (p *parser) complete() error {
	need := []string{}
	if !p.r.fast {
		need = append(need, "map")
	}
	if p.s.Phase > Drawing {
		need = append(need, "start", "hand", "junk", "robots")
		if !p.r.fast {
			need = append(need, "round", "tokens", "labs")
		}
	}
	for _, word := range need {
		if !slices.Contains(p.seen, word) {
			return fmt.Errorf("%q is missing", word)
		}
	}
	if p.s.Phase <= Drawing && len(p.seen) != len(need)+1 {
		return errors.New("before the game starts no other words are allowed")
	}
	return nil
}

// field reads the value of a word.
func (p *parser) field(key string, value []string) error {
	s, r := &p.s, p.r
	for _, f := range r.seatFields() {
		if f.word != key {
			continue
		}
		list, err := p.numbers(key, value[0], f.most)
		for i, n := range list {
			*f.at(&s.Seats[i]) = uint8(n)
		}
		return err
	}
	switch {
	case key == "attack":
		return p.attack(value[0], value[1])
	case key == "start":
		n, err := input.Number(key, value[0], 0, r.cfg.Players-1)
		s.Start = uint8(n)
		return err
	case key == "passed":
		for part := range strings.SplitSeq(value[0], ",") {
			n, err := input.Number(key, part, 0, r.cfg.Players-1)
			if err != nil {
				return err
			}
			s.Passed |= 1 << n
		}
		return nil
	case key == "robots":
		return p.rows(key, value[0], p.robot)
	case r.fast:
	case key == "missed" || key == "again":
		n, err := input.Number(key, value[0], 0, faces)
		if s.Die = uint8(n); s.Phase != Rolling {
			return fmt.Errorf("%q must follow an attack", key)
		}
		if s.Phase = Missed; key == "again" {
			s.Phase = Rerolling
		}
		return err
	case key == "round":
		n, err := input.Number(key, value[0], 0, lastRound)
		s.Round = uint8(n)
		return err
	case key == "tracks":
		return p.tracks(value[0])
	case key == "labs":
		for i := range len(value[0]) {
			if i >= labs || !p.robot(firstLab+i, value[0][i]) {
				return fmt.Errorf("labs %q: want %d letters of seats, or dots", value[0], labs)
			}
		}
		if len(value[0]) != labs {
			return fmt.Errorf("labs %q: want %d letters", value[0], labs)
		}
		return nil
	case key == "map":
		return p.rows(key, value[0], p.ground)
	}
	return fmt.Errorf("%q has no meaning here", key)
}

func (p *parser) attack(place, robots string) error {
	i := slices.Index(p.r.board.name[:], place)
	n, err := strconv.Atoi(strings.TrimPrefix(robots, "x"))
	if i < 0 || err != nil || n < 1 || n > maxAttack || p.s.Phase != Acting {
		return fmt.Errorf("attack %s %s: want a seat to move, a place, and x1 to x%d", place, robots, maxAttack)
	}
	p.s.Phase, p.s.Place, p.s.Attackers = Rolling, uint8(i), uint8(n)
	return nil
}

func (p *parser) tracks(text string) error {
	parts := strings.Split(text, "-")
	if len(parts) != p.r.cfg.Players {
		return fmt.Errorf("tracks %q: want %d seats", text, p.r.cfg.Players)
	}
	for i, part := range parts {
		if len(part) != products {
			return fmt.Errorf("tracks %q: want a digit for each of gem, soda, metal and turf", text)
		}
		for t := range products {
			level := int(part[t]) - '0'
			if level < 0 || level >= p.r.levels {
				return fmt.Errorf("tracks %q: want levels from 0 to %d", text, p.r.levels-1)
			}
			p.s.Seats[i].Track[t] = uint8(level)
		}
	}
	return nil
}

// rows reads a drawing of the map.
func (p *parser) rows(key, text string, read func(c int, letter byte) bool) error {
	if want := p.r.drawMap(func(int) byte { return '.' }); len(text) != len(want) {
		return fmt.Errorf("%s %q: want rows as in %s", key, text, want)
	}
	i := 0
	for c := range p.r.board.cells {
		if c > 0 && p.r.board.row[c] != p.r.board.row[c-1] {
			if text[i] != '/' {
				return fmt.Errorf("%s %q: the row of %s begins after a slash", key, text, p.r.board.name[c])
			}
			i++
		}
		if !read(c, text[i]) {
			return fmt.Errorf("%s %q: %q has no meaning at %s", key, text, text[i], p.r.board.name[c])
		}
		i++
	}
	return nil
}

// robot reads a letter of robotLetter.
func (p *parser) robot(place int, letter byte) bool {
	switch seat := int(letter&^0x20) - 'A'; {
	case p.r.board.stations>>place&1 == 1:
		return letter == 'o'
	case letter == '.':
		return true
	case seat < 0 || seat >= p.r.cfg.Players || p.r.fast && letter&0x20 != 0:
		return false
	default:
		p.s.Robots[seat] |= 1 << place
		if letter&0x20 == 0 && !p.r.fast {
			p.s.Standing |= 1 << place
		}
		return true
	}
}

// ground reads a letter of groundLetter.
func (p *parser) ground(c int, letter byte) bool {
	t := strings.IndexByte(terrainLetters, letter)
	if t >= 0 {
		set(&p.s.Terrain, c, t)
	} else if letter != '?' && letter != p.r.groundLetter(&p.s, c) {
		return false
	}
	if p.s.Phase != Laying {
		return p.r.groundLetter(&p.s, c) == letter
	}
	for i, u := range p.r.board.units { // tiles are laid in order
		if slices.Contains(u, uint8(c)) && letter != '?' {
			p.s.Place = max(p.s.Place, uint8(i+1))
		}
	}
	return true
}

// numbers reads a number for each seat.
func (p *parser) numbers(what, text string, most int) ([]int, error) {
	parts := strings.Split(text, "-")
	if len(parts) != p.r.cfg.Players {
		return nil, fmt.Errorf("%s %q has %d numbers for %d seats", what, text, len(parts), p.r.cfg.Players)
	}
	list := make([]int, len(parts))
	for i, part := range parts {
		var err error
		if list[i], err = input.Number(what, part, 0, most); err != nil {
			return nil, err
		}
	}
	return list, nil
}
