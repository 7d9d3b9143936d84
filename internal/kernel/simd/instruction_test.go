package simd_test

import "fmt"

// An instruction of amd64, as far as it says which processors have it.
type instruction struct {
	encoding encoding
	table    byte // 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A
	prefix   byte // 0, 0x66, 0xF3 or 0xF2
	opcode   byte
	wide     bool // W
	length   int  // of the vector, 0 for 128 bits, 1 for 256, 2 for 512
	register byte // the field reg of ModRM
	memory   bool // whether an operand is in memory
}

type encoding byte

const (
	legacy encoding = iota
	vex             // since AVX
	evex            // since AVX-512; with vector registers from 16 on
)

func (i instruction) String() string {
	return fmt.Sprintf("%s opcode %02X of table %d, prefix %02X, W %v, length %d",
		[...]string{"legacy", "VEX", "EVEX"}[i.encoding], i.opcode, i.table, i.prefix, i.wide, i.length)
}

// decode returns the first instruction of code and its size. It knows no more than the
// instructions of kernels and their neighbours, and returns an error for others.
//
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2
// and appendix A.
func decode(code []byte) (i instruction, size int, err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("the code ends within an instruction")
		}
	}()
	n := 0
	next := func() byte { n++; return code[n-1] }
	prefixes := [...]byte{0, 0x66, 0xF3, 0xF2}
	b := next()
	for ; b == 0x66 || b == 0xF2 || b == 0xF3; b = next() {
		i.prefix = b
	}
	if b&0xF0 == 0x40 { // REX
		i.wide = b&8 != 0
		b = next()
	}
	switch b {
	case 0xC5:
		p := next()
		i.encoding, i.table, i.length, i.prefix = vex, 1, int(p>>2&1), prefixes[p&3]
		i.opcode = next()
	case 0xC4:
		m, p := next(), next()
		i.encoding, i.table, i.length, i.prefix, i.wide = vex, m&31, int(p>>2&1), prefixes[p&3], p&0x80 != 0
		i.opcode = next()
	case 0x62:
		m, p, l := next(), next(), next()
		i.encoding, i.table, i.length, i.prefix, i.wide = evex, m&7, int(l>>5&3), prefixes[p&3], p&0x80 != 0
		i.opcode = next()
	case 0x0F:
		i.table, i.opcode = 1, next()
		if i.opcode == 0x38 || i.opcode == 0x3A {
			i.table, i.opcode = 2+i.opcode>>1&1, next()
		}
	default:
		i.opcode = b
	}
	modrm, immediate, known := operands(i)
	if !known {
		return i, n, fmt.Errorf("the decoder does not know this instruction: %v", i)
	}
	if modrm {
		m := next()
		i.register, i.memory = m>>3&7, m>>6 != 3
		mod, rm := m>>6, m&7
		if mod != 3 && rm == 4 {
			if sib := next(); mod == 0 && sib&7 == 5 {
				n += 4
			}
		}
		switch {
		case mod == 1:
			n++
		case mod == 2 || mod == 0 && rm == 5:
			n += 4
		}
		if i.encoding == legacy && i.table == 0 && (i.opcode == 0xF6 || i.opcode == 0xF7) && i.register < 2 {
			immediate = int(1 + 3*(i.opcode&1)) // TEST
		}
	}
	n += immediate
	_ = code[:n]
	return i, n, nil
}

// operands returns whether an instruction has a ModRM byte, and the size of its immediate
// operand.
func operands(i instruction) (modrm bool, immediate int, known bool) {
	op := i.opcode
	if i.encoding != legacy {
		switch {
		case i.table == 1 && op == 0x77 && i.encoding == vex: // VZEROUPPER
			return false, 0, true
		case i.table == 1 && (op >= 0x70 && op <= 0x73 || op >= 0xC4 && op <= 0xC6 || op == 0xC2), i.table == 3:
			return true, 1, true
		}
		return true, 0, i.table == 1 || i.table == 2
	}
	switch i.table {
	case 1:
		switch {
		case op&0xF0 == 0x80: // Jcc
			return false, 4, true
		case op == 0x0B, op&0xF8 == 0xC8: // UD2, BSWAP
			return false, 0, true
		case op == 0xA4, op == 0xAC, op == 0xBA, op >= 0x70 && op <= 0x73, op >= 0xC4 && op <= 0xC6, op == 0xC2:
			return true, 1, true
		}
		return true, 0, op >= 0x10
	case 2:
		return true, 0, true
	case 3:
		return true, 1, true
	}
	switch {
	case op < 0x40 && op&7 < 4:
		return true, 0, true
	case op < 0x40 && op&7 == 4, op&0xF0 == 0x70, op == 0xA8, op == 0xEB, op == 0x6A, op == 0xCD:
		return false, 1, true
	case op < 0x40 && op&7 == 5, op == 0xA9, op == 0xE8, op == 0xE9, op == 0x68:
		return false, 4, true
	case op >= 0x50 && op < 0x60, op&0xF8 == 0x90, op == 0xC3, op == 0xCC, op == 0x98, op == 0x99:
		return false, 0, true
	case op&0xF8 == 0xB8 && i.wide:
		return false, 8, true
	case op&0xF8 == 0xB8:
		return false, 4, true
	case op == 0x63, op >= 0x84 && op <= 0x8F, op >= 0xD0 && op <= 0xD3, op == 0xF6, op == 0xF7, op == 0xFE, op == 0xFF:
		return true, 0, true
	case op == 0x80, op == 0x83, op == 0xC0, op == 0xC1, op == 0xC6, op == 0x6B:
		return true, 1, true
	case op == 0x81, op == 0xC7, op == 0x69:
		return true, 4, true
	}
	return false, 0, false
}

