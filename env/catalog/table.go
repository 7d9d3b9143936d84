package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"weak"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/tablegame"
	"marsgym/internal/input"
)

// OpenNamed returns the handle of a game that a user names: by its id or, for a table, by its file.
// Only a name with [tablegame.Extension] or a path separator can be a file. config and players are
// those of [Open]; those of a table are fixed, and a config, such as that of a model, must be the
// table's own.
func OpenNamed(name string, players int, config []byte) (env.Game, error) {
	if !IsFile(name) {
		return Open(name, players, config)
	}
	if players != 0 {
		return nil, fmt.Errorf("the number of players of %s is fixed, since it is a table; leave it out", input.Quote(name))
	}
	r, err := tablegame.Load(name)
	if errors.Is(err, fs.ErrNotExist) {
		if g, err := openTable(filepath.Base(name), config); err == nil && g != nil { // opened from another path
			return g, nil
		}
		return nil, fmt.Errorf("there is no table %s%s; give the path of its file", input.Quote(name), wanted(config, " here"))
	}
	if err != nil {
		return nil, err
	}
	if want := digestOf(config); want != "" && want != r.Digest() {
		return nil, fmt.Errorf("%s has changed, or is another table: its SHA-256 is %s, not %s; name the file that has that", input.Quote(name), r.Digest(), want)
	} else if want == "" && config != nil {
		return nil, fmt.Errorf("%s has no settings, since it is a table; leave the game's config out", input.Quote(name))
	}
	return OpenTable(r), nil
}

// IsFile reports whether a name of a game is that of a file, which need not exist.
func IsFile(name string) bool {
	return strings.HasSuffix(name, tablegame.Extension) || strings.ContainsRune(name, '/') || strings.ContainsRune(name, os.PathSeparator)
}

// wanted says where the table of a config is missing, and which it is.
func wanted(config []byte, where string) string {
	if want := digestOf(config); want != "" {
		return where + ", with the SHA-256 " + want
	}
	return ""
}

// digestOf returns the SHA-256 of the table of a config, or "".
func digestOf(config []byte) string {
	var c tablegame.Config
	if config == nil || input.DecodeJSON(config, &c) != nil {
		return ""
	}
	return c.Table
}

// opened are the tables that this process has opened and still uses, by their SHA-256. A game is
// opened by its id and config in many places, such as jobs and records of games, and a config holds
// no path.
var opened struct {
	sync.Mutex
	tables map[string]weak.Pointer[tablegame.Rules]
	added  []Entry
}

// Add adds the table in a file to the games of [List], for programs that offer all of them.
func Add(path string) error {
	g, err := OpenNamed(path, 0, nil)
	if err != nil {
		return err
	}
	r := g.Rules().(*tablegame.Rules)
	opened.Lock()
	defer opened.Unlock()
	opened.added = append(opened.added, Entry{g.Spec().ID, cmp.Or(r.Table().About, "a table of positions"), func(players int, config []byte) (env.Game, error) {
		if want := digestOf(config); players != 0 && players != g.Spec().Players || want != "" && want != r.Digest() {
			return nil, fmt.Errorf("%s is for %d players and has the SHA-256 %s", g.Spec().ID, g.Spec().Players, r.Digest())
		}
		return g, nil
	}})
	return nil
}

// added returns the tables that were added.
func added() []Entry {
	opened.Lock()
	defer opened.Unlock()
	return slices.Clone(opened.added)
}

// OpenTable returns the handle of a table. [Open] then opens it by its id and config too.
func OpenTable(r *tablegame.Rules) env.Game {
	opened.Lock()
	defer opened.Unlock()
	if known := opened.tables[r.Digest()].Value(); known != nil {
		r = known
	} else {
		if opened.tables == nil {
			opened.tables = map[string]weak.Pointer[tablegame.Rules]{}
		}
		opened.tables[r.Digest()] = weak.Make(r)
	}
	return env.NewGame(game.Rules[tablegame.State](r))
}

// openTable returns the handle of a table that this process has opened. It returns nil and no error
// for the id of another game, and an error for a table that has not been opened.
func openTable(id string, config []byte) (env.Game, error) {
	if !strings.HasSuffix(id, tablegame.Extension) {
		return nil, nil
	}
	want := digestOf(config)
	opened.Lock()
	r := opened.tables[want].Value()
	opened.Unlock()
	if r == nil {
		return nil, fmt.Errorf("%s is a table, and its file is needed%s; name it with -game FILE", input.Quote(id), wanted(config, ""))
	}
	if r.Spec().ID != id {
		return nil, fmt.Errorf("the table with the SHA-256 %s is %s, not %s", want, r.Spec().ID, input.Quote(id))
	}
	return OpenTable(r), nil
}

// SaveTable writes the table of a game that this process has opened to its id in a folder, so that a
// run holds all that it needs. It does nothing for other games.
func SaveTable(id string, config []byte, dir string) error {
	g, err := openTable(id, config)
	if g == nil || err != nil {
		return err
	}
	return g.Rules().(*tablegame.Rules).Save(filepath.Join(dir, id))
}
