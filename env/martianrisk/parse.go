package martianrisk

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"marsgym/internal/input"
)

// Parse implements [game.Presenter]. It refuses positions that the rules exclude.
func (r *Rules) Parse(text string) (State, error) {
	s, err := r.parse(text)
	if err == nil {
		err = r.check(&s)
	}
	if err == nil && r.Format(s) != text {
		err = fmt.Errorf("it would be written %q", r.Format(s))
	}
	if err != nil {
		return State{}, fmt.Errorf("position %q: %w", text, err)
	}
	return s, nil
}

func (r *Rules) parse(text string) (s State, err error) {
	text, round, limited := cutLast(text, " round ")
	parts := strings.Split(text, ";")
	if len(parts) != r.cfg.Players+1 {
		return s, fmt.Errorf("it lists regions for %d seats, not %d", len(parts)-1, r.cfg.Players)
	}
	for p, part := range parts[1:] {
		if err := r.parseSeat(&s, p, part); err != nil {
			return s, err
		}
	}
	words := strings.Fields(parts[0])
	next := func() string {
		if len(words) == 0 {
			return ""
		}
		w := words[0]
		words = words[1:]
		return w
	}
	number := func(what, text string, most int) (n uint8) {
		v, fault := input.Number(what, text, 0, most)
		err = errors.Join(err, fault)
		return uint8(v)
	}
	_, mover, moves := strings.Cut(next(), "@") // Parse checks the text before @ by writing the position again
	if moves {
		s.Mover = number("seat", mover, r.cfg.Players-1)
	}
	if limited {
		s.Round = number("round", round, r.cfg.MaxRounds)
	}
	phase := slices.Index(phaseNames[:], next())
	if phase < 0 {
		return s, errors.New("it names no phase")
	}
	s.Phase = Phase(phase)
	for err == nil && len(words) > 0 {
		switch w := next(); {
		case w == "start":
			s.Start = number("seat", next(), r.cfg.Players-1)
		case w == "low":
			s.Low = 1
		case s.Phase == Reinforce:
			s.Points = number("points", w, sides+len(r.board.unions))
		case s.Phase == Small:
			s.To, err = r.region(w)
		default:
			from, to, _ := strings.Cut(w, ">")
			var err2 error
			s.From, err = r.region(from)
			s.To, err2 = r.region(to)
			err = errors.Join(err, err2)
		}
	}
	if s.Phase <= Filling {
		s.Points = uint8(r.cfg.Players * r.cfg.SetupArmies)
		for p := range r.cfg.Players {
			s.Points -= uint8(s.onMap(uint8(p)))
		}
	}
	return s, err
}

// cutLast cuts a text around the last sep in it.
func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

// parseSeat reads the regions of a seat.
func (r *Rules) parseSeat(s *State, p int, text string) error {
	words := strings.Fields(text)
	if len(words) >= 2 && words[0] == "lost" {
		n, err := strconv.ParseUint(words[1], 10, 8)
		if err != nil {
			return fmt.Errorf("%q is no number of lost armies", words[1])
		}
		s.Lost[p], words = uint8(n), words[2:]
	}
	for _, w := range words {
		name, rest, _ := strings.Cut(w, ":")
		i, err := r.region(name)
		if err != nil {
			return err
		}
		if s.owner(int(i)) >= 0 {
			return fmt.Errorf("%s is held twice", name)
		}
		digits := strings.TrimRight(rest, "LMS")
		n, err := strconv.ParseUint(digits, 10, 8)
		if err != nil || int(n) > r.cfg.ArmyCap {
			return fmt.Errorf("%q is no number of armies up to %d", digits, r.cfg.ArmyCap)
		}
		s.Own[p] |= 1 << i
		s.Armies[i] = uint8(n)
		for _, c := range rest[len(digits):] {
			switch c {
			case 'L':
				s.Large |= 1 << i
			case 'M':
				s.Medium |= 1 << i
			case 'S':
				s.Small |= 1 << i
			}
		}
	}
	return nil
}

// region finds a region by its name.
func (r *Rules) region(name string) (uint8, error) {
	i := slices.Index(r.board.names, name)
	if i < 0 {
		return 0, fmt.Errorf("%q is no region of the map", name)
	}
	return uint8(i), nil
}

// check returns an error for a position that the rules exclude.
func (r *Rules) check(s *State) error {
	for p := range r.cfg.Players {
		seat := uint8(p)
		large, medium, small := r.pieces(s, seat)
		switch {
		case r.supply(s, seat) < 0:
			return fmt.Errorf("seat %d has more than %d armies", p, r.cfg.ArmyCap)
		case min(large, medium, small) < 0:
			return fmt.Errorf("seat %d has more than %d pieces of a size", p, r.cfg.Trios)
		case s.Lost[p] > 0 && r.cfg.LostArmies != Out:
			return errors.New("lost armies go back to the supply")
		}
	}
	if s.Large&s.Small&^s.Medium != 0 {
		return errors.New("a small piece stands on a large one")
	}
	if s.Phase <= Filling {
		return r.checkSetup(s)
	}
	for i := range r.n {
		switch {
		case s.owner(i) < 0:
			return fmt.Errorf("no seat holds %s", r.board.names[i])
		case (s.Armies[i] == 0) != (s.Phase == Occupy && i == int(s.To)):
			return fmt.Errorf("%s has no army, or has one before it is occupied", r.board.names[i])
		}
	}
	return r.checkTurn(s)
}

