//go:build !gotch || !cgo

package gotch

import (
	"errors"

	"marsgym/models"
)

var errAbsent = errors.New("gotch: this program was built without libtorch; download it once, and build with the tag gotch:\n\n" +
	"\teval \"$(models/gotch/setup)\"\n" +
	"\tgo run -tags gotch ./cmd/train -backend gotch")

// CheckDevice returns an error: this program was built without the tag gotch.
func CheckDevice(device string) error { return errAbsent }

// New returns an error that describes how to build this program with libtorch.
func New(mlp *models.MLP, cfg models.AdamConfig, device string) (models.Learner, error) {
	return nil, errAbsent
}
