package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"marsgym/env/catalog"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/web"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

// Bounds of a browser test and of one wait in it; they measure nothing.
const (
	patience = 15 * time.Minute
	moment   = 2 * time.Minute
)

func (x *tab) must(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

// wait waits until expressions are all true.
func (x *tab) wait(expressions ...string) {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.ctx, moment)
	defer cancel()
	if err := x.Wait(ctx, expressions...); err != nil {
		var text string
		x.Eval(context.WithoutCancel(x.ctx), "`at ${location.href}, with the focus on ${document.activeElement?.cloneNode().outerHTML}:\n${document.body.innerText}`", &text)
		x.t.Fatalf("%v\nerrors %q; the page is %.2000s", err, x.Errors(), text)
	}
}

// TestBrowserWait: a wait that fails says what each of its parts is.
func TestBrowserWait(t *testing.T) {
	x := open(t, browser(t), "about:blank")
	over, cancel := context.WithCancel(x.ctx)
	cancel()
	err := x.Wait(over, "1 + 1", "document.querySelector('main')", "document.title.a.b")
	for _, want := range []string{`"2" is the value of 1 + 1`, `"null" is the value of document.querySelector('main')`, `Cannot read properties of undefined`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the wait has failed with %v; want %s", err, want)
		}
	}
}

// text returns the text of an expression, or of what it promises.
func (x *tab) text(expression string) (s string) {
	x.t.Helper()
	x.must(x.Eval(x.ctx, "(async () => String(await ("+expression+")))()", &s))
	return s
}

// do evaluates an expression.
func (x *tab) do(expression string) {
	x.t.Helper()
	x.must(x.Eval(x.ctx, expression, nil))
}

// served returns the address of a server without run folders, which the tests of the browser share.
func served(t testing.TB) string {
	t.Helper()
	s, err := everyones()
	if err != nil {
		t.Fatal(err)
	}
	return s.address()
}

var everyones = sync.OnceValues(func() (*server, error) {
	s, l, err := listen(web.Options{Work: work, Limit: limit}, "")
	if err == nil {
		go s.serve(context.Background(), l)
	}
	return s, err
})

// Bounds of requests in tests.
const (
	work  = 2
	limit = time.Minute
)

// serve serves the page with bounds of requests until the test ends, and returns its address.
func serve(t testing.TB, opt web.Options) string {
	t.Helper()
	opt.Work, opt.Limit = work, limit
	return start(t, opt, "").address()
}

// start serves the page until the test ends; a token that is not "" is wanted from it.
func start(t testing.TB, opt web.Options, token string) *server {
	t.Helper()
	s, l, err := listen(opt, token)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return s
}

// listen returns a server of the page and where it can be served.
func listen(opt web.Options, token string) (*server, net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	if opt.Solve == nil {
		opt.Solve = solved
	}
	s := newServer(web.New(opt), l.Addr().(*net.TCPAddr))
	s.token = token
	return s, l, nil
}

// trained returns a folder with a run folder for Pig.
func trained(t testing.TB) *os.Root {
	t.Helper()
	g, err := catalog.Open("pig", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := train.DefaultForAlgorithm(g, train.AlgorithmPPO)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Steps = 50_000
	dir := t.TempDir()
	run := filepath.Join(dir, "pig")
	if err := os.Mkdir(run, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: run, Learner: gorgonia.New, Backend: "gorgonia"}); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// exportedFiles returns the files of the exported page.
func exportedFiles(t testing.TB) map[string][]byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	var out, errs bytes.Buffer
	if status := run(t.Context(), []string{"-export", dir, "-cache", "none"}, strings.NewReader(""), &out, &errs); status != 0 {
		t.Fatalf("status %d, %s", status, errs.String())
	}
	return filesOf(t, dir)
}

