// Package search looks ahead in games of chance with any number of seats: by Monte Carlo
// tree search, whose new leaves are evaluated by a network or by rollouts, and by
// complete expansion of a few plies to the values of a network.
package search