// features returns what a processor must have to execute an instruction, by the names that
// package golang.org/x/sys/cpu gives it, without what every amd64 has.
func features(i instruction) ([]string, error) {
	unknown := fmt.Errorf("the table of features lacks this instruction: %v", i)
	is := func(table byte, opcodes ...byte) bool {
		for _, op := range opcodes {
			if i.table == table && i.opcode == op {
				return true
			}
		}
		return false
	}
	switch {
	case i.encoding == legacy && i.prefix == 0xF3 && is(1, 0xB8):
		return []string{"HasPOPCNT"}, nil
	case i.encoding == legacy && i.prefix == 0xF3 && is(1, 0xBC): // TZCNT
		return []string{"HasBMI1"}, nil
	case i.encoding == legacy && (i.prefix == 0xF3 && is(1, 0xBD) || i.table > 1):
		return nil, unknown
	case i.encoding == legacy:
		return nil, nil
	case i.encoding == evex && i.length != 2 && (i.table != 1 || i.prefix < 0xF2): // no scalar
		return nil, fmt.Errorf("this instruction needs AVX-512 VL: %v", i)
	case i.encoding == evex && (is(1, 0x10, 0x11, 0x28, 0x29, 0x51, 0x58, 0x59, 0x5C, 0x5E, 0x5F, 0xC2, 0xEB, 0xEF) || // moves, arithmetic, comparisons, VPORQ, VPXORQ
		is(2, 0x18, 0x19, 0x27, 0x58, 0x7C, 0xB8) || // broadcasts, VPTESTMQ, VFMADD231
		is(3, 0x1F)): // VPCMPD
		return []string{"HasAVX512F"}, nil
	case i.encoding == evex:
		return nil, unknown
	case is(1, 0x4B, 0x90, 0x91, 0x92, 0x93, 0x98): // operations on masks
		switch {
		case i.opcode == 0x92 && i.prefix == 0xF2, i.opcode == 0x93 && i.prefix == 0xF2, i.opcode == 0x4B && i.prefix == 0, i.wide: // 32 or 64 bits, and two joined
			return []string{"HasAVX512BW"}, nil
		case i.opcode == 0x4B || i.prefix == 0x66: // 8 bits
			return nil, unknown
		}
		return []string{"HasAVX512F"}, nil
	case is(1, 0x41, 0x42, 0x44, 0x45, 0x46, 0x47, 0x4A, 0x99):
		return nil, unknown
	case is(2, 0xF3): // BLSR
		return []string{"HasBMI1"}, nil
	case is(2, 0xF7): // SHLX
		return []string{"HasBMI2"}, nil
	case i.table == 2 && i.opcode >= 0x96 && i.opcode <= 0xBF && i.opcode&15 >= 6:
		return []string{"HasFMA"}, nil
	case is(1, 0x66, 0x76, 0xEF, 0xEB, 0xDB, 0xFE) && i.length == 1, // integers in 256 bits
		is(2, 0x16, 0x31) && i.length == 1, is(2, 0x58), is(2, 0x18, 0x19) && !i.memory: // VPERMPS, VPMOVZXBD, VPBROADCASTD, broadcasts from registers
		return []string{"HasAVX2"}, nil
	case is(1, 0x10, 0x11, 0x14, 0x15, 0x28, 0x29, 0x50, 0x51, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5C, 0x5D, 0x5E, 0x5F, 0x6E, 0x77, 0x7E, 0xC2, 0xC6, 0xEF),
		is(2, 0x17, 0x18, 0x19, 0x2C, 0x2E), is(3, 0x06): // VPTEST, broadcasts, VMASKMOVPS, VPERM2F128
		return []string{"HasAVX"}, nil
	}
	return nil, unknown
}
