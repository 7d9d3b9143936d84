#!/usr/bin/env bash
# pyarrow 26.0.1: images that NumPy shows upside down arrive scrambled.
#
# FixedShapeTensorArray.from_numpy_ndarray is documented to copy an array that is not contiguous. A
# view with negative strides, such as a rendered frame that was flipped, is accepted without a
# copy: its rows come back transposed and in another order. pa.Tensor.from_numpy of the same
# package refuses negative strides with ArrowInvalid.
#
# Seen, for the frame [[0,1],[2,3]] flipped to [[2,3],[0,1]]: it comes back as [[2,0],[3,1]], and a
# copy of the flipped frame comes back right.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	pyarrow==26.0.1 numpy==2.4.6
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys

import numpy
import pyarrow

frames = numpy.arange(8, dtype=numpy.float32).reshape(2, 2, 2)
flipped = frames[:, ::-1]


def kept(array):
    back = pyarrow.FixedShapeTensorArray.from_numpy_ndarray(array).to_numpy_ndarray()
    print(f"{array[0].tolist()} came back as {back[0].tolist()}")
    return numpy.array_equal(array, back)


saw = [kept(flipped), kept(flipped.copy())]
try:
    pyarrow.Tensor.from_numpy(flipped)
    saw.append("accepted")
except pyarrow.ArrowInvalid as error:
    saw.append("refused")
    print("Tensor.from_numpy:", error)
if saw != [False, True, "refused"]:
    sys.exit("this has changed")
EOF
