// Package imports holds only a test: it checks the imports between the packages of this
// module against the table in imports_test.go, in which they point one way.
package imports
