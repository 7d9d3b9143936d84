//go:build cgo

package main

/*
#include <stdint.h>
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"marsgym/agents"
	"marsgym/env/catalog"
	"marsgym/internal/cli"
	"marsgym/models"
)

// modelInfo describes a model file.
type modelInfo struct {
	Game        string                  `json:"game"`
	Table       string                  `json:"table,omitempty"` // the file of a table game
	Config      json.RawMessage         `json:"config"`
	Net         models.Shape            `json:"net"`
	Algorithm   string                  `json:"algorithm"`
	ValueTarget string                  `json:"value_target,omitempty"`
	Play        string                  `json:"play,omitempty"`
	Seed        uint64                  `json:"seed"`
	Steps       int64                   `json:"steps"`
	Games       int64                   `json:"games"`
	Iterations  int64                   `json:"iterations"`
	Exact       *models.Exact           `json:"exact,omitempty"`
	Matches     map[string]models.Share `json:"matches,omitempty"`
	Tensors     []tensorInfo            `json:"tensors"`
}

type tensorInfo struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
}

// marsgym_load_model opens a model file or the model of a run folder, of a game as this
// release has it, and writes its description. The table of a game is looked for beside the model.
//
//export marsgym_load_model
func marsgym_load_model(path *C.char, object *C.uintptr_t, out **C.char) result {
	return document(out, func() (any, error) {
		path := C.GoString(path)
		f, err := agents.LoadModel(path)
		if err != nil {
			return nil, err
		}
		m := f.Meta
		g, err := cli.OpenFor(path, "")(m.Game, m.Net.Players, m.Config)
		if err != nil {
			return nil, err
		}
		if err := m.Check(agents.MetaOf(g.Spec())); err != nil {
			return nil, err
		}
		info := modelInfo{
			Game: m.Game, Config: m.Config, Net: m.Net, Algorithm: m.Algorithm, ValueTarget: m.ValueTarget, Play: m.Play,
			Seed: m.Seed, Steps: m.Steps, Games: m.Games, Iterations: m.Iterations, Exact: m.Exact, Matches: m.Matches,
		}
		if catalog.IsFile(m.Game) {
			info.Table = cli.Beside(m.Game, path)
		}
		for _, t := range f.MLP.Tensors() {
			info.Tensors = append(info.Tensors, tensorInfo{t.Name, t.Shape})
		}
		*object = handle(f.MLP)
		return info, nil
	})
}

// marsgym_weights copies the numbers of all tensors of a model, one after another.
//
//export marsgym_weights
func marsgym_weights(object C.uintptr_t, data *C.float, size C.int64_t, out **C.char) result {
	return call(out, func() error {
		m, err := resolve[*models.MLP](object)
		if err != nil {
			return err
		}
		if want := len(m.Weights()); int(size) != want {
			return fmt.Errorf("memory of %d numbers; want %d", size, want)
		}
		dst := view[float32](data, int(size))
		for _, t := range m.Tensors() {
			dst = dst[copy(dst, t.Data):]
		}
		return nil
	})
}

// marsgym_save_model writes a model file of a game: a network of a shape and the numbers
// of its tensors, one after another.
//
//export marsgym_save_model
func marsgym_save_model(g C.uintptr_t, path, info *C.char, data *C.float, size C.int64_t, out **C.char) result {
	return call(out, func() error {
		g, err := resolve[*openGame](g)
		if err != nil {
			return err
		}
		var m modelInfo
		if err := json.Unmarshal([]byte(C.GoString(info)), &m); err != nil {
			return err
		}
		m.Net.Obs, m.Net.Actions, m.Net.Players = g.spec.ObsLen(), g.spec.Actions, g.spec.Players
		mlp, err := models.NewMLP(m.Net, rand.NewPCG(0, 0))
		if err != nil {
			return err
		}
		if want := m.Net.Size(); int(size) != want {
			return fmt.Errorf("the network has %d numbers; want %d", size, want)
		}
		rest, tensors := view[float32](data, int(size)), mlp.Tensors()
		for _, t := range tensors {
			rest = rest[copy(t.Data, rest):]
		}
		if err := mlp.SetTensors(tensors); err != nil {
			return err
		}
		meta := agents.MetaOf(g.spec)
		meta.Algorithm, meta.ValueTarget, meta.Play = m.Algorithm, m.ValueTarget, m.Play
		meta.Exact, meta.Matches = m.Exact, m.Matches
		meta.Seed, meta.Steps, meta.Games, meta.Iterations = m.Seed, m.Steps, m.Games, m.Iterations
		return (&models.File{Meta: meta, MLP: mlp}).Save(C.GoString(path))
	})
}
