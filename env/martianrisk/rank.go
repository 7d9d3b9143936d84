package martianrisk

import "math/bits"

// Returns implements [game.Rules]: 1 for the only seat with armies, -1/(P-1) for the
// others. At the round limit the seats with armies divide the win by rank.
func (r *Rules) Returns(dst []float64, s State) []float64 {
	p := r.cfg.Players
	if s.Phase != Over {
		return append(dst, make([]float64, p)...)
	}
	var seats [maxPlayers]seatSeen
	for i := range p {
		seats[i].rank = int32(s.rank(uint8(i), s.onMap(uint8(i))))
	}
	shares := r.winShares(&s, &seats)
	for _, share := range shares[:p] {
		dst = append(dst, r.spec.Return(share))
	}
	return dst
}

// rank returns a number that is higher for a seat with a higher rank: more regions, then
// more armies on the map, which are given, and tower points.
func (s *State) rank(seat uint8, armies int) int {
	return bits.OnesCount64(s.Own[seat])<<16 + armies + s.towerPoints(int(seat))
}

// winShares returns the share of the win of each seat if the game ends in s, [P], then
// zeros, by their ranks.
func (r *Rules) winShares(s *State, seats *[maxPlayers]seatSeen) (shares [maxPlayers]float64) {
	p, alive := r.cfg.Players, 0
	var rank [maxPlayers]int
	for i := range p {
		rank[i] = -1 // eliminated
		if s.Own[i] != 0 || s.Phase <= Filling {
			rank[i] = int(seats[i].rank)
			alive++
		}
	}
	for i := range p {
		better, same := 0, 0 // seats
		for _, other := range rank[:p] {
			switch {
			case other > rank[i]:
				better++
			case other == rank[i]:
				same++
			}
		}
		shares[i] = r.shares[alive][better][same]
	}
	return shares
}

// meanShares returns the mean share of the win of the seats that divide the places from
// better on, by the number of seats with armies, of better ones, and of those. Seats
// without armies, all others being better, get nothing.
func (r *Rules) meanShares() (list [maxPlayers + 1][maxPlayers + 1][maxPlayers + 1]float64) {
	for alive := range list {
		for better := range alive {
			for same := 1; better+same <= alive; same++ {
				for place := better; place < better+same; place++ {
					list[alive][better][same] += r.placeShare(place, alive) / float64(same)
				}
			}
		}
	}
	return list
}

// placeShare returns the share of the win of a place, from 0, among n seats with armies.
func (r *Rules) placeShare(place, n int) float64 {
	switch {
	case n == 1 || r.cfg.Ranking == Leader:
		if place == 0 {
			return 1
		}
		return 0
	case r.cfg.Ranking == Even:
		return 1 / float64(n)
	}
	return 2 * float64(n-1-place) / float64(n*(n-1))
}
