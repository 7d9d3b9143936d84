package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"marsgym/internal/test/fulltest"
	"marsgym/internal/web"
)

// TestAccess checks that the modules of the page use the storage and the address of the
// browser through store.js and address.js only.
func TestAccess(t *testing.T) {
	names, err := filepath.Glob("page/*.js")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d modules, %v", len(names), err)
	}
	access := regexp.MustCompile(`\b(localStorage|sessionStorage|indexedDB|location|history|URLSearchParams|(en|de)codeURI\w*)\b(\.|\()`)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		switch filepath.Base(name) {
		case "store.js", "address.js", "sw.js", "worker.js": // the last two are no modules
			continue
		}
		if found := access.FindString(string(text)); found != "" {
			t.Errorf("%s uses %s; call store.js or address.js", name, found)
		}
	}
}

// script makes a script run in each document of a tab before all others.
func (x *tab) script(source string) {
	x.t.Helper()
	x.must(x.Call(x.ctx, "Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": source}, nil))
}

// What can be wrong with the storage.
const (
	denied = `Object.defineProperty(window, 'localStorage', { configurable: true, get() { throw new DOMException('denied', 'SecurityError'); } });`
	absent = `Object.defineProperty(window, 'localStorage', { configurable: true, value: null });`
	refuse = `Storage.prototype.setItem = () => { throw new DOMException('exceeded the quota', 'QuotaExceededError'); };`
	frozen = `for (const f of ['getItem', 'setItem', 'removeItem']) Storage.prototype[f] = () => { throw new Error('broken'); };`
	full   = `for (let size = 4 << 20; size > 0; size >>= 1) {
		for (let i = 0; ; i++) try { localStorage.setItem('filler' + size + '-' + i, 'x'.repeat(size)); } catch { break; }
	};`
	// some leaves room for a few games.
	some = `localStorage.setItem('marsgym games', '[]');` + full + `for (const k of Object.keys(localStorage)) if (/^filler(512|256|128)-/.test(k)) localStorage.removeItem(k);`
)

// TestBrowserStore calls the module of the storage with storages that are damaged in all ways:
// what it is told stays while the page is open, and no call throws.
func TestBrowserStore(t *testing.T) {
	x := open(t, browser(t), served(t))
	x.wait(`document.querySelector('.setup .primary')`)
	holds := func(text string) string { return "localStorage.setItem('marsgym games', " + strconv.Quote(text) + ");" }
	good := `{"key":"game=pig&players=2","game":"pig","players":2,"at":5}`
	for i, test := range []struct {
		name, setup string
		games       int // that are found
	}{
		{"nothing", "", 0},
		{"a game", holds("[" + good + "]"), 1},
		{"denied", denied, 0},
		{"none", absent, 0},
		{"nothing can be written, as in private mode", holds("["+good+"]") + refuse, 1},
		{"all calls throw", frozen, 0},
		{"full", full, 0},
		{"null", holds("null"), 0},
		{"an object", holds(`{"a":1}`), 0},
		{"a list of null", holds("[null]"), 0},
		{"a number", holds("5"), 0},
		{"a string", holds(`"__proto__"`), 0},
		{"half a list", holds("[" + good), 0},
		{"no text", holds(""), 0},
		{"deep", "localStorage.setItem('marsgym games', '['.repeat(200000));", 0},
		{"other types", holds(`[1,"x",[],{},true,` + good + `]`), 1},
		{"numbers for strings", holds(`[{"key":1,"game":"pig","players":2,"at":5},{"key":"game=pig","game":7,"players":2,"at":5}]`), 0},
		{"strings for numbers", holds(`[{"key":"game=pig","game":"pig","players":"2","at":5},{"key":"game=pig","game":"pig","players":2,"at":"x"}]`), 0},
		{"no date", holds(`[{"key":"game=pig","game":"pig","players":2,"at":1e300}]`), 0},
		{"a prototype", holds(`[{"__proto__":` + good + `},{"constructor":{}}]`), 0},
		{"an address that is none", holds(`[{"key":"game=pig&seed=abc","game":"pig","players":2,"at":5}]`), 0},
		{"many", "localStorage.setItem('marsgym games', JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ ..." + good + ", key: 'game=pig&seed=' + i }))));", 500},
	} {
		// Each case has a module of its own, with nothing in its memory.
		got := x.text(fmt.Sprintf(`(async () => {
			const saved = { localStorage: Object.getOwnPropertyDescriptor(window, 'localStorage'), ...Object.getOwnPropertyDescriptors(Storage.prototype) };
			try {
				%s
				const store = await import('./store.js?%d');
				const found = store.games().length;
				store.keep('game=martian-dice&players=2', { game: 'martian-dice', players: 2 });
				const kept = store.games();
				store.turn('values', true);
				const on = store.isOn('values');
				store.turn('values', false);
				store.keepToken('abc');
				const rest = [kept[0]?.game, on, store.isOn('values'), store.token()].join(' ');
				store.keepCards([{ key: 'game=pig&players=2', step: 1, box: 0, due: 1, at: 1 }]);
				store.keepDay({ day: '2026-11-27', right: true });
				const all = store.everything(), lists = () => [store.games(), store.deck(), store.days()].map((list) => list.length).join('');
				store.forgetGames();
				const none = lists();
				store.merge(all);
				return found + ' ' + rest + ' ' + none + ' ' + (lists() === kept.length + '11');
			} catch (e) {
				return 'throws ' + e;
			} finally {
				Object.defineProperty(window, 'localStorage', saved.localStorage);
				for (const f of ['getItem', 'setItem', 'removeItem']) Object.defineProperty(Storage.prototype, f, saved[f]);
				localStorage.clear();
			}
		})()`, test.setup, i))
		if want := fmt.Sprintf("%d martian-dice true false abc 000 true", test.games); got != want {
			t.Errorf("%s: %s; want %s", test.name, got, want)
		}
	}
	// Where the storage is nearly full, the latest games stay, and so they do in another tab.
	got := x.text(`(async () => {
		const store = await import('./store.js?some');
		` + some + `
		for (let i = 0; i < 60; i++) store.keep('game=pig&players=2&seed=' + i, { game: 'pig', players: 2 });
		const other = await import('./store.js?other'), list = other.games();
		localStorage.clear();
		return list.length > 0 && list.length < 60 && list[0].key.endsWith('=59');
	})()`)
	if got != "true" {
		t.Errorf("in a storage that is nearly full the latest games are kept: %s", got)
	}
}

