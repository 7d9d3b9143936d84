// Package plot draws the charts of games, as SVG and PNG, with gonum.org/v1/plot.
// Equal charts give equal bytes.
package plot
