package expert

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/internal/core"
)

// Starts are the fractions of starts by kind: of episodes (OneMove and Search), of calls of
// Expert.Search (OneMove, where the network values afterstates) or of searched turns (Turn). The rest starts at the
// beginning of a game, or continues the row's game; so do starts from an archive that is empty.
type Starts struct {
	Sample   float64 `json:"sample"`   // a state of the game's [game.TurnPlanner]
	Walk     float64 `json:"walk"`     // a position of a random game, each equally likely
	Archive  float64 `json:"archive"`  // a position that the row has met, followed by random play to the next one
	Disagree float64 `json:"disagree"` // the position in the archive in which the network's value differs most from the search's
}

// ErrNoStartSampler is returned for a game that does not sample starts.
var ErrNoStartSampler = errors.New("the game samples no starts")

func (s Starts) sum() float64 { return s.Sample + s.Walk + s.Archive + s.Disagree }

// Archives reports whether the starts need an archive.
func (s Starts) Archives() bool { return s.Archive+s.Disagree > 0 }

const (
	// ArchiveSize is the number of positions in the archive of a row; the oldest is
	// replaced. Chosen: with one position for each search they are of the last few
	// thousand decisions of the row.
	ArchiveSize = 256
	// walkLimit is the number of transitions after which a random game ends. Chosen:
	// above the length of nearly all random games.
	walkLimit = 10_000
)

// archive holds positions that rows have met, encoded as in a checkpoint, so that saving
// them is a copy: each with the difference between the value of the search and that of the network.
type archive[S comparable] struct {
	record int      // bytes of a position
	count  []uint32 // [N] positions ever added
	ring   []byte   // [N, ArchiveSize, record]
}

func newArchive[S comparable](rows int) archive[S] {
	var zero S
	x := archive[S]{record: binary.Size(zero) + 4, count: make([]uint32, rows)}
	x.ring = make([]byte, rows*ArchiveSize*x.record)
	return x
}

// len returns the number of positions of row i.
func (x *archive[S]) len(i int) int { return int(min(x.count[i], ArchiveSize)) }

// at returns position k of row i, encoded.
func (x *archive[S]) at(i, k int) []byte { return x.ring[(i*ArchiveSize+k)*x.record:][:x.record] }

// state decodes position k of row i.
func (x *archive[S]) state(i, k int) (s S, err error) {
	_, err = binary.Decode(x.at(i, k), binary.LittleEndian, &s)
	return s, err
}

// difference returns the difference stored with position k of row i.
func (x *archive[S]) difference(i, k int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(x.at(i, k)[x.record-4:]))
}

func (x *archive[S]) setDifference(i, k int, d float32) {
	binary.LittleEndian.PutUint32(x.at(i, k)[x.record-4:], math.Float32bits(d))
}

// add adds a position to row i.
func (x *archive[S]) add(i int, s *S, difference float64) {
	k := int(x.count[i] % ArchiveSize)
	if _, err := binary.Encode(x.at(i, k), binary.LittleEndian, s); err != nil {
		panic("expert: " + err.Error())
	}
	x.setDifference(i, k, float32(difference))
	x.count[i]++
}

// takeWorst returns the position of row i with the largest difference, which it sets to
// 0: play from there adds the position again.
func (x *archive[S]) takeWorst(i int) int {
	worst := 0
	for k := range x.len(i) {
		if x.difference(i, k) > x.difference(i, worst) {
			worst = k
		}
	}
	x.setDifference(i, worst, 0)
	return worst
}

// size is the number of bytes of appendState.
func (x *archive[S]) size() int { return 4*len(x.count) + len(x.ring) }

// reset removes all positions.
func (x *archive[S]) reset() {
	clear(x.count)
	clear(x.ring)
}

// appendState appends all that restoreState needs.
func (x *archive[S]) appendState(dst []byte) []byte {
	for _, n := range x.count {
		dst = binary.LittleEndian.AppendUint32(dst, n)
	}
	return append(dst, x.ring...)
}

