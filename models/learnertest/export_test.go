package learnertest

import (
	"fmt"
	"strings"
)

// CheckOnly is [Check] for the requirement whose name is a prefix of want.
func CheckOnly(want string, new New) error {
	for _, c := range checks {
		if strings.HasPrefix(want, c.name) {
			if err := attempt(c.run, new); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			return nil
		}
	}
	return fmt.Errorf("no requirement has the name of %q", want)
}
