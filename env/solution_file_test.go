package env_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/maruel/safetensors"

	"marsgym/env"
)

var digits = regexp.MustCompile(`"sha256":"[0-9a-f]*"`)

// rehashed returns a solution file with another header or other values, and their
// SHA-256.
func rehashed(t *testing.T, file []byte, change func(head, values []byte) []byte) []byte {
	t.Helper()
	if len(file) < 8 || binary.LittleEndian.Uint64(file) > uint64(len(file)-8) {
		return file
	}
	n := 8 + binary.LittleEndian.Uint64(file)
	head, values := bytes.TrimRight(bytes.Clone(file[8:n]), " "), bytes.Clone(file[n:])
	head = change(digits.ReplaceAll(head, []byte(`"sha256":""`)), values)
	sum := sha256.Sum256(slices.Concat(head, values))
	head = digits.ReplaceAll(head, []byte(`"sha256":"`+hex.EncodeToString(sum[:])+`"`))
	head = append(head, strings.Repeat(" ", -len(head)&7)...)
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head, values)
}

// Files that are damaged, and files that are changed and have the right SHA-256.
func TestSolutionFileRefused(t *testing.T) {
	g, dir := reduced(t, 8), t.TempDir()
	path := env.SolutionFile(dir, g.Spec())
	ctx, cancel := context.WithCancel(t.Context())
	_, err := g.SolveCached(ctx, dir, func(done float64) {
		if done > 0.5 {
			cancel()
		}
	}, noWarning(t))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	half, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.SolveCached(t.Context(), dir, nil, noWarning(t)); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(rehashed(t, good, func(head, _ []byte) []byte { return head }), good) {
		t.Fatal("the test does not know the format")
	}

	flip := func(i int) []byte {
		b := bytes.Clone(good)
		b[i] ^= 1
		return b
	}
	header := func(pattern, now string) []byte {
		return rehashed(t, good, func(head, _ []byte) []byte {
			if was := regexp.MustCompile(pattern).Find(head); was != nil {
				return bytes.Replace(head, was, []byte(now), 1)
			}
			t.Fatalf("%s is not in %s", pattern, head)
			return nil
		})
	}
	values := func(file []byte, f func(i int, v float64) float64) []byte {
		return rehashed(t, file, func(head, values []byte) []byte {
			for i := range len(values) / 8 {
				b := values[8*i:]
				binary.LittleEndian.PutUint64(b, math.Float64bits(f(i, math.Float64frombits(binary.LittleEndian.Uint64(b)))))
			}
			return head
		})
	}
	one := func(x float64) []byte {
		return values(good, func(i int, v float64) float64 {
			if i == 7 {
				return x
			}
			return v
		})
	}
	even := func(int, float64) float64 { return 1. / 3 }

	for name, bad := range map[string]struct {
		file []byte
		want string
	}{
		"empty":             {nil, "does not begin with a header"},
		"truncated":         {good[:len(good)-8], fmt.Sprintf("it has %d bytes; want %d", len(good)-8, len(good))},
		"a byte too many":   {append(bytes.Clone(good), 0), fmt.Sprintf("it has %d bytes; want %d", len(good)+1, len(good))},
		"damaged values":    {flip(len(good) - 3), "SHA-256"},
		"damaged header":    {flip(bytes.Index(good, []byte("residual")) + 11), "its SHA-256 is wrong"},
		"damaged beginning": {flip(3), "does not begin with a header"},
		"header too long":   {header(`"game":"`, `"game":"`+strings.Repeat("x", 5000)), "does not begin with a header"},
		"header with more":  {header(`"game"`, `"more":1,"game"`), "header is damaged"},

		"too many values":   {header(`"shape":\[\d+`, `"shape":[2305843009213693952`), "its header "}, // too many for an int of 32 bits
		"too few values":    {header(`"shape":\[\d+`, `"shape":[3`), "has 3 values"},
		"negative values":   {header(`"shape":\[\d+`, `"shape":[-1`), "has -1 values"},
		"float32":           {header(`"F64"`, `"F32"`), "header is damaged"},
		"other offsets":     {header(`"data_offsets":\[0`, `"data_offsets":[8`), "header is damaged"},
		"of release 0.1":    {[]byte("marsgym solution 1\n{\"game\":\"martian-dice\"}\n"), "does not begin with a header"},
		"next too large":    {header(`"next":"\d+"`, `"next":"1000000"`), "has next 1000000"},
		"next negative":     {header(`"next":"\d+"`, `"next":"-5"`), "has next -5"},
		"next too small":    {header(`"next":"\d+"`, `"next":"2"`), "has next 2"},
		"done above 1":      {header(`"done":"1"`, `"done":"1.5"`), "done 1.5"},
		"done negative":     {header(`"done":"1"`, `"done":"-1"`), "done -1"},
		"never done":        {header(`"done":"1"`, `"done":"0.5"`), "done 0.5"},
		"residual too high": {header(`"residual":"[^"]*"`, `"residual":"1e+300"`), "its residual is 1e+300"},
		"residual negative": {header(`"residual":"[^"]*"`, `"residual":"-1"`), "its residual is -1"},
		"not a number":      {one(math.NaN()), "its value 7 is NaN"},
		"infinite":          {one(math.Inf(1)), "its value 7 is +Inf"},
		"more than a win":   {one(1.5), "its value 7 is 1.5"},
		"less than a loss":  {one(-0.5), "its value 7 is -0.5"},

		"one wrong value":            {one(0.25), "violate the optimality equations"},
		"all values the same":        {values(good, even), "violate the optimality equations"},
		"wrong values, half of them": {values(half, even), "violate the optimality equations"},
		"values slightly off":        {values(good, func(_ int, v float64) float64 { return v * (1 - 1e-9) }), "violate the optimality equations"},
	} {
		if err := os.WriteFile(path, bad.file, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := g.SolveCached(t.Context(), dir, nil, noWarning(t))
		if !errors.Is(err, env.ErrSolutionFile) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text := err.Error()
		if !strings.HasPrefix(text, path) || !strings.Contains(text, bad.want) || !strings.HasSuffix(text, "; remove it to solve the game again") || strings.Contains(text, "\n") {
			t.Errorf("%s: %v; want one line with %q", name, err, bad.want)
		}
		if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, bad.file) {
			t.Errorf("%s: the file has changed, %v", name, err)
		}
	}

	other := reduced(t, 7)
	if err := os.WriteFile(env.SolutionFile(dir, other.Spec()), good, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := other.SolveCached(t.Context(), dir, nil, noWarning(t)); !errors.Is(err, env.ErrSolutionFile) || !strings.Contains(err.Error(), "it belongs to another game, or to other rules") {
		t.Errorf("of other rules: %v", err)
	}
	folder := reduced(t, 6)
	if err := os.MkdirAll(filepath.Join(env.SolutionFile(dir, folder.Spec()), "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.SolveCached(t.Context(), dir, nil, noWarning(t)); !errors.Is(err, env.ErrSolutionFile) || !strings.Contains(err.Error(), "is a directory, not a regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// TestSolutionFileOfOldFormat solves a game again whose solution release 0.1 has stored, and reads
// the new file as other programs do.
func TestSolutionFileOfOldFormat(t *testing.T) {
	g, dir := reduced(t, 8), t.TempDir()
	path := env.SolutionFile(dir, g.Spec())
	old := strings.TrimSuffix(path, ".safetensors") + ".solution"
	content := []byte("marsgym solution 1\n{\"game\":\"martian-dice\"}\n")
	if err := os.WriteFile(old, content, 0o666); err != nil {
		t.Fatal(err)
	}
	solved := false
	s, err := g.SolveCached(t.Context(), dir, func(float64) { solved = true }, noWarning(t))
	if err != nil || !solved {
		t.Fatalf("the game is solved again: %t, %v", solved, err)
	}
	if left, err := os.ReadFile(old); err != nil || !bytes.Equal(left, content) {
		t.Errorf("the old file is now %q, %v", left, err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := safetensors.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Tensors) != 1 || file.Tensors[0].Name != "values" || file.Tensors[0].DType != safetensors.F64 || file.Metadata["game"] != "martian-dice" || file.Metadata["done"] != "1" {
		t.Fatalf("the file has %d tensors and the metadata %v", len(file.Tensors), file.Metadata)
	}
	want, err := s.Value(g.Initial())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range want { // the first values are shares of the win at the start, 1.5 (share - 1/3) the return
		if share := math.Float64frombits(binary.LittleEndian.Uint64(file.Tensors[0].Data[8*i:])); !(math.Abs(1.5*(share-1./3)-v) <= 1e-12) {
			t.Errorf("value %d is a share of %v; want a return of %v", i, share, v)
		}
	}
}
