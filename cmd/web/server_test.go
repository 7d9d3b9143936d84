package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/web"
)

// post sends a request of the page to a server.
func post(ctx context.Context, url, body string, header map[string]string) (status int, answer string, err error) {
	r, err := http.NewRequestWithContext(ctx, "POST", url+"api", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// TestHostile sends requests that the server must refuse.
func TestHostile(t *testing.T) {
	url := serve(t, web.Options{})
	const games = `{"do":"games"}`
	for _, test := range []struct {
		name   string
		body   string
		header map[string]string
		status int
	}{
		{"a request of the page", games, nil, http.StatusOK},
		{"of its own origin", games, map[string]string{"Origin": strings.TrimSuffix(url, "/"), "Sec-Fetch-Site": "same-origin"}, http.StatusOK},
		{"of another origin", games, map[string]string{"Origin": "https://example.com"}, http.StatusForbidden},
		{"of another site", games, map[string]string{"Sec-Fetch-Site": "cross-site"}, http.StatusForbidden},
		{"of no origin", games, map[string]string{"Origin": "null"}, http.StatusForbidden},
		{"for another host", games, map[string]string{"Host": "example.com"}, http.StatusMisdirectedRequest},
		{"for another port", games, map[string]string{"Host": "127.0.0.1:1"}, http.StatusMisdirectedRequest},
		{"a form", games, map[string]string{"Content-Type": "text/plain"}, http.StatusUnsupportedMediaType},
		{"too large", strings.Repeat(" ", web.MaxRequest+1), nil, http.StatusRequestEntityTooLarge},
		{"malformed", "{", nil, http.StatusOK},
	} {
		status, answer, err := post(t.Context(), url, test.body, test.header)
		if err != nil || status != test.status {
			t.Errorf("%s: status %d, %v, %.200s; want %d", test.name, status, err, answer, test.status)
		}
		if test.body == "{" && !strings.Contains(answer, `"error"`) {
			t.Errorf("%s: %s", test.name, answer)
		}
	}
	for _, path := range []string{"../main.go", "..%2fmain.go", "%2e%2e/server.go", "/etc/passwd", "page.css/../../main.go", ".git/config"} {
		response, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode == http.StatusOK && !bytes.Contains(text, []byte("<!doctype html>")) && !strings.HasPrefix(string(text), ":root") {
			t.Errorf("%s: %.100s", path, text)
		}
	}
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if p := response.Header.Get("Content-Security-Policy"); p != policy {
		t.Errorf("the policy is %q", p)
	}
	for _, p := range []string{policy, exportPolicy} {
		for _, directive := range strings.Split(p, ";") {
			if fields := strings.Fields(directive); len(fields) != 2 || fields[1] != "'self'" && fields[1] != "'none'" {
				t.Errorf("the policy has %q", directive)
			}
		}
		if !strings.HasPrefix(p, "default-src 'none'; script-src 'self'; style-src 'self';") {
			t.Errorf("the policy is %q", p)
		}
	}
}

// TestListen: without -listen only this computer reaches the server.
func TestListen(t *testing.T) {
	t.Chdir(t.TempDir())
	o, err := parse(nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	addr, err := net.ResolveTCPAddr("tcp", o.listen)
	if err != nil || !addr.IP.IsLoopback() || o.runs != "" {
		t.Errorf("it listens on %s with the run folders %q, %v", o.listen, o.runs, err)
	}
}

// TestWritesNothing: requests leave no file.
func TestWritesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("TMPDIR", dir)
	url := serve(t, web.Options{})
	for _, body := range []string{
		`{"do":"play","game":"pig","seats":["greedy","human"]}`, `{"do":"values","game":"martian-dice","players":1}`,
		`{"do":"write","game":"pig","moves":["roll"]}`, `{"do":"read","text":"x"}`, `{"do":"agents","game":"pig"}`,
	} {
		if status, answer, err := post(t.Context(), url, body, nil); err != nil || status != http.StatusOK {
			t.Errorf("%s: status %d, %v, %.200s", body, status, err, answer)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the requests leave %v, %v", entries, err)
	}
}

// TestToken checks that a server that others can reach answers only with the token, that it
// never sends the token or redirects elsewhere, and that its files hold no secret.
func TestToken(t *testing.T) {
	s := newServer(web.New(web.Options{}), &net.TCPAddr{IP: net.IPv4zero, Port: 80})
	h := s.handler()
	ask := func(method, target, token string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, target, strings.NewReader(`{"do":"games"}`))
		r.Header.Set("Content-Type", "application/json")
		if token != "" {
			r.Header.Set("Authorization", token)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		for name, list := range w.Header() {
			if text := strings.Join(list, " "); name != "Location" && strings.Contains(text, s.token) || name == "Set-Cookie" {
				t.Errorf("%s %s: the answer has %s: %s", method, target, name, text)
			}
		}
		return w
	}
	if len(s.token) < 20 || !strings.HasSuffix(s.address(), "?token="+s.token) {
		t.Errorf("the address is %s", s.address())
	}
	for _, token := range []string{"", "wrong", "Bearer", "Bearer ", "Bearer wrong", s.token, "Bearer " + s.token + " "} {
		if w := ask("POST", "/api", token); w.Code != http.StatusForbidden {
			t.Errorf("with the header %q: status %d", token, w.Code)
		}
	}
	for _, target := range []string{"/api?token=" + s.token, "//host/api"} {
		if w := ask("POST", target, ""); w.Code == http.StatusOK {
			t.Errorf("%s without the header is answered", target)
		}
	}
	if w := ask("POST", "/api", "Bearer "+s.token); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "martian-dice") {
		t.Errorf("with the token: status %d", w.Code)
	}
	for _, target := range []string{"/", "/?token=" + s.token, "//example.com", "//example.com/%2f..", "/%5cexample.com", "//example.com/?token=" + s.token, "/page.css/"} {
		w := ask("GET", target, "")
		if to := w.Header().Get("Location"); strings.HasPrefix(to, "//") || strings.HasPrefix(to, `/\`) || strings.Contains(to, ":") {
			t.Errorf("%s leads to %s", target, to)
		}
	}
	if loopback := newServer(nil, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}); loopback.token != "" {
		t.Error("on loopback there is a token")
	}
	if ipv6 := newServer(nil, &net.TCPAddr{IP: net.IPv6loopback, Port: 80}); !ipv6.hostAllowed("[::1]") { // browsers leave out the port 80
		t.Error("the host [::1] is refused")
	}
}

// TestHalfSent: requests that are never sent to their end, with small and with large parts,
// keep nobody from an answer.
func TestHalfSent(t *testing.T) {
	url := serve(t, web.Options{})
	host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
	part := strings.Repeat(" ", 200_000)
	for i := range maxTransfers + 100 {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST /api HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{%s", host, part[:i%2*len(part)])
	}
	for range 3 {
		if status, answer, err := post(t.Context(), url, `{"do":"games"}`, nil); err != nil || status != http.StatusOK {
			t.Errorf("status %d, %v, %.200s", status, err, answer)
		}
	}
}

// TestTransfers begins more transfers than may be at once, and holds more than they may.
func TestTransfers(t *testing.T) {
	var s transfers
	var cut []int
	var list []*transfer
	add := func() *transfer {
		i := len(list)
		list = append(list, s.begin(func() { cut = append(cut, i) }))
		return list[i]
	}
	for range maxTransfers + 2 {
		add()
	}
	if !slices.Equal(cut, []int{0, 1}) || len(s.open) != maxTransfers {
		t.Fatalf("cut %v, %d are open", cut, len(s.open))
	}
	list[1].hold(1 << 30) // is cut off already
	list[3].end()
	list[3].end()
	list[4].hold(maxHeld)
	list[5].hold(1)
	if !slices.Equal(cut, []int{0, 1, 2, 4}) || s.held != 1 {
		t.Errorf("cut %v, %d bytes are held", cut, s.held)
	}
	for _, x := range list {
		x.end()
	}
	if s.held != 0 || len(s.open) != 0 || len(cut) != 4 {
		t.Errorf("at the end %d are open with %d bytes, cut %v", len(s.open), s.held, cut)
	}
}

// TestUnread: answers that nobody reads keep nobody from an answer, and end.
func TestUnread(t *testing.T) {
	url := serve(t, web.Options{})
	host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
	body := `{"do":"view","game":"pig","typed":true,"moves":[` + strings.TrimSuffix(strings.Repeat(`"roll","1",`, 500), ",") + `]}`
	for range 50 {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for range 20 { // one after the other on a connection
			fmt.Fprintf(c, "POST /api HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", host, len(body), body)
		}
	}
	if status, answer, err := post(t.Context(), url, `{"do":"games"}`, nil); err != nil || status != http.StatusOK {
		t.Errorf("status %d, %v, %.200s", status, err, answer)
	}
}

// TestRuns checks that run folders are read below the named folder only.
func TestRuns(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside")
	runs := filepath.Join(dir, "runs")
	for _, name := range []string{filepath.Join(runs, "one"), outside} {
		if err := os.MkdirAll(name, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(name, "metrics.jsonl"), []byte("{\"steps\": 1, \"entropy\": 0.5}\n{\"steps\": 2, \"entropy\": 0.4}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(runs, "link")); err != nil {
		t.Skip(err)
	}
	network, err := agents.PretrainedFile("martian-dice-2")
	if err != nil {
		t.Fatal(err)
	}
	// A run that goes on has no network yet, and offers its checkpoint.
	for _, name := range []string{"two/model.safetensors", "two/checkpoint.safetensors", "three/checkpoint.safetensors"} {
		name = filepath.Join(runs, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, network, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(runs)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	a := web.New(web.Options{Runs: root})
	for _, test := range []struct{ request, want string }{
		{`{"do":"runs"}`, `"name":"one"`},
		{`{"do":"run","run":"one"}`, `"y":[0.5,0.4]`},
		{`{"do":"run","run":"link"}`, "error"},
		{`{"do":"run","run":"../outside"}`, "error"},
		{`{"do":"play","game":"pig","seats":["run:one","human"]}`, "the run folder one has no model.safetensors"},
		{`{"do":"agents","game":"martian-dice"}`, `decision"},{"name":"run:three/checkpoint","about":"the checkpoint of a run folder","run":true},{"name":"run:two","about":"the network of a run folder","run":true}]`},
		{`{"do":"play","game":"martian-dice","seed":"7","seats":["run:two","human"]}`, `"moves":["chickens"]`},
		{`{"do":"play","game":"martian-dice","seed":"7","seats":["run:two/checkpoint","human"]}`, `"moves":["chickens"]`},
		{`{"do":"play","game":"pig","seats":["run:two","human"]}`, "not pig"},
	} {
		answer, _ := a.Handle(t.Context(), []byte(test.request))
		if !strings.Contains(string(answer), test.want) || strings.Contains(string(answer), "outside") && !strings.Contains(test.request, "outside") {
			t.Errorf("%s: %s, want %s", test.request, answer, test.want)
		}
	}
}

// TestSessions plays 200 games at once, in full for a minute: each request is answered, with
// the same position as alone, and what is left of memory afterwards is bounded.
func TestSessions(t *testing.T) {
	fulltest.Gate(t)
	const sessions = 200
	start := time.Now()
	more := func(n int) bool { return n <= 3 }
	if fulltest.On() {
		more = func(int) bool { return time.Since(start) < time.Minute }
	}
	url := serve(t, web.Options{})
	alone := web.New(web.Options{})
	var wg sync.WaitGroup
	failed := make(chan string, sessions)
	for i := range sessions {
		wg.Go(func() {
			id := []string{"pig", "martian-dice", "mars-is-ours-fast", "martian-risk-small"}[i%4]
			v := web.View{Address: web.Address{Game: id, Seed: uint64(i)}}
			do := "view"
			for n := 0; more(n); n++ {
				if v.Ended {
					v.Address, do = web.Address{Game: id, Seed: v.Address.Seed + sessions}, "view"
				}
				body, _ := json.Marshal(struct {
					Do string `json:"do"`
					web.Address
				}{do, v.Address})
				status, answer, err := post(t.Context(), url, string(body), nil)
				v = web.View{}
				if err != nil || status != http.StatusOK || json.Unmarshal([]byte(answer), &v) != nil || v.Position == "" {
					failed <- fmt.Sprintf("%s: status %d, %v, %.200s", body, status, err, answer)
					return
				}
				do = "play"
				for p := range v.Address.Seats {
					v.Address.Seats[p] = "greedy"
				}
			}
			body, _ := json.Marshal(struct {
				Do string `json:"do"`
				web.Address
			}{"view", v.Address})
			var again web.View
			if answer, ok := alone.Handle(t.Context(), body); !ok || json.Unmarshal(answer, &again) != nil || again.Position != v.Position {
				failed <- fmt.Sprintf("alone %s is at %s, want %s", body, again.Position, v.Position)
			}
		})
	}
	wg.Wait()
	close(failed)
	for text := range failed {
		t.Error(text)
	}
	http.DefaultClient.CloseIdleConnections()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 256<<20 {
		t.Errorf("after the games %d MB are in use", m.HeapAlloc>>20)
	}
}

// TestLeaves checks that a computation ends when the page leaves.
func TestLeaves(t *testing.T) {
	address := start(t, web.Options{Work: 1}, "").address() // no limit, and one at a time
	short, leave := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer leave()
	if _, _, err := post(short, address, `{"do":"values","game":"martian-risk","time":60000}`, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("searches of a minute that the page leaves after a moment: %v", err)
	}
	// The next request has to wait for the first, which would compute for minutes.
	if status, answer, err := post(t.Context(), address, `{"do":"values","game":"pig","players":3,"time":50}`, nil); err != nil || status != http.StatusOK || strings.HasPrefix(answer, `{"error"`) {
		t.Errorf("status %d, %v, %s", status, err, answer)
	}
}

// solutions holds what solves a game, by rules hash.
var solutions sync.Map

// solved solves a game once for the servers of all tests.
func solved(ctx context.Context, g env.Game) (env.Solution, error) {
	once, _ := solutions.LoadOrStore(g.Spec().RulesHash(), sync.OnceValues(func() (env.Solution, error) { return g.Solve(context.WithoutCancel(ctx), nil) }))
	return once.(func() (env.Solution, error))()
}
