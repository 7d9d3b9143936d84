package models_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"marsgym/env/game"
	"marsgym/models"
)

// TestAppendCodes: observations read from codes are those of the numbers that the codes stand for,
// to the bit, also where a code takes two bytes.
func TestAppendCodes(t *testing.T) {
	spec := game.Spec{ID: "x", Observation: []game.Field{
		{Name: "one-hot", Len: 21}, {Name: "over 13", Len: 4, Scales: []int{13}}, {Name: "money", Len: 6, Scales: []int{60, 1, 7}}, {Name: "odds", Len: 9, Scales: []int{0}},
	}}
	r := rand.New(rand.NewPCG(1, 1))
	values := make([]float32, 3000) // the first is 0, and so are some others
	for i := range values {
		if i%50 != 0 {
			values[i] = r.Float32()
		}
	}
	codes, err := game.NewCodes(spec, func(i int) bool { return i >= 25 && i%2 == 0 }, values)
	if err != nil {
		t.Fatal(err)
	}
	const n = 200
	obs, dense := make([]uint8, n*codes.Len()), make([]float32, n*spec.ObsLen())
	for i := range n {
		row := obs[i*codes.Len():][:codes.Len()]
		for j, scale := range codes.Scales {
			switch wide := codes.Start[j+1]-codes.Start[j] == 2; {
			case r.IntN(3) > 0:
			case scale == 0:
				codes.Put(row, j, r.IntN(len(values)))
			case wide:
				codes.Put(row, j, r.IntN(1<<16))
			default:
				codes.Put(row, j, r.IntN(1<<8))
			}
		}
		codes.Put(row, spec.ObsLen()-1, 256*(i%11)) // the low byte is 0
	}
	codes.Decode(dense, obs)
	got := models.NewObservations(spec.ObsLen(), nil)
	got.AppendCodes(models.NewCodeReader(codes), obs)
	if want := models.NewObservations(spec.ObsLen(), dense); !bytes.Equal(got.AppendBinary(nil), want.AppendBinary(nil)) {
		t.Error("the observations differ")
	}
	for name, f := range map[string]func(){
		"an incomplete row": func() { got.AppendCodes(models.NewCodeReader(codes), obs[1:]) },
		"another length": func() {
			models.NewObservations(3, nil).AppendCodes(models.NewCodeReader(codes), obs)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
