// Package eval says how strong agents are: exactly, where the game is solved,
// and elsewhere by matches with intervals.
//
// Exactly means without sampling: a [Judge] asks an agent for its decision in
// every position that can matter and computes what they come to.
//
// Matches are played in mirrored sets, with the same dice for each rotation of
// the agents over the seats: [Rotate] plays so many, [Settle] until it is settled
// who is the stronger, and [RoundRobin] rates a pool.
package eval
