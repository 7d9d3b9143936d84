package curve

import (
	"math"
	"strconv"

	"marsgym/env/game/chart"
)

// unit is the unit of an axis.
type unit struct {
	size float64
	name string
}

var (
	stepUnits = []unit{{1, "decisions in training"}, {1e3, "decisions in training (thousands)"}, {1e6, "decisions in training (millions)"}, {1e9, "decisions in training (billions)"}}
	timeUnits = []unit{{1, "training time (seconds)"}, {60, "training time (minutes)"}, {3600, "training time (hours)"}}
)

// fit returns the largest unit that is at most a third of a number, or the first.
func fit(most float64, units []unit) unit {
	u := units[0]
	for _, v := range units[1:] {
		if most >= 3*v.size {
			u = v
		}
	}
	return u
}

// logTicks returns the ticks of an axis of decimal logarithms from about the logarithm
// of lo to that of hi. Some may lie beyond both ends.
func logTicks(lo, hi float64) []chart.Tick {
	var list []chart.Tick
	tick := func(x, step float64, label bool) {
		if !(x > 0 && x <= math.MaxFloat64) { // in a decade outside the range of float64
			return
		}
		t := chart.Tick{At: math.Log10(x)}
		if label {
			digits := -math.Floor(math.Log10(step))
			t.Label = strconv.FormatFloat(x, 'f', max(0, int(digits)), 64)
		}
		list = append(list, t)
	}
	if hi > lo && hi < 5*lo {
		step := nice((hi - lo) / 4)
		from := math.Ceil(lo / step)
		for i := range 12 { // hi is no more than ten steps above lo
			tick((from+float64(i))*step, step, true)
		}
		return list
	}
	wide := hi > 1000*lo
	for e := math.Floor(math.Log10(lo)) - 1; e <= math.Ceil(math.Log10(hi))+1; e++ {
		size := math.Pow(10, e)
		for i := 1.0; i < 10; i++ {
			tick(i*size, size, i == 1 || !wide && (i == 2 || i == 5))
		}
	}
	return list
}

// nice rounds down to 1, 2 or 5 times a power of ten.
func nice(x float64) float64 {
	size := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{5, 2} {
		if f*size <= x {
			return f * size
		}
	}
	return size
}
