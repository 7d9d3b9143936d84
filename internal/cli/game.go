package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/tablegame"
	"marsgym/internal/input"
)

// Game is a game as the command line specifies it.
type Game struct {
	ID      string // "" is the first game of the catalog
	Players int    // 0 is the number in the config
	Config  []byte // JSON; nil is the default of the game

	flags *Flags
	cache string
	file  string // of Config, if the flags name it
}

// Game defines -game, -players, -game-config and -cache.
func (f *Flags) Game() *Game {
	g, ids := &Game{flags: f}, catalog.IDs()
	f.StringVar(&g.ID, "game", "", "`name` of the game: "+strings.Join(ids, ", ")+", or a file (default "+ids[0]+")")
	f.IntVar(&g.Players, "players", 0, "`number` of players (default set by the game)")
	f.Func("game-config", "JSON `file` of settings that replace defaults of the game", func(path string) (err error) {
		g.Config, err = input.ReadSettings(path)
		g.file = path
		return err
	})
	f.Cache(&g.cache)
	f.Group("Game", "game", "players", "game-config", "cache")
	return g
}

// CheckAgain returns a [UsageError] if a later call cannot read the file of -game-config again.
func (g *Game) CheckAgain(flag string) error {
	if info, err := os.Stat(g.file); g.file != "" && err == nil && !info.Mode().IsRegular() {
		return Usagef("-%s: the command that goes on reads -game-config again, and %s is a pipe; name a file", flag, g.file)
	}
	return nil
}

// Cache defines -cache.
func (f *Flags) Cache(p *string) {
	*p = "auto"
	f.Func("cache", "`folder` of cached solutions, auto or none (default auto)", func(text string) error {
		if slices.Contains([]string{"off", "no", "false"}, text) {
			return fmt.Errorf("%s is no folder; want auto, a folder, or none for no cache", input.Quote(text))
		}
		*p = text
		return nil
	})
}

// CacheDir returns the folder in which solutions are cached, or "" for none.
func (g *Game) CacheDir() string { return CacheDir(g.cache) }

// CacheDir returns the folder that -cache names, or "" for none.
func CacheDir(cache string) string {
	switch cache {
	case "none":
		return ""
	case "auto":
		base, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		return filepath.Join(base, "marsgym")
	}
	return cache
}

// Policy defines -policy, which sets whether networks sample from their policy instead of
// taking its best action.
func (f *Flags) Policy(sample *bool) {
	f.Func("policy", "`way` networks choose: argmax or sample (default argmax)", func(text string) error {
		ways := []string{"argmax", "sample"}
		if !slices.Contains(ways, text) {
			return Unknown("policy", text, ways)
		}
		*sample = text == "sample"
		return nil
	})
}

// Default sets the game and its config where the flags do not, for example to those
// of a model file. With id "" the config is for any game.
func (g *Game) Default(id string, config []byte) {
	g.ID = cmp.Or(g.ID, id)
	if (id == "" || g.ID == id) && g.Config == nil {
		g.Config = config
	}
}

// DefaultOf is Default with the game of the model files among agents of these names.
func (g *Game) DefaultOf(names []string) error {
	meta, err := agents.CommonMeta(names)
	if err != nil {
		return &UsageError{err}
	}
	if catalog.IsFile(meta.Game) && g.ID == "" {
		g.ID, g.Config = Beside(meta.Game, names...), meta.Config
	}
	g.Default(meta.Game, meta.Config)
	return nil
}

// OpenFor returns the function that opens the game of a file, such as a model or recorded games, by the
// id and the config that it holds. A table is read from the file that -game names or, without one, is
// looked for beside the file, where train puts it for a run, and in the current folder, unless it is
// open already.
func OpenFor(path, table string) func(id string, players int, config []byte) (env.Game, error) {
	return func(id string, players int, config []byte) (env.Game, error) {
		switch {
		case catalog.IsFile(id):
			return catalog.OpenNamed(cmp.Or(table, Beside(id, path)), 0, config)
		case table != "":
			return nil, Usagef("%s holds a game of %s, which is no table; leave out -game", input.Quote(path), id)
		}
		return catalog.Open(id, players, config)
	}
}

// Beside returns the path of the table of this id in the folder of a model among these agents, or the
// id.
func Beside(id string, names ...string) string {
	for _, name := range names {
		path := agents.ModelName(name)
		for _, dir := range []string{path, filepath.Dir(path)} {
			file := filepath.Join(dir, filepath.Base(id))
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				return file
			}
		}
	}
	return id
}

// Open opens the game. Its errors are UsageErrors.
func (g *Game) Open() (env.Game, error) {
	ids := catalog.IDs()
	id := cmp.Or(g.ID, ids[0])
	if !slices.Contains(ids, id) && !catalog.IsFile(id) {
		return nil, Unknown("game", id, append(ids, "FILE"+tablegame.Extension))
	}
	if g.Players < 1 && g.flags.Given("players") {
		return nil, Usagef("-players is %d; want at least 1", g.Players)
	}
	if catalog.IsFile(id) {
		return g.openFile(id)
	}
	handle, err := catalog.OpenNamed(id, g.Players, g.Config)
	if err != nil && g.file != "" {
		err = fmt.Errorf("%s: %w", g.file, input.Placed(err))
	}
	if err != nil {
		return nil, &UsageError{err}
	}
	return handle, nil
}

// openFile opens the table in a file, whose warnings it prints.
func (g *Game) openFile(path string) (env.Game, error) {
	for _, flag := range []string{"players", "game-config"} {
		if g.flags.Given(flag) {
			return nil, Usagef("-%s does not go with the table %s, which has one number of players and no settings; leave it out", flag, input.Quote(path))
		}
	}
	handle, err := catalog.OpenNamed(path, 0, g.Config)
	if err != nil {
		return nil, &UsageError{err}
	}
	if w, ok := handle.Rules().(interface{ Warning() string }); ok && w.Warning() != "" {
		fmt.Fprintln(os.Stderr, "warning:", w.Warning())
	}
	return handle, nil
}

// CheckFolder returns a UsageError if the path that a flag names is not a folder.
// The folder need not exist.
func CheckFolder(name, path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = errors.New("it is a file")
	}
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) { // which on Windows is also the error of a path below a file
		if parent := filepath.Dir(path); parent != path {
			return CheckFolder(name, parent)
		}
		return nil
	}
	return Usagef("-%s is %s: %w; want a folder", name, path, err)
}
