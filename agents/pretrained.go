package agents

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"marsgym/env/game"
	"marsgym/models"
)

// Pretrained is the name of the network that comes with the program for a game
// and a number of seats.
const Pretrained = "pretrained"

// released holds a model for each game and number of seats, and a card that says
// how it was trained and how strong it is.
//
//go:embed pretrained/*.safetensors
var released embed.FS

// pretrainedFile is where the released model of a game is, if there is one.
func pretrainedFile(spec game.Spec) string {
	return fmt.Sprintf("pretrained/%s-%d.safetensors", spec.ID, spec.Players)
}

// hasPretrained reports whether a model is released for a game under its config.
func hasPretrained(spec game.Spec) bool {
	f, err := loadPretrained(spec)
	return err == nil && f.Meta.Check(MetaOf(spec)) == nil
}

// loadPretrained returns the released model of a game.
func loadPretrained(spec game.Spec) (*models.File, error) {
	name := pretrainedFile(spec)
	b, err := released.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("no network is released for %s for %d; there are %s", spec.ID, spec.Players, strings.Join(PretrainedNames(), ", "))
	}
	f, err := models.Decode(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// Released lists the games with a released model, each with its number of seats,
// as in "martian-dice-2".
func PretrainedNames() (names []string) {
	entries, _ := released.ReadDir("pretrained") // embedded, so it is there
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return names
}
