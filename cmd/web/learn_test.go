package main

import "testing"

// TestBrowserCoach: the coach warns before a costly choice, which can be taken back or played,
// also on the board, and lets a good one pass; hints come in two steps.
func TestBrowserCoach(t *testing.T) {
	address := served(t)
	x := open(t, browser(t), address)
	x.at(address, "martian-dice", 2, "0-0@0 aside T2R3")
	x.click("coach")
	x.click("hint")
	x.wait(`document.querySelector('.coach-told')?.textContent.startsWith('Early, level. One choice is clearly best: the other loses ')`)
	x.click("best")
	x.wait(`document.querySelector('.coach-told').textContent.startsWith('Best: Roll')`)
	before := x.text("location.hash")
	x.click("option-stop")
	x.wait(`/“End the turn.*” loses \d+\.\d % of the chance to win/.test(document.querySelector('.coach-told [role=alert]')?.textContent) && document.activeElement.dataset.key === 'choose-again'`)
	x.press("Choose again")
	x.wait(`!document.querySelector('.coach-told').hasChildNodes()`)
	if got := x.text("location.hash"); got != before {
		t.Errorf("a choice that was taken back is played: %s", got)
	}
	x.click("option-stop")
	x.wait(`document.querySelector('[data-key=play-it]')`)
	x.press("Play it")
	x.moved("stop")
}

// TestBrowserGuide opens a guided game from the page of the rules, follows it, and leaves the
// way that it suggests.
func TestBrowserGuide(t *testing.T) {
	x := open(t, browser(t), served(t)+"#rules?game=mars-is-ours-fast")
	x.wait(`document.querySelector('a[href="#learn?game=mars-is-ours-fast"]')`)
	x.do(`document.querySelector('a[href="#learn?game=mars-is-ours-fast"]').click()`)
	x.wait(`document.querySelector('.guide')?.textContent.startsWith('Guide, 1 of 5.')`)
	x.click("cell-b2")
	x.wait(`document.querySelector('.guide')?.textContent.startsWith('Guide, 2 of 5.')`)
	x.do(`document.querySelector('.option-button.suggested').click()`)
	x.wait(`document.querySelector('.guide')?.textContent.startsWith('Guide, 3 of 5.')`)
	x.click("cell-c4")
	x.wait(`document.querySelector('.guide')?.textContent.startsWith('Your own way.')`)
	x.click("leave-guide")
	x.wait(`!document.querySelector('.guide') && ` + choice)
}
