package ppo

import (
	"errors"

	"marsgym/train/method"
)

// Save implements [method.Method].
func (r *PPO) Save(blobs map[string][]byte) (err error) {
	if blobs["shuffle"], err = r.stream.MarshalBinary(); err != nil {
		return err
	}
	for k, p := range r.rollouts {
		if blobs[method.PartBlob(k)], err = p.batch.AppendState(nil); err != nil {
			return err
		}
	}
	return errors.Join(r.pool.save(blobs), saveOpenings(blobs, r.rollouts))
}

// Restore implements [method.Method].
func (r *PPO) Restore(blobs map[string][]byte) error {
	err := errors.Join(r.stream.UnmarshalBinary(blobs["shuffle"]), r.pool.restore(blobs, r.learner.MLP()), restoreOpenings(blobs, r.rollouts))
	for k, p := range r.rollouts {
		err = errors.Join(err, p.batch.RestoreState(blobs[method.PartBlob(k)]))
	}
	return err
}
