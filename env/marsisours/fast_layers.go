package marsisours

import "marsgym/env/tabular"

// fastClass is the part of a position that changes only by a failed attack, or by a
// successful one that takes a robot from the junkyard.
type fastClass struct {
	robots, junk [2]int // of each role: in the game, and of these in the junkyard
}

// fastLayer is a set of components, each a class with a group of patterns. Within a
// layer no component leads to another.
type fastLayer struct {
	classes []fastClass
	groups  [][]uint32
}

// listLayers lists the layers, each before those that lead to it: lost robots never
// return, the number of robots in the junkyards never rises, and that on the map
// never falls.
func (x *fastIndex) listLayers() {
	for robots := range 2*x.robots + 1 {
		for junk := range 2*x.junk + 1 {
			var classes []fastClass
			for r0 := max(0, robots-x.robots); r0 <= min(x.robots, robots); r0++ {
				for j0 := max(0, junk-x.junk); j0 <= min(x.junk, junk); j0++ {
					c := fastClass{[2]int{r0, robots - r0}, [2]int{j0, junk - j0}}
					if c.junk[0] <= c.robots[0] && c.junk[1] <= c.robots[1] {
						classes = append(classes, c)
					}
				}
			}
			for size := min(len(x.cells), robots-junk); size >= 0; size-- {
				x.layers = append(x.layers, fastLayer{classes, x.groups[size]})
			}
		}
	}
}

// classPosition returns the position of a class with a pattern, if there is one.
func (x *fastIndex) classPosition(c fastClass, pattern uint32) (p fastPos, ok bool) {
	p.pattern = pattern
	for role, m := range x.onMap[pattern] {
		hand := c.robots[role] - c.junk[role] - int(m)
		if hand < 0 {
			return p, false
		}
		p.junk[role], p.hand[role] = uint8(c.junk[role]), uint8(hand)
	}
	return p, true
}

// Layers implements [tabular.Numbering].
func (x *fastIndex) Layers() (parts []int) {
	for _, l := range x.layers {
		parts = append(parts, len(l.classes)*len(l.groups))
	}
	return parts
}

// Part implements [tabular.Numbering]: the positions of a class with the patterns of a
// group.
//
// After a role has passed, the other's number of robots on the map only rises. While
// both may act the same holds of one role if the attacks of the other empty its
// junkyard. In these cases one sweep in that order is exact.
func (x *fastIndex) Part(p *tabular.Part, layer, part int) {
	l := &x.layers[layer]
	c, group := l.classes[part%len(l.classes)], l.groups[part/len(l.classes)]
	// A successful attack of a role that leaves the junkyards unchanged can come up again.
	recurs := func(role int) bool { return c.junk[role] == 0 || x.r.cfg.CaptureFromHand }
	p.Clear(3)
	p.Cyclic = recurs(0) && recurs(1)
	for i := range group {
		pos, ok := x.classPosition(c, group[i]) // most robots of role 0 first
		if ok {
			pos.turn = 2
			p.Lists[0] = append(p.Lists[0], x.indexOf(pos))
		}
		back, okBack := x.classPosition(c, group[len(group)-1-i])
		if okBack {
			back.turn = 3
			p.Lists[1] = append(p.Lists[1], x.indexOf(back))
		}
		if !recurs(0) {
			pos, ok = back, okBack
		}
		if ok {
			for pos.turn = range uint8(2) {
				p.Lists[2] = append(p.Lists[2], x.indexOf(pos))
			}
		}
	}
}
