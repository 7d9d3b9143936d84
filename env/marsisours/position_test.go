package marsisours_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/marsisours"
)

// config returns the published game for so many players, with some fields changed.
func config(players int, change func(*marsisours.Config)) marsisours.Config {
	c := marsisours.DefaultConfig()
	c.Players = players
	if change != nil {
		change(&c)
	}
	return c
}

func newRules(t testing.TB, c marsisours.Config) *marsisours.Rules {
	t.Helper()
	r, err := marsisours.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func parse(t testing.TB, r *marsisours.Rules, text string) marsisours.State {
	t.Helper()
	s, err := r.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The terrain of the positions below: every tile is gs above tm.
const (
	ground13 = "gs/tm/osgsgo/tmtmtm/gsgs##gsgs/tmtm##tmtm/gsgsgs/omtmto/gs/tm"
	ground4  = "osgo/tmtm/gsgs/omto"
	empty13  = "../../o....o/....../........../........../....../o....o/../.."
	empty4   = "o..o/..../..../o..o"
)

// position returns the position that words describe: words of the notation, with "A:"
// and "a:" before the places of the standing and the lying robots of seat 0, and so on,
// and money for the scores. The defaults are those of the start of round 2, with all
// other robots in the junkyard.
func position(t testing.TB, r *marsisours.Rules, words string) marsisours.State {
	t.Helper()
	cfg := r.Spec().Config.(marsisours.Config)
	fast, n := cfg.Variant == marsisours.Fast2, cfg.Players
	each := func(v string) string { return strings.Repeat("-"+v, n)[1:] }
	field := map[string]string{"money": each("0"), "start": "0", "round": "2", "tokens": each("5"), "hand": each("3"), "labs": "......", "mover": "@0"}
	ground, robots := ground13, []byte(empty13)
	if cfg.Layout == marsisours.Four {
		ground, robots = ground4, []byte(empty4)
	}
	labs := []byte("......")
	placed := make([]int, n)
	phase := ""
	list := strings.Fields(words)
	for i := 0; i < len(list); i++ {
		word := list[i]
		switch {
		case len(word) > 2 && word[1] == ':':
			for place := range strings.SplitSeq(word[2:], ",") {
				placed[int(word[0]|0x20)-'a']++
				if l := strings.Index("fair rocket converter vacuum drill shield", place); len(place) > 2 && l >= 0 {
					labs[strings.Count("fair rocket converter vacuum drill shield"[:l], " ")] = word[0]
					continue
				}
				c := r.Cell(place)
				if c < 0 {
					t.Fatalf("%q: no place %q", words, place)
				}
				for j := range robots { // skip the slashes
					if robots[j] != '/' {
						if c--; c < 0 {
							robots[j] = word[0]
							break
						}
					}
				}
			}
		case word[0] == '@', word == "over", word == "scoring":
			field["mover"] = word
		case word == "attack":
			phase += " attack " + list[i+1] + " " + list[i+2]
			i += 2
		case word == "missed", word == "again":
			phase += " " + word + " " + list[i+1]
			i++
		case word == "down", word == "cash", word == "buy", word == "name":
			phase += " " + word
		default:
			field[word] = list[i+1]
			i++
		}
	}
	hands := strings.Split(field["hand"], "-")
	score, junk := "", ""
	for p := range n {
		hand, _ := strconv.Atoi(hands[p])
		score += fmt.Sprintf("-%d", placed[p])
		junk += fmt.Sprintf("-%d", cfg.StartHand+cfg.StartJunk-hand-placed[p])
	}
	if field["junk"] == "" {
		field["junk"] = junk[1:]
	}
	if !fast {
		score = "-" + field["money"]
	}
	text := score[1:]
	if field["mover"][0] != '@' {
		text += " "
	}
	text += field["mover"] + phase
	keys := []string{"round", "start", "tokens", "dice", "hand", "junk", "tracks", "passed"}
	if fast {
		keys = []string{"start", "hand", "junk", "passed"}
	}
	for _, k := range keys {
		if field[k] != "" {
			text += " " + k + " " + field[k]
		}
	}
	if !fast {
		text += " map " + ground
	}
	text += " robots " + string(robots)
	if !fast {
		text += " labs " + string(labs)
	}
	return parse(t, r, text)
}

// do plays the steps of a list, separated by semicolons: an action, "rolls" with the
// attacker's dice, a slash and the defender's die, or "die" with an alchemy die.
// "legal" and "illegal" check actions without playing them; after "illegal" the start of the
// reason stands in brackets.
func do(t testing.TB, r *marsisours.Rules, s marsisours.State, steps string) marsisours.State {
	t.Helper()
	for step := range strings.SplitSeq(steps, "; ") {
		word, arg, _ := strings.Cut(step, " ")
		switch word {
		case "":
		case "rolls":
			attack, defence, _ := strings.Cut(arg, "/")
			var dice []int
			for _, d := range strings.Split(attack, ",") {
				n, _ := strconv.Atoi(d)
				dice = append(dice, n)
			}
			n, _ := strconv.Atoi(defence)
			if k := max(1, int(s.Attackers)); r.CurrentPlayer(s) != game.Chance || len(dice) != k {
				t.Fatalf("%q: %d dice roll in %s", steps, k, r.Format(s))
			}
			s = r.ResolveAttack(s, dice, n)
		case "die":
			n, _ := strconv.Atoi(arg)
			s = r.ScoreDie(s, n)
		case "legal", "illegal":
			names, why, _ := strings.Cut(arg, " (")
			for name := range strings.SplitSeq(names, " ") {
				_, err := r.Apply(s, action(t, r, name))
				if refused := errors.Is(err, game.ErrIllegalAction) && why != "" && strings.HasPrefix(err.Error(), strings.TrimSuffix(why, ")")); word == "legal" && err != nil || word == "illegal" && !refused {
					t.Errorf("in %s action %s returns error %v; want it to be %s", r.Format(s), name, err, step)
				}
			}
		default:
			var err error
			if s, err = r.Apply(s, action(t, r, step)); err != nil {
				t.Fatalf("in %s %s: %v", r.Format(s), step, err)
			}
		}
	}
	return s
}

func action(t testing.TB, r *marsisours.Rules, name string) game.Action {
	t.Helper()
	for a := range game.Action(r.Spec().Actions) {
		if r.ActionName(a) == name {
			return a
		}
	}
	t.Fatalf("there is no action %q", name)
	return 0
}

// expect compares a position with words: those of the notation, robots as in position,
// ".:" before empty places, money and mover.
func expect(t testing.TB, r *marsisours.Rules, s marsisours.State, words string) {
	t.Helper()
	text := r.Format(s)
	first, rest, _ := strings.Cut(text, " ")
	money, mover, _ := strings.Cut(first, "@")
	rest = " " + rest + " money " + money + " @" + mover + " "
	wants := regexp.MustCompile(`(\S:\S+|@\d|(over|down|cash|buy|name|scoring)|\S+ \S+)`).FindAllString(words, -1)
	if strings.Join(wants, " ") != words {
		t.Fatalf("%q is read as %q", words, wants)
	}
	for _, want := range wants {
		if letter, places, ok := strings.Cut(want, ":"); ok {
			for place := range strings.SplitSeq(places, ",") {
				if got := r.Letter(s, place); got != letter {
					t.Errorf("%s holds %s, want %s, in %s", place, got, letter, text)
				}
			}
		} else if none, ok := strings.CutPrefix(want, "no "); ok {
			if strings.Contains(rest, " "+none+" ") {
				t.Errorf("want no %q in %s", none, text)
			}
		} else if !strings.Contains(rest, " "+want+" ") {
			t.Errorf("want %q in %s", want, text)
		}
	}
}
