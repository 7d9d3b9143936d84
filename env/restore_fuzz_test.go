package env_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/models"
	"marsgym/train/expert"
)

// saver is a batch or an expert, whose state a checkpoint holds.
type saver interface {
	AppendState(dst []byte) ([]byte, error)
	RestoreState(src []byte) error
}

// FuzzRestoreState restores a batch or an expert of each game from any bytes. What is
// accepted is appended as the same bytes, except that a batch names its rules where the state
// of an older release does not, and can be continued.
func FuzzRestoreState(f *testing.F) {
	const rows = 2
	depths := []expert.Depth{expert.OneMove, expert.Turn, expert.Search}
	kinds := uint8(1 + len(depths))
	var games []env.Game
	for _, e := range catalog.List() {
		g, err := catalog.Open(e.ID, 0, nil)
		if err != nil {
			f.Fatal(err)
		}
		games = append(games, g)
	}
	zeros := func(scores, values []float32, _ *models.Observations) {
		clear(scores)
		clear(values)
	}
	// open returns a batch or an expert, and a function that continues it.
	open := func(g env.Game, kind uint8) (s saver, play func() error, ok bool) {
		if kind%kinds == 0 {
			b := g.NewBatch(rows, 0)
			return b, func() error { return playRandom(b, rand.New(rand.NewPCG(1, 2))) }, true
		}
		cfg := expert.Config{Depth: depths[kind%kinds-1], Starts: expert.Starts{Walk: 0.3, Archive: 0.2, Disagree: 0.2}, Turns: 1, Decisions: 1, Outcomes: 64}
		cfg.Tree = expert.Tree{Simulations: 4, FullFraction: 1, Candidates: 2}
		x, err := expert.New(g, cfg, rows, 0)
		if errors.Is(err, expert.ErrUnsupported) {
			return nil, nil, false
		} else if err != nil {
			panic(err)
		}
		found := make([]expert.Targets, x.Pieces())
		return x, func() error { return x.Search(context.Background(), found, expert.Options{Temperature: 0.1}, zeros) }, true
	}
	for i, g := range games {
		for kind := range kinds {
			s, play, ok := open(g, kind)
			if !ok {
				continue
			}
			s.(interface{ Reset(seed uint64) }).Reset(1)
			for range 3 {
				if err := play(); err != nil {
					f.Fatal(err)
				}
			}
			b, err := s.AppendState(nil)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(i), kind, b)
		}
	}
	f.Fuzz(func(t *testing.T, which, kind uint8, src []byte) {
		s, play, ok := open(games[int(which)%len(games)], kind)
		if !ok || s.RestoreState(src) != nil {
			return
		}
		again, err := s.AppendState(nil)
		if _, batch := s.(env.Batch); batch {
			copy(src[4:8], again[4:])
		}
		if err != nil || !bytes.Equal(again, src) {
			t.Errorf("%x became %x, error %v", src, again, err)
		}
		for range 3 {
			if err := play(); err != nil {
				t.Error(err)
			}
		}
	})
}

// playRandom takes a random legal action in each row.
func playRandom(b env.Batch, choices *rand.Rand) error {
	buf, n := b.Buffers(), b.Spec().Actions
	for i := range buf.Action {
		var legal []game.Action
		for a, ok := range buf.Mask[i*n : (i+1)*n] {
			if ok {
				legal = append(legal, game.Action(a))
			}
		}
		buf.Action[i] = legal[choices.IntN(len(legal))]
	}
	return b.Step()
}
