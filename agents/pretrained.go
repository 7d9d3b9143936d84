package agents

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"marsgym/env/game"
	"marsgym/models"
)

// Pretrained is the name of the network that comes with the module for a game and a
// number of players.
const Pretrained = "pretrained"

// pretrained holds the model files. Beside each lies a card on its training and
// strength.
//
//go:embed pretrained/*.safetensors
var pretrained embed.FS

// pretrainedFile returns the path of the pretrained model of a game.
func pretrainedFile(spec game.Spec) string {
	return fmt.Sprintf("pretrained/%s-%d.safetensors", spec.ID, spec.Players)
}

// hasPretrained reports whether there is a pretrained model for a game and its config.
func hasPretrained(spec game.Spec) bool {
	f, err := loadPretrained(spec)
	return err == nil && f.Meta.Check(MetaOf(spec)) == nil
}

// loadPretrained returns the pretrained model of a game.
func loadPretrained(spec game.Spec) (*models.File, error) {
	name := pretrainedFile(spec)
	b, err := pretrained.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("there is no pretrained network for %s for %d, but for %s", spec.ID, spec.Players, strings.Join(PretrainedNames(), ", "))
	}
	f, err := models.Decode(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// PretrainedNames lists the pretrained models by game and number of players, such as
// "martian-dice-2".
func PretrainedNames() (names []string) {
	entries, _ := pretrained.ReadDir("pretrained") // the folder is embedded, so it exists
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return names
}
