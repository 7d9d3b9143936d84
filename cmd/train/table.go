package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"marsgym/internal/cli"
	"marsgym/internal/figure"
	"marsgym/train/sweep"
)

func printTable(b *strings.Builder, p *sweep.Plan, trials []sweep.Trial) {
	list, equal := sweep.Rank(trials)
	seeds := len(p.Variants[0].Runs) > 1
	head := []string{"run"}
	for _, f := range p.Fields {
		head = append(head, short(f))
	}
	if math.IsInf(equal, 1) {
		fmt.Fprintf(b, "all have diverged:\n\n")
		head = append(head, "exploitability")
	} else {
		of := "exploitability"
		if seeds {
			of = "mean exploitability of the seeds"
		}
		fmt.Fprintf(b, "by the %s at the latest evaluation within %s s of training, the most that all have reached:\n\n", of, figure.Digits(equal, 1))
		head = append(head, fmt.Sprintf("by %s s", figure.Digits(equal, 1)))
	}
	if seeds {
		head = append(head, "worst seed", "seeds")
	}
	rows := [][]string{append(head, "at the end", "seconds", "steps/s")}
	for _, r := range list {
		line := []string{fmt.Sprintf("%02d", r.Variant+1)}
		for _, f := range p.Fields {
			line = append(line, value(p, r.Variant, f))
		}
		line = append(line, number(r.Equal))
		if seeds {
			line = append(line, number(r.Worst), strconv.Itoa(r.Trials))
		}
		speed := "-" // the clock has not advanced
		if r.Speed > 0 {
			speed = fmt.Sprintf("%.0f", r.Speed)
		}
		rows = append(rows, append(line, number(r.End), figure.Digits(r.Seconds, 1), speed))
	}
	cli.Columns(b, "", rows)
}

// short is a field's name in the table.
func short(field string) string { return strings.TrimPrefix(field, "train.") }

// value is the value of a field in a variant, on one line.
func value(p *sweep.Plan, variant int, field string) string {
	var b bytes.Buffer
	json.Compact(&b, p.Variants[variant].Values[field]) // it was read as JSON
	return b.String()
}

func number(x float64) string {
	if math.IsInf(x, 1) {
		return "-"
	}
	return figure.Digits(x, 5)
}

// shown is the number of variants that a chart has colours for, beside optimal
// play.
const shown = 5

// best names the runs of the best variants by their settings, by folder, and
// returns the first folder of the very best.
func best(p *sweep.Plan, trials []sweep.Trial) (names map[string]string, first string) {
	names = map[string]string{}
	list, _ := sweep.Rank(trials)
	for _, r := range list[:min(shown, len(list))] {
		name := fmt.Sprintf("%02d", r.Variant+1)
		for _, f := range p.Fields {
			name += fmt.Sprintf(" %s %s", short(f), value(p, r.Variant, f))
		}
		for _, t := range trials {
			if t.Variant == r.Variant {
				names[t.Dir] = name
				first = cmp.Or(first, t.Dir)
			}
		}
	}
	return names, first
}
