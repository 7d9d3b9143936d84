// Package figure formats numbers as text. It never shows a small value as 0, a rounding error
// as a value, or an uncertain chance as 100 %.
package figure

import (
	"math"
	"strconv"
)

const (
	// residue is the largest size of a rounding error. Chosen: as large as game.Tie.
	residue = 1e-12
	// significant is the number of digits that a figure has at least.
	significant = 3
	// ofError is the number of digits that the reach of an interval has at least. Chosen: more mean nothing.
	ofError = 2
	// most bounds the decimals: those of a figure just above the residue.
	most = 15
)

// Clean returns x, or 0 if x is within a rounding error of it. It returns no negative zero.
func Clean(x float64) float64 {
	if math.Abs(x) <= residue {
		return 0
	}
	return x
}

// Digits formats x with this number of decimals, or with as many more as three significant digits
// take, as in 0.000475. It writes 0 as "0", and a rounding error too.
func Digits(x float64, decimals int) string {
	if x = Clean(x); x == 0 {
		return "0"
	}
	return strconv.FormatFloat(x, 'f', max(decimals, needed(x, significant)), 64)
}

// Percent formats a share of 1 in per cent, without the sign: with this number of decimals, or with
// as many more as [Digits] writes, or as tell its size from 1.
func Percent(share float64, decimals int) string {
	return Digits(100*Clean(share), max(decimals, needed(100*Clean(1-math.Abs(share)), 1)))
}

// PlusMinus formats an estimate and how far its interval reaches, as in "51.84 ± 0.52". Both have
// this number of decimals, or as many more as two significant digits of the reach take.
func PlusMinus(x, reach float64, decimals int) string {
	decimals = max(decimals, needed(reach, ofError))
	return Fixed(x, decimals) + " ± " + Fixed(reach, decimals)
}

// Fixed formats x with this number of decimals, and without the sign of a negative zero.
func Fixed(x float64, decimals int) string {
	text := strconv.FormatFloat(Clean(x), 'f', decimals, 64)
	if y, _ := strconv.ParseFloat(text, 64); y == 0 {
		return strconv.FormatFloat(0, 'f', decimals, 64)
	}
	return text
}

// Chance formats a probability in per cent, without the sign, for people: a whole number, as in "14",
// or with as many decimals as tell it from impossible or certain, as in "0.08" and "99.7".
func Chance(p float64) string {
	decimals := 0
	if x := 100 * p; x <= 0.5 || x >= 99.5 {
		decimals = needed(100*Clean(min(p, 1-p)), 1)
	}
	return Fixed(100*p, decimals)
}

// needed returns the number of decimals that show this number of significant digits of x.
func needed(x float64, digits int) int {
	if x = Clean(x); x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	text := strconv.FormatFloat(x, 'e', digits-1, 64) // rounds 0.09996 to 0.1 first
	e := 0
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == 'e' {
			e, _ = strconv.Atoi(text[i+1:])
			break
		}
	}
	return min(max(0, digits-1-e), most)
}
