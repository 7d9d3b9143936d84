package martianrisk

import "math/bits"

// Returns keeps [game.Rules]: 1 for who alone has armies left, -1/(P-1) for the
// others; at the round limit the win is divided by rank.
func (r *Rules) Returns(dst []float64, s State) []float64 {
	p := r.cfg.Players
	if s.Phase != Over {
		return append(dst, make([]float64, p)...)
	}
	shares := r.shares(&s)
	for _, share := range shares[:p] {
		dst = append(dst, r.spec.Return(share))
	}
	return dst
}

// shares is what each seat gets of the win if the game ends here.
func (r *Rules) shares(s *State) (shares [maxPlayers]float64) {
	p, conquered := r.cfg.Players, s.Own[s.Mover] == r.board.all
	var rank [maxPlayers]int
	for i := range p {
		rank[i] = bits.OnesCount64(s.Own[i])<<16 + s.onMap(uint8(i)) + s.towerPoints(i)
	}
	for i := range p {
		better, same := 0, 0
		for j := range p {
			if rank[j] > rank[i] {
				better++
			} else if rank[j] == rank[i] {
				same++
			}
		}
		for place := better; place < better+same; place++ { // equal ranks get the mean of their places
			shares[i] += r.share(place, conquered) / float64(same)
		}
	}
	return shares
}

// share is what a place, from 0, gets of the win.
func (r *Rules) share(place int, conquered bool) float64 {
	p := r.cfg.Players
	switch {
	case conquered || r.cfg.Ranking == Leader:
		if place == 0 {
			return 1
		}
		return 0
	case r.cfg.Ranking == Even:
		return 1 / float64(p)
	}
	return 2 * float64(p-1-place) / float64(p*(p-1))
}
