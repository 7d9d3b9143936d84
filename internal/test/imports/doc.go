// Package imports holds only a test: it checks that the imports between the packages of this
// module point one way, from the higher of the layers in imports_test.go to the lower.
package imports
