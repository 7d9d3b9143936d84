#!/usr/bin/env bash
# gorgonia.org/tensor 0.9.24: large numbers in one row turn the softmax of another row into NaN.
#
# SoftMax is documented as e^x over the sum of e^x along an axis, so that rows do not depend on one
# another; SciPy's softmax subtracts the largest number of each row first. Along the last axis of a
# matrix, SoftMax subtracts the largest number of the first row from all rows.
#
# Seen, with a nil error: rows (0,0) and (1000,0) give (.5,.5) and (NaN,0), and rows (1000,0) and
# (0,0) give (1,0) and (NaN,NaN). Each row alone has the right values.
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

	"gorgonia.org/tensor"
)

func main() {
	var saw []any
	for _, rows := range [][]float64{{0, 0, 1000, 0}, {1000, 0, 0, 0}, {1000, 0}, {0, 0}} {
		x := tensor.New(tensor.WithShape(len(rows)/2, 2), tensor.WithBacking(rows))
		y, err := tensor.SoftMax(x, 1)
		saw = append(saw, y.Data(), err)
	}
	fmt.Println(saw)
	if fmt.Sprint(saw) != "[[0.5 0.5 NaN 0] <nil> [1 0 NaN NaN] <nil> [1 0] <nil> [0.5 0.5] <nil>]" {
		fmt.Println("this has changed")
		os.Exit(1)
	}
}
EOF
go mod init finding 2>/dev/null
go get gorgonia.org/tensor@v0.9.24 \
	go4.org/unsafe/assume-no-moving-gc@v0.0.0-20231121144256-b99613f794b6 2>/dev/null
go run .
