package main

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Bounds of what is sent in both directions. Chosen: a request and its answer take some
// milliseconds, and few have more than some kB.
const (
	maxTransfers = 256
	maxHeld      = 128 << 20 // bytes in memory
	sendTime     = 30 * time.Second
)

// transfers are the requests that are being received and the answers that are being sent. How
// long that takes is up to the other end. So they take no place of those that compute, and
// where they are too many or hold too much memory, the oldest are cut off.
type transfers struct {
	mu   sync.Mutex
	open []*transfer // the oldest first
	held int
}

// transfer is a request or an answer. Cut makes its reads or writes return.
type transfer struct {
	in   *transfers
	held int
	cut  func()
}

func (t *transfers) begin(cut func()) *transfer {
	x := &transfer{in: t, cut: cut}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = append(t.open, x)
	t.bound()
	return x
}

// hold adds n bytes to what a transfer holds.
func (x *transfer) hold(n int) {
	t := x.in
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.Contains(t.open, x) {
		x.held += n
		t.held += n
		t.bound()
	}
}

// end ends a transfer, cut off or not. It is not cut off later.
func (x *transfer) end() {
	t := x.in
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.open, x); i >= 0 {
		t.drop(i)
	}
}

// bound cuts off the oldest transfers until the rest is within the bounds.
func (t *transfers) bound() {
	for len(t.open) > maxTransfers || t.held > maxHeld {
		t.open[0].cut()
		t.drop(0)
	}
}

func (t *transfers) drop(i int) {
	t.held -= t.open[i].held
	t.open = slices.Delete(t.open, i, i+1)
}

// over is a deadline that ends a read or a write at once.
var over = time.Unix(1, 0)

// receive returns the body of a request, of at most limit bytes.
func (t *transfers) receive(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	c := http.NewResponseController(w)
	x := t.begin(func() { c.SetReadDeadline(over) })
	defer x.end()
	var body bytes.Buffer
	_, err := body.ReadFrom(counting{http.MaxBytesReader(w, r.Body, limit), x})
	return body.Bytes(), err
}

// counting counts what is read.
type counting struct {
	io.Reader
	x *transfer
}

func (c counting) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.x.hold(n)
	return n, err
}

func (t *transfers) send(w http.ResponseWriter, answer []byte) {
	c := http.NewResponseController(w)
	c.SetWriteDeadline(time.Now().Add(sendTime))
	x := t.begin(func() { c.SetWriteDeadline(over) })
	x.hold(len(answer))
	w.Write(answer)
	c.Flush()
	x.end()
	c.SetWriteDeadline(time.Time{}) // the next answer on this connection has its own
}
