package models

// Encode returns the bytes of a file. Fuzzing with files on disk would be too slow.
func (f *File) Encode() ([]byte, error) { return f.encode() }
