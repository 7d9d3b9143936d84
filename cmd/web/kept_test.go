package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"marsgym/internal/web"
)

// load loads a page anew, which another hash of the address alone does not. The tab stays in its
// process: Chromium takes longer to start one than to load the page.
func (x *tab) load(address string) {
	x.t.Helper()
	x.do(fmt.Sprintf(`{
		globalThis.left = true;
		const to = %q;
		if (location.origin === new URL(to).origin) { history.replaceState(null, '', to); location.reload(); } else location.href = to;
	}`, address))
	x.wait(`!globalThis.left`, `document.readyState === 'complete'`)
}

// press clicks on a button or link by its text.
func (x *tab) press(text string) {
	x.t.Helper()
	x.wait(fmt.Sprintf(`((e) => e && (e.click(), true))([...document.querySelectorAll('button, a')].find((e) => e.textContent === %q && !e.disabled))`, text))
}

// TestBrowserReload reloads in the middle of a game, opens the same game in another tab,
// goes back, and undoes a choice.
func TestBrowserReload(t *testing.T) {
	b, url := browser(t), served(t)
	x := open(t, b, url+"#play?game=pig&players=2&seed=7&seats=human,greedy")
	x.play(3, func(int) { x.do(choice + `.click()`) })
	x.wait(choice)
	address, text := x.text("location.href"), x.text(`document.querySelector('.stage').innerText`)
	x.do("globalThis.before = true; location.reload()")
	x.wait("!globalThis.before", choice)
	if again := x.text(`document.querySelector('.stage').innerText`); again != text {
		t.Errorf("after reloading the page has %q, want %q", again, text)
	}
	y := open(t, b, address)
	y.wait(choice)
	y.do(choice + `.click()`)
	y.wait(fmt.Sprintf("location.href !== %q", address))
	if now := x.text("location.href"); now != address {
		t.Errorf("a choice in another tab moved this one to %s", now)
	}
	y.wait(choice)
	y.do(`[...document.querySelectorAll('.tools button')].find((b) => b.textContent === 'Undo').click()`)
	y.wait(fmt.Sprintf("location.href === %q", address))
	y.do("history.back()")
	y.wait(fmt.Sprintf("location.href !== %q", address))

	// The page shows each step for a while, unless the person skips that, wants no motion or does not play.
	y.script(`{ const later = window.setTimeout; window.setTimeout = (f, ms, ...rest) => (ms > 300 ? (globalThis.held ??= []).push(f) : later(f, ms, ...rest)); }`)
	for _, test := range []struct {
		motion, seats string
		held          bool
	}{{"no-preference", "greedy,human", true}, {"reduce", "greedy,human", false}, {"no-preference", "greedy,greedy&start=90-90%400%20turn%208", false}} {
		y.must(y.Call(y.ctx, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-reduced-motion", "value": test.motion}}}, nil))
		y.load(url + "#play?game=pig&players=2&seed=7&seats=" + test.seats)
		if test.held {
			y.wait(`globalThis.held`, `document.querySelector('.actions h2')?.textContent === 'Choices of Level 2'`)
			y.must(y.Press(y.ctx, "Escape"))
		}
		y.wait(choice + " || " + ended)
		if got := y.text(`Boolean(globalThis.held)`); got != fmt.Sprint(test.held) {
			t.Errorf("with %s of motion and the seats %s a step is held: %s", test.motion, test.seats, got)
		}
	}

	// Who leaves during the turn of an agent finds the first page, and then the same game.
	y.must(y.Call(y.ctx, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-reduced-motion", "value": "no-preference"}}}, nil))
	y.load(url + "#home")
	y.wait(`document.querySelector('.setup')`)
	for range 2 {
		y.do(`globalThis.held = null; location.hash = 'play?game=pig&players=2&seed=7&seats=greedy,human'`)
		y.wait(`globalThis.held`, `document.querySelector('.actions h2')?.textContent === 'Choices of Level 2'`, `document.activeElement.id === 'main'`)
		y.do("history.back()")
		y.wait(`document.querySelector('.setup .primary')`)
		y.do("held.forEach((f) => f())")
	}
}

// TestBrowserVariation steps back in a game and chooses: the choice of the game steps forward,
// another begins a variation, and the game is there to go back to. In an exercise a second try
// stays in the exercise.
func TestBrowserVariation(t *testing.T) {
	address := served(t)
	const game = "play?game=pig&players=2&seed=7&seats=human,human&moves=roll.roll.hold.roll.roll"
	x := open(t, browser(t), address)
	x.load(address + "#" + game + "&step=2")
	x.wait(choice)
	x.click("option-roll")
	x.wait(`new URLSearchParams(location.hash).get('step') === '3'`)
	x.wait(`document.querySelector('.actions')?.textContent.includes('Step 3 of')`)
	if got := x.text(`document.querySelector('input[name=roll]')`); got != "null" {
		t.Error("in the history of a game with drawn dice the page asks what was rolled")
	}
	x.load(address + "#" + game + "&step=2")
	x.wait(choice)
	x.click("option-hold")
	x.wait(`document.querySelector('.variation')`, choice)
	query := func() url.Values {
		q, _ := url.ParseQuery(strings.SplitN(x.text("location.hash"), "?", 2)[1])
		return q
	}
	if q := query(); q.Get("moves") != "roll.hold" || q.Get("line") != "roll.roll.hold.roll.roll" {
		t.Errorf("the variation has the address %v", q)
	}
	x.click("option-roll")
	x.wait(`location.hash.includes('roll.hold.roll&') || location.hash.endsWith('roll.hold.roll')`)
	x.press("Back to the game")
	x.wait(`!document.querySelector('.variation')`, `document.querySelector('.actions')?.textContent.includes('Step 2 of')`)
	if q := query(); q.Get("moves") != "roll.roll.hold.roll.roll" || q.Has("line") {
		t.Errorf("back in the game the address is %v", q)
	}
	for _, test := range []struct{ focus, step, then string }{ // the keyboard goes on where it was, or beside it
		{"[data-key=log-1]", "1", "log-1"}, {"[data-key=back]", "0", "forward"},
	} {
		x.do("document.querySelector('" + test.focus + "').focus()")
		x.must(x.Press(x.ctx, "Enter"))
		x.wait(fmt.Sprintf(`document.querySelector('.actions').textContent.includes('Step %s of')`, test.step))
		if got := x.text("document.activeElement.dataset.key"); got != test.then {
			t.Errorf("at step %s the focus is on %s, want %s", test.step, got, test.then)
		}
	}
	x.load(address + "#" + game + "&step=2&exercise=1")
	x.wait(choice)
	before := x.text("location.hash")
	for _, name := range []string{"hold", "roll"} {
		x.click("option-" + name)
		x.wait(fmt.Sprintf(`document.querySelector('.chosen')?.dataset.key === %q`, "option-"+name), `document.querySelector('.worth')`)
	}
	if now := x.text("location.hash"); now != before {
		t.Errorf("a second try leads out of the exercise, to %s", now)
	}
	if got := x.text(`document.querySelector('.tools .switch')`); got != "null" {
		t.Error("an exercise has the switch of the values, which would draw it anew")
	}
}

// TestBrowserMine: a game that is played here is listed while it goes on and when it has ended,
// one that is only seen is not, and all are forgotten after a question.
func TestBrowserMine(t *testing.T) {
	b, address := browser(t), served(t)
	x := open(t, b, address)
	list := func() string {
		x.load(address + "#games")
		x.wait(`document.querySelector('textarea')`)
		return x.text(`[...document.querySelectorAll('.game-list li')].map((li) => li.textContent).join('\n')`)
	}
	x.load(address + "#" + endedGame(t, "greedy", "random") + "&step=1")
	x.wait(choice)
	x.do(choice + ".click()")
	x.press("Back to the game")
	x.press("To the end of the game")
	x.wait(ended)
	if got := list(); got != "" {
		t.Errorf("a game that was only seen is listed: %s", got)
	}
	x.load(address + "#play?game=pig&players=2&seed=9&seats=human,greedy")
	x.play(2, func(int) { x.do(choice + ".click()") })
	x.wait(choice)
	at := x.text("location.hash")
	if got := list(); !strings.Contains(got, "Level 2") || strings.Contains(got, "\n") {
		t.Errorf("the list of games is %q; want the one that goes on, against level 2", got)
	}
	x.do(`document.querySelector('.game-list a').click()`)
	x.wait(choice)
	if now := x.text("location.hash"); now != at {
		t.Errorf("the game goes on at %s, want %s", now, at)
	}
	x.load(address + "#" + lastChoice(t, "martian-dice"))
	x.wait(choice)
	if got := x.text(`['.status', '.actions h2'].map((s) => document.querySelector(s).textContent).join(' ')`); got != "You roll on or stop. Your choices" {
		t.Errorf("the only person reads %q", got)
	}
	x.speak("de") // what is kept and told follows the language of the page
	x.wait(`document.querySelector('.actions h2')?.textContent === 'Deine Züge'`, choice)
	x.do("[...document.querySelectorAll('.option-button')].at(-1).click()")
	x.wait(ended)
	over := x.text("location.href")
	if got := list(); strings.Count(got, "Stufe 2") != 2 || !strings.Contains(got, "Du ") || strings.Contains(got, "You ") || strings.Count(got, " : ") != 2 {
		t.Errorf("in German the list of games is %q", got)
	}
	x.load(over)
	x.wait(ended)
	x.speak("en")
	x.wait(`[...document.querySelectorAll('.log h3')].some((h) => h.textContent === 'You')`)
	if got := x.text(`[...document.querySelectorAll('.log h3')].map((h) => h.textContent).join(' ')`); !strings.Contains(got, "Level 2 You") {
		t.Errorf("the log calls the opponent %q", got)
	}
	got := list()
	if lines := strings.Split(got, "\n"); len(lines) != 2 || !strings.Contains(got, "You ") || !strings.Contains(got, " : ") || strings.Count(got, "Level 2") != 2 {
		t.Errorf("the list of games is %q; want one with a result, an opponent and a score", got)
	}
	x.do("document.querySelector('[data-key=forget]').focus()")
	x.must(x.Press(x.ctx, "Enter"))
	if got := x.text("document.activeElement.textContent"); got != "Keep them" {
		t.Errorf("a second Enter presses %q", got)
	}
	x.press("Keep them")
	x.press("Forget all games")
	x.press("Forget them")
	x.wait(`!document.querySelector('.game-list')`)

	x.do(fmt.Sprintf(`import('./store.js').then(({ keep }) => keep(%q, { game: 'martian-dice', players: 1 })).then(() => { location.hash = 'games?'; })`, strings.TrimPrefix(endedGame(t, "greedy"), "play?")))
	x.wait(`document.querySelector('.game-list + .row + section button')`)
	x.do(`document.querySelector('.game-list + .row + section button').click()`)
	x.wait(`document.querySelector('section tbody')`)
	if got := x.text(`document.querySelector('section table').innerText`); !strings.HasSuffix(got, " turns") || strings.Contains(got, "rating") {
		t.Errorf("the losses of a game for one are %q; want turns, and no rating", got)
	}

	y := open(t, b, "about:blank")
	y.script(denied)
	y.must(y.Open(y.ctx, address+"#play?game=pig&players=2&seed=7&seats=human,human"))
	y.play(2, func(int) { y.do(choice + ".click()") })
	y.wait(`document.getElementById('notice')?.textContent.includes('cannot remember')`)
}

// lastChoice returns the address of a game for two before the last choice of a person.
func lastChoice(t *testing.T, id string) string {
	t.Helper()
	a := web.New(web.Options{})
	address, last := web.Address{Game: id, Players: 2, Seed: 7, Seats: []string{web.Human, "greedy"}}, 0
	for do := "view"; ; {
		v := ask(t, a, do, address)
		address, do = v.Address, "play"
		switch {
		case v.Ended:
			return "play?game=" + id + "&players=2&seed=7&seats=human,greedy&moves=" + strings.Join(address.Moves[:last], ".")
		case v.Mover == 0: // rolls and, if it can, holds
			last, do = len(address.Moves), "view"
			address.Moves = append(address.Moves, v.Options[len(v.Options)-1].Name)
		}
	}
}

// TestBrowserTrouble: computations that fail can be tried again, also the turn of an agent; an
// address is copied where the browser has no clipboard for pages; estimates stay within 0 and
// 100 %, and show no ± without an interval.
func TestBrowserTrouble(t *testing.T) {
	address := serve(t, web.Options{})
	x := open(t, browser(t), "about:blank")
	x.script(`{
		const send = window.fetch, failed = new Set();
		window.fetch = async (to, request) => {
			const name = request?.body && JSON.parse(request.body).do;
			if (!['play', 'values', 'review'].includes(name) || failed.has(name)) return send(to, request);
			failed.add(name);
			return new Response(JSON.stringify({ error: name + ' has failed' }));
		};
		Object.defineProperty(navigator, 'clipboard', { value: undefined });
	}`)
	x.load(address + "#play?game=martian-dice&players=2&seed=7&seats=greedy,human")
	retry := func(what string) {
		x.wait(fmt.Sprintf(`[...document.querySelectorAll('.error')].some((e) => e.textContent.includes('%s has failed'))`, what))
		x.press("Retry")
	}
	retry("play")
	x.wait(choice)
	x.do(`document.querySelector('.switch input').click()`)
	retry("values")
	x.wait(`document.querySelector('.worth')`, `!document.querySelector('.error:not(:empty)')`)
	x.click("tab-review")
	retry("review")
	x.wait(`document.querySelector('.panel .chart')`)
	x.click("tab-share")
	x.press("Copy the address")
	x.wait(`document.querySelector('.panel .copied')?.textContent.startsWith('Copied')`)
	if got := x.text(`document.querySelector('.panel input').value === location.href`); got != "true" {
		t.Error("the address is not on the page")
	}
	x.load(address + "#play?game=pig&players=2&dice=typed&moves=roll")
	x.wait(`document.querySelector('[data-key=face-3]')`)
	x.do(`{ const send = window.fetch; window.fetch = async () => { window.fetch = send; throw new TypeError('no network'); }; }`)
	x.click("face-3")
	x.wait(`document.querySelector('#roll-error:not(:empty)')`)
	x.click("face-3")
	x.wait(`location.hash.endsWith('&moves=roll.3')`)
	if got := x.text(`import('./numbers.js').then(({ value, short }) => [-0.03, 0.5, 1.011].flatMap((x) => {
		const n = { value: x, low: x - 0.02, high: x + 0.02, exact: false, no_interval: x > 1 };
		return [value(n, ''), short(n, ''), value(n, 'points')];
	}).join(', '))`); got != "about 0 ± 2 %, 0 %, about -0.03 ± 0.02 points, about 50 ± 2 %, 50 %, about 0.50 ± 0.02 points, about 100 %, 100 %, about 1.01 points" {
		t.Errorf("estimates are shown as %s", got)
	}
}
