package martianrisk_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martianrisk"
)

// TestCases runs the test cases of the rules, each with the sentence of the source that
// it tests.
func TestCases(t *testing.T) {
	r := rules(t, published(3, nil))
	cfg := r.Spec().Config.(martianrisk.Config)
	for _, test := range []struct {
		n        int
		sentence string
		check    func(t *testing.T)
	}{
		{1, "intersections of region corners do not count as adjacencies; the sides must touch", func(t *testing.T) {
			for _, pair := range []string{"AZ CO", "UT NM"} {
				a, b, _ := strings.Cut(pair, " ")
				if slices.Contains(cfg.Map.Borders[a], b) || slices.Contains(cfg.Map.Borders[b], a) {
					t.Errorf("%s and %s are adjacent", a, b)
				}
			}
		}},
		{2, `"Mississippi will attack Alabama" and "I will attack California from Nevada" are examples of legitimate attack declarations`, func(t *testing.T) {
			do(t, r, at(t, r, "@0 attack", "0 NV:2"), "nv>ca")
			r4 := rules(t, published(4, nil))
			do(t, r4, at(t, r4, "@0 attack", "0 MS:2"), "ms>al")
		}},
		{3, "until all the regions on the map have had one army placed into them; until all the armies have been placed", func(t *testing.T) {
			s := playSetup(t, r, 1, nil)
			for p := range 3 {
				armies := 0
				for set := s.Own[p]; set != 0; set &= set - 1 {
					armies += int(s.Armies[bits.TrailingZeros64(set)])
				}
				if n := bits.OnesCount64(s.Own[p]); n != 7 || armies != 10 || bits.OnesCount64(s.Own[p]&s.Large&s.Medium&s.Small) != 1 {
					t.Errorf("seat %d has %d regions and %d armies in %q", p, n, armies, r.Format(s))
				}
			}
		}},
		{4, "the player who won that right will place their tower into any unoccupied region on the map", func(t *testing.T) {
			s := do(t, r, r.Outcomes(nil, r.Initial())[1].State, "ca")
			checkParts(t, r, s, "@2 tower", "CA:1LMS")
			checkIllegal(t, r, s, "ca", "CA is occupied")
		}},
		{5, "into any region that is currently occupied by at least one of their own armies", func(t *testing.T) {
			playSetup(t, r, 2, func(s martianrisk.State) {
				if s.Phase != martianrisk.Filling {
					return
				}
				for i, g := range cfg.Map.Regions {
					if s.Own[s.Mover]>>i&1 == 0 {
						checkIllegal(t, r, s, strings.ToLower(g.Name), "not occupied by your own armies")
					}
				}
			})
		}},
		{6, "whoever the next player in line is will begin the third phase", func(t *testing.T) {
			began := -1
			s := playSetup(t, r, 3, func(s martianrisk.State) {
				if s.Phase == martianrisk.Filling && began < 0 {
					began = int(s.Mover)
				}
			})
			if began != int(s.Start) || s.Mover != s.Start {
				t.Errorf("seat %d fills first, seat %d plays first; want %d, for 21 regions are claimed in seven rounds", began, s.Mover, s.Start)
			}
		}},
		{7, "The lower section of a tower (the large piece) counts as three points, the middle section counts as two points, and the upper section counts as one point", func(t *testing.T) {
			s := at(t, r, "@0 reinforce 4", "0 OR:1 CA:1L")
			checkParts(t, r, do(t, r, s, "or", "or", "ca", "ca"), "OR:3", "CA:3L", "@0 attack")
			checkParts(t, r, do(t, r, s, "or+", "or"), "OR:2L")
			checkParts(t, r, do(t, r, s, "ca+", "ca+", "or"), "OR:2", "CA:1LMS")
		}},
		{8, "A player must roll at least a 3, therefore, in order to begin construction", func(t *testing.T) {
			s := at(t, r, "@0 reinforce 2", "0 OR:1 CA:1L")
			checkIllegal(t, r, s, "or+", "OR needs a large piece (3 points), and you have 2 points")
			checkParts(t, r, do(t, r, s, "ca+"), "CA:1LM")
		}},
		{9, "and must, then, fully occupy at least 2 unions in order to construct a full tower", func(t *testing.T) {
			// The unions are {OK OR SD} and {MT NE NM}.
			for held, want := range map[string]int{"0 OK:1 OR:1": 4, "0 OK:1 OR:1 SD:1": 5, "0 OK:1 OR:1 SD:1 MT:1 NE:1 NM:1": 6} {
				s := r.Outcomes(nil, at(t, r, "@0 roll", held))[3].State
				if int(s.Points) != want {
					t.Errorf("a roll of 4 with %q gives %d points, want %d", held, s.Points, want)
				}
				for slices.Contains(names(r, s), "or+") {
					s = do(t, r, s, "or+")
				}
				if full := strings.Contains(r.Format(s), "OR:1LMS"); full != (want == 6) {
					t.Errorf("with %d points the tower becomes %q", want, r.Format(s))
				}
			}
		}},
		{10, "for each and every union that they fully occupy [...] at the beginning of that turn", func(t *testing.T) {
			s := at(t, r, "@0 attack", "0 OK:1 OR:1 ND:9")
			s = do(t, r, fight(t, r, do(t, r, s, "nd>sd"), true), "move:1")
			checkParts(t, r, s, "SD:1", "@0 attack")
			if s.Points != 0 {
				t.Errorf("%d points during the attack", s.Points)
			}
		}},
		{11, "Towers must be built from the bottom up", func(t *testing.T) {
			checkParts(t, r, do(t, r, at(t, r, "@0 reinforce 2", "0 OR:1L CA:2"), "or+"), "OR:1LM") // never S on L
			checkIllegal(t, r, at(t, r, "@0 reinforce 2", "0 OR:1"), "or+", "large piece")          // never M on nothing
			checkParts(t, r, do(t, r, at(t, r, "@0 reinforce 4", "0 OR:1M"), "or+"), "OR:1MS")      // never L under M
			for text, want := range map[string]string{"OR:1LS": "a small piece stands on a large one", "OR:1LMSS": "it would be written "} {
				full := strings.Replace(r.Format(at(t, r, "@0 reinforce 4", "0 OR:1LMS")), "OR:1LMS", text, 1)
				if _, err := r.Parse(full); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v; want %q", text, err, want)
				}
			}
		}},
		{12, "the only possibility is to place a small piece on top of a medium piece", func(t *testing.T) {
			checkParts(t, r, do(t, r, at(t, r, "@0 reinforce 1", "0 OR:1M CA:1S"), "or+"), "OR:1MS")
			checkIllegal(t, r, at(t, r, "@0 reinforce 4", "0 OR:1S"), "or+", "nothing goes on the small piece")
			checkIllegal(t, r, at(t, r, "@0 reinforce 4", "0 OR:1MS"), "or+", "nothing goes on the small piece")
		}},
		{13, "If the players roll a tie, the defending player wins that battle and the attacking player must remove one of their armies", func(t *testing.T) {
			s := do(t, r, at(t, r, "@0 attack", "0 NV:3"), "nv>ca")
			o := r.Outcomes(nil, s)
			checkParts(t, r, o[1].State, "NV:2", "CA:1")
			// Of 256 throws 44 tie and the rest divide evenly.
			if !(math.Abs(o[0].Prob-106./256) <= 1e-15) || !(math.Abs(o[1].Prob-150./256) <= 1e-15) {
				t.Errorf("the attacker wins with %v and loses with %v", o[0].Prob, o[1].Prob)
			}
		}},
		{14, "Both the attacking and the defending player may receive this bonus [...] in the same attack", func(t *testing.T) {
			// Totals of 3 and 5 with towers of 3 and 1 are 6 and 6: a tie, which the
			// defender wins.
			s := do(t, r, at(t, r, "@0 attack", "0 NV:3LMS; 1 CA:1L"), "nv>ca")
			if p := r.Outcomes(nil, s)[0].Prob; !(math.Abs(p-190./256) <= 1e-15) {
				t.Errorf("towers of 3 against 1 win with %v, want 190/256", p)
			}
		}},
		{15, "must be occupied by at least two of the attacking player's own armies, and the region that will be attacked must be occupied by any opposing player's armies", func(t *testing.T) {
			s := at(t, r, "@0 attack", "0 NV:1 OR:2 WA:1")
			checkIllegal(t, r, s, "nv>ca", "NV needs two armies")
			checkIllegal(t, r, s, "or>wa", "WA is your own")
			checkIllegal(t, r, s, "ca>az", "CA is not occupied by your own")
		}},
		{16, "If the attacking player loses all but one of their armies [...] they must end the attack at that time", func(t *testing.T) {
			s := fight(t, r, do(t, r, at(t, r, "@0 attack", "0 NV:2 WA:2"), "nv>ca"), false)
			checkParts(t, r, s, "NV:1", "@0 attack")
			checkIllegal(t, r, s, "nv>ca", "NV needs two armies")
		}},
		{17, "the attacking player must move at least one army", func(t *testing.T) {
			s := fight(t, r, do(t, r, at(t, r, "@0 attack", "0 NV:2 WA:2"), "nv>ca"), true)
			checkParts(t, r, s, "NV:1", "CA:1", "@0 attack") // a forced move is made at once
		}},
		{18, "and up to as many as one less than the total number of armies left in their region after the attack", func(t *testing.T) {
			s := fight(t, r, do(t, r, at(t, r, "@0 attack", "0 NV:5"), "nv>ca"), true)
			if got := strings.Join(names(r, s), " "); got != "move:1 move:2 move:3 move:4" {
				t.Errorf("the legal actions are %s", got)
			}
			checkIllegal(t, r, s, "move:5", "an army stays behind")
			checkParts(t, r, do(t, r, s, "move:4"), "NV:1", "CA:4")
		}},
		{19, "Any towers in the defeated region are removed and given back to the defending player, and may be placed again later", func(t *testing.T) {
			full := "1 CA:1LMS OR:1L WA:1L ID:1L AZ:1L; 0 NV:3"
			checkIllegal(t, r, at(t, r, "@1 reinforce 4", full+" UT:1; 1 MT:1"), "mt+", "your supply")
			s := do(t, r, fight(t, r, do(t, r, at(t, r, "@0 attack", full+" UT:1; 1 MT:1"), "nv>ca"), true), "move:1")
			checkParts(t, r, s, "CA:1")
			s.Mover, s.Phase, s.Points = 1, martianrisk.Reinforce, 3
			checkParts(t, r, do(t, r, s, "mt+"), "MT:1L")
		}},
		{20, "If the defending player is completely defeated, the attacking player must move at least one army", func(t *testing.T) {
			s := do(t, r, fight(t, r, do(t, r, at(t, r, "@0 attack", "0 NV:4LM"), "nv>ca"), true), "move:3")
			checkParts(t, r, s, "NV:1LM", "CA:3") // armies move, towers stay
		}},
		{21, "leaving only the large bottom piece behind, and taking all other pieces", func(t *testing.T) {
			s := at(t, r, "@0 fortify", "0 NV:1LMS CA:1 OR:1 AZ:1 ID:1")
			s = do(t, r, s, "nv/ca")
			if got := strings.Join(names(r, s), " "); got != "small:or small:az stack" {
				t.Errorf("the targets of the small piece are %s", got)
			}
			checkIllegal(t, r, s, "small:nv", "NV is not an own region beside CA where a small piece can stand")
			checkParts(t, r, do(t, r, s, "stack"), "NV:1L", "CA:1MS")
			checkParts(t, r, do(t, r, s, "small:or"), "NV:1L", "CA:1M", "OR:1S")
			checkParts(t, r, do(t, r, at(t, r, "@0 fortify", "0 NV:1LM CA:1 OR:1; 1 WA:1"), "nv/ca"), "NV:1L", "CA:1M", "@1 roll")
		}},
		{22, "may split any one of the towers that they control (leaving only the large bottom piece behind", func(t *testing.T) {
			s := at(t, r, "@0 fortify", "0 NV:1L CA:1 WA:1MS OR:1 AZ:1LM")
			checkIllegal(t, r, s, "nv/ca", "NV has no large piece with another on it")
			checkIllegal(t, r, s, "wa/or", "WA has no large piece with another on it")
		}},
		{23, "place the split-off miniature tower into a region that they occupy that is adjacent", func(t *testing.T) {
			s := at(t, r, "@0 fortify", "0 NV:1LMS CA:1 WA:1")
			checkIllegal(t, r, s, "nv/or", "NV and OR are not both your own")
			for _, n := range names(r, s) {
				if n == "nv/wa" {
					t.Error("NV and WA do not touch")
				}
			}
		}},
		{24, "a player may split any one of the towers", func(t *testing.T) {
			s := at(t, r, "@0 fortify", "0 NV:3LM CA:1 WA:1LM OR:1; 1 MT:2")
			checkIllegal(t, r, s, "ca", "armies are placed in the setup and when you reinforce")
			checkIllegal(t, r, s, "move:1", "no region has just been conquered")
			checkParts(t, r, do(t, r, s, "nv/ca"), "@1 roll") // the turn is over after one
		}},
		{25, "25 colored rocks or tokens per player", func(t *testing.T) {
			s := at(t, r, "@0 reinforce 4", "0 NV:24 CA:1L")
			checkIllegal(t, r, s, "nv", "all your 25 armies are on the map")
			checkParts(t, r, do(t, r, s, "ca+"), "CA:1LM")
		}},
		{26, "Trios per color: 5", func(t *testing.T) {
			checkIllegal(t, r, at(t, r, "@0 reinforce 4", "0 OR:1L WA:1L CA:1L NV:1L ID:1L AZ:1"), "az+", "what is in your supply")
		}},
		{27, "in the following order: 1) Reinforce regions; 2) Attack opposing armies; 3) Fortify forces", func(t *testing.T) {
			s := do(t, r, at(t, r, "@0 attack", "0 NV:2LM CA:1"), "end")
			checkParts(t, r, s, "@0 fortify")
			checkIllegal(t, r, s, "nv", "armies are placed")
			checkIllegal(t, r, s, "nv+", "tower pieces are placed when you reinforce")
			checkIllegal(t, r, s, "nv>or", "attacks come after reinforcing and before fortifying")
		}},
		{28, "The game ends when only one player has armies left on the map. That player wins.", func(t *testing.T) {
			all := "0"
			for _, g := range cfg.Map.Regions {
				if g.Name != "CA" && g.Name != "NV" {
					all += " " + g.Name + ":1"
				}
			}
			s := do(t, r, at(t, r, "@0 attack", "1 CA:1; "+all+" NV:2"), "nv>ca")
			won := fight(t, r, s, true)
			if r.CurrentPlayer(won) != game.Terminal || !slices.Equal(r.Returns(nil, won), []float64{1, -0.5, -0.5}) {
				t.Errorf("%q is not won by seat 0: %v", r.Format(won), r.Returns(nil, won))
			}
			// Seat 2 is out of the game, and its turn is skipped.
			lost := do(t, r, at(t, r, "@1 attack", "1 CA:2; "+all+" NV:2"), "end")
			checkParts(t, r, lost, "@0 roll", "round 2")
		}},
		{29, "unwinnable: 28 > 25", func(t *testing.T) {
			strict := published(4, func(c *martianrisk.Config) { c.ArmyCap = 25 })
			if w := strict.Warning(); w != "unwinnable: 28 > 25" {
				t.Errorf("four players with 25 armies: warning %q", w)
			}
			r := rules(t, strict)
			if w := r.Scene(r.Initial()).Warning.String(); !strings.Contains(w, "unwinnable: 28 > 25") {
				t.Errorf("the scene does not warn: %q", w)
			}
			for players := 3; players <= 6; players++ {
				if w := published(players, nil).Warning(); w != "" {
					t.Errorf("%d players by default: warning %q", players, w)
				}
			}
		}},
		{30, "every region holds an army after the setup, a tower an army of its owner, and no player more than the cap", func(t *testing.T) {
			playSetup(t, r, 5, func(s martianrisk.State) {
				if fault := invariants(&cfg, &s); fault != "" {
					t.Errorf("%s in %q", fault, r.Format(s))
				}
			}) // and see TestManyGames
		}},
	} {
		t.Run(fmt.Sprintf("%d", test.n), func(t *testing.T) {
			test.check(t)
			if t.Failed() {
				t.Logf("the sentence of the rules: %s", test.sentence)
			}
		})
	}
}

// playSetup plays a random setup, calls see with each decision, and returns the start
// of the first turn.
func playSetup(t *testing.T, r *martianrisk.Rules, seed uint64, see func(martianrisk.State)) martianrisk.State {
	t.Helper()
	choices, dice := rand.New(rand.NewPCG(seed, 1)), rand.NewPCG(seed, 0)
	for s := r.Initial(); ; {
		switch s.Phase {
		case martianrisk.Rolling:
			return s
		case martianrisk.Ordering:
			s = r.Sample(s, dice)
			continue
		}
		if see != nil {
			see(s)
		}
		legal := r.Legal(nil, s)
		var err error
		if s, err = r.Apply(s, legal[choices.IntN(len(legal))]); err != nil {
			t.Fatal(err)
		}
	}
}
