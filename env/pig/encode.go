package pig

import "marsgym/env/game"

// fields returns the layout of an observation, D = 2P + 3. Seats are in the order of play
// from the viewer. Points are over the target, so all numbers are between 0 and 1 except the
// winner's score.
func fields(cfg Config) []game.Field {
	return []game.Field{
		{Name: "score by seat from the viewer's, over target", Len: cfg.Players, Scales: []int{cfg.Target}},
		{Name: "seat whose turn it is, from the viewer's", Len: cfg.Players},
		{Name: "turn total, over target", Len: 1, Scales: []int{cfg.Target}},
		{Name: "the die is in the air", Len: 1},
		{Name: "over", Len: 1},
	}
}

// Encode implements [game.Rules]. At the end it encodes the winner as the seat whose
// turn it is.
func (r *Rules) Encode(dst []float32, s State, p game.Player) {
	n := r.cfg.Players
	dst = dst[: 2*n+3 : 2*n+3]
	seat := int(p)
	for i := range n {
		dst[i] = r.over[s.Score[seat]]
		dst[n+i] = flag(seat == int(s.Seat))
		if seat++; seat == n {
			seat = 0
		}
	}
	dst[2*n] = r.over[s.Total]
	dst[2*n+1] = flag(s.Phase == Rolling)
	dst[2*n+2] = flag(s.Phase == Over)
}

// Codes implements [game.CompactEncoder]: all counts are below 256.
func (r *Rules) Codes() (*game.Codes, error) { return r.codes, nil }

// EncodeCompact implements [game.CompactEncoder].
func (r *Rules) EncodeCompact(dst []uint8, s State, p game.Player) {
	var obs [2*maxPlayers + 3]float32
	r.Encode(obs[:2*r.cfg.Players+3], s, p)
	for i := range dst { // each number has one byte
		r.codes.PutNumber(dst, i, obs[i])
	}
}

func flag(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
