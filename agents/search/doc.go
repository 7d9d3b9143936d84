// Package search looks ahead in games of chance with any number of seats: by Monte Carlo
// tree search, which evaluates new leaves with a network or by rollouts, and by
// complete expansion of a few plies to the values of a network.
package search
