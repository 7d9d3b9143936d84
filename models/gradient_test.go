package models_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"marsgym/models"
)

// TestGradientAccumulator adds gradients whose sum depends on the order: 1 is lost
// where it is added to 2^24, unless -2^24 is added first.
func TestGradientAccumulator(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	grads := [][]float32{{1, 1 << 24, 5}, {1 << 24, -1 << 24, 6}, {-1 << 24, 1, 7}, {0, 0, 8}}
	want := []float32{0, 1, 26}
	for procs := 1; procs <= 8; procs++ {
		runtime.GOMAXPROCS(procs)
		var a models.GradientAccumulator
		for _, shards := range []int{4, 3, 4} {
			got, err := a.Sum(t.Context(), shards, 3, func(i int, grad []float32) error {
				copy(grad, grads[i])
				return nil
			})
			want := slices.Clone(want)
			if shards == 3 {
				want[2] -= 8
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("GOMAXPROCS %d: %d shards add up to %v, error %v; want %v", procs, shards, got, err, want)
			}
		}
	}
}

func TestGradientAccumulatorReturnsErrors(t *testing.T) {
	bad := []error{nil, errors.New("bad"), nil, errors.New("worse")}
	var a models.GradientAccumulator
	sum, err := a.Sum(t.Context(), 4, 2, func(i int, _ []float32) error { return bad[i] })
	if sum != nil || !errors.Is(err, bad[1]) || !errors.Is(err, bad[3]) {
		t.Errorf("sum %v, error %v: want no sum and the errors of shards 1 and 3", sum, err)
	}
}

func TestGroups(t *testing.T) {
	shard := func(n int) models.Shard { return models.Shard{Obs: models.NewObservations(3, make([]float32, n))} }
	if groups, rows, err := models.Groups([]models.Shard{shard(6), shard(0), shard(12), shard(3)}, 3); len(groups) != 1 || rows != 7 || err != nil {
		t.Errorf("%d groups of up to %d rows, error %v: want 1 of 7", len(groups), rows, err)
	}
	for _, shards := range [][]models.Shard{nil, {shard(0)}} {
		if _, _, err := models.Groups(shards, 3); err == nil || !strings.Contains(err.Error(), "Fit needs at least one row") {
			t.Errorf("%d shards without rows: %v", len(shards), err)
		}
	}
	defer func() {
		want := "models: the observations of shard 1 have 4 numbers: want 3"
		if got := fmt.Sprint(recover()); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}()
	models.Groups([]models.Shard{shard(3), {Obs: models.NewObservations(4, make([]float32, 4))}}, 3)
}
