package martianrisk

import (
	"fmt"
	"math/bits"

	"marsgym/env/game"
)

// Scales, chosen so that most of an observation is between 0 and 1.
const (
	manyArmies = 5 // in a region
	manyPoints = 5
)

// Numbers above these are one value of a one-hot field. Chosen: more rounds differ
// little, and larger supplies and points are rare or differ little.
const (
	mostRoundsLeft = 20
	mostCounted    = 7 // armies in supply, and points
)

// fields returns the layout of an observation, D = R(3P+5) + 2E + 18P + L + 25 with E
// ordered borders and L the limit of rounds, at most 20. Seats come in the order of play from the viewer's, regions in the
// order of the map, borders in that of the attacks. Odds, shares of the win and counts
// follow from the rest, but a network learns them slowly.
func (r *Rules) fields() []game.Field {
	p := r.cfg.Players
	return []game.Field{
		{Name: fmt.Sprintf("regions: owner %d, armies by owner over %d %d, large, medium, small piece, from, to", p, manyArmies, p), Len: r.n * (2*p + 5)},
		{Name: "borders: odds that the viewer conquers across them, that he is conquered", Len: 2 * len(r.board.edges)},
		{Name: "seats: supply over cap, pieces left of three sizes over trios, regions over all, unions held", Len: 6 * p},
		{Name: "mover", Len: p},
		{Name: "seat that began", Len: p},
		{Name: "share of the win were it over", Len: p},
		{Name: "phase", Len: int(phases)},
		{Name: "odds of the attack under way", Len: 1},
		{Name: "points", Len: 1},
		{Name: "no tower may be begun", Len: 1},
		{Name: "round over limit", Len: 1},
		{Name: "regions, one-hot, by seat", Len: (r.n + 1) * p},
		{Name: fmt.Sprintf("supply, one-hot to %d, by seat", mostCounted), Len: (mostCounted + 1) * p},
		{Name: fmt.Sprintf("points, one-hot to %d", mostCounted), Len: mostCounted + 1},
		{Name: fmt.Sprintf("rounds left, one-hot to %d", mostRoundsLeft), Len: r.roundsLeft + 1},
	}
}

// Encode implements [game.Rules].
func (r *Rules) Encode(dst []float32, s State, viewer game.Player) {
	r.encode(dst, &s, viewer)
}

func (r *Rules) encode(dst []float32, s *State, viewer game.Player) {
	p := r.cfg.Players
	stride := 2*p + 5
	d := r.spec.ObsLen()
	dst = dst[:d:d]
	clear(dst)
	flags := func(set uint64, at int) {
		for ; set != 0; set &= set - 1 {
			dst[bits.TrailingZeros64(set)*stride+at] = 1
		}
	}
	flags(s.Large, 2*p)
	flags(s.Medium, 2*p+1)
	flags(s.Small, 2*p+2)
	if s.From != s.To || s.Phase == Small {
		dst[int(s.To)*stride+2*p+4] = 1
		if s.Phase != Small {
			dst[int(s.From)*stride+2*p+3] = 1
		}
	}
	borders := dst[r.n*stride:]
	taken := r.board.all &^ r.unoccupied(s)
	var armies [maxPlayers]int
	seat := uint8(viewer)
	for i := range p {
		onMap := 0
		for set := s.Own[seat]; set != 0; set &= set - 1 {
			k := bits.TrailingZeros64(set)
			dst[k*stride+i] = 1
			dst[k*stride+p+i] = float32(s.Armies[k]) * (1. / manyArmies)
			onMap += int(s.Armies[k])
			if s.Armies[k] < 2 {
				continue
			}
			enemies, at := taken&^s.Own[viewer], 0
			if i > 0 {
				enemies, at = s.Own[viewer], 1
			}
			for set := r.board.adj[k] & enemies; set != 0; set &= set - 1 {
				v := bits.TrailingZeros64(set)
				borders[2*r.board.edge(k, v)+at] = float32(r.conquestOdds(s, k, v, 0))
			}
		}
		armies[seat] = onMap
		seat = r.nextSeat(seat)
	}
	r.encodeSeats(borders[2*len(r.board.edges):], s, viewer, &armies)
}

// encodeSeats writes what follows the regions and borders, into zeros. armies are those
// of each seat on the map.
func (r *Rules) encodeSeats(seats []float32, s *State, viewer game.Player, armies *[maxPlayers]int) {
	p := r.cfg.Players
	armyScale, trioScale := 1/float32(r.cfg.ArmyCap), 1/float32(max(1, r.cfg.Trios))
	shares := r.winShares(s, armies)
	regions := seats[9*p+int(phases)+4:]
	supplies := regions[(r.n+1)*p:]
	seat := uint8(viewer)
	for i := range p {
		large, medium, small := r.pieces(s, seat)
		held, supply := bits.OnesCount64(s.Own[seat]), r.cfg.ArmyCap-armies[seat]-int(s.Lost[seat])
		regions[(r.n+1)*i+held] = 1
		supplies[(mostCounted+1)*i+min(supply, mostCounted)] = 1
		f := (*[6]float32)(seats[6*i:])
		f[0] = float32(supply) * armyScale
		f[1], f[2], f[3] = float32(large)*trioScale, float32(medium)*trioScale, float32(small)*trioScale
		f[4] = float32(held) / float32(r.n)
		f[5] = float32(r.bonus(s, seat))
		seats[8*p+i] = float32(shares[seat])
		if seat == s.Mover {
			seats[6*p+i] = 1
		}
		if seat == s.Start {
			seats[7*p+i] = 1
		}
		seat = r.nextSeat(seat)
	}
	rest := seats[9*p:]
	rest[s.Phase] = 1
	rest = rest[phases:]
	if s.From != s.To && s.Phase != Small {
		rest[0] = float32(r.conquestOdds(s, int(s.From), int(s.To), 0))
	}
	rest[1] = float32(s.Points) * (1. / manyPoints)
	rest[2] = float32(s.Low)
	if r.cfg.MaxRounds > 0 {
		rest[3] = float32(s.Round) / float32(r.cfg.MaxRounds)
	}
	points := supplies[(mostCounted+1)*p:]
	points[min(int(s.Points), mostCounted)] = 1
	points[mostCounted+1+min(r.cfg.MaxRounds-int(s.Round), r.roundsLeft)] = 1
}
