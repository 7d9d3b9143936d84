#!/usr/bin/env bash
# Go 1.27.0: an error of encoding/json names a field otherwise than with Go 1.26.8.
#
# Go promises that programs of an older release keep working. The package of 1.26.8 documents Field
# of UnmarshalTypeError as the path to the field, with embedded structs, and spells it by the names
# of the fields of the struct. Go 1.27 implements the package over its successor, and spells the
# path as the input does. A program that compares Field with a name no longer finds it.
#
# Seen, with go 1.26.0 in go.mod for both: A.B in 1.26.8, a.b in 1.27.0.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GOMODCACHE=$dir/modules GOFLAGS=-modcacherw GOWORK=off
cd "$dir"
cat >main.go <<'EOF'
package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

func main() {
	var value struct{ A struct{ B int8 } }
	var wrong *json.UnmarshalTypeError
	errors.As(json.Unmarshal([]byte(`{"a":{"b":"x"}}`), &value), &wrong)
	fmt.Println(wrong.Field)
}
EOF
printf 'module finding\n\ngo 1.26.0\n' >go.mod
old=$(GOTOOLCHAIN=go1.26.8 go run .)
new=$(GOTOOLCHAIN=go1.27.0 go run .)
printf 'go1.26.8: %s\ngo1.27.0: %s\n' "$old" "$new"
if [ "$old" != A.B ] || [ "$new" != a.b ]; then
	echo "this has changed"
	exit 1
fi
