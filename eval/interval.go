package eval

import "math"

// Confidence of the intervals of matches and ratings.
const Confidence = 0.99

// z is the quantile of the standard normal at which its two-sided interval has
// the Confidence.
const z = 2.5758293035489004

// sample is a number of independent values between 0 and 1.
type sample struct{ n, sum, squares float64 }

func (s *sample) add(x float64) {
	s.n++
	s.sum += x
	s.squares += x * x
}

func (s *sample) mean() float64 { return s.sum / s.n }

// variance is that of the values around their mean.
func (s *sample) variance() float64 { return max(0, s.squares/s.n-s.mean()*s.mean()) }

// interval is the interval around the mean as if z² values more had been seen,
// half of them 0 and half 1. Of values that are nothing but 0 and 1 it is that
// of Agresti and Coull. It has a width even where all values are alike.
//
// Source: Agresti and Coull, The American Statistician 52 (1998).
func (s *sample) interval() (low, high float64) {
	more := s.more()
	half := z * math.Sqrt(more.variance()/more.n)
	return max(0, more.mean()-half), min(1, more.mean()+half)
}

// spread is the variance of the mean, as the interval has it.
func (s *sample) spread() float64 {
	more := s.more()
	return more.variance() / more.n
}

func (s *sample) more() sample { return sample{s.n + z*z, s.sum + z*z/2, s.squares + z*z/2} }
