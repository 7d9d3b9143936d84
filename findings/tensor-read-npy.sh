#!/usr/bin/env bash
# gorgonia.org/tensor 0.9.24: truth values and big-endian numbers of NumPy are read as others.
#
# ReadNpy is documented to read NumPy's files into a tensor, and it refuses what it cannot read, such
# as Fortran's order. It drops the byte order that such a file names and reads numbers as
# little-endian, and of truth values it keeps none.
#
# Seen, with nil errors: 1 and 2 are read right from a little-endian file, and as 3.03865e-319 and
# 3.16e-322 from a big-endian one; true, false, true as three times false.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GOMODCACHE=$dir/modules GOFLAGS="-mod=mod -modcacherw" GOWORK=off
cd "$dir"
python3 -m pip install --quiet --no-compile --target python numpy==2.4.6
PYTHONPATH=python python3 -c 'import numpy as np
np.save("little.npy", np.array([1, 2], "<f8"))
np.save("big.npy", np.array([1, 2], ">f8"))
np.save("truth.npy", np.array([True, False, True]))'
cat >main.go <<'EOF'
package main

import (
	"fmt"
	"os"

	"gorgonia.org/tensor"
)

func main() {
	var saw []any
	for _, name := range []string{"little", "big", "truth"} {
		file, err := os.Open(name + ".npy")
		if err != nil {
			panic(err)
		}
		read := new(tensor.Dense)
		err = read.ReadNpy(file)
		saw = append(saw, read.Data(), err)
	}
	fmt.Println(saw)
	if fmt.Sprint(saw) != "[[1 2] <nil> [3.03865e-319 3.16e-322] <nil> [false false false] <nil>]" {
		fmt.Println("this has changed")
		os.Exit(1)
	}
}
EOF
go mod init finding 2>/dev/null
go get gorgonia.org/tensor@v0.9.24 \
	go4.org/unsafe/assume-no-moving-gc@v0.0.0-20231121144256-b99613f794b6 2>/dev/null
go run .
