package web

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/rulesbook"
	"marsgym/internal/seats"
)

// View is a position of a game, as the page shows it.
type View struct {
	Address  Address     `json:"address"`
	Title    string      `json:"title"` // of the game
	Names    []string    `json:"names"` // [P] of the seats: "you" for the only person
	Unit     string      `json:"unit"`  // of values: "" for shares of the win
	Step     int         `json:"step"`
	Steps    int         `json:"steps"` // of the game
	Used     int         `json:"used"`  // moves of the address up to the position
	Position string      `json:"position"`
	Scene    *game.Scene `json:"scene"` // the position as data, or nil
	Text     string      `json:"text"`  // the position for people
	Mover    int         `json:"mover"` // a seat, game.Chance or game.Terminal
	Options  []Option    `json:"options,omitempty"`
	Ask      string      `json:"ask,omitempty"` // what is to be rolled, and how to type it
	Log      []Entry     `json:"log"`
	Result   []string    `json:"result,omitempty"`
	Ended    bool        `json:"ended"`
	Solving  *Solving    `json:"solving,omitempty"` // of play: exact was not ready, and another agent has played for it
}

// Option is a legal action.
type Option struct {
	Action int    `json:"action"`
	Name   string `json:"name"`
	About  string `json:"about"`
	Chance bool   `json:"chance"` // whether a roll follows
}

// Entry tells of a step.
type Entry struct {
	Seat  int      `json:"seat"`  // or game.Chance
	Turn  int      `json:"turn"`  // the seat whose turn it is, chance included; -1 for none
	Name  string   `json:"name"`  // of the action, or the roll
	About string   `json:"about"` // the action in words
	Told  []string `json:"told"`
	Used  int      `json:"used"` // moves of the address up to the end of the step
}

// view returns the position of Address at Step.
func (a *App) view(ctx context.Context, r *Request) (any, error) {
	g, _, err := r.position(ctx)
	if err != nil {
		return nil, err
	}
	return g.view(ctx, r.Step)
}

func (r *replay) view(ctx context.Context, step *int) (*View, error) {
	steps := len(r.rec.Steps)
	n := r.names()
	v := &View{Address: r.Address, Title: r.spec.Title, Names: n, Step: steps, Steps: steps, Log: []Entry{}}
	if !r.spec.HasWin() {
		v.Unit = r.spec.Unit
	}
	if step != nil {
		v.Step = *step
	}
	at := r.rec.At(v.Step)
	v.Position, v.Scene, v.Text, v.Mover = at.String(), at.Scene(), at.Render(), int(at.CurrentPlayer())
	nameScene(n, v.Scene)
	used := 0
	for i, s := range r.rec.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.Typed || !s.Chance() {
			used++
		}
		if i < v.Step {
			v.Used = used
		}
		v.Log = append(v.Log, r.entry(n, s, used))
	}
	for i, act := range at.Legal() {
		after, err := at.Apply(act)
		if err != nil {
			return nil, err
		}
		o := Option{Action: int(act), Name: r.game.ActionName(act), Chance: after.CurrentPlayer() == game.Chance}
		if v.Scene != nil {
			o.About = v.Scene.Options[i].Text
		} else {
			o.About = n.In(at.DescribeAction(act))
		}
		v.Options = append(v.Options, o)
	}
	if at.CurrentPlayer() == game.Chance {
		v.Ask = n.In(at.AskRoll())
	}
	if v.Ended = r.rec.Over(); v.Ended {
		v.Result = r.result(n)
	}
	return v, nil
}

// entry tells of a step.
func (r *replay) entry(n seats.Names, s env.Transition, used int) Entry {
	e := Entry{Seat: int(s.Before.CurrentPlayer()), Name: s.Roll, Used: used, Told: n.All(s.Told())}
	e.Turn = e.Seat
	if s.Chance() {
		e.Turn = game.TurnSeat(s.Before.String())
	} else {
		e.Name, e.About = r.game.ActionName(s.Action), n.In(s.Before.DescribeAction(s.Action))
	}
	return e
}