// checkSetup checks a position of the setup, in which seats place armies in turn.
func (r *Rules) checkSetup(s *State) error {
	placed := 0
	for p := range r.cfg.Players {
		placed += s.onMap(uint8(p))
	}
	for p := range r.cfg.Players {
		turns := (placed + r.cfg.Players - 1 - (p-int(s.Start)+r.cfg.Players)%r.cfg.Players) / r.cfg.Players
		var towers uint64
		if r.cfg.Trios > 0 && turns > 0 {
			towers = 1
		}
		if s.onMap(uint8(p)) != turns {
			return fmt.Errorf("seat %d has not placed its %d armies", p, turns)
		}
		if n := s.Own[p] & s.Large & s.Medium & s.Small; (n != 0) != (towers != 0) || n&(n-1) != 0 {
			return fmt.Errorf("seat %d has not placed its tower", p)
		}
	}
	if (s.Large|s.Medium|s.Small)&^(s.Large&s.Medium&s.Small) != 0 {
		return errors.New("a tower is not complete")
	}
	want := Filling
	switch {
	case placed < r.cfg.Players:
		want = Towers
	case placed < r.n:
		want = Claiming
	}
	if placed == 0 && s.Phase == Ordering && r.cfg.FirstPlayer == FirstRandom && s.Mover == 0 && s.Start == 0 {
		return nil
	}
	occupied := r.n - bits.OnesCount64(r.unoccupied(s))
	switch {
	case s.Phase != want || int(s.Mover) != (int(s.Start)+placed)%r.cfg.Players:
		return errors.New("the phase or the mover does not fit the number of armies on the map")
	case placed >= r.cfg.Players*r.cfg.SetupArmies || occupied != min(placed, r.n):
		return errors.New("regions are claimed one by one before armies are added")
	case s.Round != 0 || s.Low != 0 || s.From != s.To:
		return errors.New("the first turn has not begun")
	case r.cfg.FirstPlayer == FirstSeat && s.Start != 0:
		return errors.New("seat 0 begins")
	}
	return nil
}

// checkTurn checks a position in a turn.
func (r *Rules) checkTurn(s *State) error {
	own := s.Own[s.Mover]
	pending := s.Phase == Battle || s.Phase == Occupy || r.cfg.OneAttack && s.Phase == Attack && s.From != s.To
	switch {
	case own == 0 && s.Phase != Over:
		return fmt.Errorf("seat %d has no region", s.Mover)
	case r.cfg.FirstPlayer == FirstSeat && s.Start != 0:
		return errors.New("seat 0 begins")
	case (s.Round > 0) != (r.cfg.MaxRounds > 0):
		return errors.New("the round is missing, or the game has no round limit")
	case (own == r.board.all) && s.Phase != Over:
		return fmt.Errorf("seat %d has won", s.Mover)
	case s.Phase == Over && own != r.board.all && (r.cfg.MaxRounds == 0 || int(s.Round) != r.cfg.MaxRounds || s.Mover != s.Start):
		return errors.New("the game is not over")
	case !pending && s.From != s.To && s.Phase != Small:
		return errors.New("no attack is under way")
	case s.Low != 0 && (s.Phase != Reinforce || !r.cfg.StrictRoll || r.startable(s) == 0):
		return errors.New("low: the roll does not prevent a tower here")
	case pending && (r.board.adj[s.From]>>s.To&1 == 0 || own>>s.From&1 == 0 || (own>>s.To&1 != 0) != (s.Phase == Occupy)):
		return errors.New("such an attack is impossible")
	case pending && s.Armies[s.From] < 2, s.Phase == Occupy && s.Armies[s.From] < 3:
		return errors.New("too few armies attack")
	case s.Phase == Occupy && (s.Large|s.Medium|s.Small)>>s.To&1 != 0:
		return errors.New("a tower stands in the conquered region")
	case s.Phase == Small && (own&s.Medium&^s.Small)>>s.To&1 == 0,
		s.Phase == Small && !r.cfg.MergeLarge && s.Large>>s.To&1 != 0:
		return errors.New("small: no medium piece was moved there")
	case s.Phase == Reinforce && (s.Points == 0 || r.supply(s, s.Mover) == 0 && r.buildable(s) == 0),
		s.Phase == Attack && !r.canAttack(s),
		s.Phase == Fortify && !r.canSplit(s),
		s.Phase == Small && r.smallTargets(s) == 0:
		return errors.New("the phase has no choice and would be skipped")
	}
	return nil
}
