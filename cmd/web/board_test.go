package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/internal/test/fulltest"
)

// at opens a position in which people sit in all seats.
func (x *tab) at(address, game string, players int, position string) {
	x.t.Helper()
	seats := strings.Repeat(",human", players)[1:]
	x.load(fmt.Sprintf("%s#play?game=%s&players=%d&seed=1&seats=%s&start=%s", address, game, players, seats, url.QueryEscape(position)))
	x.wait(`document.querySelector('.scene')`)
}

// click clicks on an element of the board.
func (x *tab) click(key string) {
	x.t.Helper()
	x.do(fmt.Sprintf(`document.querySelector('[data-key="%s"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))`, key))
}

// offers checks the choices that a selection on the board leaves in the list.
func (x *tab) offers(after string, want string) {
	x.t.Helper()
	if got := x.text(`document.querySelector('[data-key=cancel]') ? [...document.querySelectorAll('.option-button')].map((e) => e.dataset.key.slice(7)).join(' ') : 'all'`); got != want {
		x.t.Errorf("after %s the list has %q, want %q", after, got, want)
	}
}

// moved waits until the moves of the address begin with some.
func (x *tab) moved(want string) {
	x.t.Helper()
	x.wait(fmt.Sprintf(`new URLSearchParams(location.hash.split('?')[1]).get('moves')?.startsWith(%q)`, want))
}

// TestBrowserBoard makes choices on the board: by both ends of a border, by a place with
// several choices, by tracks, and by the arrow keys.
func TestBrowserBoard(t *testing.T) {
	address := served(t)
	x := open(t, browser(t), address)

	x.load(address + "#play?game=martian-risk-small&players=3&seed=7&seats=human,human,human")
	x.wait(choice)
	if got := x.text(`[...document.querySelectorAll('.option-button')].map((e) => e.dataset.key.slice(7)).join(' ')`); got != "az ca co id mt nd nm nv or ut wa wy" {
		t.Errorf("the regions are listed as %s; want them by their names", got)
	}

	x.at(address, "martian-risk-small", 3, "4-4-4@0 attack start 0 ; CA:1 ID:1 AZ:1 NM:5LMS ; NV:2 MT:1 CO:4 ND:2LMS ; OR:2 WA:1LMS UT:2 WY:1 round 1")
	x.offers("nothing", "all")
	x.click("cell-NM")
	x.offers("NM", "nm>co end")
	if got := x.text(`document.querySelector('.option-button').textContent`); !strings.Contains(got, "chance to win") {
		t.Errorf("the attack reads %q", got)
	}
	x.click("cell-NM")
	x.offers("NM twice", "all")
	x.click("cell-NM")
	x.do(`document.querySelector('[data-key=cancel]').focus()`)
	x.must(x.Press(x.ctx, "Enter"))
	x.offers("Cancel", "all")
	if got := x.text(`document.activeElement.getAttribute('data-key')`); got != "cell-NM" {
		t.Errorf("after Cancel the focus is on %q, want the cell that was selected", got)
	}
	x.click("cell-CO")
	x.offers("CO", "nm>co end")
	x.do(`document.querySelector('[data-key="option-nm>co"]').focus()`)
	x.must(x.Press(x.ctx, "Enter"))
	x.moved("nm>co")
	x.wait(`document.querySelector('[data-key="cell-CO"].selected')`, `document.activeElement.matches('[data-key="option-nm>co"]')`)
	x.offers("a battle that can go on", "nm>co end")

	x.load(address + "#play?game=martian-risk-small&players=3&dice=typed&start=" + url.QueryEscape("4-4-4@0 attack start 0 ; CA:1 ID:1 AZ:1 NM:5LMS ; NV:2 MT:1 CO:4 ND:2LMS ; OR:2 WA:1LMS UT:2 WY:1 round 1"))
	x.wait(`document.querySelector('.scene')`)
	x.click("cell-CO") // which NM alone can attack
	x.offers("the target", "nm>co end")
	x.click("cell-CO")
	x.wait(`document.querySelector('.pad')`)
	for _, face := range "4411" {
		x.click("face-" + string(face))
	}
	x.click("enter-roll")
	x.wait(choice)
	x.offers("a roll that was typed", "nm>co end")

	x.at(address, "mars-is-ours", 2, "7-2@0 start 1 tokens 5-6 hand 3-2 junk 6-9 passed 1 map ogso/mtmt/sgtm/otso robots oA.o/AB../.A../o..o labs ...... round 2")
	x.click("cell-b2")
	x.offers("b2", "attack-b2-x1 attack-b2-x2 pass")
	x.do(`document.querySelector('[data-key="cell-c2"]').focus()`)
	x.must(x.Press(x.ctx, "ArrowDown"))
	x.must(x.Press(x.ctx, "Enter"))
	x.moved("place-c3")

	x.at(address, "mars-is-ours", 2, "7-2@0 cash start 0 tokens 5-6 hand 3-2 junk 7-9 tracks 2110-0100 map ogso/mtmt/sgtm/otso robots oa.o/..b./..../o..o labs A..... round 2")
	x.offers("nothing", "all")
	x.click("track-gem")
	x.click("track-metal")
	x.offers("gem and metal", "cash-gem+metal cash-gem+soda+metal keep")
	x.click("option-cash-gem+metal")
	x.moved("cash-gem+metal")
}

