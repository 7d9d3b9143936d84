#!/usr/bin/env bash
# gotch 0.9.1: the weights of a default linear layer are not drawn as its documentation says.
#
# DefaultLinearConfig is documented to draw weights by the Kaiming uniform method, which for n inputs
# keeps them within 1/√n. New variables are standard normal numbers instead, whatever the inputs and
# the options of the method. Only Set, which fills a tensor that is there, draws as documented.
#
# Seen, for 400 inputs, where 1/√n is .05: standard deviations of 1 for the weights and 20 for the
# outputs of inputs of deviation 1; after Set .0289, and outputs of .58.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GOMODCACHE=$dir/modules GOFLAGS="-mod=mod -modcacherw" GOWORK=off CGO_ENABLED=1
cd "$dir"
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

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/nn"
	"github.com/sugarme/gotch/ts"
)

func main() {
	config := nn.DefaultLinearConfig()
	layer := nn.NewLinear(nn.NewVarStore(gotch.CPU).Root(), 400, 400, config)
	x := ts.MustRandn([]int64{1000, 400}, gotch.Float, gotch.CPU)
	deviation := func(t *ts.Tensor) float64 { return t.MustStd(true, false).Float64Values()[0] }
	drawn, outputs := deviation(layer.Ws), deviation(layer.Forward(x))
	ts.NoGrad(func() { config.WsInit.Set(layer.Ws) })
	set, after := deviation(layer.Ws), deviation(layer.Forward(x))
	fmt.Printf("new weights %.3f, outputs %.2f; after Set %.4f, outputs %.3f\n", drawn, outputs, set, after)
	if !(drawn > .98 && drawn < 1.02 && outputs > 18 && outputs < 22 && set > .028 && set < .03 && after < .7) {
		log.Fatal("this has changed")
	}
}
EOF
go mod init finding 2>/dev/null
go get github.com/sugarme/gotch@v0.9.1 2>/dev/null
go run -tags netgo,osusergo .
