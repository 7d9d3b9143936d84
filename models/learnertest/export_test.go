package learnertest

import (
	"fmt"
	"strings"
)

// CheckOnly is [Check] of the one clause that want begins with.
func CheckOnly(want string, new New) error {
	for _, c := range checks {
		if strings.HasPrefix(want, c.clause) {
			if err := attempt(c.run, new); err != nil {
				return fmt.Errorf("%s: %w", c.clause, err)
			}
			return nil
		}
	}
	return fmt.Errorf("no clause is that of %q", want)
}
