package agents

import (
	"fmt"
	"path"
	"strings"
	"sync"

	"marsgym/env/game"
	"marsgym/models"
)

// Pretrained is the name of the network that comes with the module for a game and a
// number of players.
const Pretrained = "pretrained"

// pretrainedMeta returns the metadata of each pretrained model by its name.
var pretrainedMeta = sync.OnceValue(func() map[string]models.Meta {
	list := map[string]models.Meta{}
	for _, name := range PretrainedNames() {
		if f, err := decodePretrained(name); err == nil {
			list[name] = f.Meta
		}
	}
	return list
})

// PretrainedFile returns the content of the file of a pretrained model.
func PretrainedFile(name string) ([]byte, error) {
	return pretrained.ReadFile("pretrained/" + name + ".safetensors")
}

func decodePretrained(name string) (*models.File, error) {
	b, err := PretrainedFile(name)
	if err != nil {
		return nil, err
	}
	f, err := models.Decode(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// pretrainedName returns the name of the pretrained model of a game and reports whether
// there is one for its settings. If not, the name is that of a model for the game and
// its number of players with other settings, or empty.
func pretrainedName(spec game.Spec) (other string, ok bool) {
	want := MetaOf(spec)
	for _, name := range PretrainedNames() {
		m := pretrainedMeta()[name]
		if m.Check(want) == nil {
			return name, true
		}
		if m.Game == spec.ID && m.Net.Players == spec.Players {
			other = name
		}
	}
	return other, false
}

// hasPretrained reports whether there is a pretrained model for a game and its config.
func hasPretrained(spec game.Spec) bool {
	_, ok := pretrainedName(spec)
	return ok
}

// LoadPretrained returns the pretrained model of a game.
func LoadPretrained(spec game.Spec) (*models.File, error) {
	name, _ := pretrainedName(spec)
	if name == "" {
		return nil, fmt.Errorf("there is no pretrained network for %s, but for %s", spec.FullTitle(), strings.Join(PretrainedNames(), ", "))
	}
	return decodePretrained(name)
}

// PretrainedNames lists the pretrained models by preset and number of players, such as
// "martian-dice-2".
func PretrainedNames() (names []string) {
	entries, _ := pretrained.ReadDir("pretrained") // the folder is embedded, so it exists
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return names
}
