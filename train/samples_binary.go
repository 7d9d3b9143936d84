package train

import (
	"encoding/binary"
	"errors"
	"fmt"

	"marsgym/env/game"
	"marsgym/internal/jobs"
	"marsgym/models"
)

// appendBinary appends the samples for another process.
func (s *samples) appendBinary(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, s.steps)
	dst = binary.AppendUvarint(dst, s.games)
	dst = binary.AppendUvarint(dst, s.evaluated)
	dst = s.obs.AppendBinary(dst)
	dst = jobs.AppendSlice(dst, s.value)
	dst = jobs.AppendSlice(dst, s.row)
	dst = jobs.AppendSlice(dst, s.start)
	dst = jobs.AppendSlice(dst, s.action)
	return jobs.AppendSlice(dst, s.policy)
}

// decode sets the samples to those that appendBinary wrote. It returns an error unless
// they are samples of the game from which loss can be computed.
func (s *samples) decode(src []byte, spec game.Spec, head models.Head) (err error) {
	for _, n := range []*uint64{&s.steps, &s.games, &s.evaluated} {
		var used int
		if *n, used = binary.Uvarint(src); used <= 0 {
			return errors.New("a count is missing")
		}
		src = src[used:]
	}
	src, err = s.obs.CutBinary(src)
	cut(&s.value, &src, &err)
	cut(&s.row, &src, &err)
	cut(&s.start, &src, &err)
	cut(&s.action, &src, &err)
	cut(&s.policy, &src, &err)
	if err == nil && len(src) > 0 {
		err = fmt.Errorf("%d bytes follow", len(src))
	}
	if err != nil {
		return err
	}
	return s.check(spec, head)
}

// cut is [jobs.CutSlice] unless there was an error.
func cut[T any](dst *[]T, src *[]byte, err *error) {
	if *err == nil {
		*dst, *src, *err = jobs.CutSlice[T](*src)
	}
}

// check returns an error if a list does not fit the others, or a number is out of range.
func (s *samples) check(spec game.Spec, head models.Head) error {
	options := int32(len(s.action))
	switch {
	case len(s.value)%spec.Players != 0,
		len(s.start) == 0 || s.start[0] != 0 || s.start[len(s.start)-1] != options || len(s.policy) != int(options),
		len(s.row) > 0 && len(s.row) != s.decisions():
		return errors.New("the lengths of the lists do not fit each other")
	}
	rows := s.values()
	switch {
	case head == models.Score:
		rows += int(options)
	case len(s.row) == 0:
		rows += s.decisions()
	}
	if s.obs.Len() != rows {
		return fmt.Errorf("%d observations; want %d", s.obs.Len(), rows)
	}
	for i, from := range s.start[:s.decisions()] {
		if s.start[i+1] <= from {
			return fmt.Errorf("decision %d has no options", i)
		}
	}
	for _, r := range s.row {
		if r < 0 || int(r) >= s.values() {
			return fmt.Errorf("row %d of %d", r, s.values())
		}
	}
	for _, a := range s.action {
		if a < 0 || int(a) >= spec.Actions {
			return fmt.Errorf("action %d of %d", a, spec.Actions)
		}
	}
	for _, x := range s.value {
		if x-x != 0 {
			return fmt.Errorf("a value is %v", x)
		}
	}
	for _, x := range s.policy {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("a probability is %v", x)
		}
	}
	return nil
}

// appendDifference appends after as the difference to before: the runs of bytes that are
// equal, and the others. States have archives, of which an iteration changes little.
func appendDifference(dst, before, after []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(after)))
	same := func(i int) bool { return i < len(before) && before[i] == after[i] }
	for i := 0; i < len(after); {
		from := i
		for i < len(after) && same(i) {
			i++
		}
		dst = binary.AppendUvarint(dst, uint64(i-from))
		from = i
		for i < len(after) && !same(i) {
			i++
		}
		dst = binary.AppendUvarint(dst, uint64(i-from))
		dst = append(dst, after[from:i]...)
	}
	return dst
}

// cutDifference returns what appendDifference wrote at the start of src, and the rest.
// What it returns is as long as before, as states of a part are.
func cutDifference(src, before []byte) (after, rest []byte, err error) {
	n, src, err := jobs.CutLength(src)
	if err == nil && n != len(before) {
		err = fmt.Errorf("the state has %d bytes; want %d", n, len(before))
	}
	if err != nil {
		return nil, nil, err
	}
	after = make([]byte, 0, n)
	for len(after) < n {
		var same, other int
		if same, src, err = jobs.CutLength(src); err == nil {
			other, src, err = jobs.CutLength(src)
		}
		if err == nil && (same+other == 0 || same+other > n-len(after) || other > len(src)) {
			err = errors.New("the difference of the states is damaged")
		}
		if err != nil {
			return nil, nil, err
		}
		after = append(after, before[len(after):len(after)+same]...)
		after = append(after, src[:other]...)
		src = src[other:]
	}
	return after, src, nil
}
