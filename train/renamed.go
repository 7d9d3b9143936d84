package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ErrRenamed is returned for settings under a name that an older release had for
// them.
var ErrRenamed = errors.New("settings have other names in this release")

// renamed maps the fields of settings that had other names in an older release to
// their present keys, of the same object or, with dots, of train.
var renamed = map[string]string{
	"train.rate":                 "learning_rate",
	"train.value":                "value_coef",
	"train.parts":                "shards",
	"train.adam.clip":            "max_grad_norm",
	"train.ppo.entropy":          "entropy_coef",
	"train.ppo.clip":             "clip_range",
	"train.ppo.pool.share":       "opponents.fraction",
	"train.ppo.pool.fraction":    "opponents.fraction",
	"train.ppo.pool.size":        "opponents.size",
	"train.ppo.pool.every":       "opponents.interval",
	"train.ppo.pool.interval":    "opponents.interval",
	"train.ppo.pool.power":       "opponents.power",
	"train.expert.ahead":         "value_warmup",
	"train.expert.search.anew":   "starts.sample",
	"train.expert.search.strays": "exploration_fraction",
	"train.expert.search.stray":  "exploration_rate",
	"train.expert.search.moves":  "decisions",

	"train.expert.search.restart_fraction": "starts.sample",
}

// onePly is an algorithm of older releases. Its search is that of [OneMove] in games that
// merge their chance.
const onePly Algorithm = "one-ply"

const oneMoveNow = "one-ply is now one-move, as train.expert.search.depth too: it searches Martian Dice as one-ply did"

// CheckRenamed returns an error that wraps [ErrRenamed] and gives the present name
// if a field of [Settings], such as "train.rate" or its element "train.rate.0", is
// one of an older release.
func CheckRenamed(field string) error {
	for old, key := range renamed {
		if field == old || strings.HasPrefix(field, old+".") {
			return fmt.Errorf("%w: %s is now %s", ErrRenamed, old, key)
		}
	}
	return nil
}

// checkRenamed is CheckRenamed for all fields of a JSON document.
func checkRenamed(text []byte) error {
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	var list []string
	if part, _ := object["train"].(map[string]any); part["algorithm"] == string(onePly) {
		list = append(list, "train.algorithm "+oneMoveNow)
	}
	for _, old := range slices.Sorted(maps.Keys(renamed)) {
		if has(object, strings.Split(old, ".")) {
			list = append(list, old+" is now "+renamed[old])
		}
	}
	if list == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrRenamed, strings.Join(list, ", "))
}

// has reports whether an object has the field of a path of keys.
func has(object map[string]any, path []string) bool {
	v, ok := object[path[0]]
	if !ok || len(path) == 1 {
		return ok
	}
	part, _ := v.(map[string]any)
	return has(part, path[1:])
}
