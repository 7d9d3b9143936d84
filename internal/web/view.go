package web

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/rulesbook"
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
	Kept     Kept        `json:"kept"`
	Ended    bool        `json:"ended"`
	Solving  *Solving    `json:"solving,omitempty"` // of play: exact was not ready, and another agent has played for it
}

// Kept is what the page keeps of a game for longer than it is in a language, in English.
type Kept struct {
	Result  string `json:"result,omitempty"` // of the only person: "won 26 : 14", "lost 14 : 26" or "took 12"
	Against string `json:"against"`          // the agents
	Unit    string `json:"unit"`
}

// Option is a legal action.
type Option struct {
	Action int    `json:"action"`
	Name   string `json:"name"`
	About  string `json:"about"`
	Kind   string `json:"kind"`   // the same for actions of a kind
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
	v := &View{Address: r.Address, Title: r.to.Say(r.spec.Called()), Unit: r.unit(), Step: steps, Steps: steps, Log: []Entry{}}
	for seat := range message.Seat(r.spec.Players) {
		v.Names = append(v.Names, r.to.Name(seat))
	}
	if step != nil {
		v.Step = *step
	}
	at := r.rec.At(v.Step)
	v.Position, v.Scene, v.Text, v.Mover = at.String(), at.Scene(), at.Render(r.to), int(at.CurrentPlayer())
	if v.Scene != nil {
		v.Scene.In(r.to)
	}
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
		v.Log = append(v.Log, r.entry(s, used))
	}
	for _, act := range at.Legal() {
		after, err := at.Apply(act)
		if err != nil {
			return nil, err
		}
		about := at.DescribeAction(act)
		v.Options = append(v.Options, Option{int(act), r.game.ActionName(act), r.to.Say(about), about.Head().Key, after.CurrentPlayer() == game.Chance})
	}
	if at.CurrentPlayer() == game.Chance {
		v.Ask = r.to.Say(at.AskRoll())
	}
	v.Kept = r.kept()
	if v.Ended = r.rec.Over(); v.Ended {
		v.Result = r.result()
	}
	return v, nil
}

// entry tells of a step.
func (r *replay) entry(s env.Transition, used int) Entry {
	e := Entry{Seat: int(s.Before.CurrentPlayer()), Name: s.Roll, Used: used, Told: []string{}}
	for _, m := range s.Told() {
		e.Told = append(e.Told, strings.TrimSpace(r.to.Say(m)))
	}
	e.Turn = e.Seat
	if s.Chance() {
		e.Turn = game.TurnSeat(s.Before.String())
	} else {
		e.Name, e.About = r.game.ActionName(s.Action), r.to.Say(s.Before.DescribeAction(s.Action))
	}
	return e
}

// unit names what values count; "" for shares of the win.
func (r *replay) unit() string {
	if r.spec.HasWin() {
		return ""
	}
	return r.to.Word(r.spec.Unit)
}

// result says how a game has ended: first what the only person got, with that seat's score
// first, then which other seats won, then why it is over.
func (r *replay) result() []string {
	if r.rec.AtLimit() {
		return []string{r.to.Word("The game has reached its limit of moves and is stopped. Nobody wins.")}
	}
	var lines []string
	say := func(key string, args ...any) { lines = append(lines, capital(r.to.Say(message.New(key, args...)))) }
	figure := func(x float64) message.Figure { return message.Figure(fmt.Sprintf("%.4g", x)) }
	returns, person := r.rec.Position().Returns(), slices.Index(r.to.Names, "")
	if person >= 0 && r.spec.HasWin() {
		switch share := r.spec.WinShare(returns[person]); {
		case share > 1-game.Tie:
			say("result.won", r.score(person))
		case share > game.Tie:
			say("result.shared", r.score(person), figure(share))
		default:
			say("result.lost", r.score(person))
		}
	}
	for i, x := range returns {
		seat := message.Seat(i)
		switch share := r.spec.WinShare(x); {
		case !r.spec.HasWin():
			say("result.took", seat, figure(r.spec.Counted(x)), message.New(r.spec.Unit))
		case i == person || person >= 0 && r.spec.Players == 2:
		case share > 1-game.Tie:
			say("result.wins", seat)
		case share > game.Tie:
			say("result.gets", seat, figure(share))
		}
	}
	if k := len(r.rec.Steps); k > 0 {
		for _, why := range r.rec.Steps[k-1].Told() {
			say("result.why", strings.TrimRight(capital(strings.TrimSpace(r.to.Say(why))), ":："))
		}
	}
	return lines
}

