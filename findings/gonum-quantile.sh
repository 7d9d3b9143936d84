#!/usr/bin/env bash
# gonum 0.17.0: a weight of 2 gives another quantile than the same value written twice.
#
# In the package stat, the sum of the weights takes the place of the number of values, so that mean
# and standard deviation of weighted data are the same as of repeated values. stat.Quantile with
# LinInterp differs: it interpolates over the whole weight of a value.
#
# Seen, for 1, 2, 3, 4 at .3 and .9: 1.2 and 3.6 with weights of 2, but 1.4 and 4 with each value
# written twice. The standard deviations agree.
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

func main() {
	x, weights := []float64{1, 2, 3, 4}, []float64{2, 2, 2, 2}
	repeated := []float64{1, 1, 2, 2, 3, 3, 4, 4}
	var saw string
	for _, p := range []float64{.3, .9} {
		saw += fmt.Sprintf("%.4g %.4g; ", stat.Quantile(p, stat.LinInterp, x, weights),
			stat.Quantile(p, stat.LinInterp, repeated, nil))
	}
	saw += fmt.Sprintf("deviation %.4f %.4f", stat.StdDev(x, weights), stat.StdDev(repeated, nil))
	fmt.Println("weighted and repeated at .3, at .9:", saw)
	if saw != "1.2 1.4; 3.6 4; deviation 1.1952 1.1952" {
		fmt.Println("this has changed")
		os.Exit(1)
	}
}
EOF
go mod init finding 2>/dev/null
go get gonum.org/v1/gonum@v0.17.0 2>/dev/null
go run .
