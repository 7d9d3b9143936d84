package cli_test

import (
	"fmt"
	"io"
	"math/big"
	"strconv"
	"testing"

	"marsgym/internal/cli"
)

// FuzzFlags reads any value of flags. Whole numbers that are accepted are the ones
// that were written.
func FuzzFlags(f *testing.F) {
	for _, text := range []string{"1", "-1", "12e6", "1e19", "18446744073709551615", "1.5e1", "1e-5", "0x10", "1_000", "1e999999999999", "1p9", "true", "NaN", "", "1e400"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		flags := func() (fl *cli.Flags, n *uint64, i *int) {
			fl = cli.NewFlags("test", "")
			fl.Bool("json", false, "")
			fl.Float64("share", 0, "")
			return fl, fl.Uint64("seed", 0, ""), fl.Int("players", 0, "")
		}
		for _, name := range []string{"json", "share", "seed", "players"} {
			fl, n, i := flags()
			if fl.Parse([]string{"-" + name + "=" + text}, io.Discard) != nil || name == "json" || name == "share" {
				continue
			}
			got := strconv.FormatUint(*n, 10)
			if name == "players" {
				got = strconv.Itoa(*i)
			}
			if _, err := strconv.ParseInt(text, 0, 64); err == nil {
				continue // as the flag package reads it
			}
			if _, err := strconv.ParseUint(text, 0, 64); err == nil {
				continue
			}
			x, _, err := big.ParseFloat(text, 10, 256, big.ToNearestEven)
			want, ok := new(big.Float).SetString(got)
			if err != nil || !ok || x.Cmp(want) != 0 {
				t.Errorf("-%s %q is read as %s", name, text, got)
			}
			if fl, _, _ := flags(); fl.Parse([]string{fmt.Sprintf("-%s=%s", name, got)}, io.Discard) != nil {
				t.Errorf("-%s %q is read as %s, which is refused", name, text, got)
			}
		}
	})
}
