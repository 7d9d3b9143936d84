#!/usr/bin/env bash
# gorgonia.org/tensor 0.9.24: a second transposition of three axes moves elements to other places.
#
# T is documented to permute the axes of a tensor lazily, so that T(1,2,0) after T(1,2,0) is
# T(2,0,1), as with NumPy's transpose. T moves the elements of the first transposition in memory
# after it has computed the strides of the second from those before.
#
# Seen, with a nil error: the shapes (4,2,3) and strides are equal, and 22 of 24 elements differ.
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
	a := tensor.New(tensor.WithShape(2, 3, 4), tensor.WithBacking(tensor.Range(tensor.Float64, 0, 24)))
	b := a.Clone().(*tensor.Dense)
	err1, err2, err3 := a.T(1, 2, 0), a.T(1, 2, 0), b.T(2, 0, 1)
	differ := 0
	for i := range 24 {
		x, _ := a.At(i/6, i/3%2, i%3)
		y, _ := b.At(i/6, i/3%2, i%3)
		if x != y {
			differ++
		}
	}
	saw := fmt.Sprint(a.Shape(), b.Shape(), a.Strides(), b.Strides(), differ, err1, err2, err3)
	fmt.Println("shapes, strides, different elements, errors:", saw)
	if saw != "(4, 2, 3) (4, 2, 3) [1 12 4] [1 12 4] 22 <nil> <nil> <nil>" {
		fmt.Println("this has changed")
		os.Exit(1)
	}
}
EOF
go mod init finding 2>/dev/null
go get gorgonia.org/tensor@v0.9.24 \
	go4.org/unsafe/assume-no-moving-gc@v0.0.0-20231121144256-b99613f794b6 2>/dev/null
go run .
