package main

import (
	"fmt"
	"slices"

	"marsgym/internal/cli"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/models/gotch"
	"marsgym/train"
)

// backend is a library that can fit a network.
type backend struct {
	name  string
	new   func(mlp *models.MLP, cfg models.AdamConfig, device string) (models.Learner, error)
	check func(device string) error // whether new would work on a device
}

// backends lists them.
var backends = []backend{
	{
		train.DefaultBackend,
		func(mlp *models.MLP, cfg models.AdamConfig, _ string) (models.Learner, error) {
			return gorgonia.New(mlp, cfg)
		},
		func(device string) error {
			if device != train.DefaultDevice {
				return fmt.Errorf("gorgonia runs on the %s; for %s take -backend gotch", train.DefaultDevice, device)
			}
			return nil
		},
	},
	{"gotch", gotch.New, gotch.CheckDevice},
}

func backendNames() (names []string) {
	for _, b := range backends {
		names = append(names, b.name)
	}
	return names
}

// backendOf returns the backend of settings, if it works on this machine.
func backendOf(s train.Settings) (b backend, err error) {
	i := slices.IndexFunc(backends, func(b backend) bool { return b.name == s.Backend })
	if i < 0 {
		return b, cli.Unknown("backend", s.Backend, backendNames())
	}
	if err := backends[i].check(s.Device); err != nil {
		return b, &cli.UsageError{Err: err}
	}
	return backends[i], nil
}

// newLearner returns what makes a learner of the backend of settings.
func newLearner(s train.Settings) func(*models.MLP, models.AdamConfig) (models.Learner, error) {
	return func(mlp *models.MLP, cfg models.AdamConfig) (models.Learner, error) {
		b, err := backendOf(s)
		if err != nil {
			return nil, err
		}
		return b.new(mlp, cfg, s.Device)
	}
}
