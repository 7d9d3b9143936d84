package cli

import (
	"io"
	"os"

	"golang.org/x/term"

	"marsgym/internal/colour"
)

// Colours returns w if w is a terminal, NO_COLOR is not set and TERM is not dumb.
// Otherwise it returns a writer to w that removes colour codes; no code may be split
// over two writes.
func Colours(w io.Writer) io.Writer {
	under := w
	if o, ok := w.(*output); ok {
		under = o.w
	}
	f, ok := under.(*os.File)
	if ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && obeysCodes(f) {
		return w
	}
	return plain{w}
}

// plain removes colour codes.
type plain struct{ w io.Writer }

func (p plain) Write(b []byte) (int, error) {
	if _, err := io.WriteString(p.w, colour.Strip(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}
