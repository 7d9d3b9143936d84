package main

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/web"
	"marsgym/models"
)

// TestBrowserCoach: the coach warns before a costly choice, which can be taken back or played, also
// by choosing it again, and lets a good one pass; hints come in two steps.
func TestBrowserCoach(t *testing.T) {
	address := served(t)
	x := open(t, browser(t), address)
	x.at(address, "martian-dice", 2, "0-0@0 aside T2R3")
	x.do(`import('./api.js').then(async ({ call }) => { while (!(await call('values', { game: 'martian-dice', players: 2, start: '0-0@0 aside T2R3', time: 2000 }).catch(() => null))?.exact); })`) // on a slow machine, the first values are estimates
	x.click("coach")
	x.click("hint")
	x.wait(`document.querySelector('.coach-told')?.textContent.startsWith('Early, level. One choice is clearly best: the other loses ')`)
	x.click("best")
	x.wait(`document.querySelector('.coach-told').textContent.startsWith('Best: Roll')`)
	before := x.text("location.hash")
	x.click("option-stop")
	x.wait(`/“End the turn.*” loses \d+\.\d\s% of the chance to win/.test(document.querySelector('.coach-told [role=alert]')?.textContent)`, `document.activeElement.dataset.key === 'choose-again'`)
	x.press("Choose again")
	x.wait(`!document.querySelector('.coach-told').hasChildNodes()`)
	if got := x.text("location.hash"); got != before {
		t.Errorf("a choice that was taken back is played: %s", got)
	}
	x.click("option-stop")
	x.wait(`document.querySelector('[data-key=play-it]')`)
	x.press("Play it")
	x.moved("stop")
	x.do("history.back()")
	x.wait(`!location.hash.includes('moves=')`, `document.querySelector('[data-key=option-stop]:not(:disabled)')`)
	x.click("option-stop")
	x.wait(`document.querySelector('[data-key=play-it]')`)
	x.do(`new Promise((resolve) => setTimeout(resolve, 600))`) // longer than a double click
	x.click("option-stop")
	x.moved("stop")
	x.speak("de") // where all choices begin with a number
	x.at(address, "martian-dice", 2, "0-0@0 aside T2 roll R3H1C3K4")
	x.click("hint")
	x.wait(`document.querySelector('.coach-told [data-key=best]')`)
	if got := x.text(`document.querySelector('.coach-told').textContent`); strings.Contains(got, "beginnt") {
		t.Errorf("the hint gives the answer away: %s", got)
	}
}

// TestBrowserVerdicts: a loss that is shown as 4.0 % has the verdict of 4 %, equal choices are counted, and the
// mistake of an opponent since the last choice is told.
func TestBrowserVerdicts(t *testing.T) {
	address := served(t)
	x := open(t, browser(t), address)
	if got := x.text(`Promise.all([import('./verdict.js'), import('./numbers.js')]).then(([{ verdict }, { loss }]) => [0.03949, 0.03951, 0.03997, 0.04, 0.1949, 0.245, 0.2451].map((value, i) => {
		const n = { value, low: value, high: value, exact: true }, unit = i > 3 ? 'turns' : '';
		return loss(n, unit) + ' ' + (verdict(n, unit)?.sign ?? '');
	}).join(', '))`); got != "3.9 % ?!, 4.0 % ?, 4.0 % ?, 4.0 % ?, 0.19 ?!, 0.24 ?!, 0.25 ?" {
		t.Errorf("verdicts are %s", got)
	}
	x.do("localStorage.setItem('values', 'on')")
	x.load(address + "#play?game=martian-dice&players=2&seed=8&seats=human,human&start=0-0@0%20aside%20T5%20roll%20H4K4")
	x.wait(`document.querySelector('.digits')`)
	best := x.text(`[...document.querySelectorAll('.loss.best')].length - 1`)
	if got := x.text(`document.querySelector('.best-line').textContent`); best == "0" || !strings.HasSuffix(got, " · As good: "+best+" more.") {
		t.Errorf("with %s more choices that are the best the page says %q", best, got)
	}
	// In Pig an opponent who holds 20 points short of the end, with nothing, lets the person win.
	x.load(address + "#play?game=pig&players=2&seed=3&seats=human,human&start=90-60@1%20turn%2039&moves=hold")
	x.wait(`document.querySelector('.digits')`)
	if got := x.text(`document.querySelector('.choices .note[role=status]').textContent`); !regexp.MustCompile(`^Seat 2, (blunder \?\?|mistake \?|inaccuracy \?!): “Hold.*” lost \d+\.\d.% of the chance to win\.$`).MatchString(got) {
		t.Errorf("of the other player is told: %q", got)
	}
}

