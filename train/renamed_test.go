package train_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/models"
	"marsgym/train"
)

// renamed lists the fields of settings of older releases with their present names.
var renamed = [][2]string{
	{"train.rate", "train.learning_rate"},
	{"train.value", "train.value_coef"},
	{"train.adam.clip", "train.adam.max_grad_norm"},
	{"train.ppo.entropy", "train.ppo.entropy_coef"},
	{"train.ppo.clip", "train.ppo.clip_range"},
	{"train.ppo.pool.share", "train.opponents.fraction"},
	{"train.ppo.pool.fraction", "train.opponents.fraction"},
	{"train.ppo.pool.size", "train.opponents.size"},
	{"train.ppo.pool.every", "train.opponents.interval"},
	{"train.ppo.pool.interval", "train.opponents.interval"},
	{"train.ppo.pool.power", "train.opponents.power"},
	{"train.expert.ahead", "train.expert.value_warmup"},
	{"train.expert.search.anew", "train.expert.search.starts.sample"},
	{"train.expert.search.restart_fraction", "train.expert.search.starts.sample"},
	{"train.expert.search.strays", "train.expert.search.exploration_fraction"},
	{"train.expert.search.stray", "train.expert.search.exploration_rate"},
	{"train.expert.search.moves", "train.expert.search.decisions"},
}

// nested returns an object with one field, such as {"train":{"seed":1}}.
func nested(field, value string) string {
	for _, key := range strings.Split(field, ".") {
		value = strings.Replace(value, "%", fmt.Sprintf("{%q: %%}", key), 1)
	}
	return value
}

// TestRenamed reads settings with each name of an older release, and with its
// present name.
func TestRenamed(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a hundred settings")
	}
	for _, names := range renamed {
		old, present := names[0], names[1]
		want := old + " is now " + strings.TrimPrefix(present, "train.")
		if parent := old[:strings.LastIndex(old, ".")+1]; strings.HasPrefix(present, parent) {
			want = old + " is now " + strings.TrimPrefix(present, parent)
		}
		value := "0.5"
		switch old {
		case "train.rate", "train.ppo.entropy":
			value = "[0.5, 0.5]"
		case "train.ppo.pool.size", "train.expert.search.moves":
			value = "5"
		}
		text := func(field string) []byte { return []byte(strings.Replace(nested(field, "%"), "%", value, 1)) }

		_, _, err := complete(text(old), train.AlgorithmPPO)
		if !errors.Is(err, train.ErrRenamed) || !strings.Contains(err.Error(), want) {
			t.Errorf("settings: %v; want %q", err, want)
		}
		if _, _, err := complete(text(present), train.AlgorithmPPO); err != nil {
			t.Errorf("settings with %s: %v", present, err)
		}

		dir := t.TempDir()
		for _, field := range []string{old, present} {
			if err := os.WriteFile(filepath.Join(dir, train.ConfigFile), text(field), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err = train.LoadSettings(dir)
			if field == old && (!errors.Is(err, train.ErrRenamed) || !strings.Contains(err.Error(), train.ConfigFile+": ") || !strings.Contains(err.Error(), want)) {
				t.Errorf("run folder: %v; want %q", err, want)
			}
			if field == present && err != nil {
				t.Errorf("run folder with %s: %v", present, err)
			}
		}

		for _, field := range []string{old, old + ".0"} {
			if err := train.CheckRenamed(field); !errors.Is(err, train.ErrRenamed) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q", field, err, want)
			}
		}
		for _, field := range []string{present, present + ".0", "x." + old, old + "_"} {
			if err := train.CheckRenamed(field); err != nil {
				t.Errorf("%s: %v", field, err)
			}
		}
	}
}

// TestResumeRenamed resumes from a checkpoint with the names of an older release.
func TestResumeRenamed(t *testing.T) {
	cfg, opt := finished(t)
	path := filepath.Join(opt.Dir, train.CheckpointFile)
	f, err := models.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(f.Blobs["settings"], &object); err != nil {
		t.Fatal(err)
	}
	c := object["train"].(map[string]any)
	c["rate"], c["shards"] = c["learning_rate"], 4
	delete(c, "learning_rate")
	if f.Blobs["settings"], err = json.Marshal(object); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	_, err = train.Run(t.Context(), cfg, opt)
	if !errors.Is(err, train.ErrRenamed) {
		t.Fatalf("got %v; want ErrRenamed", err)
	}
	for _, want := range []string{path, "train.shards is gone: leave it out, as a run divides its work itself, train.rate is now learning_rate", "finish the run with the release that began it"} {
		refused(t, err, want)
	}
}
