package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"marsgym/internal/web"
)

// page holds the files of the page: no build step makes them.
//
//go:embed page
var page embed.FS

// policy is the content security policy of the page: files of its own origin only, and no
// script or style within the document.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// maxInFlight is the number of requests that compute, or wait for that, at the same time;
// others are refused. Chosen: each holds its body while it waits.
const maxInFlight = 512

// tokenName is the name of the token in the address.
const tokenName = "token"

// server serves the page and its requests.
type server struct {
	app       *web.App
	addr      *net.TCPAddr
	token     string // "" on loopback
	transfers transfers
	inFlight  chan struct{}
}

func newServer(app *web.App, addr *net.TCPAddr) *server {
	s := &server{app: app, addr: addr, inFlight: make(chan struct{}, maxInFlight)}
	if !addr.IP.IsLoopback() {
		s.token = rand.Text()
	}
	return s
}

// address returns the address of the page for people.
func (s *server) address() string {
	host := s.addr.IP.String()
	if s.addr.IP.IsUnspecified() {
		host = "localhost"
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host, strconv.Itoa(s.addr.Port)), Path: "/"}
	if s.token != "" {
		u.RawQuery = url.Values{tokenName: {s.token}}.Encode()
	}
	return u.String()
}

func (s *server) serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    1 << 16,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { h.Close() })
	defer stop()
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return ctx.Err()
}

// handler returns the handler of all requests. It refuses other hosts and other origins.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api", s.api)
	mux.HandleFunc("GET /shell.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		io.WriteString(w, shell("http"))
	})
	for name, content := range languageFiles() {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write(content)
		})
	}
	mux.Handle("GET /", http.FileServerFS(pageFiles()))
	return s.guard(http.NewCrossOriginProtection().Handler(mux))
}

// guard checks the host, and sets the headers of all answers.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cache-Control", "no-cache")
		if !s.hostAllowed(r.Host) {
			http.Error(w, "This server does not have that name; open "+s.address(), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// allowed reports whether a request has the token. The page sends it in a header: browsers
// would send a cookie to all ports of this computer.
func (s *server) allowed(r *http.Request) bool {
	return subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+s.token)) == 1
}

// hostAllowed reports whether a Host header names this server. On loopback only the names
// of loopback do, so that no other name can be resolved to it. Elsewhere the token, which
// the page keeps for its origin, protects from that.
func (s *server) hostAllowed(host string) bool {
	if s.token != "" {
		return true
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "80"
	}
	ip := net.ParseIP(name)
	return port == strconv.Itoa(s.addr.Port) && (name == "localhost" || ip != nil && ip.IsLoopback())
}

func (s *server) api(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "want Content-Type application/json", http.StatusUnsupportedMediaType)
		return
	}
	if s.token != "" && !s.allowed(r) {
		http.Error(w, "The token is missing or wrong; open the address that the program has printed.", http.StatusForbidden)
		return
	}
	body, err := s.transfers.receive(w, r, web.MaxRequest)
	if err != nil {
		status := http.StatusBadRequest
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, "the request cannot be read, or is too large", status)
		return
	}
	select {
	case s.inFlight <- struct{}{}:
	default:
		http.Error(w, web.ErrBusy.Error(), http.StatusServiceUnavailable)
		return
	}
	answer := func() []byte {
		defer func() { <-s.inFlight }()
		answer, _ := s.app.Handle(r.Context(), body)
		return answer
	}()
	w.Header().Set("Content-Type", "application/json")
	s.transfers.send(w, answer)
}
