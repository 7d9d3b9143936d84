// In package main for the places of faults.
package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const source = `package sum

// Sum adds positive numbers.
func Sum(list []int) (n int) {
	for _, x := range list {
		if x > 0 {
			n += x
		}
	}
	note(!false)
	return n
}

func note(bool) {}

func unused() int { return -1 }
`

const test = `package sum

import "testing"

func TestSum(t *testing.T) {
	if Sum([]int{1, -2, 3}) != 4 {
		t.Error("the sum is wrong")
	}
}
`

// TestSites lists the faults of a file.
func TestSites(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sum.go")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := sites(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range found {
		changed := apply([]byte(source), s.edit)
		before, after := strings.Split(source, "\n"), strings.Split(string(changed), "\n")
		got = append(got, strings.TrimSpace(before[s.line-1])+" | "+strings.TrimSpace(after[s.line-1])+" | "+s.what)
	}
	want := []string{
		"if x > 0 { | if (x > 0) == (x > 0) { | condition x > 0 is always true",
		"if x > 0 { | if (x > 0) != (x > 0) { | condition x > 0 is always false",
		"if x > 0 { | if x >= 0 { | > becomes >=",
		"if x > 0 { | if x <= 0 { | > becomes <=",
		"if x > 0 { | if x > 1 { | 0 becomes 1",
		"n += x | n -= x | += becomes -=",
		"n += x | n = x | += becomes =",
		"note(!false) |  | without note(!false)",
		"note(!false) | note(false) | !false without !",
		"func unused() int { return -1 } | func unused() int { return 1 } | -1 without -",
		"func unused() int { return -1 } | func unused() int { return -2 } | 1 becomes 2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the faults are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestTry tries all faults of a package in a module of its own.
func TestTry(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module sum\n\ngo 1.26\n", "sum.go": source, "sum_test.go": test} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not in PATH")
	}
	p := tested{pkg: pkg{dir, "sum", "sum", []string{"sum.go"}}, module: dir, dir: t.TempDir(), skip: "^$", only: regexp.MustCompile("")}
	count, err := p.try(t.Context(), 100, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		t.Fatal(err)
	}
	// x >= 0 adds 0, and no test notices what note is called with.
	if want := (map[result]int{killed: 6, survives: 3, missed: 2}); count[killed] != want[killed] || count[survives] != want[survives] || count[missed] != want[missed] {
		t.Errorf("%v; want %v", count, want)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "sum.go")); err != nil || string(text) != source {
		t.Errorf("the source has changed: %v", err)
	}
}
