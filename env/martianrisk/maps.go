package martianrisk

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"path"
	"slices"
	"strings"

	"marsgym/internal/input"
)

// Map is the map of a game. In JSON it is an object with these fields, or the name of a
// map of this package.
type Map struct {
	Name    string   `json:"name"`
	Source  string   `json:"source"` // where its data comes from
	Regions []Region `json:"regions"`
	// Borders lists some of the neighbours of a region, so that each border is listed once.
	Borders map[string][]string `json:"borders"`
	Unions  [][]string          `json:"unions"`
}

// Region is a region and its column and row in a drawing.
type Region struct {
	Name string `json:"name"`
	At   [2]int `json:"at"`
}

// isName reports whether m is only the name of a map.
func (m Map) isName() bool { return m.Regions == nil && m.Borders == nil && m.Unions == nil }

// UnmarshalJSON reads a map in full, or its name.
func (m *Map) UnmarshalJSON(text []byte) error {
	*m = Map{}
	if bytes.HasPrefix(text, []byte(`"`)) {
		return json.Unmarshal(text, &m.Name)
	}
	type plain Map
	return input.DecodeJSON(text, (*plain)(m))
}

//go:embed maps
var mapFiles embed.FS

// namedMap returns the first n regions of a map of this package; 0 is all of them. A map
// without unions for n regions is an error if the game needs them.
func namedMap(name string, n int, needsUnions bool) (Map, error) {
	text, err := mapFiles.ReadFile(path.Join("maps", name+".json"))
	if err != nil {
		return Map{}, fmt.Errorf("map %q is not known; want one of %s, or a map in full", name, strings.Join(mapNames(), ", "))
	}
	var atlas struct {
		Name, Source string
		Regions      []Region
		Borders      map[string][]string
		Unions       map[int][][]string // by the number of regions in use
	}
	if err := json.Unmarshal(text, &atlas); err != nil {
		return Map{}, fmt.Errorf("map %q: %w", name, err)
	}
	if n == 0 {
		n = len(atlas.Regions)
	}
	unions, ok := atlas.Unions[n]
	switch {
	case !ok && needsUnions:
		return Map{}, fmt.Errorf("map %q has no unions for %d regions, only for %d; want another regions_per_player, or set unions to false", name, n, slices.Sorted(maps.Keys(atlas.Unions)))
	case n < 0 || n > len(atlas.Regions):
		return Map{}, fmt.Errorf("map %q has %d regions; want a regions_per_player with which %d are enough", name, len(atlas.Regions), n)
	}
	m := Map{Name: atlas.Name, Source: atlas.Source, Regions: atlas.Regions[:n], Borders: make(map[string][]string), Unions: unions}
	used := make(map[string]bool, n)
	for _, r := range m.Regions {
		used[r.Name] = true
	}
	for from, list := range atlas.Borders {
		for _, to := range list {
			if used[from] && used[to] {
				m.Borders[from] = append(m.Borders[from], to)
			}
		}
	}
	return m, nil
}

// mapNames lists the maps of this package.
func mapNames() []string {
	files, err := mapFiles.ReadDir("maps")
	if err != nil {
		panic(err) // the files are embedded
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".json"))
	}
	return names
}

// Names of actions, which no region may have.
const (
	endName   = "end"
	stackName = "stack"
)

