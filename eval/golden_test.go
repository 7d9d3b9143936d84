package eval_test

import (
	"bytes"
	"testing"

	"marsgym/agents"
	"marsgym/env/record"
	"marsgym/eval"
	"marsgym/internal/test/golden"
	"marsgym/internal/test/testgames"
)

// TestGolden: the recorded games of matches, whose dice are common random numbers by turn,
// are those of earlier releases.
func TestGolden(t *testing.T) {
	for id, config := range map[string]string{"martian-dice": reducedDice, "mars-is-ours-fast": `{}`, "pig": `{"target": 20}`} {
		g := testgames.Open(t, id, 2, config)
		var text bytes.Buffer
		if _, err := eval.RecordDuplicate(t.Context(), g, []*agents.Agent{bot(t, g, "random"), bot(t, g, "greedy")}, 4, 7, nil, func(rec *record.Game) error { return rec.Write(&text) }); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "match/"+id+".games", text.Bytes())
	}
}
