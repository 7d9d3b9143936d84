#!/usr/bin/env bash
# h5py 3.16.0: numbers that do not fit move to the limits of the type; NaN becomes a number.
#
# The documentation introduces data sets as very similar to NumPy arrays and as assigned to in the
# same way. NumPy's astype wraps 200 to -56 in int8, and the assignment of the number 200 raises
# OverflowError. HDF5 converts by saturation: 200 becomes 127 and -200 becomes -128, without a
# warning. A NaN that is written into a data set of int32 reads as the smallest number.
#
# Seen: [200, -200] as int8 reads 127, -128, where NumPy has -56, 56; [nan, 1e12] as int32 reads
# -2147483648, 2147483647.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	h5py==3.16.0 numpy==2.4.6
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys

import h5py
import numpy

file = h5py.File("rewards.h5", "w")
saw = []
for kind, values in ("int8", [200, -200]), ("int32", [numpy.nan, 1e12]):
    data = file.create_dataset(kind, (2,), kind)
    data[:] = numpy.array(values)
    saw.append(data[:].tolist())
    print(kind, values, "reads", saw[-1])
wrapped = numpy.array([200, -200]).astype("int8").tolist()
try:
    numpy.zeros(1, "int8")[:] = 200
except OverflowError as error:
    print("numpy:", wrapped, "or", error)
    saw.append("OverflowError")
if saw != [[127, -128], [-2147483648, 2147483647], "OverflowError"]:
    sys.exit("this has changed")
EOF
