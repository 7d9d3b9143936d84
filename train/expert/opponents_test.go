package expert_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/pig"
	"marsgym/internal/test/testgames"
	"marsgym/train/expert"
	"marsgym/train/method"
)

// holder is Pig with a bot that holds after one roll.
type holder struct{ *pig.Rules }

func (holder) BotNames() []string                            { return []string{"holder"} }
func (holder) Bot(string) (game.Policy[pig.State], error)    { return holder{}, nil }
func (holder) Probs(dst []float64, states []pig.State) error { return hold(dst, states) }

func hold(dst []float64, states []pig.State) error {
	clear(dst)
	for i, s := range states {
		if s.Total > 0 {
			dst[2*i+int(pig.Hold)] = 1
		} else {
			dst[2*i+int(pig.Roll)] = 1
		}
	}
	return nil
}

// decodeRow decodes the state of an expert of one row without archives: that of the game, and
// the opponents in its seats.
func decodeRow(t *testing.T, e *joined, players int) (s pig.State, seats []uint16) {
	t.Helper()
	seats = make([]uint16, players)
	b, err := e.AppendState(nil)
	if err != nil {
		t.Fatal(err)
	}
	const generator = 20
	if _, err := binary.Decode(b, binary.LittleEndian, &s); err != nil {
		t.Fatal(err)
	}
	if _, err := binary.Decode(b[binary.Size(s)+generator:], binary.LittleEndian, seats); err != nil {
		t.Fatal(err)
	}
	return s, seats
}

// TestOpponents has a bot, an older copy of the network, or the network itself in one of
// two seats. The opponents play what they would by themselves, also after the expert is
// restored, and each game draws the seats anew.
func TestOpponents(t *testing.T) {
	rules := holder{testgames.NewPig(t, 2, 20)}
	g := expert.NewGame[pig.State](rules)
	spec := g.Spec()
	net := hashNetwork(spec)
	// The copy takes the action with the highest output of another network.
	other := func(policy, _, obs []float32) {
		n := len(obs) / spec.ObsLen()
		hashNetwork(spec)(policy, make([]float32, n*spec.Players), obs)
		for i := range policy {
			policy[i] *= -1e6
		}
	}
	copied := func(s pig.State, logits bool) game.Action {
		who := rules.CurrentPlayer(s)
		legal := rules.Legal(nil, s)
		out := make([]float32, 2)
		if obs := make([]float32, spec.ObsLen()); logits {
			rules.Encode(obs, s, who)
			other(out, nil, obs)
			out = out[:len(legal)]
		} else {
			out = out[:0]
			for _, a := range legal {
				after, _ := rules.Apply(s, a)
				one := make([]float32, 1)
				rules.Encode(obs, after, who)
				other(one, nil, obs)
				out = append(out, one[0])
			}
		}
		return legal[slices.Index(out, slices.Max(out))]
	}
	for _, depth := range depths {
		for _, kind := range []string{"bot", "copy", "copy with logits", "itself"} {
			cfg := config(depth)
			cfg.Decisions, cfg.Starts = 1, expert.Starts{}
			cfg.Opponents = method.Opponents{Fraction: 1}
			opt := expert.Options{Temperature: 0.1, Logits: kind == "copy with logits"}
			logits := opt.Logits || depth == expert.Search
			want, number := func(s pig.State) game.Action {
				var p [2]float64
				hold(p[:], []pig.State{s})
				return game.Action(slices.Index(p[:], 1))
			}, uint16(1)
			switch kind {
			case "bot":
				cfg.Opponents.Bots = map[string]float64{"holder": 1}
			case "itself":
				number = 0
			default:
				opt.Copies = []expert.Network{sparse(other, spec.ObsLen())}
				want = func(s pig.State) game.Action { return copied(s, logits) }
			}
			e := newExpert(t, g, cfg, 1, 0)
			e.Reset(3)
			var found denseTargets
			replies, games := 0, 0
			var own [2]int
			for n := range 600 {
				if n == 300 {
					b, err := e.AppendState(nil)
					if err != nil {
						t.Fatal(err)
					}
					e = newExpert(t, g, cfg, 1, 0)
					e.Reset(99)
					if err := e.RestoreState(b); err != nil {
						t.Fatal(err)
					}
					if again, err := e.AppendState(nil); err != nil || !bytes.Equal(again, b) {
						t.Fatalf("%s, %s: the restored state differs (%v)", depth, kind, err)
					}
				}
				s, seats := decodeRow(t, e, 2)
				if err := e.Search(t.Context(), &found, opt, net); err != nil {
					t.Fatal(err)
				}
				next, drawn := decodeRow(t, e, 2)
				if games += found.Games; found.Games > 0 {
					for seat, k := range drawn {
						if k == 0 {
							own[seat]++
						}
					}
				}
				who := rules.CurrentPlayer(s)
				if seats[who] == 0 || games < 1 {
					continue // of the first game copies were not known when it began
				}
				replies++
				if seats[who] != number {
					t.Fatalf("%s, %s: opponent %d", depth, kind, seats[who])
				}
				if depth == expert.Turn { // a whole turn
					if gain := int(next.Score[who]) - int(s.Score[who]); kind == "bot" && found.Games == 0 && gain > 6 {
						t.Fatalf("%s: the bot's turn gains %d", depth, gain)
					}
					continue
				}
				after, err := rules.Apply(s, want(s))
				if err != nil {
					t.Fatal(err)
				}
				follows := []pig.State{after}
				if rules.CurrentPlayer(after) == game.Chance {
					follows = follows[:0]
					for _, o := range rules.Outcomes(nil, after) {
						follows = append(follows, o.State)
					}
				}
				if found.Games == 0 && !slices.Contains(follows, next) {
					t.Fatalf("%s, %s: %+v follows %+v; the opponent takes %d", depth, kind, next, s, want(s))
				}
			}
			if kind == "itself" {
				if replies > 0 {
					t.Errorf("%s: %d replies without opponents", depth, replies)
				}
			} else if replies < 50 || own[0] < 3 || own[1] < 3 {
				t.Errorf("%s, %s: %d replies; the network has the seats %v times", depth, kind, replies, own)
			}
		}
	}
}

