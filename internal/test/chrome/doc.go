// Package chrome drives a Chromium for tests, by the Chrome DevTools Protocol over a pipe.
// It needs nothing but the browser.
//
// Source: https://chromedevtools.github.io/devtools-protocol; a message on the pipe is JSON
// that ends with a zero byte.
package chrome
