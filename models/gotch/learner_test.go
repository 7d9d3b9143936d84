//go:build gotch && cgo

package gotch_test

import (
	"strings"
	"testing"

	"marsgym/models"
	"marsgym/models/gotch"
	"marsgym/models/learnertest"
)

func on(device string) learnertest.New {
	return func(mlp *models.MLP, cfg models.AdamConfig) (models.Learner, error) {
		return gotch.New(mlp, cfg, device)
	}
}

func TestCheck(t *testing.T) {
	if err := learnertest.Check(on("cpu")); err != nil {
		t.Error(err)
	}
}

func TestCheckCUDA(t *testing.T) {
	if err := gotch.CheckDevice("cuda:0"); err != nil {
		t.Skip(err)
	}
	if err := learnertest.Check(on("cuda:0")); err != nil {
		t.Error(err)
	}
}

func TestCheckDevice(t *testing.T) {
	for device, want := range map[string]string{
		"cpu":      "",
		"":         `device is "": want cpu, or cuda:0`,
		"cuda":     "want cpu, or cuda:0",
		"cuda:-1":  "want cpu, or cuda:0",
		"gpu:0":    "want cpu, or cuda:0",
		"cuda:200": "there is no cuda:200",
	} {
		err := gotch.CheckDevice(device)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", device, err, want)
		}
	}
}
