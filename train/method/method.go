// Package method holds what training runs and their algorithms share: the settings that all
// algorithms have, the report of an iteration, and the names in a checkpoint.
package method

import (
	"context"
	"fmt"

	"marsgym/agents/search"
	"marsgym/models"
)

// Method is the implementation of an algorithm.
type Method interface {
	// Iterate plays and fits the network, at a fraction x of the run. It returns
	// the losses, the learning rate, and the games and decisions of this iteration.
	// When ctx is done it returns its error soon, with its state as before the call.
	Iterate(ctx context.Context, x float64) (Metrics, error)
	// Model returns the network that the run has trained so far, as it is played.
	Model() *models.MLP
	// Target returns the kind of states whose values the network learns.
	Target() search.ValueTarget
	// Save adds what a checkpoint must hold beside the network and its
	// optimizer; Restore reads it.
	Save(blobs map[string][]byte) error
	Restore(blobs map[string][]byte) error
}

// Streams of a run beside those of its rows; the top bit sets them apart.
const (
	WeightStream  = 1<<63 | iota // the first weights
	ShuffleStream                // the order of minibatches

	PopulationStream = 1<<63 | 1<<32 // the first weights of the population, and the next ones
	MatchStream      = 1<<63 | 2<<32 // the seeds of the matches of evaluations, and the next ones
)

// PartBlob is the name of the state of a part of the rows in a checkpoint.
func PartBlob(k int) string { return fmt.Sprintf("part.%d", k) }

// OpponentBlob is the name of the weights of an opponent in a checkpoint, see
// [models.MLP.WeightBytes].
func OpponentBlob(k int) string { return fmt.Sprintf("pool.%d", k) }

// RestoreOpponent returns opponent k of a checkpoint, a network of the shape of mlp.
func RestoreOpponent(blobs map[string][]byte, k int, mlp *models.MLP) (*models.MLP, error) {
	c, err := models.NewMLPOf(mlp.Shape(), blobs[OpponentBlob(k)])
	if err != nil {
		return nil, fmt.Errorf("opponent pool: opponent %d: %w", k, err)
	}
	return c, nil
}
