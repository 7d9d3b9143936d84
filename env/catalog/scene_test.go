package catalog_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/test/fulltest"
)

// TestScenes compares the scenes of random games with the notation of positions and the
// names of actions, for every game and number of players.
func TestScenes(t *testing.T) {
	games := 1
	if fulltest.On() {
		games = 20
	}
	for _, e := range catalog.List() {
		t.Run(e.ID, func(t *testing.T) {
			t.Parallel()
			standard, err := catalog.Open(e.ID, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			spec := standard.Spec()
			for players := spec.MinPlayers; players <= spec.MaxPlayers; players++ {
				t.Run(fmt.Sprint(players), func(t *testing.T) {
					if players != spec.MinPlayers {
						fulltest.Gate(t)
					}
					g, err := catalog.Open(e.ID, players, nil)
					if err != nil {
						return // a map can be too small for so many
					}
					choices, dice := rand.New(rand.NewPCG(1, uint64(players))), rand.NewPCG(2, uint64(players))
					for range games {
						for at := g.Initial(); ; {
							if fault := sceneFault(g, at); fault != "" {
								t.Fatalf("%d players, %s: %s", players, at, fault)
							}
							mover := at.CurrentPlayer()
							if mover == game.Terminal {
								break
							}
							if mover == game.Chance {
								at = at.Sample(dice)
								continue
							}
							legal := at.Legal()
							if at, err = at.Apply(legal[choices.IntN(len(legal))]); err != nil {
								t.Fatal(err)
							}
						}
					}
				})
			}
		})
	}
}

// sceneCells returns the cells and places of a scene.
func sceneCells(scene *game.Scene) []game.SceneCell {
	if scene.Map == nil {
		return nil
	}
	return append(slices.Clone(scene.Map.Cells), scene.Places...)
}

// sceneFault returns what is wrong with the scene of a position.
func sceneFault(g env.Game, at env.Position) string {
	scene := at.Scene()
	var options []game.Action
	for _, o := range scene.Options {
		options = append(options, o.Action)
		text := o.Text.String()
		if o.Name != g.ActionName(o.Action) || text != at.DescribeAction(o.Action).String() || o.Kind.IsZero() || strings.Contains(text, ": ") || strings.Contains(text, o.Name) && strings.ContainsAny(o.Name, "-:>/+") {
			return fmt.Sprintf("option %+v has another name, or a text that says it in other words", o)
		}
		for _, cell := range sceneCells(scene) {
			if slices.Contains(cell.Actions, o.Action) && !strings.Contains(text, cell.Name) {
				return fmt.Sprintf("option %+v does not say %s", o, cell.Name)
			}
		}
	}
	if !slices.Equal(options, at.Legal()) {
		return fmt.Sprintf("the options are %d, legal are %d", options, at.Legal())
	}
	text := at.String()
	switch id := g.Spec().ID; {
	case id == "pig", id == "martian-dice":
		return diceFault(scene, text)
	case strings.HasPrefix(id, "mars-is-ours"):
		if fault := robotsFault(scene, text); fault != "" {
			return fault
		}
	default:
		if fault := regionsFault(scene, text); fault != "" {
			return fault
		}
	}
	return actionsFault(g, scene)
}

// actionsFault checks that a cell or track has exactly the actions that name it.
func actionsFault(g env.Game, scene *game.Scene) string {
	elements := sceneCells(scene)
	for _, t := range scene.Tracks {
		elements = append(elements, game.SceneCell{Name: t.Name, Actions: t.Actions})
	}
	for _, cell := range elements {
		for _, o := range scene.Options {
			parts := strings.FieldsFunc(o.Name, func(c rune) bool { return strings.ContainsRune("-:>/+", c) })
			named := slices.Contains(parts, strings.ToLower(cell.Name)) || o.Name == "stack" && cell.Mark == "to"
			if named != slices.Contains(cell.Actions, o.Action) {
				return fmt.Sprintf("%s has the actions %d; %s is %d", cell.Name, cell.Actions, o.Name, o.Action)
			}
		}
	}
	return ""
}

// diceFault compares scores and dice, such as those of "13-17@1 aside T3R2H4 roll R2C1K1"
// and "37-52@0 turn 14".
func diceFault(scene *game.Scene, text string) string {
	words := strings.Fields(text)
	scores, mover, _ := strings.Cut(words[0], "@")
	for p, n := range strings.Split(scores, "-") {
		if got := strconv.Itoa(scene.Seats[p].Score.Value); got != n {
			return fmt.Sprintf("seat %d has a score of %s", p, got)
		}
	}
	want, got := map[string]string{}, map[string]string{}
	for i := 1; i+1 < len(words); i++ {
		switch words[i] {
		case "aside", "roll":
			want[map[string]string{"aside": "set aside", "roll": "rolled"}[words[i]]] = words[i+1]
		case "turn":
			p, _ := strconv.Atoi(mover)
			if gain := strconv.Itoa(scene.Seats[p].Score.Gain); gain != words[i+1] {
				return "the turn is worth " + gain
			}
		}
	}
	letters := map[string]string{"tank": "T", "ray": "R", "human": "H", "cow": "C", "chicken": "K"}
	clickable := 0
	for _, group := range scene.Dice {
		for _, die := range group.Dice {
			clickable += len(die.Actions)
			if die.Face != "" {
				got[group.Name] += letters[die.Face] + strconv.Itoa(die.Count)
			}
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Sprintf("the dice are %v, want %v", got, want)
	}
	for _, o := range scene.Options {
		if o.Name != "stop" && o.Name != "hold" {
			clickable--
		}
	}
	if clickable != 0 {
		return "dice and actions differ in number"
	}
	return ""
}

// robotsFault compares robots and terrain with the letters behind "robots", "labs" and
// "map".
func robotsFault(scene *game.Scene, text string) string {
	words := strings.Fields(text)
	after := func(word string) string {
		if i := slices.Index(words, word); i >= 0 {
			return strings.ReplaceAll(words[i+1], "/", "")
		}
		return ""
	}
	robots, ground := "", ""
	letter := func(cell game.SceneCell) string {
		switch {
		case cell.Kind == "station":
			return "o"
		case cell.Pieces == nil:
			return "."
		}
		robot := string(rune('A' + cell.Pieces[0].Seat))
		if cell.Pieces[0].Lying {
			robot = strings.ToLower(robot)
		}
		return robot
	}
	for _, cell := range scene.Map.Cells {
		robots += letter(cell)
		ground += map[string]string{"gem": "g", "soda": "s", "metal": "m", "turf": "t", "stone": "#", "station": "o", "ground": "?"}[cell.Kind]
	}
	labs := ""
	for _, lab := range scene.Places {
		labs += letter(lab)
	}
	switch {
	case after("robots") != "" && robots != after("robots"):
		return "the robots are " + robots
	case after("labs") != "" && labs != after("labs"):
		return "the labs are " + labs
	case after("map") != "" && !strings.Contains(after("map"), "?") && ground != after("map"):
		return "the ground is " + ground
	}
	return ""
}

// regionsFault compares armies and towers with words such as "NM:3LMS".
func regionsFault(scene *game.Scene, text string) string {
	holders := strings.Split(text, " ;")[1:]
	for p, held := range holders {
		armies, regions := 0, 0
		for _, cell := range scene.Map.Cells {
			want := ""
			for _, word := range strings.Fields(held) {
				if name, what, ok := strings.Cut(word, ":"); ok && name == cell.Name {
					want = what
				}
			}
			got := ""
			for _, piece := range cell.Pieces {
				switch {
				case int(piece.Seat) != p:
				case piece.Kind == "army":
					got, armies = strconv.Itoa(piece.Count), armies+piece.Count
				default:
					got += strings.ToUpper(piece.Kind[:1])
				}
			}
			if got != strings.TrimPrefix(want, "0") { // a region that was just conquered is empty
				return fmt.Sprintf("%s has %q of seat %d, want %q", cell.Name, got, p, want)
			}
			if want != "" {
				regions++
			}
		}
		seat := scene.Seats[p]
		if seat.Score.Value != regions || seat.Counts[0].Value != armies {
			return fmt.Sprintf("seat %d has %d regions and %d armies, and counts %+v", p, regions, armies, seat)
		}
	}
	return ""
}
