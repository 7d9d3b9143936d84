package main

import (
	"fmt"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/internal/test/fulltest"
)

// TestBrowserFirstScreen: on a small screen and on a phone the whole board and the choices are
// on the first screen; values change neither the place of the board nor the order of the choices.
func TestBrowserFirstScreen(t *testing.T) {
	address := served(t)
	x := open(t, browser(t), address)
	for i, id := range catalog.IDs() {
		if i%2 == 1 && !fulltest.On() {
			continue
		}
		g, err := catalog.Open(id, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		x.load(fmt.Sprintf("%s#play?game=%s&players=%d&seed=7&seats=human%s", address, id, g.Spec().Players, strings.Repeat(",random", g.Spec().Players-1)))
		x.wait(choice)
		for _, size := range [][2]int{{1280, 800}, {360, 740}} {
			x.must(x.Size(x.ctx, size[0], size[1], false))
			if got := x.text(`(() => {
				const wrong = [], box = (s) => document.querySelector(s).getBoundingClientRect();
				for (const e of document.querySelectorAll('.board, .map, .dice-group, .place, .track, .cell, .actions h2')) {
					const r = e.getBoundingClientRect();
					if (r.bottom > innerHeight + 1) wrong.push(e.className.baseVal ?? e.className);
				}
				const board = document.querySelector('.board');
				if (board.scrollHeight > board.clientHeight + 1 || board.scrollWidth > board.clientWidth + 1) wrong.push('the board is cut');
				if (box('.option-button').bottom > innerHeight) wrong.push('no choice is seen');
				return wrong.join(', ');
			})()`); got != "" {
				t.Errorf("%s at %v: %s", id, size, got)
			}
		}
	}
	x.must(x.Size(x.ctx, 1280, 800, false))
	x.load(address + "#play?game=martian-dice&players=2&seed=7&seats=human,greedy&moves=chickens")
	x.wait(choice)
	order := `[...document.querySelectorAll('.option-button')].map((b) => b.dataset.key).join(' ')`
	before := x.text(order)
	x.do(`document.querySelector('.switch input').click()`)
	x.wait(`document.querySelector('.odds-part')`, `document.querySelector('.board .worth-badge')`)
	if after := x.text(order); after != before {
		t.Errorf("with values the choices are %s, before %s", after, before)
	}
	board := `(() => { const { x, y, width, height } = document.querySelector('.board').getBoundingClientRect(); return [x, y, width, height].join(' '); })()`
	place := x.text(board)
	x.click("option-roll")
	x.wait(`location.hash.includes('roll')`, choice)
	if now := x.text(board); now != place {
		t.Errorf("after a choice the board is at %s, before at %s", now, place)
	}
	x.must(x.Press(x.ctx, "ArrowLeft"))
	x.wait(`/step=/.test(location.hash)`, `document.querySelector('.actions')?.textContent.includes('Step ')`)
	x.must(x.Press(x.ctx, "ArrowRight"))
	x.wait(`!/step=/.test(location.hash)`)
}

// TestBrowserFits: the tabs of a game are on one line, and no entry of the list of opponents is cut.
func TestBrowserFits(t *testing.T) {
	address := served(t)
	x := open(t, browser(t), address)
	for _, id := range []string{"martian-dice", "martian-risk"} {
		for _, language := range []string{"en", "de", "zh"} {
			x.do("localStorage.setItem('language', '" + language + "')")
			x.load(address + "#home?game=" + id)
			x.wait(`document.querySelector('.setup .primary')`)
			for _, width := range []int{1280, 360} {
				x.must(x.Size(x.ctx, width, 800, false))
				if got := x.text(`[...document.querySelectorAll('select[name=seat1]')].map((s) => {
					const room = s.offsetWidth;
					s.style.width = 'max-content';
					s.style.maxWidth = 'none';
					const wants = s.offsetWidth;
					s.removeAttribute('style');
					return wants > room ? wants + ' pixels in ' + room + ': ' + [...s.options].map((o) => o.text).join(' | ') : '';
				}).join('')`); got != "" {
					t.Errorf("%s in %s at %d pixels: the opponents need %s", id, language, width, got)
				}
			}
			x.must(x.Size(x.ctx, 1280, 800, false))
			x.load(address + "#play?game=" + id + "&seed=7")
			x.wait(choice)
			if got := x.text(`[...new Set([...document.querySelectorAll('.tabs button')].map((b) => b.offsetTop))].length`); got != "1" {
				t.Errorf("%s in %s: the tabs take %s lines", id, language, got)
			}
		}
	}
}
