//go:build race

package models_test

func init() { race = true }
