// Package games holds the pages of the games, for programs that show their rules.
package games

import "embed"

// Pages has a file for each game, named after it; presets share the page of their game. A folder
// named after a language has translations.
//
//go:embed *.md */*.md
var Pages embed.FS
