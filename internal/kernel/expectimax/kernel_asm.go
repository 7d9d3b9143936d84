//go:build (amd64 || arm64) && !purego

package expectimax

// lane returns the address of a lane of the first element, or nil if there is none.
func lane(v []Vec, l int) *float64 {
	if len(v) == 0 {
		return nil
	}
	return &v[0][l]
}
