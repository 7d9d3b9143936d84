package martianrisk

import "math/bits"

// Returns implements [game.Rules]: 1 for the only seat with armies, -1/(P-1) for the
// others. At the round limit the seats with armies divide the win by rank.
func (r *Rules) Returns(dst []float64, s State) []float64 {
	p := r.cfg.Players
	if s.Phase != Over {
		return append(dst, make([]float64, p)...)
	}
	shares := r.winShares(&s)
	for _, share := range shares[:p] {
		dst = append(dst, r.spec.Return(share))
	}
	return dst
}

// winShares returns the share of the win of each seat if the game ends in s, [P], then
// zeros.
func (r *Rules) winShares(s *State) (shares [maxPlayers]float64) {
	const eliminated = -1
	p, alive := r.cfg.Players, 0
	var rank [maxPlayers]int
	for i := range p {
		if s.Own[i] == 0 && s.Phase > Filling {
			rank[i] = eliminated
			continue
		}
		alive++
		rank[i] = bits.OnesCount64(s.Own[i])<<16 + s.onMap(uint8(i)) + s.towerPoints(i)
	}
	for i := range p {
		if rank[i] == eliminated {
			continue
		}
		better, same := 0, 0
		for j := range p {
			if rank[j] > rank[i] {
				better++
			} else if rank[j] == rank[i] {
				same++
			}
		}
		for place := better; place < better+same; place++ { // tied seats get the mean of their places
			shares[i] += r.placeShare(place, alive) / float64(same)
		}
	}
	return shares
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