// TestBrowserSolvedMeanwhile solves a game while its values are estimated: the exact values follow.
func TestBrowserSolvedMeanwhile(t *testing.T) {
	b := browser(t)
	g, err := catalog.Open("martian-dice", 2, nil)
	if err == nil {
		_, err = solved(t.Context(), g)
	}
	if err != nil {
		t.Fatal(err)
	}
	estimates := make(chan struct{})
	begin := sync.OnceFunc(func() { close(estimates) })
	s := start(t, web.Options{
		Work: work, Limit: limit,
		Solve: func(ctx context.Context, g env.Game) (env.Solution, error) {
			<-estimates
			return solved(ctx, g)
		},
		Pretrained: func(ctx context.Context, spec game.Spec) (*models.File, error) {
			if err := ctx.Err(); err != nil {
				return nil, err // whether there is a network
			}
			begin()
			return agents.LoadPretrained(spec)
		},
	}, "")
	t.Cleanup(begin) // before the server ends
	x := open(t, b, s.address()+"#editor?game=martian-dice&players=2&position=0-0@0%20aside%20T2R3")
	x.wait(`document.querySelector('.worth')`, `document.querySelector('.digits')`)
}

// TestBrowserGuide opens a guided game from the page of the rules, follows it, and leaves the
// way that it suggests.
func TestBrowserGuide(t *testing.T) {
	x := open(t, browser(t), served(t)+"#rules?game=mars-is-ours-fast")
	x.wait(`document.querySelector('a[href="#learn?game=mars-is-ours-fast"]')`)
	x.wait(`document.querySelectorAll('.rules .map .cell').length === 16`) // in place of the letters
	if got := x.text(`document.querySelector('.rules h2').textContent + document.querySelectorAll('.rules pre').length`); got != "The goal0" {
		t.Errorf("the rules begin with %q", got)
	}
	x.do(`document.querySelector('a[href="#learn?game=mars-is-ours-fast"]').click()`)
	x.wait(`document.querySelector('.guide')?.textContent.startsWith('Guide, 1 of 5.')`)
	x.click("cell-b2")
	x.wait(`document.querySelector('.guide')?.textContent.startsWith('Guide, 2 of 5.')`)
	x.do(`document.querySelector('.option-button.suggested').click()`)
	x.wait(`document.querySelector('.guide')?.textContent.startsWith('Guide, 3 of 5.')`)
	x.click("cell-c4")
	x.wait(`document.querySelector('.guide')?.textContent.startsWith('Your own way.')`)
	x.click("leave-guide")
	x.wait(`!document.querySelector('.guide')`, choice)
}

// TestBrowserNewcomer: the header leads back to the game that was played last and to its rules, with
// the opponents as they were. The guide marks a choice in the list and on the map, is there again
// after a look back, and ends silently.
func TestBrowserNewcomer(t *testing.T) {
	x := open(t, chromium(t), served(t)+"#home")
	x.wait(`document.querySelector('select[name=seat1]')`)
	x.do(`document.querySelector('input[value=martian-risk-small]').click()`)
	x.wait(`document.querySelector('select[name=seat2]')`)
	x.do(`for (const [name, value] of [['seat1', 'random'], ['players', '4']]) { const s = document.querySelector('select[name=' + name + ']'); s.value = value; s.dispatchEvent(new Event('change')); }`)
	x.wait(`document.querySelector('select[name=seat3]')`)
	x.do(`{ const s = document.querySelector('select[name=players]'); s.value = '3'; s.dispatchEvent(new Event('change')); }`)
	x.wait(`!document.querySelector('select[name=seat3]')`)
	x.press("Start the game")
	x.wait(choice)
	x.press("Rules")
	x.wait(`document.querySelector('h1').textContent.startsWith('Rules: Martian Risk')`)
	if got := x.text(`document.getElementById('live').textContent`); got != "" {
		t.Errorf("away from the game is said: %q", got)
	}
	x.press("Play")
	x.wait(`document.querySelector('input[value=martian-risk-small]')?.checked`, `document.querySelector('select[name=seat1]')?.value === 'random'`, `document.querySelector('select[name=seat2]')?.value === 'greedy'`)

	x.do(`location.hash = '#learn?game=martian-risk-small'`)
	x.wait(`document.querySelector('.guide')?.textContent.startsWith('Guide, 1 of')`, `document.querySelector('[data-key=cell-NM].suggested')`)
	x.click("option-nm")
	x.wait(`document.querySelector('.guide')?.textContent.startsWith('Guide, 2 of')`)
	x.click("back")
	x.wait(`!document.querySelector('.guide')`)
	x.press("Back to the present")
	x.wait(`document.querySelector('.guide')?.textContent.startsWith('Guide, 2 of')`)
	for step := 2; x.text(`document.querySelector('.guide').textContent.startsWith('The guide ends')`) != "true"; step++ {
		x.do(`document.querySelector('.option-button.suggested').click()`)
		x.wait(fmt.Sprintf(`/^(Guide, %d of|The guide ends)/.test(document.querySelector('.guide')?.textContent)`, step+1))
	}
	x.wait(choice)
	x.do(choice + ".click()")
	x.wait(`!document.querySelector('.guide')`, choice)
}

