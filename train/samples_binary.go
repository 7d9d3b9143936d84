package train

import (
	"bytes"
	"compress/flate"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

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

// appendDifference appends after as the compressed difference to before, which is as long.
// States have archives, of which an iteration changes little.
func appendDifference(dst, before, after []byte) []byte {
	difference := make([]byte, len(after))
	subtle.XORBytes(difference, before, after)
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(difference)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("train: " + err.Error()) // writing to memory does not fail
	}
	return jobs.AppendSlice(dst, b.Bytes())
}

// cutDifference returns what appendDifference wrote at the start of src, and the rest.
func cutDifference(src, before []byte) (after, rest []byte, err error) {
	packed, rest, err := jobs.CutSlice[byte](src)
	if err != nil {
		return nil, nil, err
	}
	after = make([]byte, len(before))
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(packed)), after); err != nil {
		return nil, nil, fmt.Errorf("the difference of the states: %w", err)
	}
	subtle.XORBytes(after, after, before)
	return after, rest, nil
}
