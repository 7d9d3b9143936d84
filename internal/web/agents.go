package web

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game/message"
	"marsgym/internal/input"
	"marsgym/models"
)

// maxSearch bounds the simulations of a decision of a search. Chosen: it takes about a
// second in a Web Worker.
const maxSearch = 10_000

// runPrefix begins the names of agents of run folders.
const runPrefix = "run:"

// agentInfo is an agent that can sit in a seat.
type agentInfo struct {
	Name   string `json:"name"`
	About  string `json:"about"`            // what it is
	Level  string `json:"level,omitempty"`  // if its strength was measured
	Strong string `json:"strong,omitempty"` // how strong it is, in one line, if that was measured for as many players
	Brief  string `json:"brief,omitempty"`  // what it is in few words, if it has a level
	Run    bool   `json:"run,omitempty"`    // whether it is the network of a run folder
}

// listAgents lists the agents of Game for Players.
func (a *App) listAgents(ctx context.Context, r *Request) (any, error) {
	g, err := r.Address.open()
	if err != nil {
		return nil, err
	}
	to := speaker(r.Language, Address{})
	list := []agentInfo{{Name: Human, About: "a person at this page"}}
	if a.solved(g) {
		list = append(list, agentInfo{Name: agents.Exact, About: "best play: the game is solved"})
	}
	if a.hasPretrained(g) {
		list = append(list, agentInfo{Name: agents.Pretrained, About: "the network that comes with the program"})
	}
	for i, name := range g.BotNames() {
		about := "a hand-written bot"
		if i == 0 {
			about = "every legal action with the same probability"
		}
		list = append(list, agentInfo{Name: name, About: about})
	}
	if g.Spec().HasWin() {
		list = append(list, agentInfo{Name: "search:100", About: to.Say(message.New("tree search, {0} simulations a decision", 100))}, agentInfo{Name: "search:400", About: to.Say(message.New("tree search, {0} simulations a decision", 400))})
	}
	rank := func(x agentInfo) int {
		if rows, i := measured(r.Game, x.Name); i >= 0 {
			return i - len(rows)
		}
		return 0
	}
	slices.SortStableFunc(list[1:], func(x, y agentInfo) int { return rank(x) - rank(y) })
	for i, x := range list {
		if _, k := measured(r.Game, x.Name); k >= 0 {
			list[i].Level, list[i].Strong, list[i].Brief = to.Say(levelName(r.Game, x.Name)), to.Say(howStrong(r.Game, x.Name, r.Players)), to.Say(brief(x.Name))
		}
	}
	want := agents.MetaOf(g.Spec())
	for _, run := range a.runNames() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// Once per run: the checkpoint where there is no network yet.
		for _, x := range []agentInfo{{Name: run, About: "the network of a run folder"}, {Name: run + checkpointSuffix, About: "the checkpoint of a run folder"}} {
			if meta, err := readRun(a, x.Name, models.MetaFrom); err == nil && meta.Check(want) == nil {
				list = append(list, agentInfo{Name: runPrefix + x.Name, About: x.About, Run: true})
				break
			}
		}
	}
	for i := range list {
		list[i].About = to.Word(list[i].About)
	}
	return list, nil
}

var searchName = regexp.MustCompile(`^search:([0-9]{1,6})(?::(.+))?$`)

// allowed returns an error for the name of an agent that is not for pages: a file, or a
// search without a bound.
func (a *App) allowed(g env.Game, name string) error {
	model := name
	if m := searchName.FindStringSubmatch(name); m != nil {
		if n, err := strconv.Atoi(m[1]); err != nil || n < 1 || n > maxSearch {
			return message.NewError("{0}: want 1 to {1} simulations", input.Quote(name), maxSearch)
		}
		if model = m[2]; model == "" {
			return nil
		}
	} else if name == agents.Exact || slices.Contains(g.BotNames(), name) {
		return nil
	}
	run, ok := strings.CutPrefix(model, runPrefix)
	if ok && a.isRun(strings.TrimSuffix(run, checkpointSuffix)) || model == agents.Pretrained {
		return nil
	}
	return message.NewError("unknown agent {0}: agents are {1}, and run:NAME for a run folder", input.Quote(name), texts(slices.Concat([]string{agents.Exact}, g.BotNames(), []string{agents.Pretrained, "search:400"})))
}

// opened holds what opens networks, which takes a while, by rules and name.
type opened[T any] struct {
	sync.Mutex
	byName map[string]*T
}

// maxOpened bounds what stays opened. Chosen: a network has some 2 MB.
const maxOpened = 32

