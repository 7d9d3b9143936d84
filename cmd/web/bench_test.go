package main

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// BenchmarkPage prints what the exported page takes: bytes over the wire, the time to the
// first choice of a game, the time of the values of the choices, and the longest time in
// which the page does not react while a search computes.
func BenchmarkPage(b *testing.B) {
	shared, s := chromium(b), site(b)
	const position = `{game: 'martian-dice', players: 2, seed: '7', seats: ['search:400', 'human']}`
	var wire sync.Map // bytes by part
	next := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/") // of the folder of the version
		part, _, inFolder := strings.Cut(name, "/")
		if !inFolder {
			part = "page"
			if strings.HasSuffix(r.URL.Path, ".wasm.gz") {
				part = "wasm"
			}
		}
		n, _ := wire.LoadOrStore(part, new(atomic.Int64))
		next.ServeHTTP(&counted{w, n.(*atomic.Int64)}, r)
	})
	for b.Loop() {
		wire.Clear()
		x := open(b, shared, s.URL+"/#play?game=martian-dice&players=2&seed=7&seats=human,greedy")
		x.wait(choice)
		b.ReportMetric(x.number(`performance.now()`), "ms/first-choice")
		x.do(`import(` + module("api.js") + `).then((api) => { globalThis.api = api; })`)
		x.do(`api.call('values', ` + position + `)`) // fetches the values
		b.ReportMetric(x.number(timed(`api.call('values', `+position+`)`)), "ms/values")
		b.ReportMetric(x.number(timed(`api.call('play', `+position+`)`)), "ms/search-400")
		x.do(`(() => {
			globalThis.longest = 0;
			let last = performance.now();
			const turn = new MessageChannel();
			turn.port1.onmessage = () => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; turn.port2.postMessage(0); };
			turn.port2.postMessage(0);
		})()`)
		x.do(`api.call('play', ` + position + `)`)
		b.ReportMetric(x.number(`longest`), "ms/longest-task")
		x.do(`api.call('play', {game: 'martian-dice', players: 2, seed: '7', seats: ['pretrained', 'human']})`)
		wire.Range(func(part, n any) bool {
			b.ReportMetric(float64(n.(*atomic.Int64).Load())/1e3, "kB/"+part.(string))
			return true
		})
	}
}

// counted counts the bytes of an answer.
type counted struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.n.Add(int64(n))
	return n, err
}

// timed is an expression for the milliseconds until a promise is kept: the median of nine.
func timed(promise string) string {
	return `(async () => { const list = []; for (let i = 0; i < 9; i++) { const begun = performance.now(); await ` + promise + `; list.push(performance.now() - begun); } return list.sort((x, y) => x - y)[4]; })()`
}

// number returns the number that an expression gives or promises.
func (x *tab) number(expression string) (n float64) {
	x.t.Helper()
	x.must(x.Eval(x.ctx, expression, &n))
	return n
}