// TestBrowserRolls enters rolls of real dice by taps: one die, which is sent at once, dice with
// faces, and the dice of both sides of a battle.
func TestBrowserRolls(t *testing.T) {
	address := served(t)
	x := open(t, browser(t), address)
	for _, test := range []struct{ game, moves, taps, want string }{
		{"pig", "roll", "4", "roll.4"},
		{"martian-dice", "", "t r r h c k k k k k k k r", "trrhckkkkkkkr"},
		{"mars-is-ours-fast", "", "6 2", "6 2"},
		{"martian-risk-small", "", "8 2 3", "8 2 3"},
	} {
		x.load(fmt.Sprintf("%s#play?game=%s&dice=typed&moves=%s", address, test.game, test.moves))
		x.wait(`document.querySelector('.pad')`)
		taps := strings.Fields(test.taps)
		for _, face := range taps {
			x.click("face-" + face)
		}
		if len(taps) > 1 {
			x.click("enter-roll")
		}
		x.moved(test.want)
	}
}

// TestBrowserWrongRoll types rolls that cannot be: each is explained beside the field, and the
// game and what was typed stay.
func TestBrowserWrongRoll(t *testing.T) {
	x := open(t, browser(t), served(t)+"#play?game=martian-dice&players=2&dice=typed&moves=trrhckkkkkkkr.chickens.roll")
	x.wait(`document.querySelector('input[name=roll]')`)
	before := x.text("location.hash")
	enter := func(text string) {
		x.do(fmt.Sprintf(`{
			const input = document.querySelector('input[name=roll]');
			input.value = %q;
			input.form.requestSubmit();
		}`, text))
	}
	for text, want := range map[string]string{"t1 r2": "these are 3 dice", "abc": "want dice such as", "t1.r2": "want dice such as", "123456789": "want dice such as"} {
		enter(text)
		x.wait(fmt.Sprintf(`document.getElementById('roll-error')?.textContent.includes(%q)`, want))
		if now := x.text("location.hash + document.querySelector('input[name=roll]').value"); now != before+text {
			t.Errorf("after the roll %q the page is at %s", text, now)
		}
	}
	enter("T2 R1 H1 C1")
	x.moved("trrhckkkkkkkr.chickens.roll.t2 r1 h1 c1")
}

// TestBrowserLastRoll: the answer to a roll changes nothing once another one is entered.
func TestBrowserLastRoll(t *testing.T) {
	x := open(t, browser(t), served(t)+"#play?game=martian-dice&players=2&dice=typed&moves=trrhckkkkkkkr.chickens.roll")
	for _, early := range []string{"123456789", "T1 R2 H1 C1"} { // a wrong one, and one that would go on
		x.wait(`document.querySelector('input[name=roll]')`)
		before := x.text("location.hash")
		x.do(fmt.Sprintf(`{
			const fetch = window.fetch, input = document.querySelector('input[name=roll]');
			const held = new Promise((resolve) => { window.release = resolve; });
			window.fetch = async (url, options) => {
				const answer = await fetch(url, options);
				if (!options?.body?.includes(%q)) return answer;
				await held;
				setTimeout(() => { window.fetch = fetch; }, 100); // after the page has read the answer
				return answer;
			};
			window.original = fetch;
			for (const text of [%[2]q, 't1 r2']) {
				input.value = text;
				input.form.requestSubmit();
			}
		}`, strings.ToLower(early), early))
		x.wait(`document.getElementById('roll-error').textContent.includes('these are 3 dice')`)
		x.do("release()")
		x.wait("window.fetch === original")
		if now, wrong := x.text("location.hash"), x.text(`document.getElementById('roll-error')?.textContent`); now != before || !strings.Contains(wrong, "these are 3 dice") {
			t.Errorf("after the answer to %q the page is at %s, and says %s", early, now, wrong)
		}
	}
}

// TestBrowserBoardGames plays whole games on the board alone. The published Martian Risk
// takes minutes, and its board is that of the small one.
func TestBrowserBoardGames(t *testing.T) {
	address, b := served(t), browser(t)
	for _, id := range catalog.IDs() {
		if id == "martian-risk" || !fulltest.On() && id != "mars-is-ours-fast" {
			continue
		}
		t.Run(id, func(t *testing.T) {
			g, err := catalog.Open(id, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			seats := "human" + strings.Repeat(",greedy", g.Spec().Players-1)
			x := open(t, b, fmt.Sprintf("%s#play?game=%s&players=%d&seed=2&seats=%s", address, id, g.Spec().Players, seats))
			clicks := 0
			x.play(3000, func(int) {
				x.do(fmt.Sprintf(`(() => {
					const before = location.hash;
					for (let n = %d; location.hash === before && n < %[1]d + 50; n++) {
						const picks = document.querySelectorAll('.option-button'), open = document.querySelectorAll('.scene .open');
						const list = picks.length && (n %% 3 === 2 || !open.length) ? picks : open;
						list[(7 * n) %% list.length].dispatchEvent(new MouseEvent('click', { bubbles: true }));
					}
				})()`, clicks))
				clicks++
			})
			x.wait(ended)
		})
	}
}
