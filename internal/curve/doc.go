// Package curve turns what training runs record into a picture of how they
// learn.
package curve
