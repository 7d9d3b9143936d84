// Package web is the logic of the page of cmd/web: it plays and analyses games. [App.Handle]
// answers a request with a response, both in JSON. The server calls it over HTTP, and the
// exported page in a Web Worker.
//
// There are no sessions. A request holds the [Address] of a game: everything from which
// the game follows again, to the bit. So a link can name any position, a page takes a choice
// back by leaving it out, and several pages can show the same game.
//
// A number says whether it is exact: see [analysis.Number].
package web
