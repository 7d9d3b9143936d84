package ppo

import (
	"errors"
	"slices"

	"marsgym/internal/parallel"
	"marsgym/models"
	"marsgym/train/method"
)

// snapshot is what an interrupted iteration has changed, before it: the network, its optimizer,
// the rows and their opponents. The counts of the pool change at the end of an iteration.
type snapshot struct {
	weights   []float32
	optimizer []models.Tensor
	blobs     map[string][]byte
	seats     []uint16
}

func (r *PPO) snapshot() (snapshot, error) {
	s := snapshot{slices.Clone(r.learner.MLP().Weights()), r.learner.State(), map[string][]byte{}, r.pool.seats()}
	return s, r.saveRows(s.blobs)
}

// undo restores the state of a snapshot.
func (r *PPO) undo(s snapshot) error {
	copy(r.learner.MLP().Weights(), s.weights)
	r.pool.undo(s.seats)
	return errors.Join(r.learner.Restore(s.optimizer), r.restoreRows(s.blobs))
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
