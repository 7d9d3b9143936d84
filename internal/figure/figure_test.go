package figure_test

import (
	"math"
	"testing"

	"marsgym/internal/figure"
)

func TestDigits(t *testing.T) {
	for _, tt := range []struct {
		x        float64
		decimals int
		want     string
	}{
		{0.49952512, 6, "0.499525"},
		{0.000475, 6, "0.000475"},
		{0.0000268, 6, "0.0000268"}, // not 0.000027
		{9.5e-7, 4, "0.000000950"},  // not 0.0000
		{0.0099996, 2, "0.0100"},    // rounds up to a digit less
		{-0.000622, 1, "-0.000622"}, // not -0.0
		{-1222.71, 1, "-1222.7"},
		{123.4, 0, "123"},
		{0, 5, "0"},
		{math.Copysign(0, -1), 1, "0"},
		{-7.7e-15, 6, "0"}, // a rounding error
		{math.Inf(1), 2, "+Inf"},
	} {
		if got := figure.Digits(tt.x, tt.decimals); got != tt.want {
			t.Errorf("Digits(%v, %d): %q, want %q", tt.x, tt.decimals, got, tt.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		share    float64
		decimals int
		want     string
	}{
		{0.5, 6, "50.000000"},
		{1, 6, "100.000000"},
		{0, 6, "0"},
		{2.684e-7, 6, "0.0000268"},
		{1 - 1e-9, 6, "99.9999999"}, // not 100.000000
		{1 - 1e-14, 6, "100.000000"},
		{0.9996, 0, "99.96"},
		{-1e-14, 2, "0"},
		{-0.99999, 2, "-99.999"}, // not -100.00
	} {
		if got := figure.Percent(tt.share, tt.decimals); got != tt.want {
			t.Errorf("Percent(%v, %d): %q, want %q", tt.share, tt.decimals, got, tt.want)
		}
	}
}

func TestChance(t *testing.T) {
	for p, want := range map[float64]string{
		0: "0", 4e-9: "0.0000004", 0.00077: "0.08", 0.004: "0.4", 0.006: "1", 0.1944: "19", 0.994: "99",
		0.9969: "99.7", 1 - 1e-15: "100", 1: "100",
	} {
		if got := figure.Chance(p); got != want {
			t.Errorf("Chance(%v): %q, want %q", p, got, want)
		}
	}
}

func TestPlusMinus(t *testing.T) {
	for _, tt := range []struct {
		x, half float64
		want    string
	}{
		{51.84, 0.5234, "51.84 ± 0.52"},
		{0.003, 0.0012, "0.0030 ± 0.0012"}, // not 0.00 ± 0.00
		{-0.001, 3.25, "0.00 ± 3.25"},      // not -0.00
		{100, 81.1, "100.00 ± 81.10"},
		{50, 0, "50.00 ± 0.00"},
	} {
		if got := figure.PlusMinus(tt.x, tt.half, 2); got != tt.want {
			t.Errorf("PlusMinus(%v, %v): %q, want %q", tt.x, tt.half, got, tt.want)
		}
	}
}
