package marsisours_test

import (
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/game/picture"
	"marsgym/env/marsisours"
	"marsgym/internal/colour"
)

const inPlay = "3-0@0 start 0 tokens 5-6 hand 3-4 junk 6-5 dice 0-1 tracks 2010-0102 map ogso/mtmt/sgtm/otso robots o.Ao/.A.b/.B../o..o labs .A..b. round 2"

// drawn returns the picture of a scene as plain text.
func drawn(scene game.Scene) string { return colour.Strip(picture.Text(&scene, message.Speaker{})) }

func TestPicture(t *testing.T) {
	r := newRules(t, config(2, nil))
	s, err := r.Parse(inPlay)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimPrefix(`
round 2 of 3: seat 0 places, attacks or passes
seat  money tokens hand junkyard map labs dice gem soda metal turf
0 A <     3      5    3        6   2    1    0   2    0     1    0  starter
1 B       0      6    4        5   2    1    1   0    1     0    2
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
	if got := drawn(r.Scene(s)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestExplain: cells, labs and terrains.
func TestExplain(t *testing.T) {
	r := newRules(t, config(2, nil))
	s, err := r.Parse(inPlay)
	if err != nil {
		t.Fatal(err)
	}
	scene := r.Scene(s)
	for word, want := range map[string]string{
		"b2":     "b2: turf, seat 0's robot, standing; beside it: b1 g.  a2 m.  c2 m.  b3 gB",
		"d2":     "d2: turf, seat 1's robot, lying; beside it: d1 ()  c2 m.  d3 m.",
		"a1":     "a1: space station; beside it: b1 g.  a2 m.",
		"rocket": "rocket: lab, seat 0's robot, standing; 4 tokens; drops anywhere",
		"turf":   "turf, pieces 1-1 by seat: who has most robots on it goes up on its track; its levels pay: 1 money; 2 money, 1 robot; 3 money, 1 robot; 4 money, 2 robots; 5 money, 2 robots; 6 money, 3 robots",
		"stone":  "stone, pieces 0-0 by seat: each robot on stone makes 5 money a round",
		"z9":     "", "": "",
	} {
		if got := strings.Join(strings.Fields(strings.Join(picture.Explain(&scene, message.Speaker{}, word), "; ")), " "); got != strings.ReplaceAll(want, "  ", " ") {
			t.Errorf("%q: %s; want %s", word, got, want)
		}
	}
}

// TestExplainData: a track has the levels of the data.
func TestExplainData(t *testing.T) {
	r := newRules(t, config(2, func(c *marsisours.Config) {
		data := *newRules(t, config(2, nil)).Spec().Config.(marsisours.Config).Data
		for _, track := range []*marsisours.Track{&data.Tracks.Gem, &data.Tracks.Soda, &data.Tracks.Metal, &data.Tracks.Turf} {
			track.Levels = []marsisours.Reward{{}, {}, {Money: 8}}
		}
		c.Data = &data
	}))
	scene := r.Scene(r.Initial())
	if lines := picture.Explain(&scene, message.Speaker{}, "gem"); len(lines) != 2 || lines[1] != "its levels pay: nothing; 8 money" {
		t.Errorf("gem is explained as %q", lines)
	}
}
