// Package search is Monte Carlo tree search for games of chance with any number of
// seats. New leaves are evaluated by a network or by rollouts.
package search
