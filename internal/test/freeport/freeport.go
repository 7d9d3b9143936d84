// Package freeport finds addresses for servers that tests start.
package freeport

import (
	"net"
	"sync"
	"testing"
)

// given are the addresses that tests of this process have. Their servers may not listen yet, or no
// longer.
var given sync.Map

// Address returns an address of this machine on which nothing listens, and which no other test of
// this process has.
func Address(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, taken := given.LoadOrStore(l.Addr().String(), true); taken {
		return Address(t)
	}
	return l.Addr().String()
}