// result says how a game has ended: first what the only person got, with that seat's score
// first, then which other seats won, then why it is over.
func (r *replay) result(n seats.Names) []string {
	if r.rec.AtLimit() {
		return []string{"The game has reached its limit of moves and is stopped. Nobody wins."}
	}
	returns, person := r.rec.Position().Returns(), n.Person()
	var lines []string
	if person >= 0 && r.spec.HasWin() {
		share, did := r.spec.WinShare(returns[person]), "lost"
		switch {
		case share > 1-game.Tie:
			did = "won"
		case share > game.Tie:
			did = fmt.Sprintf("got %.4g of the win,", share)
		}
		lines = append(lines, fmt.Sprintf("You %s%s.", did, r.score(person)))
	}
	for i, x := range returns {
		name := capital(n[i])
		switch share := r.spec.WinShare(x); {
		case !r.spec.HasWin():
			lines = append(lines, fmt.Sprintf("%s took %g %s.", name, -x, r.spec.Unit))
		case i == person || person >= 0 && r.spec.Players == 2:
		case share > 1-game.Tie:
			lines = append(lines, name+" wins.")
		case share > game.Tie:
			lines = append(lines, fmt.Sprintf("%s gets %.4g of the win.", name, share))
		}
	}
	if k := len(r.rec.Steps); k > 0 {
		for _, why := range n.All(r.rec.Steps[k-1].Told()) {
			lines = append(lines, strings.TrimSuffix(capital(strings.TrimSpace(why)), ":")+".")
		}
	}
	return lines
}

// capital returns a text with a capital at its beginning.
func capital(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:n]) + text[n:]
}

// score returns the score at the end, that of a seat first; "" if the game has none.
func (r *replay) score(seat int) string {
	scene := r.rec.Position().Scene()
	if scene == nil {
		return ""
	}
	text := fmt.Sprintf(" %d", scene.Seats[seat].Score.Value)
	for i, s := range scene.Seats {
		if i != seat {
			text += fmt.Sprintf(" : %d", s.Score.Value)
		}
	}
	return text
}

// gameInfo is a game of the catalog.
type gameInfo struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	About   string `json:"about"`
	Players int    `json:"players"` // by default
	Min     int    `json:"min"`
	Max     int    `json:"max"`
}

func (a *App) games(context.Context, *Request) (any, error) { return gameList() }

// gameList lists the games of the catalog, which takes a moment.
var gameList = sync.OnceValues(func() (any, error) {
	var list []gameInfo
	for _, e := range catalog.List() {
		g, err := catalog.Open(e.ID, 0, nil)
		if err != nil {
			return nil, err
		}
		spec := g.Spec()
		info := gameInfo{e.ID, spec.Title, e.About, spec.Players, spec.Players, spec.Players}
		for n := 1; n <= maxPlayers; n++ {
			if _, err := catalog.Open(e.ID, n, nil); err == nil {
				info.Min, info.Max = min(info.Min, n), max(info.Max, n)
			}
		}
		list = append(list, info)
	}
	return list, nil
})

// rules returns the rules of Game for Players in Language, or in English if they are not
// translated, and the language that it is.
func (a *App) rules(_ context.Context, r *Request) (any, error) {
	g, err := r.Address.open()
	if err != nil {
		return nil, err
	}
	spec := g.Spec()
	language, blocks := r.Language, rulesbook.Blocks(spec, r.Language)
	if blocks == nil {
		language, blocks = rulesbook.English, append([]rulesbook.Block{}, rulesbook.Blocks(spec, rulesbook.English)...)
	}
	return map[string]any{"title": spec.Title, "language": language, "blocks": blocks, "notation": rulesbook.Notation(spec)}, nil
}

// explain returns lines about Word in the position.
func (a *App) explain(ctx context.Context, r *Request) (any, error) {
	_, at, err := r.position(ctx)
	if err != nil {
		return nil, err
	}
	return map[string][]string{"lines": append([]string{}, at.Explain(strings.ToLower(r.Word))...)}, nil
}

// write returns the game as text, which cmd/eval reads too.
func (a *App) write(ctx context.Context, r *Request) (any, error) {
	if r.Start != "" {
		return nil, fmt.Errorf("the game starts at a position of its own; the text holds games from their beginning")
	}
	g, err := r.Address.replay(ctx)
	if err != nil {
		return nil, err
	}
	g.rec.Truncated = g.rec.AtLimit()
	var b bytes.Buffer
	if err := g.rec.Write(&b); err != nil {
		return nil, err
	}
	return map[string]string{"text": b.String()}, nil
}

// names names the seats of a game for those who sit at the page: agents have the names of their
// levels.
func (r *replay) names() seats.Names {
	levels := make([]string, len(r.Seats))
	for i, name := range r.Seats {
		if name != Human {
			levels[i] = levelName(r.Game, name)
		}
	}
	return seats.Call(levels, "seat %d", "%s%c")
}

// nameScene replaces the seats in the texts of a scene, whose slices it owns.
func nameScene(n seats.Names, s *game.Scene) {
	if s == nil {
		return
	}
	s.Text = n.In(s.Text)
	for i := range s.Options {
		s.Options[i].Text = n.In(s.Options[i].Text)
	}
	for i := range s.Places {
		s.Places[i].Text = n.In(s.Places[i].Text)
	}
	if s.Map != nil {
		for i := range s.Map.Cells {
			s.Map.Cells[i].Text = n.In(s.Map.Cells[i].Text)
		}
	}
}
