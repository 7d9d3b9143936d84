#!/usr/bin/env bash
# gorgonia.org/tensor 0.9.24: functions read past the columns of a view, with a nil error.
#
# Slice is documented to return a view of the tensor. Sum, Max and Concat follow its strides, but
# MatVecMul, MatMul, Repeat, WriteNpy and Zero take the elements as they lie in memory. The
# first two columns of a matrix of three then give products and copies of other elements, and a file
# whose header names six numbers although it holds eight.
#
# Seen, for the columns (1,4,7) and (2,5,8): row sums 3, 9, 15, but the product with (1,1) is 3, 7,
# 11; the product with the unit matrix is 1 to 6; the last row repeated is 7, 8 and 0, 0; the file
# of six numbers starts 1, 2, 3, 4; Zero leaves only the last of the nine elements of the matrix.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GOMODCACHE=$dir/modules GOFLAGS="-mod=mod -modcacherw" GOWORK=off
cd "$dir"
cat >main.go <<'EOF'
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"gorgonia.org/tensor"
)

func main() {
	all := tensor.New(tensor.WithShape(3, 3), tensor.WithBacking([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}))
	view, err1 := all.Slice(nil, tensor.S(0, 2))
	ones := tensor.New(tensor.WithShape(2), tensor.WithBacking([]float64{1, 1}))
	sums, err2 := tensor.Sum(view, 1)
	product, err3 := tensor.MatVecMul(view, ones)
	unit := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 0, 0, 1}))
	product2, err6 := tensor.MatMul(view, unit)
	repeated, err4 := tensor.Repeat(view, 0, 2)
	var file bytes.Buffer
	err5 := view.(*tensor.Dense).WriteNpy(&file)
	header := 10 + int(binary.LittleEndian.Uint16(file.Bytes()[8:]))
	numbers := make([]float64, (file.Len()-header)/8)
	binary.Decode(file.Bytes()[header:], binary.LittleEndian, numbers)

	last := repeated.Data().([]float64)[8:]
	view.(*tensor.Dense).Zero()
	saw := fmt.Sprint(sums.Data(), product.Data(), product2.Data(), last, numbers, all.Data())
	fmt.Println("sums, products, last two rows repeated, file, after Zero:", saw)
	want := "[3 9 15] [3 7 11] [1 2 3 4 5 6] [7 8 0 0] [1 2 3 4 5 6 7 8] [0 0 0 0 0 0 0 0 9]"
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil || saw != want {
		fmt.Println(err)
		fmt.Println("this has changed")
		os.Exit(1)
	}
}
EOF
go mod init finding 2>/dev/null
go get gorgonia.org/tensor@v0.9.24 \
	go4.org/unsafe/assume-no-moving-gc@v0.0.0-20231121144256-b99613f794b6 2>/dev/null
go run .