// get returns what is named key, which it opens if it is not there.
func (o *opened[T]) get(key string, open func() (*T, error)) (*T, error) {
	o.Lock()
	x := o.byName[key]
	o.Unlock()
	if x != nil {
		return x, nil
	}
	x, err := open()
	if err != nil {
		return nil, err
	}
	o.Lock()
	defer o.Unlock()
	if len(o.byName) >= maxOpened || o.byName == nil {
		o.byName = map[string]*T{}
	}
	o.byName[key] = x
	return x, nil
}

func (a *App) agent(ctx context.Context, g env.Game, name string) (*agents.Agent, error) {
	if err := a.allowed(g, name); err != nil {
		return nil, err
	}
	open := func() (*agents.Agent, error) { return agents.Open(ctx, name, a.openOptions(ctx, g)) }
	if strings.Contains(name, runPrefix) { // its file can change
		return open()
	}
	return a.agents.get(g.Spec().RulesHash()+" "+name, open)
}

// openOptions returns the options with which agents of a game are opened.
func (a *App) openOptions(ctx context.Context, g env.Game) agents.Options {
	return agents.Options{
		Game:  g,
		Solve: func(ctx context.Context) (env.Solution, error) { return a.solve(ctx, g) },
		Load: func(name string) (*models.File, error) {
			if run, ok := strings.CutPrefix(name, runPrefix); ok {
				return readRun(a, run, models.LoadFrom)
			}
			if a.opt.Pretrained != nil {
				return a.opt.Pretrained(ctx, g.Spec())
			}
			return agents.LoadPretrained(g.Spec())
		},
	}
}

// hasPretrained reports whether a network for a game comes with the program.
func (a *App) hasPretrained(g env.Game) bool {
	if a.opt.Pretrained == nil {
		return slices.Contains(agents.Names(g), agents.Pretrained)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := a.opt.Pretrained(ctx, g.Spec())
	return !errors.Is(err, fs.ErrNotExist)
}

// play lets the agent in the seat to move play one action, and returns the view.
func (a *App) play(ctx context.Context, r *Request) (any, error) {
	g, at, err := r.position(ctx)
	if err != nil {
		return nil, err
	}
	who := at.CurrentPlayer()
	if r.Step != nil || who < 0 || g.Seats[who] == Human || g.rec.AtLimit() {
		return nil, errors.New("no agent is to move here")
	}
	wait, cancel := context.WithTimeout(ctx, a.patience(valuesTime))
	defer cancel()
	agent, err := a.agent(wait, g.game, g.Seats[who])
	standIn := errors.Is(err, errSolving) && ctx.Err() == nil
	if standIn { // the game goes on until best play is known
		agent, err = a.agent(ctx, g.game, a.standIn(g.game))
	}
	if err != nil {
		return nil, err
	}
	if err := g.playBy(ctx, agent); err != nil {
		return nil, err
	}
	v, err := g.view(ctx, nil)
	if err == nil && standIn {
		v.Solving = a.solvingOf(g.game)
	}
	return v, err
}

// playBy lets an agent play an action, and draws dice up to the next decision.
func (r *replay) playBy(ctx context.Context, agent *agents.Agent) error {
	probs, err := env.ActionProbabilities(ctx, agent, r.rec.Position(), r.spec.Actions)
	if err != nil {
		return err
	}
	action := r.rec.Sample(probs)
	if err := r.rec.Apply(action); err != nil {
		return err
	}
	r.Moves = append(r.Moves, r.game.ActionName(action))
	r.draw()
	return nil
}

// standIn names the agent that plays for exact until the game is solved.
func (a *App) standIn(g env.Game) string {
	if a.hasPretrained(g) {
		return agents.Pretrained
	}
	if !g.Spec().HasWin() { // which searches need
		return agents.BestBot(g)
	}
	return "search:400"
}

// Prepare lists the games, and finds out which are solved: the first requests of the page would
// wait for that.
func (a *App) Prepare() {
	gameList()
	for _, id := range catalog.IDs() {
		if g, err := catalog.Open(id, 0, nil); err == nil {
			a.solved(g)
		}
	}
}

// solved reports whether exact values of a game can be had here, as far as is known before it
// is solved.
func (a *App) solved(g env.Game) bool {
	if a.opt.Solvable != nil {
		return a.opt.Solvable(g)
	}
	rules := g.Spec().RulesHash()
	if known, ok := a.solvable.Load(rules); ok {
		return known.(bool)
	}
	e, ok := g.Estimate()
	solved := !(ok && e.Bytes > maxSolution) && env.Solvable(g)
	a.solvable.Store(rules, solved)
	return solved
}
