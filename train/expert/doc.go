// Package expert generates targets for expert iteration: an [Expert] plays by a
// search that uses a network's values, and what the search finds trains the network.
//
// Source: Anthony, Tian and Barber, "Thinking Fast and Slow with Deep Learning and
// Tree Search", arXiv:1705.08439.
package expert
