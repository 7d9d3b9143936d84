package train_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train"
)

// TestArithmetic compares the weights of short runs with those of the present
// arithmetic, which are the same on every processor and with every kernel.
func TestArithmetic(t *testing.T) {
	for _, test := range []struct {
		algorithm    train.Algorithm
		head         models.Head
		game, config string
		want         string
	}{
		{train.AlgorithmPPO, models.Score, "martian-dice", `{"dice": 5, "target": 6}`, "5389c2fe1e4b052d"},
		{train.AlgorithmPPO, models.Logits, "martian-dice", `{"dice": 5, "target": 6}`, "da1411a9398aa54c"},
		{train.OneMove, models.Score, "martian-dice", `{"dice": 5, "target": 6}`, "8fe7155e3045e43c"},
		{train.OneMove, models.Logits, "pig", `{"target": 20}`, "6e474872769f76fb"},
		{train.TurnExact, models.Score, "martian-dice", `{"dice": 5, "target": 6}`, "597f53c9743b9d91"},
		{train.Search, models.Logits, "martian-dice", `{"dice": 5, "target": 6}`, "4659ca2d8b28c6ed"},
	} {
		g := testgames.Open(t, test.game, 0, test.config)
		cfg, err := train.DefaultForAlgorithm(g, test.algorithm)
		if err != nil {
			t.Fatal(err)
		}
		cfg = shortened(cfg)
		cfg.Head, cfg.Hidden, cfg.Steps = test.head, []int{40, 16}, 2000
		opt := train.Options{Game: g, Dir: t.TempDir(), Learner: learner}
		mlp, err := train.Run(t.Context(), cfg, opt)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.New()
		if err := binary.Write(sum, binary.LittleEndian, mlp.Weights()); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != test.want {
			t.Errorf("%s, %s: the weights have the hash %s, not %s: if that is wanted and no default has changed, raise the constant arithmetic and say so in CHANGELOG.md",
				test.algorithm, test.head, got, test.want)
		}
	}
}
