package cli

import "marsgym/internal/input"

// Unknown returns a [UsageError] for a name that is not among the known names: see
// [input.UnknownError].
func Unknown(kind, name string, known []string) error {
	return &UsageError{input.Unknown(kind, name, known)}
}
