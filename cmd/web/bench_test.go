package main

import "testing"

// BenchmarkPage prints what the exported page takes: bytes over the wire, the time to the
// first choice of a game, the time of the values of the choices, and the longest time in
// which the page does not react while a search computes.
func BenchmarkPage(b *testing.B) {
	chromium, s := browser(b), site(b)
	const position = `{game: 'martian-dice', players: 2, seed: 7, seats: ['search:400', 'human']}`
	for b.Loop() {
		x := open(b, chromium, s.URL+"/#play?game=martian-dice&players=2&seed=7&seats=human,greedy")
		x.wait(choice)
		b.ReportMetric(x.number(`performance.now()`), "ms/first-choice")
		b.ReportMetric(x.number(`performance.getEntriesByType('resource').reduce((sum, e) => sum + e.encodedBodySize, 0) / 1024`), "kB/page")
		x.do(`import('./api.js').then((api) => { globalThis.api = api; })`)
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
	}
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
