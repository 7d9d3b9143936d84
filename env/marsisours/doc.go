// Package marsisours is Mars is Ours!, the board game of robots that fight for
// the ground of Mars, and its quick game for two.
package marsisours
