package marsisours_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/marsisours"
)

// TestEncodeAttackers compares the robots that can attack with the legal attacks of each
// seat, were it to act with a robot in hand and ten tokens, and the counts with the
// state.
func TestEncodeAttackers(t *testing.T) {
	const beside, counts = "robots that can attack", "robots in hand"
	for name, cfg := range configs() {
		r := newRules(t, cfg)
		p, d := cfg.Players, 0
		first, length := map[string]int{}, map[string]int{}
		for _, f := range r.Spec().Observation {
			for _, field := range []string{beside, counts} {
				if strings.HasPrefix(f.Name, field) {
					first[field], length[field] = d, f.Len
				}
			}
			d += f.Len
		}
		attack := 0 // the first attack
		for strings.HasPrefix(r.ActionName(game.Action(attack)), "place-") {
			attack++
		}
		n := cfg.StartHand + cfg.StartJunk + 1
		got, want := make([]float32, d), make([]float32, d)
		dice, choices := rand.NewPCG(1, 0), rand.New(rand.NewPCG(1, 1))
		for s := r.Initial(); ; {
			for viewer := range p {
				r.Encode(got, s, game.Player(viewer))
				clear(want)
				for i := range p {
					seat := (viewer + i) % p
					can := s
					can.Phase, can.Mover = marsisours.Acting, uint8(seat)
					can.Seats[seat].Hand, can.Seats[seat].Tokens = 1, 10
					for _, a := range r.Legal(nil, can) {
						cell, robots := (int(a)-attack)/4, (int(a)-attack)%4
						at := 8*cell + 4*min(i, 1)
						next, _ := r.Apply(can, a)
						if int(a) < attack || at >= length[beside] || i > 0 && s.Robots[viewer]>>next.Place&1 == 0 {
							continue
						}
						if most := want[first[beside]+at:][:4]; !slices.Contains(most[robots:], 1) {
							clear(most)
							most[robots] = 1
						}
					}
					for k, count := range []int{int(s.Seats[seat].Hand), int(s.Seats[seat].Junk), ones(s.Robots[seat])} {
						want[first[counts]+n*(3*i+k)+count] = 1
					}
				}
				for _, field := range []string{beside, counts} {
					at := first[field]
					if g, w := got[at:at+length[field]], want[at:at+length[field]]; !slices.Equal(g, w) {
						t.Fatalf("%s: %q of seat %d are %v, want %v, in %s", name, field, viewer, g, w, r.Format(s))
					}
				}
			}
			switch r.CurrentPlayer(s) {
			case game.Chance:
				s = r.Sample(s, dice)
				continue
			case game.Terminal:
			default:
				legal := r.Legal(nil, s)
				s, _ = r.Apply(s, legal[choices.IntN(len(legal))])
				continue
			}
			break
		}
	}
}
