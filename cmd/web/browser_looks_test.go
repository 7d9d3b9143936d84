package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/web"
)

// axe is the name of the variable with the path of axe.min.js of the package axe-core.
const axe = "MARSGYM_AXE"

// TestBrowserAccessibility checks every page by axe-core, in light and dark, and the main pages in
// every language. It leaves out one rule, which axe-core calls experimental: it takes the title of a
// cell as its visible text. In dark it checks the rules about colours alone: the style sheets differ
// between the schemes in light-dark(…) only, which is a colour.
func TestBrowserAccessibility(t *testing.T) {
	path := os.Getenv(axe)
	if path == "" {
		t.Skipf("%s does not name axe.min.js of the npm package axe-core", axe)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b := browser(t)
	pig, err := catalog.Open("pig", 2, nil)
	if err == nil {
		_, err = solved(t.Context(), pig) // else pages show estimates, whose searches run beside the solver
	}
	if err != nil {
		t.Fatal(err)
	}
	url := serve(t, web.Options{Runs: trained(t)})
	x := open(t, b, url)
	for _, page := range pagesToSee {
		languages := []string{"en"}
		if slices.Contains([]string{"home", "rules", "dice", "review"}, page.name) {
			languages = []string{"de", "zh", "en"}
		}
		for _, language := range languages {
			x.do("localStorage.setItem('marsgym language', '" + language + "')")
			x.see(url, page)
			page.hash = x.text("location.hash.slice(1)") // with what agents have played
			x.do(string(source))
			for _, dark := range []bool{false, true} {
				x.must(x.Size(x.ctx, 1280, 900, dark))
				if dark && language != "en" && !fulltest.On() {
					continue
				}
				rules := `{resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], rules: {'label-content-name-mismatch': {enabled: false}}}`
				if dark {
					rules = `{resultTypes: ['violations'], runOnly: ['color-contrast', 'link-in-text-block']}`
				}
				found := x.text(`axe.run(document, ` + rules + `)
					.then((r) => r.violations.map((v) => v.id + ': ' + v.help + ' ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + ' ' + n.failureSummary).join(' | ')).join('\n'))`)
				if found != "" {
					t.Errorf("%s in %s, dark %v: %s", page.name, language, dark, found)
				}
			}
		}
	}
}

// screenshots is the name of the variable with a folder for pictures of every page.
const screenshots = "MARSGYM_SCREENSHOTS"

// TestBrowserScreenshots draws every page in four widths, light and dark, for people to
// look at.
func TestBrowserScreenshots(t *testing.T) {
	dir := os.Getenv(screenshots)
	if dir == "" {
		t.Skipf("%s names no folder for the pictures", screenshots)
	}
	url := serve(t, web.Options{Runs: trained(t)})
	x := open(t, browser(t), url)
	for _, width := range []int{360, 768, 1280, 1920} {
		for scheme, dark := range map[string]bool{"light": false, "dark": true} {
			x.must(x.Size(x.ctx, width, 900, dark))
			for _, page := range pagesToSee {
				x.see(url, page)
				if over := x.text(`document.documentElement.scrollWidth > innerWidth`); over == "true" {
					t.Errorf("%s is wider than %d pixels", page.name, width)
				}
				picture, err := x.Screenshot(x.ctx, true)
				x.must(err)
				x.must(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", page.name, width, scheme)), picture, 0o666))
			}
		}
	}
}

// TestBrowserReadme draws the pictures of README and of link previews, of a position with its values:
//
//	MARSGYM_SCREENSHOTS=$PWD/docs/images go test -run BrowserReadme ./cmd/web
//	mv docs/images/preview.png cmd/web/page
func TestBrowserReadme(t *testing.T) {
	dir := os.Getenv(screenshots)
	if dir == "" {
		t.Skipf("%s names no folder for the pictures", screenshots)
	}
	url := served(t)
	x := open(t, browser(t), url)
	x.must(x.Size(x.ctx, 1060, 590, false))
	x.see(url, pageToSee{
		hash: "play?game=martian-dice&players=2&seed=3&seats=human,pretrained&moves=" +
			"cows.roll.rays.roll.rays.stop.chickens.roll.rays.roll.rays.roll.rays.roll.rays.roll.humans.rays.roll.chickens.roll",
		complete: choice,
		act:      "document.querySelector('.switch input').click()", then: "document.querySelector('.worth')",
	})
	save := func(name string, clip map[string]float64) {
		var picture struct {
			Data []byte `json:"data"`
		}
		x.must(x.Call(x.ctx, "Page.captureScreenshot", map[string]any{"clip": clip}, &picture))
		full, err := png.Decode(bytes.NewReader(picture.Data))
		x.must(err)
		var small bytes.Buffer
		x.must((&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, fewColours(full)))
		x.must(os.WriteFile(filepath.Join(dir, name), small.Bytes(), 0o666))
	}
	x.must(x.Size(x.ctx, 1000, 525, false))
	save("preview.png", map[string]float64{"x": 0, "y": 0, "width": 1000, "height": 525, "scale": 1.2})
	x.must(x.Size(x.ctx, 1060, 900, false))
	x.do(`document.querySelectorAll('.card-box, .choices .note').forEach((e) => { e.style.display = 'none'; })`)
	var area map[string]float64 // from the title to the choices
	x.must(x.Eval(x.ctx, `(() => {
		const [board, actions] = ['.stage', '.actions'].map((s) => document.querySelector(s).getBoundingClientRect());
		return { x: board.x - 8, y: board.y - 8, width: actions.right - board.x + 16, height: board.height + 16, scale: 1.6 };
	})()`, &area))
	save("values.png", area)
}

// fewColours returns a picture in its most frequent colours, which takes a third of the space.
func fewColours(full image.Image) image.Image {
	count := map[color.Color]int{}
	area := full.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			count[full.At(x, y)]++
		}
	}
	palette := slices.Collect(maps.Keys(count))
	slices.SortFunc(palette, func(a, b color.Color) int {
		return cmp.Or(count[b]-count[a], strings.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	few := image.NewPaletted(area, palette[:min(len(palette), 64)])
	draw.Draw(few, area, full, area.Min, draw.Src)
	return few
}
