package main

import (
	"fmt"
	"strings"
	"testing"

	"marsgym/internal/test/fulltest"
)

// TestBrowserKeyboard chooses a game on the first page, and plays it, with the keyboard alone.
func TestBrowserKeyboard(t *testing.T) {
	x := open(t, browser(t), served(t))
	x.wait(`document.querySelector('.primary')`)
	x.reach(`document.querySelector('.skip')`)
	x.must(x.Press(x.ctx, "Enter"))
	if got := x.text(`document.activeElement.id + location.hash`); got != "main" {
		t.Errorf("the link to the content leads to %q", got)
	}
	x.reach(`document.querySelector('input[name=game]:checked')`)
	for range 12 { // radio buttons follow the arrows
		if x.text(`document.querySelector('input[value=pig]').checked`) == "true" {
			break
		}
		x.must(x.Press(x.ctx, "ArrowDown"))
	}
	x.wait(`document.querySelector('input[value=pig]').checked`)
	x.wait(`document.querySelector('.setup a[href="#rules?game=pig"]')`) // what was there is replaced
	x.reach(`document.querySelector('.setup .primary')`)
	x.must(x.Press(x.ctx, "Enter"))
	x.wait(choice)
	most := 8
	if fulltest.On() {
		most = 1000
	}
	x.play(most, x.byKeyboard)
}

// TestBrowserFocus leaves the first page before it is complete, comes back to a game in the same way, and follows a
// link that leads nowhere: the keyboard goes on at the content of each.
func TestBrowserFocus(t *testing.T) {
	address := served(t)
	x := open(t, browser(t), "about:blank")
	x.script(`{ const send = window.fetch; window.fetch = (to, request) => (/"do":"agents"/.test(request?.body) ? new Promise(() => {}) : send(to, request)); }`)
	x.load(address + "#home")
	x.wait(`document.querySelector('.setup')`)
	const game = "play?game=pig&players=2&seed=7&seats=human,human"
	for _, step := range []struct{ hash, then string }{
		{game, choice}, {"home", `document.querySelector('.setup')`}, {game, choice}, {"play?game=pig&players=2&moves=hop", `document.querySelector('.error:not(:empty)')`}, {game, choice},
	} {
		x.do("location.hash = '" + step.hash + "'")
		x.wait(step.then)
		if step.hash == "home" {
			continue // and is not complete
		}
		if got := x.text(`document.activeElement.id || document.activeElement.tagName`); got != "main" {
			t.Errorf("at %s the keyboard goes on at %s, want main", step.hash, got)
		}
		x.do(`document.querySelector('main button, main a').focus()`) // an element that the next page replaces
	}
}

// byKeyboard makes a choice with the keys Tab, Enter and the arrows: in the list of choices,
// or on the board, where it selects until one is made.
func (x *tab) byKeyboard(n int) {
	x.t.Helper()
	if n > 0 && x.text("document.activeElement === document.body") == "true" {
		x.t.Errorf("before choice %d nothing has the focus", n)
	}
	if n%4 == 0 {
		x.reach(fmt.Sprintf(`((list) => list[%d %% list.length])(document.querySelectorAll('.option-button:not(:disabled)'))`, n*n+n/3))
		x.must(x.Press(x.ctx, "Enter"))
		return
	}
	before := x.text("location.hash")
	for k := n; k < n+50; k++ {
		x.reach(fmt.Sprintf(`((picks, open) => {
			const list = picks.length && (%d %% 3 === 2 || !open.length) ? picks : open;
			return list[%d %% list.length];
		})(document.querySelectorAll('.option-button:not(:disabled)'), document.querySelectorAll('.scene [data-key].open'))`, k, 7*k))
		x.must(x.Press(x.ctx, "Enter"))
		if x.text("location.hash") != before {
			return
		}
	}
	x.t.Fatal("50 times Enter on the board make no choice")
}

// reach moves the focus to an element: by Tab and Shift+Tab and, on the map, by arrows.
func (x *tab) reach(element string) {
	x.t.Helper()
	x.do("globalThis.wanted = " + element + "; wanted.matches('*')")
	// The map is one stop of the key Tab.
	const there = `((stop) => stop === document.activeElement || stop === wanted.closest('.map') && stop.contains(document.activeElement) ? ''
		: document.activeElement.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING ? 'Tab' : 'Shift+Tab')(wanted.closest('.map') ?? wanted)`
	for presses := 0; ; presses++ {
		key := x.text(there)
		if key == "" {
			break
		}
		if presses == 300 {
			x.t.Fatalf("the key %s does not reach %s", key, x.text("wanted.outerHTML.slice(0, 300)"))
		}
		x.must(x.Press(x.ctx, key))
	}
	x.reachOnMap()
}

// reachOnMap moves the focus from cell to cell by the arrow that leads nearest to the wanted
// one, or by another where that was tried before.
func (x *tab) reachOnMap() {
	x.t.Helper()
	const arrows = `((at) => {
		if (at === wanted) return '';
		const middle = (e) => ((r) => [r.x + r.width / 2, r.y + r.height / 2])(e.getBoundingClientRect());
		const [x, y] = middle(at), [p, q] = middle(wanted);
		const along = { ArrowLeft: x - p, ArrowRight: p - x, ArrowUp: y - q, ArrowDown: q - y };
		return [at.dataset.key, ...Object.keys(along).sort((a, b) => along[b] - along[a])].join(' ');
	})(document.activeElement)`
	tried := map[string]int{}
	for range 300 {
		list := strings.Fields(x.text(arrows))
		if len(list) == 0 {
			return
		}
		cell, best := list[0], list[1]
		for _, arrow := range list[2:] {
			if tried[cell+arrow] < tried[cell+best] {
				best = arrow
			}
		}
		tried[cell+best]++
		x.must(x.Press(x.ctx, best))
	}
	x.t.Fatalf("the arrows do not reach %s", x.text("wanted.dataset.key"))
}
