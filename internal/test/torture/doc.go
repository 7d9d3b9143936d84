// Package torture consists of a test that attacks the commands: it runs them on all
// games, kills and interrupts them at random times, makes their writes fail, damages their
// files or replaces them, also by pipes, devices and endless files, and gives them invalid
// input, colliding run ids and a worker that sends wrong chunks. In all cases a command must
// end with the right result, to the bit, or with a one-line error, and take at most 1 GB
// of memory.
//
//	MARSGYM_FULL=gate go test ./internal/test/torture                        # two kinds of attacks
//	MARSGYM_FULL=1 go test ./internal/test/torture                           # all kinds, for a minute
//	go test ./internal/test/torture -v -timeout 1h -for 30m                  # for half an hour
//	go test ./internal/test/torture -v -seed 7 -only train                   # attacks of one kind with a seed
//
// The times of kills depend on the clock, everything else on the seed.
package torture
