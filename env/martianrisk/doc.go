// Package martianrisk is Martian Risk, the board game of conquest with two
// four-sided dice a side and towers of Icehouse pieces.
package martianrisk
