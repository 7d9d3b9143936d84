package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marsgym/internal/test/fulltest"
)

// tab is a page in the browser, with what tests do on it.
type tab struct {
	t   testing.TB
	ctx context.Context // names the tab

	mu     sync.Mutex
	errors []string // in the console
}

// shared is the Chromium of all tests, which TestMain closes.
var shared struct {
	sync.Once
	ctx   context.Context
	close context.CancelFunc
	err   error
}

// browser returns the Chromium to a test that is left to .ci/run.
func browser(t testing.TB) context.Context {
	t.Helper()
	fulltest.Gate(t)
	return chromium(t)
}

// chromium returns the Chromium, or skips the test where there is none. Tests that use it run beside
// each other: they wait for the browser most of the time.
func chromium(t testing.TB) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("there is no Chromium on this machine; install Debian's package chromium to run this test")
	}
	if t, ok := t.(*testing.T); ok {
		t.Parallel()
	}
	shared.Do(func() {
		shared.ctx, shared.close = startChromium(path, filepath.Join(os.Getenv("XDG_CACHE_HOME"), "chromium"))
		shared.err = chromedp.Do(shared.ctx)
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.ctx
}

// startChromium starts the Chromium at path without a window, with a profile in the folder dir. Its
// language is English, whatever that of the machine.
func startChromium(path, dir string) (context.Context, context.CancelFunc) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(dir), chromedp.DisableGPU,
		chromedp.Flag("no-proxy-server", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("accept-lang", "en-US"),
		// Chromium ends if the path of its socket for temporary files is too long.
		chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) {
			cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TMPDIR=") })
		}))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // which refuses root
	}
	ctx, _ := chromedp.NewExecAllocator(context.Background(), options...)
	return chromedp.NewContext(ctx)
}

// open opens an address in a tab with a storage of its own.
func open(t testing.TB, browser context.Context, url string) *tab {
	t.Helper()
	return openIn(t, browser, newStorage(t, browser), url)
}

// newStorage returns a new storage for tabs.
func newStorage(t testing.TB, browser context.Context) cdp.BrowserContextID {
	t.Helper()
	r, err := chromedp.CallBrowser(browser, target.CreateBrowserContext, target.CreateBrowserContextParams{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		chromedp.CallBrowser(browser, target.DisposeBrowserContext, target.DisposeBrowserContextParams(r))
	})
	return r.BrowserContextID
}

// openIn opens an address in a tab with that storage.
func openIn(t testing.TB, browser context.Context, storage cdp.BrowserContextID, url string) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithExistingBrowserContext(storage))
	timed, cancel := context.WithTimeout(ctx, patience)
	x := &tab{t: t, ctx: timed}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err == nil && (m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleException || m.Type == chromedp.ConsoleWarning && m.Source == "") {
				x.mu.Lock()
				x.errors = append(x.errors, m.String()+" "+m.URL)
				x.mu.Unlock()
			}
		}
	}()
	// Each tab behaves as if it were in front, whatever the other tabs do.
	_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	x.must(err)
	t.Cleanup(func() {
		if list := x.Errors(); len(list) > 0 {
			t.Errorf("the console has errors:\n%s", strings.Join(list, "\n"))
		}
		closeTab()
		cancel()
	})
	x.must(x.Size(x.ctx, 1280, 900, false))
	x.must(x.Open(x.ctx, url))
	return x
}

// Call sends a command to the page and decodes its answer into result, unless that is nil.
func (x *tab) Call(ctx context.Context, method string, params, result any) error {
	return chromedp.FromContext(ctx).Target.Call(ctx, method, params, result)
}

// Errors returns the errors in the console so far, and forgets them.
func (x *tab) Errors() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := x.errors
	x.errors = nil
	return list
}

// Eval returns the value of a JavaScript expression, or of the promise that it is.
func (x *tab) Eval(ctx context.Context, expression string, value any) error {
	gesture := func(p *runtime.EvaluateParams) { p.UserGesture = new(true) } // which copying needs
	text, err := chromedp.Run(ctx, chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise, gesture))
	if err != nil || value == nil || text == nil {
		return err
	}
	return json.Unmarshal(text, value)
}

// pollEvery is the time between two looks at a condition. Chosen.
const pollEvery = 15 * time.Millisecond

// answerWithin is how long a page has to say what a failed wait has found. Chosen.
const answerWithin = 20 * time.Second

// Wait waits until JavaScript expressions are all true at the same time. A later one may rely on the
// earlier ones. The error of a wait that fails holds the value of each.
func (x *tab) Wait(ctx context.Context, expressions ...string) error {
	all := "Boolean((" + strings.Join(expressions, ") && (") + "))"
	for {
		var ok bool
		err := x.Eval(ctx, all, &ok)
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting: %w (%v)%s", ctx.Err(), err, x.values(ctx, expressions))
		case <-time.After(pollEvery):
		}
	}
}

// values returns a line for each expression, with its value.
func (x *tab) values(ctx context.Context, expressions []string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer cancel()
	var lines strings.Builder
	for _, expression := range expressions {
		var value string
		if err := x.Eval(ctx, "String("+expression+")", &value); err != nil {
			value = err.Error()
		}
		fmt.Fprintf(&lines, "\n\t%.200q is the value of %s", value, expression)
	}
	return lines.String()
}

// keys holds the texts of keys without a character.
var keys = map[string]string{"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, "ArrowLeft": kb.ArrowLeft, "ArrowUp": kb.ArrowUp, "ArrowRight": kb.ArrowRight, "ArrowDown": kb.ArrowDown}

// Press presses a key, such as "Tab", "Shift+Tab", "Enter" or "a".
func (x *tab) Press(ctx context.Context, key string) error {
	key, shift := strings.CutPrefix(key, "Shift+")
	modifier := chromedp.ModifierNone
	if shift {
		modifier = chromedp.ModifierShift
	}
	return chromedp.Do(ctx, chromedp.KeyEvent(cmp.Or(keys[key], key), chromedp.KeyModifiers(modifier)))
}

// Size sets the size of the window in CSS pixels, and whether it prefers dark colours.
func (x *tab) Size(ctx context.Context, width, height int, dark bool) error {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		return err
	}
	return chromedp.Do(ctx, chromedp.EmulateViewport(int64(width), int64(height)))
}

// Screenshot returns a picture of the window as PNG or, if full, of the whole document.
func (x *tab) Screenshot(ctx context.Context, full bool) ([]byte, error) {
	var r struct {
		Data []byte `json:"data"`
	}
	err := x.Call(ctx, "Page.captureScreenshot", map[string]any{"captureBeyondViewport": full}, &r)
	return r.Data, err
}

// Open goes to an address and waits until its document is complete.
func (x *tab) Open(ctx context.Context, url string) error {
	return chromedp.Do(ctx, chromedp.Navigate(url))
}
