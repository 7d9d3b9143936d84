package main

import (
	"fmt"
	"slices"
	"testing"

	"marsgym/agents"
	"marsgym/env/catalog"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/web"
	"marsgym/models"
)

// TestExportedNetworks: for each preset and number of players that has a network, the names of
// the exported files lead to that network, and for others to none.
func TestExportedNetworks(t *testing.T) {
	names := agents.PretrainedNames()
	networks, found := web.ByRules(names, "", ""), 0
	for _, id := range catalog.IDs() {
		for players := 1; players <= 10; players++ {
			g, err := catalog.Open(id, players, nil)
			if err != nil {
				continue
			}
			name := networks[g.Spec().RulesHash()]
			if served := slices.Contains(agents.Names(g), agents.Pretrained); served != (name != "") {
				t.Errorf("%s for %d: the exported page loads %q; there is a network: %v", id, players, name, served)
			}
			if name == "" {
				continue
			}
			found++
			content, err := agents.PretrainedFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := models.Decode(content)
			if err == nil {
				err = f.Meta.Check(agents.MetaOf(g.Spec()))
			}
			if err != nil {
				t.Errorf("%s for %d loads %s: %v", id, players, name, err)
			}
		}
	}
	if found != len(names) {
		t.Errorf("%d of %d networks are loaded", found, len(names))
	}
}

// TestBrowserPresets plays every preset by each agent that its form offers, with both shells.
func TestBrowserPresets(t *testing.T) {
	b := browser(t)
	t.Run("served", func(t *testing.T) { open(t, b, served(t)).presets() })
	t.Run("exported", func(t *testing.T) {
		if !fulltest.On() {
			t.Skip("compiling takes half a minute; MARSGYM_FULL=1 tests it")
		}
		open(t, b, site(t).URL).presets()
	})
}

// presets plays each preset by all agents of its form, one move each. Full tests play to the end,
// searches some moves, and compute values and a review.
func (x *tab) presets() {
	x.t.Helper()
	most, brief := 1, 1
	if fulltest.On() {
		most, brief = whole, 10
	}
	x.wait(`document.querySelector('.setup .primary')`)
	for _, id := range catalog.IDs() {
		if got := x.text(fmt.Sprintf(`(async () => {
			const { call } = await import(%s), wrong = [], id = %q, most = %d, brief = %d;
			const { players } = (await call('games')).find((g) => g.id === id);
			const agents = (await call('agents', { game: id, players })).map((a) => a.name);
			let view;
			const attempt = (what, f) => f().catch((e) => { wrong.push(what + ': ' + e.message); });
			for (const name of agents.slice(1)) await attempt(name, async () => {
				if (name === 'exact' && most === 1) return; // it would be solved first
				view = await call('view', { game: id, players, seed: '3', seats: Array(players).fill(name) });
				for (let n = name.startsWith('search') ? brief : most; n > 0 && !view.ended; n--) view = await call('play', view.address);
			});
			if (most > 1) await attempt('values', () => call('values', { ...view.address, step: view.log.findIndex((e) => e.seat >= 0), time: 8000 }));
			if (most > 1) await attempt('review', () => call('review', { ...view.address, time: 60000 }));
			return wrong.join('\n');
		})()`, module("api.js"), id, most, brief)); got != "" {
			x.t.Errorf("%s: %s", id, got)
		}
	}
}
