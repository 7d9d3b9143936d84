package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"marsgym/agents"
	"marsgym/eval"
	"marsgym/internal/atomicfile"
	"marsgym/internal/cli"
	"marsgym/internal/figure"
	"marsgym/internal/input"
	"marsgym/models"
	"marsgym/train/sweep"
)

// leagueFile holds the matches of a league that have been played, in the folder of the
// sweep.
const leagueFile = "league.json"

// league plays all runs of a sweep that did not diverge against each other, prints
// their ratings, and returns the best run. Matches that were played before it was
// stopped are read from the folder.
func (s *session) league(ctx context.Context, dir string, l *sweep.League, trials []sweep.Trial) (best string, err error) {
	var entrants []*agents.Agent
	runs := map[string]string{} // by the name of the agent
	opener := &cli.Agents{Game: s.game, Seed: l.Seed, Cache: s.agents.Cache, Command: "train", Bar: s.bar}
	add := func(name, path string) error {
		a, err := opener.Open(ctx, path)
		if err == nil {
			entrants = append(entrants, &agents.Agent{Name: name, Policy: a.Policy, Source: a.Source})
		}
		return err
	}
	for _, name := range l.Against {
		if err := add(name, name); err != nil {
			return "", err
		}
	}
	for _, t := range trials {
		if t.Diverged != nil {
			continue
		}
		path := t.Dir
		if l.Lookahead != nil {
			path = fmt.Sprintf("%s:%d:%s", agents.Lookahead, *l.Lookahead, path)
		}
		name := filepath.Base(t.Dir)
		runs[name] = t.Dir
		if err := add(name, path); err != nil {
			return "", err
		}
	}
	if len(runs) == 0 {
		return "", errors.New("all runs have diverged")
	}
	if len(entrants) == 1 {
		return runs[entrants[0].Name], nil
	}
	d, err := atomicfile.OpenDir(dir)
	if err != nil {
		return "", err
	}
	defer d.Close()
	known, err := readLeague(d)
	if err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Join(dir, leagueFile), input.Placed(err))
	}
	keep := func(m eval.Pairing) error {
		known = append(known, m)
		return d.Write(leagueFile, func(w io.Writer) error { return json.NewEncoder(w).Encode(known) })
	}
	t, err := eval.ResumeTournament(ctx, s.workers.Executor(), s.game, entrants, l.Games, l.Seed, known, keep, func(done float64) { s.bar.Set(done, "league") })
	s.bar.Clear()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(s.stdout, "\nthe league, %d games on dice of its own, by Elo rating with %.0f %% intervals, relative to %s.\nRatings are smoothed: they count %d further games a match, in which all win alike. Wins are the mean of\nthe shares won against each other agent; the fair share is %s.\n\n",
		t.Games, 100*t.Confidence, t.Anchor, t.PriorGames, figure.Digits(t.Fair, 4))
	for i, name := range t.Agents {
		mean := 0.0
		for k, win := range t.Win[i] {
			if k != i {
				mean += win / float64(len(t.Win)-1)
			}
		}
		interval := t.Interval(i).String()
		if name == t.Anchor {
			interval = "anchor"
		}
		fmt.Fprintf(s.stdout, "%8s   %s   wins %s   %s\n", figure.Fixed(t.Rating[i], 1), interval, figure.Digits(mean, 4), name)
		if best == "" {
			best = runs[name]
		}
	}
	return best, nil
}

func readLeague(d *atomicfile.Dir) ([]eval.Pairing, error) {
	f, err := d.Open(leagueFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const most = 64 << 20 // bytes; chosen: a hundred thousand matches
	text, err := input.Read(f, most)
	if err != nil {
		return nil, err
	}
	var known []eval.Pairing
	if err := input.DecodeJSON(text, &known); err != nil {
		return nil, fmt.Errorf("%w; delete the file, which may be of an earlier release, and the league is played again", err)
	}
	return known, nil
}

// keepBest copies the model of the best run to the folder of the sweep, which can then be
// opened like a run.
func keepBest(dir, best string) error {
	model, err := atomicfile.ReadFile(filepath.Join(best, agents.ModelFile), models.MaxFile)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, agents.ModelFile)
	if old, err := atomicfile.ReadFile(path, models.MaxFile); err == nil && bytes.Equal(old, model) {
		return nil
	}
	return atomicfile.WriteBytes(path, model)
}
