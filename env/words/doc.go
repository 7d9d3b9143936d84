// Package words turns positions into text and text into actions, for agents that read and write
// words, such as language models. It knows no game: the text follows from the [game.Scene] of a
// position and the names of its actions, and games without a [game.Presenter] give their notation.
//
// [Describe] says everything that the observation of a position says. [Parser] finds the action that
// an answer names.
package words
