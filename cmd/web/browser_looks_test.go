package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"marsgym/internal/web"
)

// axe is the name of the variable with the path of axe.min.js of the package axe-core.
const axe = "MARSGYM_AXE"

// TestBrowserAccessibility checks every page by axe-core, in light and dark. It leaves out
// one rule, which axe-core calls experimental: it takes the title of a cell as its visible text.
func TestBrowserAccessibility(t *testing.T) {
	path := os.Getenv(axe)
	if path == "" {
		t.Skipf("%s does not name axe.min.js of the npm package axe-core", axe)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	url := serve(t, web.Options{Runs: trained(t)})
	x := open(t, browser(t), url)
	for _, dark := range []bool{false, true} {
		x.must(x.Size(x.ctx, 1280, 900, dark))
		for _, page := range pagesToSee {
			x.see(url, page)
			x.do(string(source))
			found := x.text(`axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], rules: {'label-content-name-mismatch': {enabled: false}}})
				.then((r) => r.violations.map((v) => v.id + ': ' + v.help + ' ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + ' ' + n.failureSummary).join(' | ')).join('\n'))`)
			if found != "" {
				t.Errorf("%s, dark %v: %s", page.name, dark, found)
			}
		}
	}
}

// screenshots is the name of the variable with a folder for pictures of every page.
const screenshots = "MARSGYM_SCREENSHOTS"

// TestBrowserScreenshots draws every page in three widths, light and dark, for people to
// look at.
func TestBrowserScreenshots(t *testing.T) {
	dir := os.Getenv(screenshots)
	if dir == "" {
		t.Skipf("%s names no folder for the pictures", screenshots)
	}
	url := serve(t, web.Options{Runs: trained(t)})
	x := open(t, browser(t), url)
	for _, width := range []int{360, 768, 1280} {
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
