package models

// In package models: fuzzing through the disk is too slow to find anything.

// Encode returns the bytes of a file.
func (f *File) Encode() ([]byte, error) { return f.encode() }
