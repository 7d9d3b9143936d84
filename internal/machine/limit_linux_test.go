package machine_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"marsgym/internal/machine"
)

// TestLimit: the limit of ulimit -v counts, without the addresses that Go reserves.
func TestLimit(t *testing.T) {
	const key, kilobytes = "MARSGYM_MACHINE_TEST", 4 << 20
	if os.Getenv(key) != "" {
		fmt.Println("\nmemory", machine.Memory())
		return
	}
	cmd := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -v %d && exec "$0" -test.run '^TestLimit$'`, kilobytes), os.Args[0])
	cmd.Env = append(os.Environ(), key+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Skip(err, string(out))
	}
	_, rest, _ := strings.Cut(string(out), "\nmemory ")
	n, err := strconv.ParseUint(strings.Fields(rest + " -")[0], 10, 64)
	if err != nil || n == 0 || n >= kilobytes<<10 {
		t.Errorf("the memory is %d, %v; want less than the limit of %d\n%s", n, err, kilobytes<<10, out)
	}
}
