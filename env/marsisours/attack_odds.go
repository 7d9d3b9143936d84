package marsisours

// missProbability is the probability that k dice all show less than n.
func missProbability(k, n int) float64 { return float64(lower(k, n)) / float64(pow6[k]) }

// attackOdds is the probability that an attack of seat p on a place succeeds, with
// the second roll of the drill lab.
func (r *Rules) attackOdds(s *State, p, place, robots int) float64 {
	attack := *s
	attack.Mover, attack.Place, attack.Attackers = uint8(p), uint8(place), uint8(robots)
	again := r.hasLab(s, p, drill)
	missed, first := 0.0, 0.0
	for die := 1; die <= faces; die++ {
		q := missProbability(robots, r.defence(&attack, die))
		first += q / faces
		if again {
			q *= q
		}
		missed += q / faces
	}
	if again && r.cfg.DrillRerollsDefender {
		missed = first * first
	}
	return 1 - missed
}

// rerollOdds is the probability that the second roll succeeds.
func (r *Rules) rerollOdds(s *State) float64 {
	if s.Die > 0 {
		return 1 - missProbability(int(s.Attackers), r.defence(s, int(s.Die)))
	}
	missed := 0.0
	for die := 1; die <= faces; die++ {
		missed += missProbability(int(s.Attackers), r.defence(s, die)) / faces
	}
	return 1 - missed
}
