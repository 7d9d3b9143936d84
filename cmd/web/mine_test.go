package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"marsgym/internal/web"
)

// downloads lets a tab save files, and returns what waits for the next one and reads it.
func (x *tab) downloads() (next func() (name string, content []byte)) {
	x.t.Helper()
	dir := x.t.TempDir()
	x.must(x.Call(x.ctx, "Page.setDownloadBehavior", map[string]string{"behavior": "allow", "downloadPath": dir}, nil))
	return func() (string, []byte) {
		x.t.Helper()
		for {
			files, err := filepath.Glob(filepath.Join(dir, "marsgym-*"))
			x.must(err)
			// The browser makes an empty file of the name before, and writes to another one.
			if len(files) == 1 && !strings.HasSuffix(files[0], ".crdownload") {
				content, err := os.ReadFile(files[0])
				x.must(err)
				if len(content) > 0 {
					x.must(os.Remove(files[0]))
					return filepath.Base(files[0]), content
				}
			}
			x.must(x.ctx.Err())
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// TestBrowserMyGames ends a game of its own: the page says why it ended so, and shares it. My games has its
// luck and mistakes, which are practised, saved to a file, forgotten and read again.
func TestBrowserMyGames(t *testing.T) {
	address := served(t)
	x := open(t, browser(t), "about:blank")
	x.script(`Object.defineProperty(navigator, 'clipboard', { value: undefined });`) // as over http
	next := x.downloads()
	x.load(address + "#" + lastChoice(t, "martian-dice"))
	x.wait(choice)
	x.do("[...document.querySelectorAll('.option-button')].at(-1).click()")
	x.wait(`document.querySelector('.why')?.textContent.startsWith('Counted in chance of winning')`)
	why := x.text(`document.querySelector('.why').textContent`)
	var review web.Review
	x.must(json.Unmarshal([]byte(x.text(`Promise.all([import('./api.js'), import('./address.js')]).then(async ([api, a]) => JSON.stringify(await api.call('review', a.read(a.current().query))))`)), &review))
	if me := review.Seats[0]; len(review.Mistakes) == 0 || me.Luck.Value <= 0.001 {
		t.Fatalf("the game has luck %v and mistakes %v; the test wants good luck and mistakes", me.Luck, review.Mistakes)
	}
	me := review.Seats[0]
	for _, want := range []string{
		fmt.Sprintf("the dice gave you %.1f\u00a0%%,", 100*me.Luck.Value),
		fmt.Sprintf("your choices cost you %.1f\u00a0%% and", 100*me.Losses.Value),
		fmt.Sprintf("Level 2’s choices gave you %.1f\u00a0%%.", 100*me.Others.Value),
	} {
		if !strings.Contains(why, want) {
			t.Errorf("the page says %q; want %q", why, want)
		}
	}

	x.press("Share the result")
	x.wait(`document.querySelector('canvas.picture')`)
	x.press("Copy the text")
	x.wait(`document.querySelector('.result-card .copied').textContent.startsWith('Copied')`)
	text := x.text(`document.querySelector('.result-card textarea').value`)
	if !strings.Contains(text, strings.ReplaceAll(why, "\u00a0", " ")) || !strings.Contains(text, fmt.Sprintf("&step=%d&", review.Mistakes[0].Step)) || !strings.Contains(text, "\n"+address+"#play?") {
		t.Errorf("shared is %q; want the reason and the link to step %d", text, review.Mistakes[0].Step)
	}
	x.press("Save the picture")
	name, content := next()
	picture, err := png.Decode(bytes.NewReader(content))
	if err != nil || name != "marsgym-martian-dice-7.png" {
		t.Fatalf("%s: %v", name, err)
	}
	if size := picture.Bounds().Size(); size.X != 1200 || size.Y != 630 {
		t.Errorf("the picture has %v pixels", size)
	}

	mine := func() string {
		x.load(address + "#games")
		x.wait(`document.querySelector('[data-key=daily]')`)
		return x.text(`document.querySelector('main').innerText`)
	}
	line := fmt.Sprintf("luck +%.1f\u00a0%%, mistakes −%.1f\u00a0%%", 100*me.Luck.Value, 100*me.Losses.Value)
	if got := x.text(`document.getElementById('live').textContent`); got == "" || strings.Contains(got, "Your choice.") {
		t.Errorf("after the game is said: %q", got)
	}
	x.do("location.hash = 'games'")
	x.wait(`document.querySelector('[data-key=daily]')`)
	if got := x.text(`document.getElementById('live').textContent`); got != "" {
		t.Errorf("at My games is said: %q", got)
	}
	if got := mine(); !strings.Contains(got, line) || !strings.Contains(got, " due.") {
		t.Errorf("My games says %q; want %q and mistakes to practise", got, line)
	}
	x.click("practise")
	x.wait(`new URLSearchParams(location.hash).get('exercise')`, choice)
	best := x.text(`Promise.all([import('./api.js'), import('./address.js')]).then(async ([api, a]) => {
		const { query } = a.current();
		return (await api.call('values', { ...a.read(query), step: Number(query.get('step')) })).options[0].action;
	})`)
	x.click("option-" + best)
	x.wait(`document.querySelector('.practice')?.textContent.includes('Solved: this mistake comes back in a day.')`)

	before := mine()
	x.press("Save to a file")
	_, file := next()
	x.press("Forget all games")
	x.press("Forget them")
	x.wait(`!document.querySelector('.game-list')`)
	read := func(text string) string {
		x.do(fmt.Sprintf(`{ const d = new DataTransfer(), input = document.querySelector('input[type=file]');
			d.items.add(new File([%s], 'x.json')); input.files = d.files; document.querySelector('main').dataset.old = '1';
			for (const p of document.querySelectorAll('main .error, main .copied')) p.textContent = '';
			input.dispatchEvent(new Event('change')); }`, strconv.Quote(text)))
		x.wait(`document.querySelector('main .error:not(:empty), main .copied:not(:empty)')`)
		return x.text(`document.querySelector('main .error:not(:empty), main .copied:not(:empty)').textContent`)
	}
	for _, garbage := range []string{"", "null", "[]", `{"format":"marsgym games 1"}`, strings.Replace(string(file), `"at":`, `"at":"x","then":`, 1)} {
		if got := read(garbage); !strings.Contains(got, "holds no games") && !strings.Contains(got, "is damaged") {
			t.Errorf("%.60s: %s", garbage, got)
		}
	}
	if got := read(string(file)); !strings.HasPrefix(got, "Added games: 1, ") {
		t.Errorf("reading the file says %q", got)
	}
	if after := mine(); after != before {
		t.Errorf("after saving, forgetting and reading My games says\n%s\nbefore\n%s", after, before)
	}
	if got := read(string(file)); !strings.HasPrefix(got, "Added games: 0, mistakes: 0, daily exercises: 0") {
		t.Errorf("reading the file again says %q", got)
	}

	x.exerciseOfDay(address)
	if got := mine(); !strings.Contains(got, " of 1.") {
		t.Errorf("after the exercise of the day My games says %q", got)
	}
}

// exerciseOfDay answers the exercise of the day.
func (x *tab) exerciseOfDay(address string) {
	x.t.Helper()
	x.load(address + "#games")
	x.wait(`document.querySelector('[data-key=daily]')`)
	x.click("daily")
	x.wait(`new URLSearchParams(location.hash).get('day')`, choice)
	x.do(choice + ".click()")
	x.wait(`document.querySelector('.practice')?.textContent.includes('Today’s exercise is')`)
}

// TestBrowserDeck answers a card of the deck over days, and merges files: what is here stays.
func TestBrowserDeck(t *testing.T) {
	x := open(t, browser(t), served(t))
	x.wait(`document.querySelector('.setup .primary')`)
	got := x.text(`(async () => {
		const store = await import('./store.js'), { answered, due, personOf } = await import('./deck.js'), { parse } = await import('./address.js');
		const key = 'game=pig&players=2&seed=1&seats=human,greedy&moves=roll', day = 864e5, now = Date.now;
		personOf(parse('game=pig')); // throws nothing without seats
		store.keepCards([{ key, step: 2, box: 0, due: now(), at: now() }]);
		const list = [];
		try {
			for (const right of [true, true, true, false, true]) {
				answered(parse(key), 2, null, right);
				answered(parse(key), 2, null, !right); // not due: changes nothing
				const { due: next, box } = store.deck()[0], wait = Math.ceil((next - Date.now()) / day);
				list.push(box + ':' + wait + ':' + due().length);
				Date.now = () => next + 1;
			}
		} finally {
			Date.now = now;
		}
		return list.join(' ');
	})()`)
	if want := "1:1:0 2:3:0 3:7:0 0:1:0 1:1:0"; got != want {
		t.Errorf("boxes, days to wait and cards due are %s; want %s", got, want)
	}
	got = x.text(`(async () => {
		const store = await import('./store.js');
		store.forgetGames();
		const game = (n, more) => ({ key: 'game=pig&players=2&seed=' + n, game: 'pig', players: 2, at: n, ...more });
		const file = (games) => JSON.stringify({ format: 'marsgym games 1', games, deck: [], days: [{ day: '2026-11-27', right: false }] });
		store.merge(file(Array.from({ length: 499 }, (_, i) => game(i + 1))));
		store.keepDay({ day: '2026-11-28', right: true });
		store.merge(file([game(1, { at: 9999, luck: 0.5 }), game(2000), game(2001)]));
		const all = store.games(), one = all.find((g) => g.key.endsWith('=1'));
		const left = store.merge(file([game(3000)])).left;
		return [all.length, one.at, one.luck, store.games().some((g) => g.at === 3000), left, store.days().map((d) => d.day).join('+')].join(' ');
	})()`)
	if want := "500 1 0.5 false 1 2026-11-28+2026-11-27"; got != want {
		t.Errorf("merged are %s; want %s", got, want)
	}
}

// TestExportIndex: the exported page has a picture for link previews, with its full address if that is
// known.
func TestExportIndex(t *testing.T) {
	index, err := page.ReadFile("page/index.html")
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{"": `content="preview.png"`, "https://example.org/mars/": `content="https://example.org/mars/preview.png"`} {
		if got := string(exportIndex(index, url, "abc/")); !strings.Contains(got, `property="og:image" `+want) || !strings.Contains(got, exportPolicy) || !strings.Contains(got, `src="abc/main.js"`) || !strings.Contains(got, `href="#home"`) {
			t.Errorf("-url %q makes\n%s", url, got)
		}
	}
	if f, err := page.Open("page/preview.png"); err != nil {
		t.Error(err)
	} else if c, err := png.DecodeConfig(f); err != nil || c.Width != 1200 || c.Height != 630 {
		t.Errorf("preview.png is %v, %v", c, err)
	}
}
