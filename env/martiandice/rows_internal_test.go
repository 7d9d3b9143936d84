// In package martiandice: the limit of chance transitions is lowered.
package martiandice

import (
	"math/rand/v2"
	"testing"

	"marsgym/env/game"
)

// At the limit of chance transitions, rows are where Apply and Sample lead: in the
// middle of roll-offs, or of turns that end with the first roll.
func TestRowsChanceLimit(t *testing.T) {
	const n = 100
	cfg := DefaultConfig()
	cfg.Dice, cfg.Target, cfg.TieDice, cfg.Faces.Tank = 2, 5, 1, 20
	for limit := 1; limit <= 4; limit++ {
		r, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		r.spec.MoveLimit = limit
		states, shown, relabel := make([]State, n), make([]State, n), make([][]game.Action, n)
		act, dice, players := make([]game.Action, n), make([]rand.PCG, n+1), make([]game.Player, n)
		for i := range states {
			states[i] = State{Score: [maxPlayers]uint8{5, 5}, Aside: Counts{ray: 1}, Seat: 1, Phase: Decide}
			act[i] = Roll + game.Action(i%2)
			dice[i].Seed(1, uint64(i))
		}
		want, generators := append([]State(nil), states...), append([]rand.PCG(nil), dice...)
		p := r.NewRows(n)
		p.Show(states, players, shown, relabel, make([]float32, n*r.lay.observed), make([]bool, n*int(actions)))
		if i := p.Step(states, act, dice, players); i >= 0 {
			t.Fatalf("row %d is refused", i)
		}
		chance := 0
		for i := range want {
			if want[i], err = r.Apply(want[i], act[i]); err != nil {
				t.Fatal(err)
			}
			for k := 0; k < limit && r.CurrentPlayer(want[i]) == game.Chance; k++ {
				want[i] = r.Sample(want[i], &generators[i])
			}
			who := r.CurrentPlayer(want[i])
			if states[i] != want[i] || players[i] != who || dice[i] != generators[i] {
				t.Errorf("limit %d, row %d: got %+v, player %d; want %+v, player %d", limit, i, states[i], players[i], want[i], who)
			}
			if who == game.Chance {
				chance++
			}
		}
		if chance == 0 {
			t.Errorf("no row is at the limit of %d", limit)
		}
	}
}
