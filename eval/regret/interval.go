package regret

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"marsgym/eval/analysis"
)

// few is the number of sets that differ from the others below which an interval is marked, since the
// sizes of the mistakes are then hardly known. Chosen: see TestFew.
const few = 10

// interval returns the mean of independent values that are shares of the win, with the interval of the
// level [analysis.Confidence]. With g the skewness of n values, s their standard deviation and t the
// quantile of Student, the ends are
//
//	mean − T⁻¹(±t)·s/√n    where    T(x) = x + a·x²/3 + a²·x³/27 + a/6    and    a = g/√n
//
// which is the interval of Student if they are not skewed. Sums of regrets are: a few games have most
// of it, and the interval of Student would hold the mean too rarely. If all values are equal, the
// interval reaches as far as the mean can be with that probability, since a value differs by 1 at most.
// rare reports whether fewer than few values differ from the most frequent one.
//
// Source: Hall, "On the removal of skewness by transformation", J. R. Stat. Soc. B 54 (1992).
func interval(values []float64) (mean, low, high float64, rare bool) {
	n := float64(len(values))
	if len(values) < 2 {
		return stat.Mean(values, nil), 0, 1, true
	}
	mean, s := stat.MeanStdDev(values, nil)
	rare = differing(values) < few
	const rounding = 1e-9 // chosen: far above that of a sum of regrets, and far below any regret
	if s < rounding {
		most := 1 - math.Pow((1-analysis.Confidence)/2, 1/n)
		return mean, max(0, mean-most), min(1, mean+most), rare
	}
	third := 0.0
	for _, x := range values {
		d := (x - mean) / s
		third += float64(d * d * d)
	}
	a := third / n / math.Sqrt(n)
	t := analysis.Quantile(len(values) - 1)
	end := func(y float64) float64 { return mean - float64(hall(y, a)*s)/math.Sqrt(n) }
	return mean, max(0, end(t)), min(1, end(-t)), rare
}

// hall returns T⁻¹(y) of [interval].
func hall(y, a float64) float64 {
	if math.Abs(a) < 1e-6 { // the quotient below would lose its digits
		return y - a/6 - float64(a*y*y)/3
	}
	return 3 / a * (math.Cbrt(1+float64(a*(y-a/6))) - 1)
}

// differing returns how many values differ from the most frequent one.
func differing(values []float64) int {
	count, most := map[int64]int{}, 0
	for _, x := range values {
		k := int64(math.Round(x * 1e9)) // a sum of regrets has rounding errors
		count[k]++
		most = max(most, count[k])
	}
	return len(values) - most
}
