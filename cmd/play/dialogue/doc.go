// Package dialogue lets a person at a terminal choose the actions of a game.
package dialogue
