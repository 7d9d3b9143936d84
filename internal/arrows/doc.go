// Package arrows holds nothing but a test: that imports within this module
// point one way. The table in arrows_test.go says which way.
package arrows