// ask returns the view of a game that a request gets.
func ask(t *testing.T, a *web.App, do string, address web.Address) (v web.View) {
	t.Helper()
	body, err := json.Marshal(struct {
		Do string `json:"do"`
		web.Address
	}{do, address})
	if err != nil {
		t.Fatal(err)
	}
	answer, ok := a.Handle(t.Context(), body)
	if err := json.Unmarshal(answer, &v); !ok || err != nil {
		t.Fatalf("%v, %s", err, answer)
	}
	return v
}

// endedGame returns the address of an ended game of agents.
func endedGame(t *testing.T, seats ...string) string {
	t.Helper()
	a := web.New(web.Options{})
	address := web.Address{Game: "martian-dice", Players: len(seats), Seed: 7, Seats: seats}
	for {
		v := ask(t, a, "play", address)
		if address = v.Address; v.Ended {
			return fmt.Sprintf("play?game=%s&players=%d&seed=%d&seats=%s&moves=%s", address.Game, address.Players, address.Seed,
				strings.Join(address.Seats, ","), url.QueryEscape(strings.Join(address.Moves, ".")))
		}
	}
}

// TestBrowserStorage opens an ended game by a link, its review, and the list of games, whatever
// the storage is.
func TestBrowserStorage(t *testing.T) {
	b, address, hash := browser(t), served(t), endedGame(t, "greedy", "random")
	cases := map[string]string{"full": full}
	if fulltest.On() {
		cases = map[string]string{"denied": denied, "full": full, "damaged": "localStorage.setItem('marsgym games', '[null]');", "absent": absent, "refuse": refuse, "frozen": frozen}
	}
	for name, setup := range cases {
		t.Run(name, func(t *testing.T) {
			x := open(t, b, "about:blank")
			x.script(setup)
			x.must(x.Open(x.ctx, address+"#"+hash))
			x.wait(ended)
			x.do("document.getElementById('tab-review').click()")
			x.wait("document.querySelector('.panel .chart')")
			x.do(`document.querySelector('.switch input').click()`)
			if name == "damaged" { // another tab writes while this one is open
				x.do(`localStorage.setItem('marsgym games', '{"a":'); dispatchEvent(new StorageEvent('storage', { key: 'marsgym games' }))`)
				x.do("location.hash = 'home'")
				x.wait(`document.querySelector('.setup .primary')`)
				x.do("location.hash = '" + hash + "'")
				x.wait(ended)
			}
			x.do("location.hash = 'play?game=pig&players=2&seed=7&seats=human,greedy'")
			x.wait(choice)
			x.do(choice + `.click()`)
			x.wait(`location.hash.includes('moves=')`, choice)
			x.do("location.hash = 'games'")
			x.wait(`document.querySelectorAll('.game-list li').length === 1`)
			x.press("Forget all games")
			x.press("Forget them")
			x.wait(`!document.querySelector('.game-list')`)
			if got := x.text(`document.querySelector('.error:not(:empty)')?.textContent ?? ''`); got != "" {
				t.Error(got)
			}
		})
	}
}

