package agents_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/models"
)

// rewrite returns the content of a model file with other numbers and a correct digest. The
// numbers from 0 <= at < 1 of the file are multiplied.
func rewrite(t *testing.T, file []byte, from, to float64, factor float32) []byte {
	t.Helper()
	b := bytes.Clone(file)
	start := 8 + int(binary.LittleEndian.Uint64(b))
	n := (len(b) - start) / 4
	for i := int(from * float64(n)); i < int(to*float64(n)); i++ {
		at := b[start+4*i:]
		x := math.Float32frombits(binary.LittleEndian.Uint32(at)) * factor
		x = min(math.MaxFloat32, max(-math.MaxFloat32, x))
		binary.LittleEndian.PutUint32(at, math.Float32bits(x))
	}
	const key = `"sha256":"`
	at := bytes.Index(b, []byte(key)) + len(key)
	copy(b[at:], strings.Repeat("0", 2*sha256.Size))
	sum := sha256.Sum256(b)
	hex.Encode(b[at:], sum[:])
	return b
}

// TestHugeWeights multiplies weights of released networks. A file whose network gives no
// distribution is refused, whatever the way in which it would play, and any other plays.
func TestHugeWeights(t *testing.T) {
	const rows = 2
	for id, ways := range map[string][]string{
		"martian-dice":       {"%s", "lookahead:0:%s", "search:4:%s"},
		"mars-is-ours-fast":  {"%s", "lookahead:0:%s", "search:4:%s"},
		"martian-risk-small": {"%s", "search:4:%s"},
	} {
		g, err := catalog.Open(id, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		actions := g.Spec().Actions
		b := g.NewBatch(rows, 0)
		b.Reset(1)
		file, err := agents.PretrainedFile(fmt.Sprintf("%s-%d", id, g.Spec().Players))
		if err != nil {
			t.Fatal(err)
		}
		refused, played := 0, 0
		for _, part := range [][2]float64{{0, 1}, {0, 0.1}, {0.97, 1}} {
			for exponent := 0; exponent <= 38; exponent += 6 {
				name := fmt.Sprintf("%s, numbers %v times 1e%d", id, part, exponent)
				content := rewrite(t, file, part[0], part[1], float32(math.Pow(10, float64(exponent))))
				if _, err := models.Decode(content); err != nil {
					if !strings.Contains(err.Error(), "its weights are so large that its outputs overflow") {
						t.Errorf("%s: %v", name, err)
					}
					refused++
					continue
				}
				played++
				for _, way := range ways {
					for _, sample := range []bool{false, true} {
						a, err := agents.Open(t.Context(), fmt.Sprintf(way, "huge"), agents.Options{Game: g, Sample: sample, Load: agents.LoadBytes(content)})
						if err != nil {
							t.Fatalf("%s, %s: %v", name, way, err)
						}
						probs := make([]float64, rows*actions)
						if err := env.Probs(t.Context(), a, probs, b.Decisions(nil)); err != nil {
							t.Fatalf("%s, %s: %v", name, way, err)
						}
						for i := range rows {
							sum := 0.0
							for _, p := range probs[i*actions : (i+1)*actions] {
								sum += p
							}
							if !(math.Abs(sum-1) <= 1e-6) {
								t.Errorf("%s, %s, sample %t: the probabilities add up to %v", name, way, sample, sum)
							}
						}
					}
				}
			}
		}
		if refused == 0 || played == 0 {
			t.Errorf("%s: %d files were refused and %d played; want some of both", id, refused, played)
		}
		t.Logf("%s: %d refused, %d played", id, refused, played)
	}
}

// TestObservationsAreSmall: the observations of all games are far below the bound with which
// a network is checked.
func TestObservationsAreSmall(t *testing.T) {
	for _, id := range catalog.IDs() {
		g, err := catalog.Open(id, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		random, err := g.Bot("random")
		if err != nil {
			t.Fatal(err)
		}
		b := g.NewBatch(8, 0)
		b.Reset(1)
		probs := make([]float64, 8*g.Spec().Actions)
		for range 100 {
			for _, x := range b.Buffers().Obs {
				if !(math.Abs(float64(x)) <= 10) {
					t.Fatalf("%s observes %v", id, x)
				}
			}
			if err := random.Probs(probs, b.Decisions(nil)); err != nil {
				t.Fatal(err)
			}
			for i := range 8 {
				b.Buffers().Action[i] = env.SampleAction(probs[i*g.Spec().Actions:(i+1)*g.Spec().Actions], &b.Buffers().Noise[i])
			}
			if err := b.Step(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
