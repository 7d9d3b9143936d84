package martiandice

// Rolled returns the state after the dice show these counts.
func (r *Rules) Rolled(s State, dice Counts) State {
	r.rolled(&s, dice)
	return s
}

// ParseCounts parses dice such as "T3R2".
func ParseCounts(text string) (Counts, error) { return parseCounts(text) }
