package martianrisk_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/game/picture"
	"marsgym/env/martianrisk"
	"marsgym/internal/colour"
	"marsgym/internal/test/golden"
)

// drawn returns the picture of a scene as plain text.
func drawn(scene game.Scene) string { return colour.Strip(picture.Text(&scene, message.Speaker{})) }

// TestPicture checks the marks of the attacking and the attacked region, and the colours
// of the seats.
func TestPicture(t *testing.T) {
	r := rules(t, toy(nil))
	s, err := r.Parse("2-1@1 battle A>B start 0 ; B:1 C:1LMS ; A:3LM round 2")
	if err != nil {
		t.Fatal(err)
	}
	scene := r.Scene(s)
	text := picture.Text(&scene, message.Speaker{})
	want := strings.TrimPrefix(`
round 2 of 2, seat 1: A attacks B
seat regions armies unions supply large medium small
0          2      2      0      2     0      0     0  starter
1          1      3      0      1     0      0     1
A>1:3 ----- B!0:1 ----- C 0:1
   a LM                    a LMS`, "\n")
	if got := colour.Strip(text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, part := range []string{
		colour.Paint(colour.Seats[1]+";"+colour.Bold, "A>1:3"), colour.Paint(colour.Seats[0]+";"+colour.Bold, "B!0:1"),
		colour.Paint(colour.Seats[0], "LMS"), colour.Paint(colour.Seats[1], "1"),
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%q", part, text)
		}
	}
}

// TestSeatLines: the setup shows the armies that are left to place, and a seat without
// armies is out.
func TestSeatLines(t *testing.T) {
	r := rules(t, toy(nil))
	setup := r.Initial()
	for r.CurrentPlayer(setup) == game.Chance {
		setup = r.Outcomes(nil, setup)[0].State
	}
	r3 := rules(t, small(3))
	out, err := r3.Parse("9-0-3@0 reinforce 3 start 0 ; OR:3MS CA:1L ID:1MS AZ:3 MT:1L WY:1 NM:1 CO:1 ND:1 ; ; WA:1LMS NV:5 UT:1 round 16")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ picture, want string }{
		{drawn(r.Scene(setup)), "setup: seat 0 occupies a region; armies to place: 2\n"},
		{drawn(r.Scene(setup)), "\n1          0      0      0      4"},
		{drawn(r.Scene(do(t, r, setup, "a"))), "\n0          1      1      0      3"},
		{drawn(r3.Scene(out)), "2  out\n"},
	} {
		if got := tt.picture; !strings.Contains(got, tt.want) {
			t.Errorf("no %q in\n%s", tt.want, got)
		}
	}
}

// TestDescribeSplit checks that descriptions of a split name the pieces at its target.
func TestDescribeSplit(t *testing.T) {
	r := rules(t, published(3, nil))
	split := at(t, r, "@0 fortify", "0 NV:1LMS CA:2L OR:1 AZ:1LM")
	for _, test := range []struct {
		s            martianrisk.State
		action, want string
	}{
		{split, "nv/ca", "move the upper part of NV's tower to CA, onto the large piece; the large piece stays"},
		{split, "nv/or", "move the upper part of NV's tower to OR; the large piece stays"},
		{do(t, r, split, "nv/ca"), "small:az", "move the small piece to AZ; onto the large and the medium piece"},
		{do(t, r, split, "nv/ca"), "small:or", "move the small piece to OR"},
		{do(t, r, split, "nv/ca"), "stack", "leave the small piece on the medium one in CA"},
	} {
		if got := r.DescribeAction(test.s, action(t, r, test.action)).String(); got != test.want {
			t.Errorf("%s: %q, want %q", test.action, got, test.want)
		}
	}
}

// TestMaps draws the published maps, in lines of at most 79 columns.
func TestMaps(t *testing.T) {
	var b strings.Builder
	for players := 3; players <= 6; players++ {
		for _, cfg := range []martianrisk.Config{published(players, nil), small(players)} {
			r := rules(t, cfg)
			s, dice := r.Initial(), rand.NewPCG(1, 1)
			for r.CurrentPlayer(s) == game.Chance || s.Phase < martianrisk.Rolling {
				if r.CurrentPlayer(s) == game.Chance {
					s = r.Sample(s, dice)
					continue
				}
				legal := r.Legal(nil, s)
				s = do(t, r, s, r.ActionName(legal[dice.Uint64()%uint64(len(legal))]))
			}
			text := drawn(r.Scene(s))
			for line := range strings.Lines(text) {
				if n := len(line) - 1; n > 79 {
					t.Errorf("%d players: %d columns in %s", players, n, line)
				}
			}
			if n := strings.Count(text, "\n") + 1; n > 20 {
				t.Errorf("%d lines", n)
			}
			b.WriteString(text + "\n\n")
		}
	}
	golden.Check(t, "maps.txt", []byte(b.String()))
}

// TestExplain: a region with its union and its neighbours, the map, the seats.
func TestExplain(t *testing.T) {
	r := rules(t, toy(nil))
	s, err := r.Parse("2-1@1 attack start 0 ; B:1 C:1LMS ; A:3LM round 2")
	if err != nil {
		t.Fatal(err)
	}
	scene := r.Scene(s)
	for word, want := range map[string]string{
		"a":     "A: seat 1's armies: 3, tower: large, medium; union a: A 1:3LM  C 0:1LMS; beside it: B 0:1",
		"b":     "B: seat 0's armies: 1; beside it: A 1:3LM  C 0:1LMS",
		"seats": "seat regions armies unions supply large medium small; 0          2      2      0      2     0      0     0  starter; 1 <        1      3      0      1     0      0     1",
		"z":     "", "": "",
	} {
		if got := strings.Join(picture.Explain(&scene, message.Speaker{}, word), "; "); got != want {
			t.Errorf("%q: %s; want %s", word, got, want)
		}
	}
	us := rules(t, small(3))
	map12 := us.Scene(us.Initial())
	golden.Check(t, "map.txt", []byte(strings.Join(picture.Explain(&map12, message.Speaker{}, "map"), "\n")+"\n"))
}

func small(players int) martianrisk.Config {
	cfg := martianrisk.SmallConfig()
	cfg.Players = players
	return cfg
}
