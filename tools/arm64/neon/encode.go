package neon

import (
	"fmt"
	"strings"
)

// V is a vector register. As an operand it takes the name of an arrangement, such as
// [V.S4], or of its lowest element, [V.F].
type V int

func (v V) S4() string  { return fmt.Sprintf("V%d.S4", v) }
func (v V) D2() string  { return fmt.Sprintf("V%d.D2", v) }
func (v V) H8() string  { return fmt.Sprintf("V%d.H8", v) }
func (v V) B16() string { return fmt.Sprintf("V%d.B16", v) }

// F returns the name of the register as that of one number.
func (v V) F() string { return fmt.Sprintf("F%d", v) }

// D returns the name of an element of 64 bits.
func (v V) D(i int) string { return fmt.Sprintf("V%d.D[%d]", v, i) }

// Lanes is how an instruction divides a vector.
type Lanes string

// The divisions, by Arm's names.
const (
	Single Lanes = "4s"
	Double Lanes = "2d"
	Bytes  Lanes = "16b"
)

// encodings are the instructions on vectors of float32, for registers of number 0. Those
// of float64 have bit 22 as well. Instructions with a text after the registers compare
// with it.
//
// Source: Arm Architecture Reference Manual for A-profile, DDI 0487, chapter C7.2.
var encodings = map[string]struct {
	word      uint32
	registers int
	after     string
}{
	"fadd":    {0x4e20d400, 3, ""},
	"fsub":    {0x4ea0d400, 3, ""},
	"fmul":    {0x6e20dc00, 3, ""},
	"fdiv":    {0x6e20fc00, 3, ""},
	"fmax":    {0x4e20f400, 3, ""},
	"fsqrt":   {0x6ea1f800, 2, ""},
	"fcmeq":   {0x4e20e400, 3, ""},
	"fcmge":   {0x6e20e400, 3, ""},
	"fcmgt":   {0x6ea0e400, 3, ""},
	"facgt":   {0x6ea0ec00, 3, ""}, // of the magnitudes
	"fcmle #": {0x6ea0d800, 2, ", #0.0"},
	"fcmlt #": {0x4ea0e800, 2, ", #0.0"},
}

const (
	double = 1 << 22
	bic    = 0x4e601c00
	shrn4  = 0x0f0c8400
)

// Encode returns the word of an instruction that Go's assembler lacks, and its text in
// Arm's notation. The registers are in Arm's order too: the first one is the result. It
// panics if it does not know the instruction.
//
// "fcmle #" and "fcmlt #" compare with 0, "bic" clears the bits of its second register
// that are set in the third, and "shrn" narrows elements of 16 bits to the bits 4 to 11.
func Encode(op string, lanes Lanes, regs ...V) (word uint32, text string) {
	n, after := 3, ""
	switch e, known := encodings[op]; {
	case op == "bic" && lanes == Bytes:
		word = bic
	case op == "shrn" && lanes == Bytes:
		if len(regs) != 2 {
			panic("neon: shrn has two registers")
		}
		return shrn4 | fields(regs), fmt.Sprintf("shrn v%d.8b, v%d.8h, #4", regs[0], regs[1])
	case known && lanes == Single:
		word, n, after = e.word, e.registers, e.after
	case known && lanes == Double:
		word, n, after = e.word|double, e.registers, e.after
	default:
		panic(fmt.Sprintf("neon: no encoding of %s with lanes of %s", op, lanes))
	}
	if len(regs) != n {
		panic(fmt.Sprintf("neon: %s has %d registers, not %d", op, n, len(regs)))
	}
	names := make([]string, n)
	for i, r := range regs {
		names[i] = fmt.Sprintf("v%d.%s", r, lanes)
	}
	return word | fields(regs), strings.TrimSuffix(op, " #") + " " + strings.Join(names, ", ") + after
}

// fields returns the bits of the registers: the result, then one or two operands.
func fields(regs []V) (bits uint32) {
	for i, r := range regs {
		if r < 0 || r >= vectors {
			panic(fmt.Sprintf("neon: there is no register V%d", r))
		}
		bits |= uint32(r) << [...]int{0, 5, 16}[i]
	}
	return bits
}
