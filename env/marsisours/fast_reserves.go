package marsisours

// fastReserves numbers the pairs of junkyard and hand that a role of the quick game
// can have, by its robots on the map.
type fastReserves struct {
	robots, junk int                           // of each role at the start: in all, and in the junkyard
	first        [maxRobots + 1][maxRobots]int // by robots on the map and junkyard: number with an empty hand
	list         [maxRobots + 1][][2]uint8     // by robots on the map and number: junkyard and hand
}

func newFastReserves(cfg Config) *fastReserves {
	k := &fastReserves{robots: cfg.StartHand + cfg.StartJunk, junk: cfg.StartJunk}
	for m := range k.robots + 1 {
		for j := range min(k.junk, k.robots-m) + 1 {
			k.first[m][j] = len(k.list[m])
			for h := range k.robots - m - j + 1 {
				k.list[m] = append(k.list[m], [2]uint8{uint8(j), uint8(h)})
			}
		}
	}
	return k
}

// positions returns the number of positions, equivalent ones counted once, by
// Burnside's lemma: the mean over the views of the number of positions that a view
// leaves unchanged.
func (k *fastReserves) positions(r *Rules) float64 {
	sum := 0.0
	for i := range r.views {
		ways := k.unchanged(r, &r.views[i])
		for m0 := range k.robots + 1 {
			for m1 := range k.robots + 1 {
				sum += float64(ways[m0][m1] * float64(fastTurns*len(k.list[m0])*len(k.list[m1])))
			}
		}
	}
	return sum / float64(len(r.views))
}

// unchanged counts, by the robots of each role, the patterns that a view leaves
// unchanged: the cells of each cycle of the view have equal contents.
func (k *fastReserves) unchanged(r *Rules, v *view) (ways [maxRobots + 1][maxRobots + 1]float64) {
	ways[0][0] = 1
	var seen uint64 // cells, by the actions that place a robot on them
	for cell := range r.board.free {
		n := 0
		for ; seen>>cell&1 == 0; cell = int(v.relabel[cell]) {
			seen |= 1 << cell
			n++
		}
		for m0 := k.robots; m0 >= 0 && n > 0; m0-- {
			for m1 := k.robots; m1 >= 0; m1-- {
				if m0 >= n {
					ways[m0][m1] += ways[m0-n][m1]
				}
				if m1 >= n {
					ways[m0][m1] += ways[m0][m1-n]
				}
			}
		}
	}
	return ways
}
