package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/env/tablegame"
	"marsgym/internal/test/testgames"
)

// tableServer is the name of the variable with which this test program serves a table in a file: a
// process of its own, since the games of a process are those of all its tests.
const tableServer = "MARSGYM_TEST_TABLE"

// servedTable serves a table, and returns its address.
func servedTable(t *testing.T, r *tablegame.Rules) (url string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.game")
	if err := r.Save(file); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env, c.Stderr = append(os.Environ(), tableServer+"="+file), os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "Open ")
	if !ok {
		t.Fatalf("the server says %q, %v", line, err)
	}
	return url
}

// TestBrowserPoints: returns of a table that are points are shown as they are.
func TestBrowserPoints(t *testing.T) {
	b, url := browser(t), servedTable(t, testgames.NewShares())
	x := open(t, b, url)
	x.do("localStorage.setItem('values', 'on')")
	x.load(url + "#play?game=shares.game&players=2&seed=3&seats=human,exact")
	x.wait(`document.querySelector('.digits')`)
	if got := x.text(`[...document.querySelectorAll('.digits td')].map((d) => d.textContent).join(' ')`); got != "3.000000 points  -1.000000 points 4.000000 points" {
		t.Errorf("the values are %q", got)
	}
	x.click("option-0")
	x.wait(ended)
	if got := x.text(`document.querySelector('.result').textContent`); !strings.HasPrefix(got, "You took 3 points.") {
		t.Errorf("the result is %q", got)
	}
}

// TestBrowserTable plays whole games of tic-tac-toe from a file: what the page shows is the text of the
// state, and its choices are those of the table.
func TestBrowserTable(t *testing.T) {
	b, url := browser(t), servedTable(t, testgames.NewTicTacToe())
	x := open(t, b, url)
	choices := `[...document.querySelectorAll('.option-button:not(:disabled)')].map((b) => b.dataset.key).join(' ')`
	expect := func(expression, want string) {
		t.Helper()
		if got := x.text(expression); got != want {
			t.Errorf("%s is %q; want %q", expression, got, want)
		}
	}
	x.load(url + "#play?game=tic_tac_toe.game&players=2&seed=3&seats=human,human")
	for _, move := range []struct{ board, choices, choice string }{
		{"...\n...\n...", "a3 b3 c3 a2 b2 c2 a1 b1 c1", "b2"},
		{"...\n.x.\n...", "a3 b3 c3 a2 c2 a1 b1 c1", "b3"},
		{".o.\n.x.\n...", "a3 c3 a2 c2 a1 b1 c1", "a3"},
		{"xo.\n.x.\n...", "c3 a2 c2 a1 b1 c1", "c1"},
		{"xo.\n.x.\n..o", "c3 a2 c2 a1 b1", "a2"},
		{"xo.\nxx.\n..o", "c3 c2 a1 b1", "c2"},
		{"xo.\nxxo\n..o", "c3 a1 b1", "a1"},
	} {
		x.wait(choice)
		expect(`document.querySelector('.text-board').textContent`, move.board)
		expect(`document.querySelector('[data-key="option-`+move.choice+`"] strong').textContent.toLowerCase()`, move.choice)
		expect(choices, "option-"+strings.ReplaceAll(move.choices, " ", " option-"))
		x.click("option-" + move.choice)
		x.wait(`location.hash.endsWith('` + move.choice + `')`)
	}
	x.wait(ended)
	expect(`document.querySelector('.text-board').textContent`, "xo.\nxxo\nx.o")
	expect(choices, "")
	result := `document.querySelector('.result').textContent.split('.')[0]`
	expect(result, "Seat 1 wins")
	if dir := os.Getenv(screenshots); dir != "" {
		picture, err := x.Screenshot(x.ctx, true)
		x.must(err)
		x.must(os.WriteFile(filepath.Join(dir, "table.png"), picture, 0o666))
	}

	x.load(url + "#play?game=tic_tac_toe.game&players=2&seed=3&seats=human,exact")
	x.play(whole, x.byClick)
	x.wait(ended)
	expect(result, "You lost -1 : 1") // by moves that vary, not by good ones
}
