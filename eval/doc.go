// Package eval says how strong agents are: exactly, where the game is solved,
// and elsewhere by matches with intervals.
//
// Exactly means without sampling: a [Judge] asks an agent for its decision in
// every position that can matter and computes what they come to.
package eval
