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
		lag          int
		want         string
	}{
		{train.AlgorithmPPO, models.Score, "martian-dice", `{"dice": 5, "target": 6}`, 0, "7c61b9174b439578"},
		{train.AlgorithmPPO, models.Logits, "martian-dice", `{"dice": 5, "target": 6}`, 0, "0cf570045febf33c"},
		{train.OneMove, models.Score, "martian-dice", `{"dice": 5, "target": 6}`, 0, "fdac6418139ed4f2"},
		{train.OneMove, models.Logits, "pig", `{"target": 20}`, 0, "6ef6234abc04a91d"},
		{train.TurnExact, models.Score, "martian-dice", `{"dice": 5, "target": 6}`, 0, "c2b50c559192507c"},
		{train.TurnExact, models.Score, "martian-dice", `{"dice": 5, "target": 6}`, 1, "9ec6188a5739db24"},
		{train.Search, models.Logits, "martian-dice", `{"dice": 5, "target": 6}`, 0, "1c100134e6b7a1aa"},
	} {
		g := testgames.Open(t, test.game, 0, test.config)
		cfg, err := train.DefaultForAlgorithm(g, test.algorithm)
		if err != nil {
			t.Fatal(err)
		}
		cfg = shortened(cfg)
		cfg.Head, cfg.Hidden, cfg.Steps = test.head, []int{40, 16}, 2000
		cfg.Expert.PolicyLag = test.lag
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
