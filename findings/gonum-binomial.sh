#!/usr/bin/env bash
# gonum 0.17.0: a binomial distribution with probability 0 or 1 has no probabilities.
#
# distuv.Binomial documents that P may be anything from 0 to 1, both included. At either end, the
# one possible count should have probability 1, and has in scipy. Prob and LogProb multiply 0 by
# the logarithm of 0 and return NaN. A likelihood of a player who won every game is then NaN as
# well.
#
# Seen, for three trials: Prob(0) with P = 0 and Prob(3) with P = 1 are NaN; CDF(0) with P = 0 is
# 1.
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

	"gonum.org/v1/gonum/stat/distuv"
)

func main() {
	never, always := distuv.Binomial{N: 3, P: 0}, distuv.Binomial{N: 3, P: 1}
	saw := fmt.Sprint(never.Prob(0), always.Prob(3), always.LogProb(3), never.CDF(0))
	fmt.Println("Prob(0) at P = 0, Prob(3) and LogProb(3) at P = 1, CDF(0) at P = 0:", saw)
	if saw != "NaN NaN NaN 1" {
		fmt.Println("this has changed")
		os.Exit(1)
	}
}
EOF
go mod init finding 2>/dev/null
go get gonum.org/v1/gonum@v0.17.0 2>/dev/null
go run .
