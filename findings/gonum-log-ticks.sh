#!/usr/bin/env bash
# gonum plot 0.17.0: a logarithmic axis from 2 to 9 has no label at all.
#
# A plot.Ticker is documented to return the ticks of the specified range. LogTicks labels only
# powers of ten, beginning with the one below the range. If no power lies within the range, the
# labels are outside the axis, where the plot leaves them out. DefaultTicks labels at least two
# values of the same range.
#
# Seen, for 2 to 9: the labels 1 and 10, neither in the range; DefaultTicks labels 3, 6 and 9.
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

	"gonum.org/v1/plot"
)

func main() {
	const low, high = 2, 9
	within := func(ticker plot.Ticker) (labels []string, inside int) {
		for _, tick := range ticker.Ticks(low, high) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
				if low <= tick.Value && tick.Value <= high {
					inside++
				}
			}
		}
		return labels, inside
	}
	logarithmic, none := within(plot.LogTicks{Prec: -1})
	linear, some := within(plot.DefaultTicks{})
	fmt.Println("LogTicks:", logarithmic, none, "inside; DefaultTicks:", linear, some, "inside")
	if fmt.Sprint(logarithmic, none) != "[1 10] 0" || some < 2 {
		fmt.Println("this has changed")
		os.Exit(1)
	}
}
EOF
go mod init finding 2>/dev/null
go get gonum.org/v1/plot@v0.17.0 2>/dev/null
go run .
