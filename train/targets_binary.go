package train

import (
	"bytes"
	"compress/flate"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"marsgym/env/game"
	"marsgym/internal/jobs"
	"marsgym/models"
	"marsgym/train/expert"
)

// appendTargets appends targets that are laid out, for another process.
func appendTargets(dst []byte, t *expert.Targets) []byte {
	for _, n := range []int{t.Decisions, t.Games, t.Evaluated} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	dst = t.Obs.AppendBinary(dst)
	dst = jobs.AppendSlice(dst, t.Value)
	dst = jobs.AppendSlice(dst, t.Row)
	dst = jobs.AppendSlice(dst, t.Start)
	dst = jobs.AppendSlice(dst, t.Action)
	return jobs.AppendSlice(dst, t.Policy)
}

// decodeTargets sets t to the targets that appendTargets wrote. It returns an error unless
// they are targets in the game from which expertLoss can be computed.
func decodeTargets(t *expert.Targets, src []byte, spec game.Spec, head models.Head) (err error) {
	for _, n := range []*int{&t.Decisions, &t.Games, &t.Evaluated} {
		x, used := binary.Uvarint(src)
		if used <= 0 {
			return errors.New("a count is missing")
		}
		*n, src = int(min(x, math.MaxInt)), src[used:]
	}
	src, err = t.Obs.CutBinary(src)
	cut(&t.Value, &src, &err)
	cut(&t.Row, &src, &err)
	cut(&t.Start, &src, &err)
	cut(&t.Action, &src, &err)
	cut(&t.Policy, &src, &err)
	if err == nil && len(src) > 0 {
		err = fmt.Errorf("%d bytes follow", len(src))
	}
	if err != nil {
		return err
	}
	return checkTargets(t, spec, head)
}

// cut is [jobs.CutSlice] unless there was an error.
func cut[T any](dst *[]T, src *[]byte, err *error) {
	if *err == nil {
		*dst, *src, *err = jobs.CutSlice[T](*src)
	}
}

// checkTargets returns an error if a list does not fit the others, or a number is out of range.
func checkTargets(t *expert.Targets, spec game.Spec, head models.Head) error {
	positions, decisions, options := len(t.Value)/spec.Players, len(t.Start)-1, len(t.Action)
	switch {
	case len(t.Value)%spec.Players != 0,
		len(t.Start) == 0 || t.Start[0] != 0 || t.Start[decisions] != int32(options) || len(t.Policy) != options,
		len(t.Row) > 0 && len(t.Row) != decisions:
		return errors.New("the lengths of the lists do not fit each other")
	}
	rows := positions
	switch {
	case head == models.Score:
		rows += options
	case len(t.Row) == 0:
		rows += decisions
	}
	if t.Obs.Len() != rows {
		return fmt.Errorf("%d observations; want %d", t.Obs.Len(), rows)
	}
	for i, from := range t.Start[:decisions] {
		if t.Start[i+1] <= from {
			return fmt.Errorf("decision %d has no options", i)
		}
	}
	for _, r := range t.Row {
		if r < 0 || int(r) >= positions {
			return fmt.Errorf("row %d of %d", r, positions)
		}
	}
	for _, a := range t.Action {
		if a < 0 || int(a) >= spec.Actions {
			return fmt.Errorf("action %d of %d", a, spec.Actions)
		}
	}
	for _, x := range t.Value {
		if x-x != 0 {
			return fmt.Errorf("a value is %v", x)
		}
	}
	for _, x := range t.Policy {
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
