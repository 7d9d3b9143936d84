#!/usr/bin/env bash
# gonum 0.17.0: Kendall's rank correlation counts most ties as agreement.
#
# stat.Kendall is documented as tau-a, concordant minus discordant pairs over all pairs; a pair
# that ties in either sample is neither. The code compares only the signs of the two differences,
# and 0 has the sign of a positive number. Two constant samples correlate perfectly, and the result
# depends on the order in which the same pairs of numbers are listed.
#
# Seen: 1 for two constant samples, where tau-a is 0; 1 for (1,1) (1,2) (2,2) (3,3), and .333 for
# the same four in the reverse order, where tau-a is .667 for both.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GOMODCACHE=$dir/modules GOFLAGS="-mod=mod -modcacherw" GOWORK=off
cd "$dir"
cat >main.go <<'EOF'
package main

import (
	"fmt"
	"os"

	"gonum.org/v1/gonum/stat"
)

// tauA is the definition: tied pairs count in the denominator only.
func tauA(x, y []float64) float64 {
	sum, pairs := 0, 0
	for i := range x {
		for j := range i {
			pairs++
			if d := (x[i] - x[j]) * (y[i] - y[j]); d > 0 {
				sum++
			} else if d < 0 {
				sum--
			}
		}
	}
	return float64(sum) / float64(pairs)
}

func main() {
	var saw string
	for _, s := range [][2][]float64{
		{{1, 1, 1}, {2, 2, 2}},
		{{1, 1, 2, 3}, {1, 2, 2, 3}},
		{{3, 2, 1, 1}, {3, 2, 2, 1}},
	} {
		saw += fmt.Sprintf("%.3f is %.3f; ", tauA(s[0], s[1]), stat.Kendall(s[0], s[1], nil))
	}
	fmt.Println(saw)
	if saw != "0.000 is 1.000; 0.667 is 1.000; 0.667 is 0.333; " {
		fmt.Println("this has changed")
		os.Exit(1)
	}
}
EOF
go mod init finding 2>/dev/null
go get gonum.org/v1/gonum@v0.17.0 2>/dev/null
go run .
