package train

import (
	"sync"

	"marsgym/env"
	"marsgym/env/game"
)

// playSizes are means over random play of a game, on which its presets and the memory of a
// run depend.
type playSizes struct {
	numbers float64 // of an observation that are not 0
	options float64 // of a decision
	length  float64 // decisions of a game
}

// measurements caches playSizes by the rules, since a sweep checks many configs of a game.
var measurements sync.Map

// measure plays a game at random for a while, with a fixed seed.
func measure(g env.Game) (playSizes, error) {
	const rows, steps = 64, 2048
	hash := g.Spec().RulesHash()
	if known, ok := measurements.Load(hash); ok {
		return known.(playSizes), nil
	}
	b := g.NewBatch(rows, 0)
	b.Reset(1)
	buf, actions := b.Buffers(), g.Spec().Actions
	var legal []game.Action
	total, games, numbers := 0, 1, 0
	for range steps {
		for _, x := range buf.Obs {
			if x != 0 {
				numbers++
			}
		}
		for i := range rows {
			legal = legal[:0]
			for a, ok := range buf.Mask[i*actions:][:actions] {
				if ok {
					legal = append(legal, game.Action(a))
				}
			}
			total += len(legal)
			buf.Action[i] = legal[buf.Noise[i].Uint64()%uint64(len(legal))]
		}
		if err := b.Step(); err != nil {
			return playSizes{}, err
		}
		for i := range rows {
			if buf.Terminated[i] || buf.Truncated[i] {
				games++
			}
		}
	}
	const decisions = rows * steps
	play := playSizes{numbers: float64(numbers) / decisions, options: float64(total) / decisions, length: decisions / float64(games)}
	measurements.Store(hash, play)
	return play, nil
}
