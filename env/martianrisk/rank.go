package martianrisk

import "math/bits"

// Returns implements [game.Rules]: 1 for the only seat with armies, -1/(P-1) for the
// others. At the round limit the seats with armies divide the win by rank.
func (r *Rules) Returns(dst []float64, s State) []float64 {
	p := r.cfg.Players
	if s.Phase != Over {
		return append(dst, make([]float64, p)...)
	}
	var ranks [maxPlayers]int32
	for i := range p {
		ranks[i] = int32(s.rank(uint8(i), s.onMap(uint8(i))))
	}
	shares := r.winShares(&s, &ranks)
	for _, share := range shares[:p] {
		dst = append(dst, r.spec.Return(r.shares[share]))
	}
	return dst
}

// rank returns a number that is higher for a seat with a higher rank: more regions, then
// more armies on the map, which are given, and tower points.
func (s *State) rank(seat uint8, armies int) int {
	return bits.OnesCount64(s.Own[seat])<<16 + armies + s.towerPoints(int(seat))
}

// winShares returns the share of the win of each seat if the game ends in s, [P], then
// that of nobody, by their ranks, as indices of shares.
func (r *Rules) winShares(s *State, ranks *[maxPlayers]int32) (shares [maxPlayers]uint16) {
	p, alive := r.cfg.Players, 0
	var rank [maxPlayers]int
	for i := range p {
		rank[i] = -1 // eliminated
		if s.Own[i] != 0 || s.Phase <= Filling {
			rank[i] = int(ranks[i])
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
		shares[i] = shareIndex(alive, better, same)
	}
	return shares
}

// meanShares returns the mean share of the win of the seats that divide the places from
// better on, by the number of seats with armies, of better ones, and of those. Seats
// without armies, all others being better, get nothing.
func (r *Rules) meanShares() (list [shares]float64) {
	for alive := range maxPlayers + 1 {
		for better := range alive {
			for same := 1; better+same <= alive; same++ {
				for place := better; place < better+same; place++ {
					list[shareIndex(alive, better, same)] += r.placeShare(place, alive) / float64(same)
				}
			}
		}
	}
	return list
}

// shareIndex returns the index of a share.
func shareIndex(alive, better, same int) uint16 {
	return uint16((alive*(maxPlayers+1)+better)*(maxPlayers+1) + same)
}

// shares is the number of shares of the win that meanShares lists.
const shares = (maxPlayers + 1) * (maxPlayers + 1) * (maxPlayers + 1)

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
