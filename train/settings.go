package train

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"marsgym/internal/input"
)

// ErrSettings is returned where a run would go on under other settings than those
// of its checkpoint.
var ErrSettings = errors.New("the settings have changed since the checkpoint")

// settings are what decides how a run ends, under the names of config.json. A
// checkpoint holds them, so that no run is resumed under others. Left out is what
// changes no result: how often a run is saved, and on which device it is fitted.
type settings struct {
	Game       string          `json:"game"`
	GameConfig json.RawMessage `json:"game_config"`
	Backend    string          `json:"backend"`
	Train      Config          `json:"train"`
}

// settingsBlob names them in a checkpoint.
const settingsBlob = "settings"

// settings are those of this run.
func (r *run) settings() settings {
	spec := r.opt.Game.Spec()
	s := settings{spec.ID, json.RawMessage(spec.ConfigJSON()), r.opt.Backend, r.cfg}
	s.Train.Checkpoints = 0
	return s
}

// check compares the settings with those of a checkpoint. A field that the
// checkpoint's release did not know has its default.
func (s settings) check(checkpoint []byte) error {
	var was settings
	if err := json.Unmarshal(checkpoint, &was); err != nil { // for the algorithm
		return err
	}
	was.Train = DefaultConfig(was.Train.Algorithm)
	if err := json.Unmarshal(checkpoint, &was); err != nil {
		return err
	}
	was.Train.Checkpoints = 0
	a, err := json.Marshal(was)
	if err != nil {
		return err
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	list, err := Differences(a, b)
	if err == nil && list != nil {
		err = fmt.Errorf("%w: %s; put them back in %s to go on, or start a new run with these", ErrSettings, input.Cut(strings.Join(list, ", ")), ConfigFile)
	}
	return err
}

// Differences compares the fields of two JSON documents: "train.seed was 1 and is
// 2". A list is one field.
func Differences(before, after []byte) ([]string, error) {
	was, is := map[string]string{}, map[string]string{}
	if err := errors.Join(addFields(was, "", before), addFields(is, "", after)); err != nil {
		return nil, err
	}
	all := maps.Clone(was)
	maps.Copy(all, is)
	var list []string
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if was[field] != is[field] {
			list = append(list, fmt.Sprintf("%s was %s and is %s", field, cmp.Or(was[field], "absent"), cmp.Or(is[field], "absent")))
		}
	}
	return list, nil
}

// addFields adds what a JSON document says by name, such as "train.ppo.clip".
func addFields(dst map[string]string, name string, text []byte) error {
	if !bytes.HasPrefix(text, []byte("{")) {
		dst[name] = string(text)
		return nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	for key, part := range object {
		if err := addFields(dst, strings.TrimPrefix(name+"."+key, "."), part); err != nil {
			return err
		}
	}
	return nil
}
