"""Writes python.safetensors, or reads the file that it is given, with Python's safetensors.

The file holds what readers and writers disagree about: names out of order, bytes that leave what
follows unaligned, tensors without elements and without dimensions, and halves of two kinds.

    pip install safetensors==0.8.0 ml_dtypes==0.6.0 numpy==2.4.6
"""

import sys

import ml_dtypes
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

TENSORS = {
    "z.first": np.array([[1, 2, 3], [4, 5, 6]], np.float32),
    "bytes": np.array([1, 2, 3, 4, 255], np.uint8),
    "after.bytes": np.array([0.5, -0.25], np.float32),
    "doubles": np.array([1 / 3, np.inf, -0.0], np.float64),
    "empty": np.zeros(0, np.float32),
    "without.rows": np.zeros((2, 0, 3), np.int64),
    "scalar": np.array(2.5, np.float32),
    "half": np.array([1, -2, 65504, 2**-24], np.float16),
    "brain": np.array([1, -2, 3e38], ml_dtypes.bfloat16),
    "flags": np.array([True, False, True]),
    "a.last": np.array([-(2**63), 2**63 - 1], np.int64),
}
METADATA = {"note": "Ende – 終"}

if len(sys.argv) == 1:
    save_file(TENSORS, "python.safetensors", METADATA)
    sys.exit()
with safe_open(sys.argv[1], "np") as file:
    assert file.metadata() == METADATA, file.metadata()
    assert sorted(file.keys()) == sorted(TENSORS), file.keys()
    for name, want in TENSORS.items():
        got = file.get_tensor(name)
        assert (got.dtype, got.shape) == (want.dtype, want.shape), (name, got.dtype, got.shape)
        assert got.tobytes() == want.tobytes(), (name, got)
print(len(TENSORS), "tensors are the same")