// TestOpponentsOfSomeRows has opponents in the first of two rows, whose play alone changes.
func TestOpponentsOfSomeRows(t *testing.T) {
	g := expert.NewGame[pig.State](holder{testgames.NewPig(t, 2, 20)})
	var states [2][]byte
	for k, fraction := range []float64{0, 0.5} {
		cfg := config(expert.OneMove)
		cfg.Opponents = method.Opponents{Fraction: fraction, Bots: map[string]float64{"holder": 1}}
		e := newExpert(t, g, cfg, 2, 0)
		e.Reset(3)
		var found denseTargets
		for range 20 {
			if err := e.Search(t.Context(), &found, expert.Options{}, hashNetwork(g.Spec())); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if states[k], err = e.AppendState(nil); err != nil {
			t.Fatal(err)
		}
	}
	const row = 16 + 20 // state and generator
	if bytes.Equal(states[0][:row], states[1][:row]) || !bytes.Equal(states[0][row:2*row], states[1][row:2*row]) {
		t.Error("want another state in the first row only")
	}
}

// TestOpponentsOfThreeSeats has a bot in both seats beside the network, or a copy in each.
func TestOpponentsOfThreeSeats(t *testing.T) {
	g := expert.NewGame[pig.State](holder{testgames.NewPig(t, 3, 5)})
	net := hashNetwork(g.Spec())
	copied := sparse(net, g.Spec().ObsLen())
	cfg := config(expert.OneMove)
	cfg.Decisions, cfg.Starts = 1, expert.Starts{}
	cfg.Opponents = method.Opponents{Fraction: 1, Bots: map[string]float64{"holder": 0.5}}
	e := newExpert(t, g, cfg, 1, 0)
	e.Reset(3)
	opt := expert.Options{Temperature: 0.1, Copies: []expert.Network{copied, copied}}
	var found denseTargets
	games := map[[3]uint16]int{} // by the opponents, in ascending order
	for range 4000 {
		if err := e.Search(t.Context(), &found, opt, net); err != nil {
			t.Fatal(err)
		}
		if found.Games == 0 {
			continue
		}
		_, seats := decodeRow(t, e, 3)
		slices.Sort(seats)
		games[[3]uint16(seats)]++
	}
	// Number 1 is the bot, 2 and 3 are copies: one half, an eighth, a quarter and an eighth.
	total := 0
	for _, n := range games {
		total += n
	}
	for seats, want := range map[[3]uint16]float64{{0, 1, 1}: 0.5, {0, 2, 2}: 0.125, {0, 2, 3}: 0.25, {0, 3, 3}: 0.125} {
		if got := float64(games[seats]) / float64(total); !(math.Abs(got-want) <= 0.05) || len(games) != 4 {
			t.Errorf("opponents %v in %.3f of %d games; want %v: %v", seats, got, total, want, games)
		}
	}
}