// TestBrowserAddresses opens addresses that anyone could send. Each shows a page or an error for
// people, and the page goes on.
func TestBrowserAddresses(t *testing.T) {
	x := open(t, browser(t), served(t))
	x.wait(`document.querySelector('.setup .primary')`)
	raw := regexp.MustCompile(`undefined|not a function|Cannot|json|JSON|Error:|Unexpected|URI|,string|null|NaN|\[object`)
	for i, test := range []struct{ hash, want string }{
		{"constructor", `the page “constructor”, which does not exist`},
		{"play?game=pig&amp;players=3", `the field “amp;players”, which is not one of this page: game, players`},
		{"play?game=pig&player=3", `the field “player”`},
		{"play?game=pig&move=roll", `the field “move”`},
		{"play?game=pig&players=2x", `The field “players” of the address cannot be read: “2x”`},
		{"__proto__", `the page “__proto__”`},
		{"toString?game=pig", `the page “toString”`},
		{"play?__proto__=1", `the field “__proto__”`},
		{"%70lay", `the page “%70lay”`},
		{"%", `the page “%”`},
		{"?", `Play, and see`},
		{"home?game=constructor", `the game “constructor”. This page has: martian-dice`},
		{"home?game=<img src=x onerror=alert(1)>", `the game “<img`},
		{"games?__proto__=1", `the field “__proto__”, but this page has none`},
		{"games?", `My games`},
		{"play", `unknown game`},
		{"play?%E0%A4%A", `the field “`},
		{"play?game=__proto__", `unknown game`},
		{"play?game=%00%FF", `unknown game`},
		{"play?game=", `The field “game” of the address cannot be read: “”`},
		{"play?game=pig&seed=abc", `The seed in the address`},
		{"play?game=pig&seed=99999999999999999999", `The seed in the address`},
		{"play?game=pig&seed=-1", `The seed in the address`},
		{"play?game=pig&seed=18446744073709551615", `Pig`},
		{"play?game=pig&players=1e9", `The field “players”`},
		{"play?game=pig&players=__proto__", `The field “players”`},
		{"play?game=pig&players=999999999", `players is 999999999`},
		{"play?game=pig&step=x", `The field “step”`},
		{"play?game=pig&step=99", `step is 99`},
		{"play?game=pig&dice=rolled", `The field “dice”`},
		{"play?game=pig&exercise=2", `The field “exercise”`},
		{"play?game=pig&guide=", `The field “guide”`},
		{"play?game=pig&day=today", `The field “day”`},
		{"play?game=pig&seats=,", `Pig`},
		{"play?game=pig&moves=", `Pig`},
		{"play?game=pig&seats=human,%25E0%25A4%25A", `Pig`},
		{"play?game=pig&seats=human", `want 2`},
		{"play?game=pig&start=%F0%9F", `That did not work`},
		{"play?game=pig&moves=%ED%A0%80.constructor", `no legal action`},
		{"play?game=pig&moves=" + strings.Repeat("roll.", 30_000), `30001 moves`},
		{"play?game=pig&game=martian-dice&players=2", `The address has the field “game” more than once`},
		{"play?game=" + strings.Repeat("x", 1_200_000), `too large`},
		{"rules?game=__proto__", `the game “__proto__”`},
		{"rules?game=pig&players=-1", `The field “players”`},
		{"rules?game=pig&players=2", `Rules: Pig`},
		{"learn?game=pigs", `the game “pigs”`},
		{"editor?game=__proto__&position=%F0%9F", `the game “__proto__”`},
		{"editor?game=pig&position=" + strings.Repeat("1-", 40_000), `Positions`},
		{"runs?run=__proto__", `no run folder is named`},
		{"runs?run=..%2F..%2Fetc", `no run folder is named`},
		{"runs?folder=x", `the field “folder”`},
		{strings.Repeat("x", 100_000), `which does not exist`},
	} {
		if i > 5 && i%9 != 0 && !fulltest.On() {
			continue
		}
		x.do("location.hash = 'rules?game=martian-risk'")
		x.wait(`document.querySelector('.rules')`, `document.title === 'marsgym: rules'`)
		x.do("location.hash = " + strconv.Quote(test.hash))
		want, _ := json.Marshal(test.want)
		x.wait(fmt.Sprintf(`document.getElementById('main').innerText.includes(%s)`, want))
		if got := x.text(`document.querySelector('.error:not(:empty)')?.textContent ?? ''`); raw.MatchString(got) {
			t.Errorf("%.80s shows %q", test.hash, got)
		}
		for _, text := range x.Errors() {
			if !strings.Contains(text, "413") { // too large; the browser tells of that
				t.Errorf("%.80s: %s", test.hash, text)
			}
		}
	}
	// What is written into an address is read from it.
	got := x.text(`(async () => {
		const { link, parse, write } = await import('./address.js');
		const list = [
			{ game: 'pig', players: 2, seed: '5', seats: ['human', 'run:with spaces, and a comma'], moves: ['a', 'b c'] },
			{ game: 'pig', players: 2, seed: '0', seats: ['run:100 %', 'run:%2C%25,', 'run:läuft 走る'], typed: true, start: '1-0@0 x', moves: ['1 2', 't&r#?'] },
			{ game: 'pig', players: 2, seed: '9', seats: ['human', 'human'], typed: true, moves: ['roll', '3'], line: ['roll', '2', 'hold'] },
			{ game: 'a&b=c', players: 0, seed: '18446744073709551615', seats: ['run:a+b=c&d#e'] },
		];
		const same = (a) => JSON.stringify(a);
		return list.map((a) => {
			const back = parse(new URL(link('play', write(a)), location.href).hash.slice(6));
			return Object.keys(a).every((k) => same(back[k]) === same(a[k])) ? '' : same(back);
		}).join('');
	})()`)
	if got != "" {
		t.Errorf("an address is read as %s", got)
	}
}

