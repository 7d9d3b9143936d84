//go:build unix || windows

package train_test

import (
	"errors"
	"os"
	"testing"

	"marsgym/internal/dirlock"
	"marsgym/internal/test/testgames"
	"marsgym/train"
)

// TestTaken runs on systems with file locks.
func TestTaken(t *testing.T) {
	opt := train.Options{Game: testgames.Open(t, "pig", 0, `{"target": 10}`), Dir: t.TempDir(), Learner: learner, Resume: true}
	release, err := dirlock.Lock(opt.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := train.Run(t.Context(), short(train.AlgorithmPPO), opt); !errors.Is(err, train.ErrTaken) {
		t.Errorf("a second run in the folder: %v", err)
	}
	if left, err := os.ReadDir(opt.Dir); err != nil || len(left) != 1 || left[0].Name() != ".lock" {
		t.Errorf("beside the lock of the first run it leaves %v, %v", left, err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if _, err := train.Run(t.Context(), short(train.AlgorithmPPO), opt); err != nil {
		t.Errorf("after the first run: %v", err)
	}
}
