package martiandice

// Rolled lets tests say what the dice show.
func (r *Rules) Rolled(s State, dice Counts) State {
	r.rolled(&s, dice)
	return s
}

// ParseCounts reads dice such as "T3R2".
func ParseCounts(text string) (Counts, error) { return parseCounts(text) }