// TestBrowserToken opens the page of a server with a token: by the printed address, again
// without the token, by a wrong token, and where the storage is denied.
func TestBrowserToken(t *testing.T) {
	b := browser(t)
	address, _, _ := strings.Cut(start(t, web.Options{}, "SECRET234").address(), "?")
	const complete = `document.querySelector('.setup .primary')`
	const refused = `document.querySelector('[role=alert]')?.textContent.includes('token is missing')`
	x := open(t, b, address)
	x.wait(refused)
	for i, query := range []string{"?token=SECRET234", "", "?token=wrong", "?token=%0A%00"} {
		if i > 1 && !fulltest.On() {
			return
		}
		x.Errors()
		x.load(address + query)
		x.wait(complete)
		if got := x.text("location.href"); strings.Contains(got, "token") {
			t.Errorf("opened with %q the address is %s", query, got)
		}
	}
	x.Errors()
	y := open(t, b, "about:blank")
	y.script(denied)
	y.must(y.Open(y.ctx, address+"?token=SECRET234"))
	y.wait(complete)
	y.do("globalThis.before = true; location.reload()")
	y.wait("!globalThis.before", complete)
}

// TestBrowserCaches: the service worker of a page removes its own old caches, and no other of
// its origin.
func TestBrowserCaches(t *testing.T) {
	b := browser(t)
	h := &host{api: logic()}
	files := map[string][]byte{}
	for name, content := range marked(t, "1") {
		files["one/"+name] = content
	}
	h.publish(files)
	s := httptest.NewServer(h)
	defer s.Close()
	x := open(t, b, s.URL+"/one/preview.png")
	got := x.text(`(async () => {
		const own = 'marsgym ' + new URL('./', location.href).href + ' ';
		for (const name of ['another site', own + 'old', 'marsgym ' + location.origin + '/two/ old', 'marsgym']) await caches.open(name);
		await navigator.serviceWorker.register('sw.js');
		await navigator.serviceWorker.ready;
		while ((await navigator.serviceWorker.getRegistration()).active.state !== 'activated') await new Promise((f) => setTimeout(f, 10));
		return (await caches.keys()).sort().join('|').replaceAll(location.origin, '').replace(/[0-9a-f]{16}/, 'new');
	})()`)
	if want := "another site|marsgym|marsgym /one/ new/|marsgym /two/ old"; got != want {
		t.Errorf("the caches are %s; want %s", got, want)
	}

	// The program of this page cannot be loaded: each request starts it again, and says so.
	y := open(t, b, served(t))
	got = y.text(`import('./client.js').then(async ({ connectWorker }) => {
		const send = connectWorker(), failed = () => send({}).catch((e) => e.message);
		return [await failed(), await failed()].join('|');
	})`)
	if want := "worker.js is not what it should be|worker.js is not what it should be"; got != want {
		t.Errorf("without a program requests fail with %q; want %q", got, want)
	}
	y.Errors()
}
