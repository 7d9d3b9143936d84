package train

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/atomicfile"
	"marsgym/internal/input"
	"marsgym/internal/jobs"
)

// ErrSettings is returned by a run that would be resumed under other settings than
// those of its checkpoint.
var ErrSettings = errors.New("the settings have changed since the checkpoint")

// Names of the default backend and device.
const (
	DefaultBackend = "gorgonia"
	DefaultDevice  = "cpu"
)

// Settings hold all that decides the result of a run: the content of [ConfigFile].
//
// A checkpoint holds them too, without what changes no network: the device, the name, the group, the
// tags, the number of checkpoints, the lines of metrics and the memory.
type Settings struct {
	Game       string          `json:"game"`
	GameConfig json.RawMessage `json:"game_config"`
	Backend    string          `json:"backend"`
	Device     string          `json:"device,omitempty"`
	Name       string          `json:"name,omitempty"`  // of the run, for trackers
	Group      string          `json:"group,omitempty"` // of runs that belong together
	Tags       []string        `json:"tags,omitzero"`
	Train      Config          `json:"train"`

	game env.Game // of a run folder with a table, else nil
}

// maxLabel and maxTag are the most bytes of a name or group and of a tag: those of Weights & Biases.
const maxLabel, maxTag = 128, 64

// CheckLabels returns an error for a name, a group or tags that a tracker would refuse.
func (s Settings) CheckLabels() error {
	check := func(what, text string, most int) error {
		if len(text) > most || strings.ContainsFunc(text, unicode.IsControl) || strings.TrimSpace(text) != text {
			return fmt.Errorf("the %s is %s; want at most %d bytes of text, without spaces around it", what, input.Quote(text), most)
		}
		return nil
	}
	errs := []error{check("name", s.Name, maxLabel), check("group", s.Group, maxLabel)}
	for i, tag := range s.Tags {
		if tag == "" || strings.Contains(tag, ",") || slices.Contains(s.Tags[:i], tag) {
			errs = append(errs, fmt.Errorf("the tags are %q; want different texts, such as a,b", s.Tags))
		}
		errs = append(errs, check("tag", tag, maxTag))
	}
	if err := errors.Join(errs...); err != nil {
		return tagged{err, ErrConfig}
	}
	return nil
}

// Open opens the game of the settings: a game of env/catalog, of which the first is the default, or the
// file of a table.
func (s Settings) Open() (env.Game, error) {
	if s.game != nil {
		return s.game, nil
	}
	return catalog.OpenNamed(s.id(), 0, s.GameConfig)
}

// id returns the id or file of the game.
func (s Settings) id() string { return cmp.Or(s.Game, catalog.IDs()[0]) }

// Draft holds settings as they were written: fields that were left out are zero, since their
// defaults depend on the game.
type Draft struct {
	Settings
	text []byte // the JSON object, or nil
}

// ReadDraft reads settings, a JSON object or nil.
func ReadDraft(text []byte) (d Draft, err error) {
	if d.text = text; text != nil {
		if err = input.DecodeJSON(text, &d.Settings); err != nil && fieldsOf(text)["train.shards"] != "" {
			err = ErrShards
		}
		d.GameConfig = input.Part(text, "game_config") // with its place, for errors
	}
	return d, err
}

// Complete returns the settings for a game. Fields that the draft lacks have their defaults: those
// of [DefaultFor] the game, or of [DefaultForAlgorithm] if the draft names an algorithm. If a is
// not "" it is used in place of that algorithm.
func (d Draft) Complete(g env.Game, a Algorithm) (s Settings, err error) {
	var c Config
	switch a = cmp.Or(a, d.Train.Algorithm); {
	case a == "":
		c, err = DefaultFor(g)
		a = c.Algorithm
	case !slices.Contains(Algorithms(), a):
		err = tagged{input.Unknown("algorithm", string(a), AlgorithmNames()), ErrConfig}
	default:
		c, err = DefaultForAlgorithm(g, a)
	}
	if err != nil {
		return s, err
	}
	s, err = d.over(c)
	s.Game, s.GameConfig, s.Train.Algorithm = g.Spec().ID, []byte(g.Spec().ConfigJSON()), a
	return s, err
}

// over returns the settings with c for the fields of Train that the draft lacks.
func (d Draft) over(c Config) (s Settings, err error) {
	s = Settings{Backend: DefaultBackend, Train: c}
	if d.text != nil {
		err = input.DecodeJSON(d.text, &s)
	}
	s.Device = cmp.Or(s.Device, DefaultDevice)
	return s, err
}

// LoadSettings reads the settings of a run folder. Fields that the file lacks have
// the defaults of [DefaultConfig]; it follows no link.
func LoadSettings(dir string) (s Settings, err error) {
	folder, err := atomicfile.OpenDir(dir)
	if err != nil {
		return s, err
	}
	defer folder.Close()
	text, err := folder.ReadFile(ConfigFile, input.Settings)
	if err != nil {
		return s, err
	}
	d, err := ReadDraft(text)
	if err == nil {
		s, err = d.over(DefaultConfig(d.Train.Algorithm))
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", filepath.Join(dir, ConfigFile), input.Placed(err))
	}
	if s.GameConfig = d.GameConfig; s.GameConfig == nil {
		s.GameConfig = []byte("{}")
	}
	if catalog.IsFile(s.Game) {
		if s.game, err = catalog.OpenNamed(filepath.Join(dir, filepath.Base(s.Game)), 0, s.GameConfig); err != nil {
			err = tagged{err, ErrConfig}
		}
	}
	return s, err
}

