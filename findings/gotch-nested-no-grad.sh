#!/usr/bin/env bash
# gotch 0.9.1: after a NoGrad within another one, the rest of the outer closure tracks gradients.
#
# NoGrad is documented to run its closure without keeping track of gradients. It ends by turning
# tracking on, not by restoring what was set before. Functions of gotch itself call it, such as the
# default draws of new variables. NoGrad1 of the same package restores, as PyTorch's no_grad does.
#
# Seen: within one closure, products of a variable require no gradient before an inner NoGrad, and
# require one after it; with an inner NoGrad1 they require none after it either.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GOMODCACHE=$dir/modules GOFLAGS="-mod=mod -modcacherw" GOWORK=off CGO_ENABLED=1 && cd "$dir"
python3 -m pip download --quiet --no-deps --dest wheels --only-binary :all: \
	--python-version 3.11 --implementation cp --abi cp311 --abi none --platform manylinux1_x86_64 \
	torch==2.1.2 nvidia-cuda-runtime-cu12==12.1.105 nvidia-cuda-cupti-cu12==12.1.105
python3 -c 'import sys, zipfile
need = "nvidia/", "torch/include/", "torch/lib/libc10.so", "torch/lib/libgomp", "torch/lib/libtorch_cpu"
for wheel in map(zipfile.ZipFile, sys.argv[1:]):
    wheel.extractall(members=[f for f in wheel.namelist() if f.startswith(need)])' wheels/*
# To compile in less than half the time: no CUDA, no networks of C++, no optimization, and a declaration
# without which gcc seeks similar names for each of the 2,500 that cgo asks about.
mkdir -p empty/torch && echo '/* nothing */' | tee >/dev/null \
	empty/lib{caffe2_nvrtc,cuda,cudart,cublas,cudnn,nvrtc,nvrtc-builtins,nvToolsExt,torch,torch_cuda,c10_cuda}.so
echo '#include <torch/types.h>' | tee empty/torch/nn.h >empty/torch/data.h
printf '#ifndef __ASSEMBLER__\nextern struct { int i; } __cgo_undefined__2;\n#endif\n' >declared.h
printf '#!/bin/sh\nexec g++ "$@" -O0 -g0\n' >g++ && chmod +x g++
export CXX=$dir/g++ CGO_CFLAGS="-include $dir/declared.h" CGO_CXXFLAGS="-D_GLIBCXX_USE_CXX11_ABI=0
	-I$dir/empty -I$dir/torch/include -I$dir/torch/include/torch/csrc/api/include"
export CGO_LDFLAGS="-Wl,--no-as-needed -L$dir/empty -L$dir/torch/lib -Wl,-rpath,$dir/torch/lib"
cat >main.go <<'EOF'
package main

import (
	"fmt"
	"log"

	"github.com/sugarme/gotch/ts"
)

func main() {
	x := ts.MustOfSlice([]float32{1, 2}).MustSetRequiresGrad(true, false)
	tracked := func() bool { return x.MustMul(x, false).MustRequiresGrad() }
	var saw []bool
	ts.NoGrad(func() {
		saw = append(saw, tracked())
		ts.NoGrad1(func() any { return nil })
		saw = append(saw, tracked())
		ts.NoGrad(func() {})
		saw = append(saw, tracked())
	})
	fmt.Println("tracked at the start, after an inner NoGrad1, after an inner NoGrad:", saw)
	if fmt.Sprint(saw) != "[false false true]" {
		log.Fatal("this has changed")
	}
}
EOF
go mod init finding 2>/dev/null
go get github.com/sugarme/gotch@v0.9.1 2>/dev/null
go run -tags netgo,osusergo .
