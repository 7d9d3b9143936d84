package colour_test

import (
	"testing"

	"marsgym/internal/colour"
)

func TestPaint(t *testing.T) {
	if got, want := colour.Paint("38;5;16", "a"), "\x1b[38;5;16ma\x1b[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	text := "x"
	for _, code := range colour.Seats {
		text += colour.Paint(code+";"+colour.Bold, "a[0m") + colour.Paint(colour.Dim, "")
	}
	if got, want := colour.Strip(text), "xa[0ma[0ma[0ma[0ma[0ma[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
