package main

import (
	"fmt"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"marsgym/internal/test/fulltest"

	"github.com/chromedp/cdproto/cdp"
)

// Pages of the exported page. Incomplete is one that says that it is not complete.
const (
	complete   = `document.querySelector('.setup .primary')`
	incomplete = `document.body.innerText.match(/If this stays, reload the page|A part of this page cannot be loaded|Ein Teil dieser Seite lässt sich nicht laden/)`
)

// marks returns which versions the modules, style sheets and words of a tab are of, such as "1".
func (x *tab) marks() string {
	x.t.Helper()
	return x.text(`(async () => {
		const style = getComputedStyle(document.documentElement), { t } = await import(` + module("language.js") + `);
		return [...new Set([...self.marks, ...['page', 'board', 'layout'].map((name) => style.getPropertyValue('--' + name).replaceAll("'", '').trim()), t('mark')])].sort().join();
	})()`)
}

// TestBrowserVersions publishes a version of the page, and then the next one in its place, where
// tabs are open and visits have broken off. A tab has one version, or says that it is not complete.
func TestBrowserVersions(t *testing.T) {
	b := browser(t)
	one, two := marked(t, "1"), marked(t, "2")
	hosts := map[string]*host{"all": {declares: true, falls: true}}
	if fulltest.On() {
		hosts = map[string]*host{"all": {declares: true, falls: true}, "plain": {}, "declares": {declares: true}, "falls": {falls: true}}
	}
	for name, h := range hosts {
		h.api = logic()
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		whole := func(t *testing.T, x *tab, want string) {
			t.Helper()
			if got := x.marks(); got != want {
				t.Errorf("%s: the tab has files of the versions %q; want %s", x.text("location.hash"), got, want)
			}
		}
		visit := func(t *testing.T, storage cdp.BrowserContextID, query string) *tab {
			x := openIn(t, b, storage, "about:blank")
			x.script(`Object.defineProperty(navigator, 'languages', { get: () => ['de'] })`) // the words are a file
			x.must(x.Open(x.ctx, s.URL+query))
			return x
		}
		t.Run(name+"/open", func(t *testing.T) {
			h.publish(one)
			storage := newStorage(t, b)
			x := visit(t, storage, "/")
			x.wait(complete)
			x.wait(`navigator.serviceWorker.controller`)
			whole(t, x, "1")
			h.publish(two)
			for page, seen := range map[string]string{"games": "textarea", "rules?game=pig": ".rules p", "play?game=pig&players=2&seed=7": ".option-button"} {
				x.do(fmt.Sprintf("location.hash = %q", page))
				x.wait(fmt.Sprintf("document.querySelector('#main %s')", seen))
				whole(t, x, "1")
			}
			x.do("location.hash = 'home'")
			x.wait(complete)
			y := visit(t, storage, "/?from=elsewhere") // the browser asks for the next version
			y.wait(complete)
			whole(t, y, "1")
			y.wait(`document.getElementById('notice').textContent.includes('Es gibt eine neue Version')`)
			whole(t, x, "1")
			y.press("Neu laden")
			y.wait(`self.marks?.has('2') && ` + complete)
			whole(t, y, "2")
			x.wait(`document.getElementById('notice').textContent.includes('ältere Version')`)
			whole(t, x, "1")
			x.press("Neu laden")
			x.wait(`self.marks?.has('2') && ` + complete)
			whole(t, x, "2")
			if got := x.text(`caches.keys().then((names) => names.length)`); got != "1" {
				t.Errorf("%s versions are kept", got)
			}
		})
		for i, kept := range []string{"main.js store.js dom.js language.js address.js page.css", "main.js page.css board.css layout.css", "page.css"} {
			if i > 0 && !fulltest.On() {
				break
			}
			t.Run(name+"/broken off", func(t *testing.T) {
				storage := newStorage(t, b)
				h.publish(one)
				h.breakOff(func(name string) bool {
					return name != "index.html" && !strings.Contains(" "+kept+" ", " "+path.Base(name)+" ")
				})
				x := visit(t, storage, "/")
				x.wait(`document.querySelector('.loading, [role=alert]')`)
				h.breakOff(nil)
				h.publish(two)
				y := visit(t, storage, "/")
				y.wait(fmt.Sprintf("%s || %s", complete, incomplete))
				if y.text("Boolean("+complete+")") == "true" {
					whole(t, y, y.text("[...self.marks][0]"))
				}
				y.load(s.URL + "/")
				y.wait(complete)
				whole(t, y, "2")
				x.Errors()
				y.Errors()
			})
		}
		t.Run(name+"/without a service worker", func(t *testing.T) {
			h.publish(one)
			x := openIn(t, b, newStorage(t, b), "about:blank")
			x.script(`Object.defineProperty(navigator, 'serviceWorker', { value: undefined })`)
			x.must(x.Open(x.ctx, s.URL+"/"))
			x.wait(complete)
			h.publish(two)
			x.do("location.hash = 'games'")
			x.wait(incomplete)
			x.press("Reload")
			x.wait(`document.querySelector('textarea')`)
			if got := x.text("[...self.marks].join()"); got != "2" {
				t.Errorf("the modules are of the versions %s; want 2", got)
			}
			// The words of another language of the version that is gone.
			h.publish(one)
			x.speak("de")
			x.wait(`document.getElementById('notice').textContent.includes('The language cannot be loaded')`)
			x.Errors()
		})
		t.Run(name+"/wrong files", func(t *testing.T) {
			// What a service worker keeps is what the version lists, whatever the names say.
			damaged := marked(t, "3")
			for file, content := range damaged {
				if path.Base(file) == "net.safetensors" || path.Base(file) == "store.js" {
					damaged[file] = append(content, ' ')
				}
			}
			h.publish(damaged)
			x := openIn(t, b, newStorage(t, b), s.URL)
			x.wait(complete)
			got := x.text(`(async () => {
				const registration = await navigator.serviceWorker.getRegistration();
				const worker = registration?.installing;
				if (worker) await new Promise((done) => { worker.onstatechange = done; });
				const folder = new URL('.', document.querySelector('script[type=module]').src).href;
				for (const name of ['files.js', 'load.js']) await new Promise((done) => {
					document.head.append(Object.assign(document.createElement('script'), { src: folder + name, onload: done }));
				});
				const load = (name) => self.load(name, folder).then((b) => b.length, (e) => e.message);
				return [Boolean(registration?.active), await load('networks/net.safetensors'), await load('networks/none'), await load('app.wasm.gz')].join('; ');
			})()`)
			if want := "false; networks/net.safetensors of this version of the page is not on its server; networks/none of this version of the page is not on its server; 5"; got != want {
				t.Errorf("a damaged version is kept, and files are loaded so: %s; want %s", got, want)
			}
			x.Errors()
		})
	}
}

