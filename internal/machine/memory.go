// Package machine reports how much memory the machine gives a command.
package machine

// Memory returns the bytes of memory that this process may use: those of the machine or, on
// Linux, of its control group or its limits (ulimit -v and -d), if these are fewer. It returns 0
// where it does not know.
func Memory() uint64 { return memory() }

// Usable returns the bytes of [Memory] that a program in Go may take: nine tenths, as the rest is for
// stacks and the system. Chosen. An error says that work uses "more than the N GiB that" [Source].
func Usable() uint64 {
	n := Memory()
	return n - n/10
}

// Source names what decides [Usable], with its verb.
const Source = "the machine, its control group or ulimit allows"
