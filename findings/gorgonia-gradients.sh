#!/usr/bin/env bash
# gorgonia.org/gorgonia 0.9.18: the gradients of log2(x) and 1/√x are other functions.
#
# Grad is documented to differentiate an expression. Log2 and InverseSqrt are among the functions
# that it differentiates, but their gradients are ln(2)/x, where 1/(x ln 2) is right, and at 4, where
# -1/16 is right, the gradient of 1/√x is -4. Those of Log and Sqrt are right.
#
# Seen, with nil errors, at 1 and 4: 1 and .25 for Log, .5 and .25 for Sqrt, .6931 and .1733 for Log2
# (1.4427 and .3607 are right), and -.5 and -4 for InverseSqrt (-.5 and -.0625 are right).
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GOMODCACHE=$dir/modules GOFLAGS="-mod=mod -modcacherw" GOWORK=off
cd "$dir"
cat >main.go <<'EOF'
package main

import (
	"fmt"
	"log"

	. "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func main() {
	var saw []float64
	for _, f := range []func(*Node) (*Node, error){Log, Sqrt, Log2, InverseSqrt} {
		values := tensor.New(tensor.WithShape(2), tensor.WithBacking([]float64{1, 4}))
		g := NewGraph()
		x := NewVector(g, tensor.Float64, WithShape(2), WithName("x"), WithValue(values))
		grads, err := Grad(Must(Sum(Must(f(x)))), x)
		if err != nil {
			log.Fatal(err)
		}
		if err := NewTapeMachine(g).RunAll(); err != nil {
			log.Fatal(err)
		}
		saw = append(saw, grads[0].Value().Data().([]float64)...)
	}
	fmt.Printf("%.4f\n", saw)
	if fmt.Sprintf("%.4f", saw) != "[1.0000 0.2500 0.5000 0.2500 0.6931 0.1733 -0.5000 -4.0000]" {
		log.Fatal("this has changed")
	}
}
EOF
go mod init finding 2>/dev/null
go get gorgonia.org/gorgonia@v0.9.18 gorgonia.org/tensor@v0.9.24 \
	go4.org/unsafe/assume-no-moving-gc@v0.0.0-20231121144256-b99613f794b6 2>/dev/null
go run .