// TestBrowserEditor sets up positions by clicks: dice, the owner of a region and its armies, and
// robots, and plays on from one. Clicks with commas between them come before the page is drawn again.
func TestBrowserEditor(t *testing.T) {
	address := serve(t, web.Options{Solve: func(context.Context, env.Game) (env.Solution, error) { return nil, game.ErrNoSolution }}) // no solver works on after the test
	x := open(t, browser(t), address)
	edit := func(game string, players int, position string, keys, want string) {
		t.Helper()
		x.load(fmt.Sprintf("%s#editor?game=%s&players=%d&position=%s", address, game, players, url.QueryEscape(position)))
		for _, key := range strings.Fields(keys) {
			before := x.text("location.hash")
			first, _, _ := strings.Cut(key, ",")
			x.wait(fmt.Sprintf(`document.querySelector('[data-key="%s"]')`, first), `document.querySelector('textarea[name=position]').value === new URLSearchParams(location.hash.split('?')[1]).get('position')`)
			x.do(fmt.Sprintf(`for (const key of %q.split(',')) document.querySelector('[data-key="' + key + '"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))`, key))
			x.wait(fmt.Sprintf("location.hash !== %q", before))
		}
		x.wait(fmt.Sprintf(`document.querySelector('textarea[name=position]')?.value === %q`, want), `document.querySelector('[data-key=play-on]')`, `!document.querySelector('.error:not(:empty)')`)
	}
	edit("martian-dice", 2, "13-17@1 aside T3R2H4 roll R2C1K1", "less-roll-K more-aside-T", "13-17@1 aside T4R2H4 roll R2C1")
	edit("martian-dice", 2, "13-17@1 aside T3R2H4 roll R2C1K1", "less-roll-K,less-roll-R,more-aside-T,more-aside-T", "13-17@1 aside T5R2H4 roll R1C1")
	edit("martian-risk-tiny", 2, "2-2@0 attack start 0 ; A:1 B:3LMS ; C:1 D:2LMS round 1", "cell-A cell-C", "2-2@0 attack start 0 ; B:3LMS C:1 ; A:1 D:2LMS round 1")
	edit("martian-risk-tiny", 2, "2-2@0 attack start 0 ; A:1 B:3LMS ; C:1 D:2LMS round 1", "cell-A,cell-C", "2-2@0 attack start 0 ; B:3LMS C:1 ; A:1 D:2LMS round 1")
	edit("mars-is-ours", 2, "7-2@0 start 1 tokens 5-6 hand 3-2 junk 7-9 map ogso/mtmt/sgtm/otso robots oA.o/AB../..../o..o labs ...... round 2", "cell-c3 cell-c3 cell-rocket",
		"7-2@0 start 1 tokens 5-6 hand 3-2 junk 5-9 map ogso/mtmt/sgtm/otso robots oA.o/AB../..a./o..o labs .A.... round 2")
	edit("mars-is-ours-fast", 2, "0-0@0 start 0 hand 4-4 junk 2-2 robots o..o/..../..../o..o", "cell-b2 cell-b2 cell-c2", "1-1@0 start 0 hand 4-4 junk 1-1 robots o..o/.BA./..../o..o")
	if got := x.text(`document.querySelector('.map [data-key=cell-b2]').getBoundingClientRect().height > 20`); got != "true" {
		t.Error("the map of the editor is too small to click")
	}
	x.click("play-on")
	x.wait(`location.hash.startsWith('#play?')`, `new URLSearchParams(location.hash.split('?')[1]).get('seats').startsWith('human,')`, choice)
}

// TestBrowserLink: a game by link says that it relies on trust, and a link that is older than what
// this browser has seen of its game, or differs, is told.
func TestBrowserLink(t *testing.T) {
	address := served(t) + "#play?game=martian-dice&players=2&seed=7&seats=human,human"
	x := open(t, browser(t), address)
	x.play(3, func(int) { x.do(choice + ".click()") })
	x.wait(choice)
	seen := x.text("location.hash")
	x.click("tab-share")
	x.wait(`document.querySelector('.trust')?.textContent.includes('relies on trust')`)
	moves := strings.Split(seen[strings.Index(seen, "&moves=")+7:], ".")
	for moves, want := range map[string]string{
		strings.Join(moves, "."): "", moves[0] + "." + moves[1]: "the moves after move 2 are missing",
		moves[0] + ".stop": "move 2 is another one",
	} {
		x.load(address + "&moves=" + moves)
		x.wait(choice)
		if got := x.text(`document.getElementById('notice').textContent`); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("a link with the moves %s: the page says %q, want %q", moves, got, want)
		}
	}
}