// restoreState restores what appendState wrote, of size bytes. Positions must be valid.
func (x *archive[S]) restoreState(src []byte, valid func(S) error) error {
	for i := range x.count {
		x.count[i] = binary.LittleEndian.Uint32(src[4*i:])
	}
	copy(x.ring, src[4*len(x.count):])
	for i := range x.count {
		for k := range x.len(i) {
			s, err := x.state(i, k)
			if err == nil {
				err = valid(s)
			}
			if d := x.difference(i, k); err == nil && !(d >= 0) {
				err = fmt.Errorf("the difference of the values is %v", d)
			}
			if err != nil {
				return fmt.Errorf("expert: archive of row %d: %w", i, err)
			}
		}
	}
	return nil
}

// startEpisode sets the state of row i to the first decision of an episode, which starts
// by cfg.Starts or at the beginning of a game. It skips episodes without a decision.
func (e *searcher[S]) startEpisode(i int, starts bool) {
	e.drawOpponents(i)
	core.Begin(e.spec.ID, func() bool {
		s := e.rules.Initial()
		if starts {
			if at, ok := e.drawStart(i); ok {
				s = at
			}
		}
		if e.rules.Settle(&s, &e.dice[i]) < 0 {
			return false
		}
		e.state[i] = e.rules.Representative(s)
		return true
	})
}

// drawStart draws where row i starts next. ok is false for the beginning of a game, or for
// the row's own game.
func (e *searcher[S]) drawStart(i int) (s S, ok bool) {
	dice, kinds := &e.dice[i], e.cfg.Starts
	if kinds == (Starts{}) {
		return s, false
	}
	u := core.Uniform(dice)
	if u < kinds.Sample {
		return e.sampler.SampleStart(dice), true
	}
	if u -= kinds.Sample; u < kinds.Walk {
		return e.walk(dice), true
	}
	if u -= kinds.Walk; u >= kinds.Archive+kinds.Disagree || e.archive.len(i) == 0 {
		return s, false
	}
	k, strays := 0, u < kinds.Archive
	if strays {
		k = int(core.Uniform(dice) * float64(e.archive.len(i)))
	} else {
		k = e.archive.takeWorst(i)
	}
	s, err := e.archive.state(i, k)
	if err != nil {
		panic("expert: " + err.Error()) // it was checked when it was added or restored
	}
	if strays {
		s = e.playRandom(s, dice)
		for range walkLimit {
			if e.isPosition(s) || e.rules.CurrentPlayer(s) == game.Terminal {
				break
			}
			s = e.playRandom(s, dice)
		}
	}
	return s, true
}

// walk returns a position of a random game, each equally likely.
func (e *searcher[S]) walk(dice *rand.PCG) S {
	s := e.rules.Initial()
	kept, met := s, 0.0
	for range walkLimit {
		if e.isPosition(s) {
			if met++; core.Uniform(dice)*met < 1 {
				kept = s
			}
		}
		if e.rules.CurrentPlayer(s) == game.Terminal {
			break
		}
		s = e.playRandom(s, dice)
	}
	return kept
}

// playRandom samples chance or takes a random legal action.
func (e *searcher[S]) playRandom(s S, dice *rand.PCG) S {
	if e.rules.CurrentPlayer(s) == game.Chance {
		return e.rules.Sampler.Sample(s, dice)
	}
	e.legal = e.rules.Legal(e.legal[:0], s)
	return e.rules.After(s, e.legal[int(core.Uniform(dice)*float64(len(e.legal)))])
}

// isPosition reports whether a search can start in s: where a turn starts, at depth
// Turn, or else at a decision.
func (e *searcher[S]) isPosition(s S) bool {
	if e.cfg.Depth == Turn {
		_, ok := e.rules.TurnStart(s)
		return ok
	}
	return e.rules.CurrentPlayer(s) >= 0
}

// archiveDecisions adds a decision of each row to its archive, if there is one. The rows
// have made cfg.Decisions decisions: decision k of row i, and its values [P] of found and
// predicted, have the index k·N + i. decision returns a decision and its mover.
func (e *searcher[S]) archiveDecisions(found, predicted []float64, decision func(at int) (*S, game.Player)) {
	for i := range e.archive.count {
		at := i + len(e.state)*int(core.Uniform(&e.dice[i])*float64(e.cfg.Decisions))
		s, who := decision(at)
		k := at*e.spec.Players + int(who)
		e.archive.add(i, s, math.Abs(found[k]-predicted[k]))
	}
}
