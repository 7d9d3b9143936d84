// Package torture has no code but its test, which attacks the commands: it runs
// them over all games, kills and interrupts them at random moments, lets their
// writes fail, damages and replaces their files, and feeds them nonsense. What
// must hold is one thing: a command ends with the right result, to the bit, or
// refuses in one clear line.
//
//	go test ./internal/torture                                          # three kinds of attacks
//	MARSGYM_FULL=1 go test ./internal/torture                           # all kinds, for a minute
//	go test ./internal/torture -v -timeout 1h -for 30m                  # until half an hour is over
//	go test ./internal/torture -v -seed 7 -only train                   # the attacks of a seed, of one kind
//
// Moments of kills depend on the clock; all else on the seed.
package torture
