package clitest

import "strings"

// Words returns the words of a command line, in which paths stand as cli.Argument writes them: the
// folder of temporary files can have spaces in its name.
func Words(line string) (words []string) {
	var word strings.Builder
	var quote rune // that ends the quoted part; 0 outside of one
	begun := false
	for _, r := range line + " " {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && r == ' ':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	return words
}
