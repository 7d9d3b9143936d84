package cli

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"marsgym/internal/input"
)

// once is the value of a flag that must not be empty and, unless it is [repeated], may be given at most
// once.
// It stores its error in flags, since the flag package keeps only the text.
type once struct {
	flag.Value
	flags *Flags
	name  string
	given bool
}

// IsBoolFlag reports to the flag package whether the value is a boolean.
func (o *once) IsBoolFlag() bool {
	b, ok := o.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// Set implements [flag.Value].
func (o *once) Set(text string) error {
	o.flags.valueErr = o.set(text)
	o.flags.given = append(o.flags.given, given{o.name, text, o.IsBoolFlag()})
	return o.flags.valueErr
}

func (o *once) set(text string) error {
	if text == "" {
		return fmt.Errorf("-%s is empty; give it a value or leave it out", o.name)
	}
	if _, again := o.Value.(*repeated); o.given && !again {
		return fmt.Errorf("-%s is given twice", o.name)
	}
	o.given = true
	given, want := text, ""
	if n, ok := o.Value.(*number); ok {
		text, want = whole(text), fmt.Sprintf("a whole number from %d to %d", n.least, n.most)
	}
	if v, ok := o.Value.(flag.Getter); ok {
		switch v.Get().(type) {
		case bool:
			want = "true or false"
		case int:
			text, want = whole(text), "a whole number"
		case uint64:
			text, want = whole(text), fmt.Sprint("a whole number from 0 to ", uint64(math.MaxUint64))
		case float64:
			want = "a number"
		}
	}
	err := o.Value.Set(text)
	if err != nil && want != "" {
		return fmt.Errorf("-%s is %s; want %s", o.name, input.Quote(given), want)
	}
	if err != nil {
		return fmt.Errorf("-%s: %w", o.name, err)
	}
	return nil
}

// repeated is the value of [Flags.Repeated].
type repeated []string

// Repeated defines a flag that may be given several times; p gets all of its values.
func (f *Flags) Repeated(p *[]string, name, usage string) { f.Var((*repeated)(p), name, usage) }

// String implements [flag.Value].
func (r *repeated) String() string { return strings.Join(*r, " ") }

// Set implements [flag.Value].
func (r *repeated) Set(text string) error {
	*r = append(*r, text)
	return nil
}

// number is the value of [Flags.Whole].
type number struct{ value, least, most uint64 }

// Whole defines a flag for a whole number within bounds. It is 0 if it is not given.
func (f *Flags) Whole(name string, least, most uint64, usage string) *uint64 {
	n := &number{0, least, most}
	f.Var(n, name, usage)
	return &n.value
}

// String implements [flag.Value].
func (n *number) String() string { return strconv.FormatUint(n.value, 10) }

// Set implements [flag.Value].
func (n *number) Set(text string) (err error) {
	if n.value, err = strconv.ParseUint(text, 10, 64); err == nil && (n.value < n.least || n.value > n.most) {
		err = strconv.ErrRange
	}
	return err
}

// whole returns the digits of a whole number such as 1e6. It returns other text
// unchanged.
func whole(text string) string {
	x, _, err := big.ParseFloat(text, 10, 128, big.ToNearestEven)
	if err != nil || !strings.ContainsAny(text, "eE") || !x.IsInt() || x.MantExp(nil) > 64 {
		return text
	}
	n, _ := x.Int(nil)
	return n.String()
}
