#!/usr/bin/env bash
# jax 0.10.2: device_put of a NumPy array is no copy, if the array happens to be aligned.
#
# Arrays of JAX cannot change, and the documentation of device_put says that it returns a copy. On
# a CPU, the default may_alias=None keeps the NumPy array's memory if that starts at a multiple of
# 64 bytes. A buffer that an environment overwrites in each step then rewrites observations stored
# earlier. Even may_alias=False, documented to copy, keeps it. A buffer that starts four bytes
# later is copied, and so is any argument of jnp.asarray.
#
# Seen, after writing 7 over an array of zeros: 7 for the aligned one, 0 for the other; 0 for both
# with jnp.asarray.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6
cd "$dir"
"$dir/venv/bin/python" - <<'EOF'
import sys

import jax
import numpy

room = numpy.zeros(64 + 4096 + 4, numpy.uint8)
start = -room.ctypes.data % 64
saw = {}
for offset in 0, 4:
    buffer = room[start + offset : start + offset + 4096].view(numpy.float32)
    for name, put in (
        ("device_put", jax.device_put),
        ("device_put, may_alias=False", lambda x: jax.device_put(x, may_alias=False)),
        ("jnp.asarray", jax.numpy.asarray),
    ):
        buffer[:] = 0
        array = put(buffer).block_until_ready()
        buffer[:] = 7
        saw[name, offset] = float(array[0])
        print(f"{name}, {offset} bytes past alignment: {saw[name, offset]}")
aliased = {key for key, value in saw.items() if value}
if aliased != {("device_put", 0), ("device_put, may_alias=False", 0)}:
    sys.exit("this has changed")
EOF