// Prolong saves the settings of the finished run in dir with more decisions, and returns them. Where
// the run goes on, its schedules are those of a run of all decisions at this one, so the learning
// rate rises once.
func (s Settings) Prolong(g env.Game, dir string, more uint64) (Settings, error) {
	release, err := take(dir)
	if err != nil {
		return s, err
	}
	defer release()
	r := &run{cfg: s.Train, opt: Options{Game: g, Dir: dir, Backend: s.Backend}}
	if r.dir, err = atomicfile.OpenDir(dir); err != nil {
		return s, err
	}
	defer r.dir.Close()
	f, err := r.checkpoint()
	if err != nil {
		return s, tagged{err, ErrCheckpoint}
	}
	if f != nil {
		err = json.Unmarshal(f.Blobs["run"], &r.at)
	}
	if err == nil && (r.at.Steps < s.Train.Steps || r.at.Pending != nil) {
		err = fmt.Errorf("%s is at decision %d of %d; only a run that has ended can be prolonged: resume it first, without -steps", dir, r.at.Steps, s.Train.Steps)
	}
	if err == nil && s.Train.Opponents.Trained() > 0 {
		err = fmt.Errorf("%s has trained a population, which divides a run into stages, and cannot be prolonged; start a new run with its network: -from %s", dir, dir)
	}
	if err == nil {
		s.Train.Steps += more
		if err = s.Train.Check(g); err == nil {
			err = s.Save(dir)
		}
	}
	return s, err
}

// Save writes the settings to a run folder, and the table if the game is one.
func (s Settings) Save(dir string) error {
	if err := catalog.SaveTable(s.id(), s.GameConfig, dir); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, ConfigFile), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(s)
	})
}

// Differences lists the fields in which later settings differ from s, such as
// "train.seed was 1 and is 2". A list is one field.
func (s Settings) Differences(later Settings) ([]string, error) {
	var fields [2]map[string]string
	all := map[string]string{}
	for i, x := range []Settings{s, later} {
		text, err := json.Marshal(x)
		if err != nil {
			return nil, err
		}
		fields[i] = fieldsOf(text)
		maps.Copy(all, fields[i])
	}
	var list []string
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if before, after := fields[0][field], fields[1][field]; before != after {
			list = append(list, fmt.Sprintf("%s was %s and is %s", field, cmp.Or(before, "absent"), cmp.Or(after, "absent")))
		}
	}
	return list, nil
}

// fieldsOf returns the values of a JSON document by field, such as "train.ppo.clip_range".
func fieldsOf(text []byte) map[string]string {
	var object map[string]json.RawMessage
	if input.DecodeLoosely(text, &object) != nil || object == nil {
		return map[string]string{"": string(text)}
	}
	fields := map[string]string{}
	for key, part := range object {
		for name, value := range fieldsOf(part) {
			fields[strings.TrimSuffix(key+"."+name, ".")] = value
		}
	}
	return fields
}

// ErrShards is returned for settings of release 0.1.0 with the field train.shards.
var ErrShards = errors.New("train.shards is gone: leave it out, as a run divides its work itself")

// settingsBlob is the name of the settings in a checkpoint.
const settingsBlob = "settings"

// settings returns those of this run for its checkpoint.
func (r *run) settings() Settings {
	spec := r.opt.Game.Spec()
	s := Settings{Game: spec.ID, GameConfig: json.RawMessage(spec.ConfigJSON()), Backend: r.opt.Backend, Train: r.cfg}
	s.Train.Checkpoints, s.Train.MetricsEvery, s.Train.Memory = 0, 0, 0
	return s
}

// checkSettings compares the settings of this run with those of its checkpoint, at a decision. A
// field that the checkpoint's release did not have has its default. A run that has ended may have
// more steps than then (see [Settings.Prolong]).
func (r *run) checkSettings(checkpoint []byte, at uint64) error {
	var before Settings
	if err := input.DecodeLoosely(checkpoint, &before); err != nil {
		return err
	}
	before.Train = DefaultConfig(before.Train.Algorithm)
	if err := json.Unmarshal(checkpoint, &before); err != nil {
		return err
	}
	before.Train.Checkpoints = 0
	if n := before.Train.Steps; at >= n && n < r.cfg.Steps && r.cfg.Opponents.Trained() == 0 {
		before.Train.Steps = r.cfg.Steps
	}
	list, err := before.Differences(r.settings())
	if err == nil && list != nil {
		err = fmt.Errorf("%w: %s; put them back in %s to go on, or start a new run with these", ErrSettings, input.Cut(strings.Join(list, ", ")), ConfigFile)
	}
	return err
}

// decodeSettings reads complete settings and opens their game.
func decodeSettings(text []byte) (Settings, env.Game, error) {
	var s Settings
	if err := json.Unmarshal(text, &s); err != nil {
		return s, nil, err
	}
	g, err := catalog.Open(s.id(), 0, s.GameConfig) // and no file: another process may have sent it
	if err != nil {
		return s, nil, err
	}
	s.Train.Checkpoints = max(1, s.Train.Checkpoints) // see run.settings
	return s, g, s.Train.check(g)
}

// blob returns the settings as an input of jobs.
func (s Settings) blob() (*jobs.Blob, error) {
	text, err := json.Marshal(s)
	return jobs.NewBlob(text), err
}