// TestBrowserUntyped opens the page on servers that do not know the types of its files: it says so,
// where the browser does not take them.
func TestBrowserUntyped(t *testing.T) {
	b := browser(t)
	for suffix, want := range map[string]string{".js": "must send style sheets and JavaScript by their types", ".css": "A part of this page cannot be loaded", ".json": "Partie starten"} {
		h := &host{untyped: suffix, api: logic()}
		h.publish(marked(t, "1"))
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		x := open(t, b, s.URL)
		if suffix == ".json" {
			x.wait(complete)
			x.speak("de")
		}
		x.wait(fmt.Sprintf("document.body.innerText.includes(%q)", want))
		x.Errors()
	}
}

// TestBrowserFlat publishes a version in the place of an export of marsgym 0.1.0, whose files have no
// version in their names, and whose service worker keeps them.
func TestBrowserFlat(t *testing.T) {
	b, h := browser(t), &host{api: logic()}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	h.publish(flat(t, "0"))
	storage := newStorage(t, b)
	x := openIn(t, b, storage, s.URL)
	x.wait(complete)
	x.wait(`navigator.serviceWorker.controller`)
	h.publish(marked(t, "1"))
	x.load(s.URL) // the browser finds the next version
	x.wait(complete)
	for _, page := range []string{"games", "rules"} {
		x.do(fmt.Sprintf("location.hash = %q", page))
		x.wait(fmt.Sprintf("document.querySelector('nav a[aria-current]')?.hash === '#%s'", page))
	}
	if got := x.text("[...self.marks].join()"); got != "0" {
		t.Errorf("the modules are of the versions %s; want 0", got)
	}
	x.wait(`document.getElementById('notice').textContent.includes('There is a new version')`)
	x.press("Reload")
	x.wait(`self.marks?.has('1') && document.querySelector('nav a[aria-current]')`)
	if got := x.text("[...self.marks].join()"); got != "1" {
		t.Errorf("the modules are of the versions %s; want 1", got)
	}
}

// TestBrowserHosts serves the exported page, with its program, as static servers do, in a folder beside
// another project: it plays, and fetches values and a network.
func TestBrowserHosts(t *testing.T) {
	if !fulltest.On() {
		t.Skip("compiling takes half a minute; MARSGYM_FULL=1 tests it")
	}
	b := browser(t)
	files := map[string][]byte{"index.html": []byte("<!doctype html><title>another project</title>"), "networks/a": nil}
	for name, content := range exportedFiles(t) {
		files["mars/"+name] = content
	}
	for name, h := range map[string]*host{"plain": {}, "declares": {declares: true}, "falls": {falls: true}, "all": {declares: true, falls: true}} {
		t.Run(name, func(t *testing.T) {
			h.publish(files)
			s := httptest.NewServer(h)
			t.Cleanup(s.Close)
			x := open(t, b, s.URL+"/mars/index.html#play?game=martian-dice&players=2&seed=7&seats=human,greedy")
			x.wait(choice)
			x.click("values")
			x.wait(`document.querySelector('.worth')`)
			if got := x.text(`import(` + module("api.js") + `).then(({ call }) => call('play', { game: 'martian-dice', players: 2, seed: '7', seats: ['pretrained', 'human'] })).then((view) => view.steps > 0)`); got != "true" {
				t.Error("the network does not play")
			}
			x.wait(`navigator.serviceWorker.controller`)
			x.load(s.URL + "/mars/#home")
			x.wait(complete)
		})
	}
}

// TestVersionNames: the address of every file that can change has the version in it.
func TestVersionNames(t *testing.T) {
	folders := map[string]bool{}
	for _, mark := range []string{"1", "2"} {
		for name := range marked(t, mark) {
			folder, _, in := strings.Cut(name, "/")
			switch {
			case in:
				folders[folder] = true
			case name != "index.html" && name != "sw.js" && name != previewFile && name != licencesFile:
				t.Errorf("%s has no version", name)
			}
		}
	}
	if len(folders) != 2 {
		t.Errorf("two versions are in the folders %v", folders)
	}
}
