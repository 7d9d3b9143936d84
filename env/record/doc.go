// Package record holds recorded games and their text format, which all commands read
// and write. A file holds games one after the other:
//
//	marsgym game 1
//	game pig
//	rules 1 7ab7fe0f1c0a8c8e...
//	config {"players":2,"target":20}
//	seed 7
//	seat 0 greedy
//	seat 1 Ann
//
//	0 roll
//	chance 5
//	0 hold
//	1 roll
//	...
//	result 1 -1
//
// The first line names the format and its version. "rules" is followed by the version
// of the rules and their hash (see [game.Spec]); games of other rules are refused. "seed"
// may be missing. "seat" names who plays in a seat: an agent or a person. Then each line
// is a transition: the seat to move with the name of its action, or "chance" with the
// name of the outcome (see [env.Position]). "result" ends a game: the return of each
// seat, "truncated" if a limit ended the game, or "unfinished". Empty lines, and lines
// that begin with #, have no meaning.
package record
