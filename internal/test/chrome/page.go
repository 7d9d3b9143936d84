package chrome

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Page is a tab of a browser.
type Page struct {
	b       *Browser
	session string

	mu     sync.Mutex
	errors []string
}

// none are the parameters of commands without any.
type none struct{}

// NewPage opens a tab. Tabs of the same context share their storage; the context "" is
// that of the browser.
func (b *Browser) NewPage(ctx context.Context, browserContext string) (*Page, error) {
	params := map[string]any{"url": "about:blank"}
	if browserContext != "" {
		params["browserContextId"] = browserContext
	}
	var target struct{ TargetID string }
	if err := b.call(ctx, "", "Target.createTarget", params, &target); err != nil {
		return nil, err
	}
	var attached struct{ SessionID string }
	if err := b.call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached); err != nil {
		return nil, err
	}
	p := &Page{b: b, session: attached.SessionID}
	b.mu.Lock()
	b.pages[p.session] = p
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		if err := p.Call(ctx, domain+".enable", none{}, nil); err != nil {
			return nil, err
		}
	}
	// Each tab behaves as if it were in front, whatever the other tabs do.
	if err := p.Call(ctx, "Emulation.setFocusEmulationEnabled", map[string]bool{"enabled": true}, nil); err != nil {
		return nil, err
	}
	return p, nil
}

// NewContext returns a new browser context, with a storage of its own.
func (b *Browser) NewContext(ctx context.Context) (string, error) {
	var c struct{ BrowserContextID string }
	err := b.call(ctx, "", "Target.createBrowserContext", none{}, &c)
	return c.BrowserContextID, err
}

// CloseContext closes a browser context with its tabs, and forgets its storage.
func (b *Browser) CloseContext(ctx context.Context, id string) error {
	return b.call(ctx, "", "Target.disposeBrowserContext", map[string]string{"browserContextId": id}, nil)
}

// Call sends a command to the page and decodes its answer into result, unless that is nil.
func (p *Page) Call(ctx context.Context, method string, params, result any) error {
	return p.b.call(ctx, p.session, method, params, result)
}

// event keeps errors of the console.
func (p *Page) event(m message) {
	var e struct {
		Type             string
		Args             []struct{ Value, Description any }
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
		Entry struct{ Level, Text, URL string }
	}
	if json.Unmarshal(m.Params, &e) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m.Method {
	case "Runtime.consoleAPICalled":
		if e.Type == "error" || e.Type == "warning" {
			p.errors = append(p.errors, fmt.Sprint("console: ", e.Args))
		}
	case "Runtime.exceptionThrown":
		p.errors = append(p.errors, e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
	case "Log.entryAdded":
		if e.Entry.Level == "error" {
			p.errors = append(p.errors, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// Errors returns the errors in the console so far, and forgets them.
func (p *Page) Errors() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.errors
	p.errors = nil
	return list
}

// Eval returns the value of a JavaScript expression, or of the promise that it is.
func (p *Page) Eval(ctx context.Context, expression string, value any) error {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	params := map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true}
	if err := p.Call(ctx, "Runtime.evaluate", params, &r); err != nil {
		return err
	}
	if r.ExceptionDetails != nil {
		return errors.New(r.ExceptionDetails.Text + " " + r.ExceptionDetails.Exception.Description)
	}
	if value == nil || r.Result.Value == nil {
		return nil
	}
	return json.Unmarshal(r.Result.Value, value)
}

// pollEvery is the time between two looks at a condition. Chosen.
const pollEvery = 15 * time.Millisecond

// answerWithin is how long a page has to say what a failed wait has found. Chosen.
const answerWithin = 20 * time.Second

// Wait waits until JavaScript expressions are all true at the same time. A later one may rely on the
// earlier ones. The error of a wait that fails holds the value of each.
func (p *Page) Wait(ctx context.Context, expressions ...string) error {
	all := "Boolean((" + strings.Join(expressions, ") && (") + "))"
	for {
		var ok bool
		err := p.Eval(ctx, all, &ok)
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting: %w (%v)%s", ctx.Err(), err, p.values(ctx, expressions))
		case <-time.After(pollEvery):
		}
	}
}

// values returns a line for each expression, with its value.
func (p *Page) values(ctx context.Context, expressions []string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer cancel()
	var lines strings.Builder
	for _, x := range expressions {
		var value string
		if err := p.Eval(ctx, "String("+x+")", &value); err != nil {
			value = err.Error()
		}
		fmt.Fprintf(&lines, "\n\t%.200q is the value of %s", value, x)
	}
	return lines.String()
}

// Open goes to an address and waits until its document is complete: the document before it is there for
// a while after the command is answered, unless only the part after # differs.
func (p *Page) Open(ctx context.Context, url string) error {
	if err := p.Eval(ctx, "globalThis.before = true", nil); err != nil {
		return err
	}
	var r struct{ ErrorText, LoaderID string }
	if err := p.Call(ctx, "Page.navigate", map[string]any{"url": url}, &r); err != nil {
		return err
	}
	if r.ErrorText != "" {
		return fmt.Errorf("%s: %s", url, r.ErrorText)
	}
	if r.LoaderID == "" {
		return nil
	}
	return p.Wait(ctx, "!globalThis.before", "document.readyState === 'complete'")
}

// keys holds the codes of keys without a character.
var keys = map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}

// Press presses a key, such as "Tab", "Shift+Tab", "Enter" or "a".
func (p *Page) Press(ctx context.Context, key string) error {
	key, shift := strings.CutPrefix(key, "Shift+")
	params := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": keys[key]}
	if shift {
		params["modifiers"] = 8
	}
	switch {
	case key == "Enter":
		params["text"] = "\r"
	case len(key) == 1:
		params["text"] = key
	}
	if err := p.Call(ctx, "Input.dispatchKeyEvent", params, nil); err != nil {
		return err
	}
	delete(params, "text")
	params["type"] = "keyUp"
	return p.Call(ctx, "Input.dispatchKeyEvent", params, nil)
}

// Size sets the size of the window in CSS pixels, and whether it prefers dark colours.
func (p *Page) Size(ctx context.Context, width, height int, dark bool) error {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	features := []map[string]string{{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}}
	if err := p.Call(ctx, "Emulation.setEmulatedMedia", map[string]any{"features": features}, nil); err != nil {
		return err
	}
	return p.Call(ctx, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// Screenshot returns a picture of the window as PNG or, if full, of the whole document.
func (p *Page) Screenshot(ctx context.Context, full bool) ([]byte, error) {
	var r struct{ Data string }
	if err := p.Call(ctx, "Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": full}, &r); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(r.Data)
}