// kept returns what the page keeps.
func (r *replay) kept() (k Kept) {
	if !r.spec.HasWin() {
		k.Unit = r.spec.Unit
	}
	var against []string
	for seat, name := range speaker("", r.Address).Names {
		if r.Seats[seat] != Human {
			against = append(against, name)
		}
	}
	k.Against = strings.Join(against, ", ")
	person := slices.Index(r.to.Names, "")
	if person < 0 || !r.rec.Over() || r.rec.AtLimit() {
		return k
	}
	switch x := r.rec.Position().Returns()[person]; {
	case r.spec.Negated:
		k.Result = fmt.Sprintf("took %g", r.spec.Counted(x))
	case !r.spec.HasWin():
		k.Result = fmt.Sprintf("%g %s", x, r.spec.Unit)
	case r.spec.WinShare(x) > 1-game.Tie:
		k.Result = "won " + r.score(person).String()
	case r.spec.WinShare(x) < game.Tie:
		k.Result = "lost " + r.score(person).String()
	}
	return k
}

// capital returns a text with a capital at its beginning.
func capital(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:n]) + text[n:]
}

// score returns the score at the end, that of a seat first; nothing if the game has none.
func (r *replay) score(seat int) (text message.Message) {
	scene := r.rec.Position().Scene()
	if scene == nil {
		return text
	}
	scores := []string{fmt.Sprint(scene.Seats[seat].Score.Value)}
	for i, s := range scene.Seats {
		if i != seat {
			scores = append(scores, fmt.Sprint(s.Score.Value))
		}
	}
	return message.Text(strings.Join(scores, " : "))
}

// gameInfo is a game of the catalog.
type gameInfo struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	About   string `json:"about"`
	Players int    `json:"players"` // by default
	Min     int    `json:"min"`
	Max     int    `json:"max"`

	called message.Message // the title
}

func (a *App) games(_ context.Context, r *Request) (any, error) {
	list, err := gameList()
	to := speaker(r.Language, Address{})
	list = slices.Clone(list)
	for i := range list {
		list[i].Title, list[i].About = to.Say(list[i].called), to.Word(list[i].About)
	}
	return list, err
}

// gameList lists the games of the catalog, which takes a moment.
var gameList = sync.OnceValues(func() ([]gameInfo, error) {
	var list []gameInfo
	for _, e := range catalog.List() {
		g, err := catalog.Open(e.ID, 0, nil)
		if err != nil {
			return nil, err
		}
		spec := g.Spec()
		info := gameInfo{e.ID, spec.Title, e.About, spec.Players, spec.Players, spec.Players, spec.Called()}
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
	return map[string]any{"title": speaker(r.Language, Address{}).Say(spec.Called()), "language": language, "blocks": blocks, "notation": rulesbook.Notation(spec)}, nil
}

// explain returns lines about Word in the position.
func (a *App) explain(ctx context.Context, r *Request) (any, error) {
	g, at, err := r.position(ctx)
	if err != nil {
		return nil, err
	}
	return map[string][]string{"lines": append([]string{}, at.Explain(g.to, strings.ToLower(r.Word))...)}, nil
}

// write returns the game as text, which cmd/eval reads too.
func (a *App) write(ctx context.Context, r *Request) (any, error) {
	if r.Start != "" {
		return nil, message.NewError("the game starts at a position of its own; the text holds games from their beginning")
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
