package ppo

import (
	"encoding/json"
	"errors"
	"slices"

	"marsgym/internal/parallel"
	"marsgym/models"
	"marsgym/train/method"
)

// snapshot is what an iteration changes, before it: the network, its optimizer, and the state
// of a checkpoint without the weights of opponents.
type snapshot struct {
	weights   []float32
	optimizer []models.Tensor
	blobs     map[string][]byte
}

func (r *PPO) snapshot() (s snapshot, err error) {
	s = snapshot{slices.Clone(r.learner.MLP().Weights()), r.learner.State(), map[string][]byte{}}
	if err := r.saveRows(s.blobs); err != nil {
		return s, err
	}
	s.blobs["pool"], err = json.Marshal(r.pool.poolState)
	return s, err
}

// undo restores the state of a snapshot.
func (r *PPO) undo(s snapshot) error {
	copy(r.learner.MLP().Weights(), s.weights)
	return errors.Join(r.learner.Restore(s.optimizer), r.restoreRows(s.blobs), r.pool.undo(s.blobs["pool"]))
}

// Save implements [method.Method].
func (r *PPO) Save(blobs map[string][]byte) (err error) {
	return errors.Join(r.saveRows(blobs), r.pool.save(blobs))
}

// saveRows adds the state of the rows, and of the order of minibatches.
func (r *PPO) saveRows(blobs map[string][]byte) (err error) {
	if blobs["shuffle"], err = r.stream.MarshalBinary(); err != nil {
		return err
	}
	states, errs := make([][]byte, len(r.rollouts)), make([]error, len(r.rollouts))
	parallel.For(len(states), 1, func(k, _ int) { states[k], errs[k] = r.rollouts[k].batch.AppendState(nil) })
	for k, state := range states {
		blobs[method.PartBlob(k)] = state
	}
	return errors.Join(append(errs, saveOpenings(blobs, r.rollouts))...)
}

// Restore implements [method.Method].
func (r *PPO) Restore(blobs map[string][]byte) error {
	return errors.Join(r.pool.restore(blobs, r.learner.MLP()), r.restoreRows(blobs))
}

// restoreRows reads what saveRows wrote.
func (r *PPO) restoreRows(blobs map[string][]byte) error {
	err := errors.Join(r.stream.UnmarshalBinary(blobs["shuffle"]), restoreOpenings(blobs, r.rollouts))
	for k, p := range r.rollouts {
		err = errors.Join(err, p.batch.RestoreState(blobs[method.PartBlob(k)]))
	}
	return err
}
