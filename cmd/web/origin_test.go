package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestBrowserOrigin plays on an origin that another project shares: what that keeps stays as it is,
// and what this page kept before its names had a prefix is still there.
func TestBrowserOrigin(t *testing.T) {
	b := browser(t)
	// After a choice in a game, the storage and the games of the page.
	const state = `JSON.stringify(Object.fromEntries(Object.entries(localStorage).filter(([name]) => !name.startsWith('marsgym ')).sort()))`
	const mine = `import('./store.js').then((s) => JSON.stringify([s.games().map((g) => g.key), s.deck().length, s.days().map((d) => d.day), s.seatsOf('pig'), s.isOn('values'), s.keptLanguage()]))`
	const game = "game=pig&players=2&seed=7&seats=human,greedy&moves=roll"
	const card, day = `{"key":"game=pig&players=2&seed=1","step":2,"box":0,"due":1e14,"at":5}`, `{"day":"2026-11-27","right":true}`
	kept := func(seed string) string {
		return fmt.Sprintf(`{"key":"game=pig&players=2&seed=%s","game":"pig","players":2,"at":5}`, seed)
	}
	for _, test := range []struct {
		name, before, after, mine string
	}{
		{
			"another project",
			`{"days":"[{\"day\":\"2026-11-27\",\"right\":true,\"score\":3}]","deck":"[\"ace\",\"king\"]","games":"[{\"name\":\"chess\"}]","language":"en","token":"theirs","values":"none"}`, "",
			`[["` + game + `"],0,[],[],false,"en"]`,
		},
		{
			"this page",
			fmt.Sprintf(`{"days":%q,"deck":%q,"games":%q,"language":"en","seats pig":"[\"human\",\"random\"]","values":"on"}`, "["+day+"]", "["+card+"]", "["+kept("1")+","+kept("2")+"]"),
			`{"language":"en","seats pig":"[\"human\",\"random\"]","values":"on"}`,
			`[["` + game + `","game=pig&players=2&seed=1","game=pig&players=2&seed=2"],1,["2026-11-27"],["human","random"],true,"en"]`,
		},
		{
			"this page, damaged",
			fmt.Sprintf(`{"games":%q}`, "["+kept("1")+",null]"), "",
			`[["` + game + `","game=pig&players=2&seed=1"],0,[],[],false,""]`,
		},
	} {
		x := open(t, b, served(t))
		x.wait(complete)
		x.do("Object.assign(localStorage, " + test.before + ")")
		x.load(served(t) + "#play?" + strings.TrimSuffix(game, "&moves=roll"))
		x.wait(choice)
		x.click("option-roll")
		x.wait(`location.hash.includes('moves=roll') && ` + choice)
		after := test.after
		if after == "" {
			after = test.before
		}
		if got := x.text(state); got != after {
			t.Errorf("%s: the names without a prefix hold %s; want %s", test.name, got, after)
		}
		if got := x.text(mine); got != test.mine {
			t.Errorf("%s: the page has kept %s; want %s", test.name, got, test.mine)
		}
		x.do(`import('./store.js').then((s) => s.forgetGames())`)
		x.load(served(t) + "#games")
		x.wait(`document.querySelector('textarea')`)
		if got := x.text(`document.querySelectorAll('.game-list li').length`); got != "0" {
			t.Errorf("%s: %s games come back after they were forgotten", test.name, got)
		}
	}
}

// TestBrowserSupplied opens pages with dates in browsers that say odd things of languages and times.
func TestBrowserSupplied(t *testing.T) {
	const malformed = `['', 'en-US@posix', null, 7, 'x'.repeat(300), 'en_US.UTF-8', '_', '*']`
	x := open(t, browser(t), "about:blank")
	for i, test := range []struct{ setup, language, want string }{
		{`Object.defineProperty(navigator, 'languages', { get: () => ` + malformed + ` });`, "en", "My games"},
		{`Object.defineProperty(navigator, 'languages', { get: () => ['de_DE@euro'] });`, "de", "Meine Partien"},
		{`for (const f of ['languages', 'language', 'hardwareConcurrency']) Object.defineProperty(navigator, f, { get: () => undefined });`, "en", "My games"},
		{`Object.defineProperty(navigator, 'languages', { get: () => null }); Object.defineProperty(navigator, 'language', { get: () => 'zh' });`, "zh", "我的對局"},
		{`for (const f of ['toLocaleDateString', 'toLocaleString']) Date.prototype[f] = () => { throw new RangeError('Unsupported time zone specified Etc/Unknown'); };`, "en", "2001-09-09"},
	} {
		x.script(fmt.Sprintf(`if (new URLSearchParams(location.search).get('case') === '%d') {
			%s
			localStorage.setItem('marsgym games', '[{"key":"game=pig&players=2&seed=1","game":"pig","players":2,"at":1000000000000,"result":"x"}]');
		}`, i, test.setup))
		x.must(x.Open(x.ctx, fmt.Sprintf("%s?case=%d#games", served(t), i)))
		x.wait(fmt.Sprintf(`document.querySelector('.game-list small')?.textContent.includes('2001') && document.getElementById('main').textContent.includes(%q)`, test.want))
		if got := x.text("document.documentElement.lang"); !strings.HasPrefix(got, test.language) {
			t.Errorf("with %s the page is in %s; want %s", test.setup, got, test.language)
		}
	}
}
