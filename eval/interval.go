package eval

import "math"

// Confidence is the level of the intervals of matches and ratings.
const Confidence = 0.99

// z is the quantile of the standard normal distribution whose two-sided interval has
// the level Confidence.
const z = 2.5758293035489004

// sample is a sample of independent values between 0 and 1.
type sample struct{ n, sum, squares float64 }

func (s *sample) add(x float64) {
	s.n++
	s.sum += x
	s.squares += float64(x * x)
}

func (s *sample) mean() float64 { return s.sum / s.n }

func (s *sample) variance() float64 { return max(0, s.squares/s.n-float64(s.mean()*s.mean())) }

// interval returns the confidence interval of the mean, computed with z² further
// values, half of them 0 and half 1. For values that are all 0 or 1 it is the
// interval of Agresti and Coull. Its width is positive even if all values are equal.
//
// Source: Agresti and Coull, The American Statistician 52 (1998).
func (s *sample) interval() (low, high float64) {
	p := s.padded()
	half := float64(z * math.Sqrt(p.variance()/p.n))
	return max(0, p.mean()-half), min(1, p.mean()+half)
}

// ShareInterval returns the confidence interval of the mean of independent shares of the win, by
// the method of a [Match].
func ShareInterval(shares []float64) (low, high float64) {
	var s sample
	for _, x := range shares {
		s.add(x)
	}
	return s.interval()
}

// meanVariance returns the variance of the mean that interval uses.
func (s *sample) meanVariance() float64 {
	p := s.padded()
	return p.variance() / p.n
}

// padded returns the sample with the z² further values of interval.
func (s *sample) padded() sample { return sample{s.n + z*z, s.sum + z*z/2, s.squares + z*z/2} }
