// Package search is Monte Carlo tree search for games of chance with any number of
// seats, led by a network or by rollouts.
package search