// site exports the page, and serves it as an awkward host does.
func site(t testing.TB) *httptest.Server {
	t.Helper()
	h := &host{declares: true, falls: true}
	h.publish(exportedFiles(t))
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// The choices of the person to move, and the end of a game.
const (
	choice = `document.querySelector('.option-button:not(:disabled)')`
	ended  = `document.querySelector('.result')`
)

// play makes choices until the game ends or so many are made; choose makes one.
func (x *tab) play(most int, choose func(n int)) {
	x.t.Helper()
	for n := range most {
		x.wait(choice + " || " + ended)
		if x.text("Boolean("+ended+")") == "true" {
			return
		}
		before := x.text("location.hash")
		choose(n)
		x.wait(fmt.Sprintf("location.hash !== %q", before))
	}
}

// byClick makes a choice in the list of choices: they vary, so that all kinds come up.
func (x *tab) byClick(n int) {
	x.t.Helper()
	x.do(fmt.Sprintf(`(() => { const list = document.querySelectorAll('.option-button:not(:disabled)'); list[%d %% list.length].click(); })()`, n*n+n/3))
}

// whole is more choices than a game has that is played to the end.
const whole = 3000

// games plays games of all kinds, up to so many choices; choose makes one.
func (x *tab) games(url string, choices int, choose func(n int)) {
	x.t.Helper()
	for i, id := range catalog.IDs() {
		most := choices
		if !fulltest.On() {
			if i%3 != 0 {
				continue
			}
			most = 5
		} else if id == "martian-risk" {
			most = min(40, choices) // its game has up to a hundred rounds; the smaller maps are played to the end
		}
		g, err := catalog.Open(id, 0, nil)
		if err != nil {
			x.t.Fatal(err)
		}
		seats := "human" + strings.Repeat(",random", g.Spec().Players-1)
		x.load(fmt.Sprintf("%s#play?game=%s&players=%d&seed=%d&seats=%s", url, id, g.Spec().Players, 3+i, seats))
		x.play(most, choose)
		if got := x.text(`document.querySelector('.error:not(:empty)')?.textContent ?? ''`); got != "" {
			x.t.Errorf("%s: %s", id, got)
		}
		if most == whole {
			x.wait(ended)
		}
	}
}

// long is the name of the variable with which whole games are played by keyboard in both
// shells.
const long = "MARSGYM_BROWSER"

func TestBrowserGames(t *testing.T) {
	b := chromium(t)
	t.Run("served", func(t *testing.T) {
		url := served(t)
		x := open(t, b, url)
		x.games(url, whole, x.byClick)
		y := open(t, b, url)
		y.games(url, whole, y.byKeyboard)
	})
	t.Run("exported", func(t *testing.T) {
		if !fulltest.On() {
			t.Skip("compiling takes half a minute; MARSGYM_FULL=1 tests it")
		}
		s := site(t)
		y, choices := open(t, b, s.URL), 25 // the page is the same as served, and so are its keys
		if os.Getenv(long) != "" {
			choices = whole
		}
		y.games(s.URL+"/", choices, y.byKeyboard)
		x := open(t, b, s.URL)
		x.games(s.URL+"/", whole, x.byClick)
		for _, page := range pagesToSee {
			if page.name == "rolls" { // of a game that is solved in the worker
				x.see(s.URL+"/", page)
			}
		}
		x.see(s.URL+"/", pageToSee{
			hash: "play?game=martian-dice&players=1&seed=7&seats=human", complete: choice,
			act: "document.querySelector('.switch input').click()", then: `document.querySelector('.loss.best')?.textContent === '✓ best'`,
		})
		offline(x, s)
	})
}

// offline stops the server: the page in every language, the values that it has used, an agent and
// advice for real dice still work.
func offline(x *tab, s *httptest.Server) {
	x.t.Helper()
	const position = "/#play?game=martian-dice&players=2&seed=7&seats=human,greedy"
	x.load(s.URL + position)
	x.wait("navigator.serviceWorker.controller")
	x.wait(choice)
	x.do(`document.querySelector('.switch input').click()`)
	x.wait(`document.querySelector('.worth')`)
	before := x.text(`document.querySelector('.options').innerText`)
	s.CloseClientConnections()
	s.Config.Handler = http.NotFoundHandler()
	x.load(s.URL + position)
	x.wait(`document.querySelector('.worth')`)
	if after := x.text(`document.querySelector('.options').innerText`); after != before {
		x.t.Errorf("without a network the choices are %q, want %q", after, before)
	}
	for _, language := range []struct{ code, choices, text string }{{"de", "Deine Züge", "Hühner nehmen"}, {"zh", "你的選擇", "雞"}, {"en", "Your choices", "chickens"}} {
		x.speak(language.code)
		x.wait(fmt.Sprintf(`document.querySelector('.actions h2')?.textContent === %q`, language.choices), fmt.Sprintf(`document.querySelector('.options').textContent.includes(%q)`, language.text))
	}
	x.play(10, func(int) { x.do(choice + `.click()`) })
	x.exerciseOfDay(s.URL + "/")
	x.load(s.URL + "/#play?game=martian-dice&players=2&dice=typed")
	x.wait(`document.querySelector('.pad')`)
	for _, face := range strings.Fields("t t r h c k k k k k c c h") {
		x.click("face-" + face)
	}
	x.click("enter-roll")
	x.wait(`document.querySelector('.loss.best')?.textContent === '✓ best'`)
}

// TestBrowserValues compares the values on the page with those of the solution, with one digit
// and, in the table, as cmd/solve writes them.
func TestBrowserValues(t *testing.T) {
	b := browser(t)
	g, err := catalog.Open("martian-dice", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	solution, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	url := served(t)
	x := open(t, b, url)
	for _, text := range []string{"13-17@1 aside T3R2H4 roll R2C1K1", "0-0@0 aside T2 roll R3H1C3K4", "24-24@0 aside R5H3"} {
		at, err := g.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		values, err := solution.Options(at)
		if err != nil {
			t.Fatal(err)
		}
		x.load(url + "#editor?game=martian-dice&players=2&position=" + strings.ReplaceAll(text, " ", "%20"))
		x.wait(`document.querySelector('.digits')`) // on a slow machine, the first values are estimates
		for digits, rows := range map[int]string{1: ".options li", 6: ".digits tbody tr"} {
			shown := x.text(fmt.Sprintf(`[...document.querySelectorAll('%s')].map((row) => (row.querySelector('[data-key]')?.dataset.key.slice(7) ?? row.querySelector('th').textContent) + ' ' + row.querySelector('.number').textContent).join('\n')`, rows))
			for i, a := range at.Legal() {
				want := fmt.Sprintf("%s %.*f\u00a0%%", g.ActionName(a), digits, 100*g.Spec().WinShare(values[i]))
				if !strings.Contains(shown+"\n", want+"\n") {
					t.Errorf("%s: the page has\n%s\nwant %s", text, shown, want)
				}
			}
		}
	}
}

// TestBrowserLateValues makes a choice while its values are computed: when they come, no
// second choice can be made.
func TestBrowserLateValues(t *testing.T) {
	url := served(t)
	x := open(t, browser(t), url)
	x.must(x.Open(x.ctx, url+"#play?game=martian-dice&players=1&seed=7&seats=human"))
	x.wait(choice)
	x.do(`{
		const held = {}, send = window.fetch;
		for (const name of ['values', 'view']) held[name] = new Promise((resolve) => { window['release_' + name] = resolve; });
		window.fetch = async (to, request) => {
			const { do: name } = JSON.parse(request.body);
			window['asked_' + name] = true;
			const answer = await send(to, { ...request, signal: undefined });
			await held[name];
			return answer;
		};
	}`)
	x.do(`document.querySelector('.switch input').click()`)
	x.wait(`window.asked_values`)
	x.do(choice + `.click()`)
	x.do(`release_values()`)
	x.wait(`document.querySelector('.worth')`)
	if x.text(choice) != "null" {
		t.Error("a second choice can be made")
	}
	x.do(`release_view()`)
	x.wait(choice)

	// Estimates are asked for at the choices of a person, not in passing.
	x.script(`{ const send = window.fetch; window.asked = 0; window.fetch = (to, request) => { asked += /"do":"values"/.test(request?.body); return send(to, request); }; }`)
	x.load(url + "#play?game=mars-is-ours&players=2&seed=7&seats=human,random")
	x.play(2, func(int) { x.do(choice + `.click()`) })
	x.wait(choice)
	if got := x.text("asked"); got != "3" {
		t.Errorf("at three choices the page has asked for values %s times", got)
	}
}

// TestBrowserPages opens every page, and every tab of an ended game.
func TestBrowserPages(t *testing.T) {
	if !fulltest.On() {
		t.Skip("MARSGYM_FULL=1 tests it")
	}
	url := serve(t, web.Options{Runs: trained(t)})
	x := open(t, browser(t), url)
	for _, page := range pagesToSee {
		x.see(url, page)
	}
	x.load(url + "#play?game=martian-dice&players=2&seed=7&seats=greedy,random")
	x.wait(ended)
	for tab, complete := range map[string]string{"moves": ".log li", "review": ".mistakes", "rules": ".rules p", "share": "textarea"} {
		x.do("document.getElementById('tab-" + tab + "').click()")
		x.wait("document.querySelector('.panel " + complete + "')")
	}
	x.do("document.getElementById('tab-review').click()")
	x.wait("document.querySelector('.panel .chart')")
	x.do(`[...document.querySelectorAll('.mistakes button')][0].click()`)
	x.wait(`document.querySelector('.actions h2')?.textContent === 'Find the best choice'`)
	x.do(choice + ".click()")
	x.wait(`document.querySelector('.worth')`)
	x.load(url + "#play?game=mars-is-ours&players=2&seed=7&seats=human,greedy") // with estimates
	x.wait(choice)
	x.do("document.getElementById('tab-review').click()")
	x.wait("document.querySelector('.panel .chart')")
	x.load(url + "#" + lastChoice(t, "pig"))
	x.wait(choice)
	x.do("[...document.querySelectorAll('.option-button')].at(-1).click()")
	x.wait(ended)
	x.load(url + "#games")
	x.wait(`document.querySelector('.game-list li')`)
	x.press("Pig for 2 players")
	x.wait(`document.querySelector('section table')`)
}

// pageToSee is a page with what is on it when it is complete, and perhaps an act with what
// is there after it.
type pageToSee struct{ name, hash, complete, act, then string }

// pagesToSee are the pages that are opened, checked by axe-core and drawn.
var pagesToSee = []pageToSee{
	{name: "home", hash: "", complete: `document.querySelector('.setup .primary')`},
	{name: "rules", hash: "rules?game=mars-is-ours", complete: `document.querySelector('.rules table')`},
	{name: "rules-quick", hash: "rules?game=mars-is-ours-fast", complete: `document.querySelector('.rules .map .cell')`},
	{name: "editor", hash: "editor?game=pig&players=2&position=37-52%400%20turn%2014", complete: `document.querySelector('.worth')`},
	{name: "games", hash: "games", complete: `document.querySelector('textarea')`},
	{name: "runs", hash: "runs?run=pig", complete: `document.querySelectorAll('.curves .chart').length > 1`},
	{name: "dice", hash: "play?game=martian-dice&players=2&seed=7&seats=human,greedy&moves=chickens", complete: choice},
	{name: "pig", hash: "play?game=pig&players=3&seed=7&seats=human,greedy,random", complete: choice},
	{name: "mars", hash: "play?game=mars-is-ours&players=3&seed=7&seats=human,greedy,greedy", complete: choice},
	{name: "mars-quick", hash: "play?game=mars-is-ours-fast&players=2&seed=8&seats=human,greedy", complete: choice},
	{name: "risk", hash: "play?game=martian-risk&players=4&seed=7&seats=human,greedy,greedy,greedy", complete: choice},
	{name: "risk-small", hash: "play?game=martian-risk-small&players=3&seed=7&seats=human,greedy,greedy", complete: choice},
	{name: "coach", hash: "play?game=martian-dice&players=2&dice=typed", complete: `document.querySelector('.pad')`},
	{name: "wrong", hash: "play?game=pig&players=2&moves=hop", complete: `document.querySelector('[role=alert]')`},
	{
		name: "values", hash: "play?game=martian-dice&players=2&seed=7&seats=human,greedy&moves=chickens", complete: choice,
		act: "document.querySelector('.switch input').click()", then: "document.querySelector('.worth')",
	},
	{
		name: "rolls", hash: "editor?game=pig&players=2&position=37-52%400%20turn%2014", complete: "document.querySelector('.worth')",
		act: "[...document.querySelectorAll('.small')].find((b) => b.textContent === 'Rolls').click()", then: "document.querySelector('.heatmap')",
	},
	{name: "editor-mars", hash: "editor?game=mars-is-ours&players=2&position=7-2%400%20start%201%20tokens%205-6%20hand%203-2%20junk%207-9%20map%20ogso/mtmt/sgtm/otso%20robots%20oA.o/AB../..../o..o%20labs%20......%20round%202", complete: "document.querySelector('[data-key=play-on]')"},
	{name: "editor-risk", hash: "editor?game=martian-risk-small&players=3", complete: "document.querySelector('[data-key=play-on]')"},
	{name: "editor-dice", hash: "editor?game=martian-dice&players=2&position=13-17%401%20aside%20T3R2H4%20roll%20R2C1K1", complete: "document.querySelector('[data-key=play-on]')"},
	{name: "guide", hash: "learn?game=martian-risk", complete: "document.querySelector('.guide')"},
	{name: "guide-dice", hash: "learn?game=martian-dice", complete: "document.querySelector('.guide')"},
	{
		name: "warning", hash: "play?game=martian-dice&players=2&seed=1&seats=human,human&start=0-0%400%20aside%20T2R3", complete: choice,
		act: `if (!document.querySelector('[data-key=coach]').checked) document.querySelector('[data-key=coach]').click(); document.querySelector('[data-key=option-stop]').click()`, then: "document.querySelector('[data-key=play-it]')",
	},
	{name: "variation", hash: "play?game=pig&players=2&seed=7&seats=human,human&moves=roll.hold&line=roll.roll.hold.roll.roll", complete: choice},
	{
		name: "wrong-roll", hash: "play?game=martian-dice&players=2&dice=typed", complete: `document.querySelector('input[name=roll]')`,
		act: "{ const input = document.querySelector('input[name=roll]'); input.value = 't1 r2'; input.form.requestSubmit(); }", then: `document.querySelector('#roll-error:not(:empty)')`,
	},
	{
		name: "mine", hash: "games", complete: `document.querySelector('textarea')`,
		act: `import('./store.js').then(({ keep, keepCards, keepDay, keepReview }) => {
			const key = (seed, moves = '') => 'game=pig&players=2&seed=' + seed + '&seats=human,greedy' + moves;
			keep(key(2, '&moves=roll'), { game: 'pig', players: 2 }, { open: true, result: '0 : 0' });
			for (let n = 3; n < 9; n++) {
				keep(key(n), { game: 'pig', players: 2 }, { result: 'You lost 57 : 102.', against: 'Level 2' });
				keepReview(key(n), { luck: (n - 6) / 9, loss: 1 / (n + 4), decisions: 60, unit: '', exact: true }, []);
			}
			keep(key(1), { game: 'pig', players: 2 }, { result: 'You won 101 : 84.', against: 'Level 2' });
			keepCards([{ key: key(3), step: 2, box: 0, due: 0, at: 0 }, { key: key(4), step: 2, box: 1, due: 1e14, at: 0 }]);
			keepDay({ day: '2026-01-01', right: true });
			location.hash = 'games?';
		})`,
		then: `document.querySelectorAll('.game-list').length === 2`,
	},
	{
		name: "exercise", hash: "games", complete: `document.querySelector('[data-key=daily]')`,
		act: `import('./api.js').then(async ({ call }) => {
			const { write, link } = await import('./address.js'), { today } = await import('./deck.js'), { address, step } = await call('daily', { seed: '20261127' });
			location.hash = link('play', write(address, { step, exercise: 1, day: today() }));
			while (!document.querySelector('.option-button')) await new Promise((f) => setTimeout(f, 10));
			document.querySelector('.option-button').click();
		})`,
		then: `document.querySelector('.practice a')`,
	},
	{
		name: "card", hash: "play?game=martian-dice&players=2&seed=7&seats=greedy,random&start=22-22%400", complete: `document.querySelector('.why:not(:empty)')`,
		act: "document.getElementById('tab-share').click()", then: "document.querySelector('canvas.picture')",
	},
	{
		name: "share", hash: "play?game=pig&players=2&seed=7&seats=human,greedy", complete: choice,
		act: "document.getElementById('tab-share').click()", then: "document.querySelector('.panel textarea').value",
	},
	{
		name: "review", hash: "play?game=martian-dice&players=2&seed=7&seats=greedy,random", complete: ended,
		act: "document.getElementById('tab-review').click()", then: "document.querySelector('.mistakes')",
	},
}

// see opens a page and waits until it is complete.
func (x *tab) see(url string, page pageToSee) {
	x.t.Helper()
	x.load(url + "#" + page.hash)
	x.wait(page.complete)
	if page.act != "" {
		x.do(page.act)
		x.wait(page.then)
		x.do("for (const name of ['values', 'coach']) localStorage.removeItem('marsgym ' + name)")
	}
}
