package marsisours_test

import (
	"strings"
	"testing"

	"marsgym/internal/colour"
)

const drawn = "3-0@0 start 0 tokens 5-6 hand 3-4 junk 6-5 dice 0-1 tracks 2010-0102 map ogso/mtmt/sgtm/otso robots o.Ao/.A.b/.B../o..o labs .A..b. round 2"

func TestRender(t *testing.T) {
	r := newRules(t, config(2, nil))
	s, err := r.Parse(drawn)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimPrefix(`
round 2 of 3: seat 0 places, attacks or passes
seat   money tokens hand junk dice  gem soda metal turf
0 A <      3      5    3    6    0    2    0     1    0  starts
1 B        0      6    4    5    1    0    1     0    2
      a  b  c  d  fair      .  attacks cost 1 token a robot
  1  () g. sA ()  rocket    A  4 tokens; drops anywhere
  2  m. tA m. tb  converter .  tokens above 10 are money
  3  s. gB t. m.  vacuum    .  buy alchemy dice
  4  () t. s. ()  drill     b  roll a missed attack again
                  shield    .  +2 in defence
                  gem   1m 3m 6m 10m 15m 21m
                  soda  2m 4m 7m 10m 13m 16m
                  metal 2t 2t1d 3t1d 3t2d 4t2d 4t3d
                  turf  1m 2m1r 3m1r 4m2r 5m2r 6m3r`, "\n")
	if got := colour.Strip(r.Render(s)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestExplain: cells, labs and terrains.
func TestExplain(t *testing.T) {
	r := newRules(t, config(2, nil))
	s, err := r.Parse(drawn)
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]string{
		"b2":     "b2: turf, a robot of seat 0, standing; beside it b1 ., a2 ., c2 ., b3 B",
		"d2":     "d2: turf, a robot of seat 1, lying; beside it d1 o, c2 ., d3 .",
		"a1":     "a1: a space station; robots walk up to 3 steps from it",
		"rocket": "lab rocket: 4 tokens; drops anywhere; a robot of seat 0, standing",
		"turf":   "turf, robots 1-1 by seat; levels 1 to 6 pay 1m 2m1r 3m1r 4m2r 5m2r 6m3r (m money, t tokens, d dice, r robots)",
		"stone":  "stone, robots 0-0 by seat; 5 money a robot each round",
		"z9":     "", "": "",
	} {
		if got := strings.Join(r.Explain(s, word), "; "); got != want {
			t.Errorf("%q: %s; want %s", word, got, want)
		}
	}
}
