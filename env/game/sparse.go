package game

// SparseEncoder is implemented by rules that list the numbers of an observation that
// are not 0, which takes less time than to fill the observation and search it for them.
type SparseEncoder[S comparable] interface {
	// EncodeSparse appends to dst the numbers of Encode(s, p) that are not 0, in the
	// order of their indices.
	EncodeSparse(dst []Element, s S, p Player) []Element
}

// Element is a number of an observation that is not 0.
type Element struct {
	Index int32
	Value float32
}
