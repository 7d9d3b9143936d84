package marsisours_test

import (
	"fmt"
	"testing"

	"marsgym/env/game/gametest"
	"marsgym/env/marsisours"
)

func TestContract(t *testing.T) {
	for i, cfg := range []marsisours.Config{marsisours.FastConfig(), config(3, nil), config(2, nil), config(4, nil)} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			r, err := marsisours.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if err := gametest.Check(r, gametest.Games(10)); err != nil {
				t.Error(err)
			}
		})
	}
}