// validate reports all faults of a map at once.
func (m Map) validate() error {
	var errs []error
	quote := input.Quote // shortens long names
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf("map: "+format, args...)) }
	if m.Source == "" {
		fault("source is empty; say where the data comes from")
	}
	known, lower, at := make(map[string]int), make(map[string]bool), make(map[[2]int]string)
	for i, r := range m.Regions {
		if !isRegionName(r.Name) {
			fault("region %s: want one to nine letters and digits, neither %q nor %q", quote(r.Name), endName, stackName)
		}
		if lower[strings.ToLower(r.Name)] {
			fault("region %s is listed twice", quote(r.Name))
		}
		if r.At[0] < 0 || r.At[0] > 20 || r.At[1] < 0 || r.At[1] > 20 {
			fault("region %s is drawn at %v; want a column and a row, 0 to 20", quote(r.Name), r.At)
		}
		if other, ok := at[r.At]; ok {
			fault("regions %s and %s are both drawn at %v", quote(other), quote(r.Name), r.At)
		}
		known[r.Name], lower[strings.ToLower(r.Name)], at[r.At] = i, true, r.Name
	}
	name := func(where, name string) bool {
		_, ok := known[name]
		if !ok {
			fault("%s name %s, which is no region", where, quote(name))
		}
		return ok
	}
	seen := make(map[[2]string]bool)
	for _, from := range slices.Sorted(maps.Keys(m.Borders)) {
		ok := name("borders", from)
		for _, to := range m.Borders[from] {
			switch ok2 := name("borders", to); {
			case from == to:
				fault("%s borders itself", quote(from))
			case seen[[2]string{from, to}] || seen[[2]string{to, from}]:
				fault("the border of %s and %s is listed twice", quote(from), quote(to))
			case ok && ok2:
				seen[[2]string{from, to}] = true
			}
		}
	}
	united := make(map[string]bool)
	for _, u := range m.Unions {
		if len(u) == 0 {
			fault("a union is empty")
		}
		for _, n := range u {
			if name("unions", n) && united[n] {
				fault("%s is in two unions", quote(n))
			}
			united[n] = true
		}
	}
	if errs == nil && len(m.Regions) > 0 && len(m.Regions) <= 64 {
		b := newBoard(m)
		for reached, grown := uint64(1), uint64(0); reached != b.all; reached = grown {
			grown = reached
			for set := reached; set != 0; set &= set - 1 {
				grown |= b.adj[bits.TrailingZeros64(set)]
			}
			if grown == reached {
				fault("no borders lead from %q to %q", m.Regions[0].Name, m.Regions[bits.TrailingZeros64(b.all&^reached)].Name)
				break
			}
		}
	}
	return errors.Join(errs...)
}

func isRegionName(s string) bool {
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	low := strings.ToLower(s)
	return len(s) >= 1 && len(s) <= 9 && low != endName && low != stackName
}

// board is a map for the rules. A set of regions is a uint64 with a bit for each.
type board struct {
	names  []string
	all    uint64
	adj    []uint64  // neighbours of a region
	first  []int     // [R+1] number of the first ordered border from a region; at the end that of all
	edges  [][2]byte // the ordered borders, from and to, ascending
	back   []uint16  // the number of the border from to to from
	unions []uint64
}

func newBoard(m Map) *board {
	n := len(m.Regions)
	b := &board{all: 1<<n - 1, adj: make([]uint64, n), first: make([]int, n+1)}
	index := make(map[string]int, n)
	for i, r := range m.Regions {
		b.names = append(b.names, r.Name)
		index[r.Name] = i
	}
	for from, list := range m.Borders {
		for _, to := range list {
			i, j := index[from], index[to]
			b.adj[i] |= 1 << j
			b.adj[j] |= 1 << i
		}
	}
	for i, set := range b.adj {
		b.first[i] = len(b.edges)
		for ; set != 0; set &= set - 1 {
			b.edges = append(b.edges, [2]byte{byte(i), byte(bits.TrailingZeros64(set))})
		}
	}
	b.first[n] = len(b.edges)
	for _, e := range b.edges {
		b.back = append(b.back, uint16(b.edge(int(e[1]), int(e[0]))))
	}
	for _, u := range m.Unions {
		var set uint64
		for _, name := range u {
			set |= 1 << index[name]
		}
		b.unions = append(b.unions, set)
	}
	return b
}

// edge returns the number of the ordered border from u to v.
func (b *board) edge(u, v int) int {
	return b.first[u] + bits.OnesCount64(b.adj[u]&(1<<v-1))
}
