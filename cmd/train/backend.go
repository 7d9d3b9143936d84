package main

import (
	"fmt"
	"slices"

	"marsgym/internal/cli"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/models/gotch"
)

// backend is what can fit a network.
type backend struct {
	name  string
	new   func(mlp *models.MLP, cfg models.AdamConfig, device string) (models.Learner, error)
	check func(device string) error // whether new would work on a device
}

// backends lists them, the default first.
var backends = []backend{
	{
		"gorgonia",
		func(mlp *models.MLP, cfg models.AdamConfig, _ string) (models.Learner, error) {
			return gorgonia.New(mlp, cfg)
		},
		func(device string) error {
			if device != cpu {
				return fmt.Errorf("gorgonia runs on the %s; for %s take -backend gotch", cpu, device)
			}
			return nil
		},
	},
	{"gotch", gotch.New, gotch.CheckDevice},
}

// cpu is the default device.
const cpu = "cpu"

func backendNames() (names []string) {
	for _, b := range backends {
		names = append(names, b.name)
	}
	return names
}

// backend returns the backend of the settings, if it works here.
func (s settings) backend() (b backend, err error) {
	i := slices.IndexFunc(backends, func(b backend) bool { return b.name == s.Backend })
	if i < 0 {
		return b, cli.Unknown("backend", s.Backend, backendNames())
	}
	return backends[i], backends[i].check(s.Device)
}

// learner makes a learner of the backend.
func (s settings) learner(mlp *models.MLP, cfg models.AdamConfig) (models.Learner, error) {
	b, err := s.backend()
	if err != nil {
		return nil, err
	}
	return b.new(mlp, cfg, s.Device)
}
