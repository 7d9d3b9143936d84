package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"marsgym/internal/input"
)

// formatVersion is incremented when a program that reads the older format would
// misread a file.
const formatVersion = 1

// Meta is the metadata of a model file.
type Meta struct {
	Game         string          // id of the game
	RulesVersion int             // version of its rules
	RulesHash    string          // hash of the rules and the game's config
	ObsHash      string          // hash of the observation's fields
	Config       json.RawMessage // the game's config; may be nil
	Net          Shape           // Save sets it to the network's

	Algorithm string // that trained the network
	// ValueTarget names the states whose values the network was trained on:
	// "decision", "afterstate" or "turn_start", see search.ValueTarget in package
	// agents/search. Files of older releases have none.
	ValueTarget string
	// Play is how the network of a release plays: "lookahead:K", "search:N", or empty for its
	// policy head. Package agents obeys it for the agent "pretrained".
	Play       string
	Seed       uint64
	Steps      int64  // decisions
	Iterations int64  // of the algorithm
	Games      int64  // ended
	Exact      *Exact // nil if the game is not solved
}

// Exact is the exact strength of a model in a solved two-player game.
type Exact struct {
	WinFirst       float64 `json:"win_first"`      // win probability against optimal play, moving first
	WinSecond      float64 `json:"win_second"`     // moving second
	Exploitability float64 `json:"exploitability"` // win probability of a best response less one half, averaged over seats
}

// Win returns the win probability against optimal play, averaged over both seats.
func (x Exact) Win() float64 { return (x.WinFirst + x.WinSecond) / 2 }

// MismatchError reports that a model is not for the game, rules or observation of
// Want. It wraps [ErrMismatch].
type MismatchError struct {
	Model, Want Meta

	reason string
}

func (e *MismatchError) Error() string { return fmt.Sprintf("models: %v: %s", ErrMismatch, e.reason) }
func (e *MismatchError) Unwrap() error { return ErrMismatch }

// Check returns a [*MismatchError] if the model is not for the game, rules and
// observation of want. Of the shapes it compares what the game determines: Obs,
// Actions and Players.
func (m Meta) Check(want Meta) error {
	fail := func(format string, args ...any) error {
		return &MismatchError{m, want, fmt.Sprintf(format, args...)}
	}
	switch g, w := m.Net, want.Net; {
	case m.Game != want.Game:
		return fail("it plays %s, not %s", input.Quote(m.Game), want.Game)
	case m.RulesVersion != want.RulesVersion:
		return fail("it was trained under version %d of the rules of %s, and these are version %d; train a new model, or use the release that trained it",
			m.RulesVersion, m.Game, want.RulesVersion)
	case g.Players != w.Players:
		return fail("it plays %s for %d players, not %d", m.Game, g.Players, w.Players)
	case m.RulesHash != want.RulesHash:
		return fail("it was trained with other settings of %s: %s", m.Game, input.Cut(string(m.Config)))
	case m.ObsHash != want.ObsHash || g.Obs != w.Obs || g.Actions != w.Actions:
		return fail("it observes %d numbers and chooses among %d actions of %s; in this release these are %d and %d, or in another order; train a new model, or use the release that trained it",
			g.Obs, g.Actions, m.Game, w.Obs, w.Actions)
	}
	return nil
}

// strings returns the metadata as strings, which is what safetensors can store.
func (m Meta) strings() (map[string]string, error) {
	net, err := json.Marshal(m.Net)
	if err != nil {
		return nil, err
	}
	s := map[string]string{
		"format_version": strconv.Itoa(formatVersion),
		"game":           m.Game,
		"rules_version":  strconv.Itoa(m.RulesVersion),
		"rules_hash":     m.RulesHash,
		"obs_hash":       m.ObsHash,
		"net":            string(net),
		"algorithm":      m.Algorithm,
		"seed":           strconv.FormatUint(m.Seed, 10),
		"steps":          strconv.FormatInt(m.Steps, 10),
		"iterations":     strconv.FormatInt(m.Iterations, 10),
		"games":          strconv.FormatInt(m.Games, 10),
	}
	if m.ValueTarget != "" {
		s["value_target"] = m.ValueTarget
	}
	if m.Play != "" {
		s["play"] = m.Play
	}
	if m.Config != nil {
		var b bytes.Buffer
		if err := json.Compact(&b, m.Config); err != nil {
			return nil, fmt.Errorf("config: %w", err)
		}
		s["config"] = b.String()
	}
	if m.Exact != nil {
		exact, err := json.Marshal(m.Exact)
		if err != nil {
			return nil, fmt.Errorf("exact: %w", err)
		}
		s["exact"] = string(exact)
	}
	return s, nil
}

// parseMeta parses what strings returned. It ignores unknown keys.
func parseMeta(s map[string]string) (Meta, error) {
	if v := s["format_version"]; v != strconv.Itoa(formatVersion) {
		return Meta{}, fmt.Errorf("its format version is %s, and this program reads version %d; use the release that wrote it", input.Quote(v), formatVersion)
	}
	var err error
	number := func(key string) int64 {
		n, e := strconv.ParseInt(s[key], 10, 64)
		if e == nil && n < 0 {
			e = fmt.Errorf("%d is negative", n)
		}
		if e != nil && err == nil {
			err = fmt.Errorf("its %s: %w", key, input.Short(e))
		}
		return n
	}
	object := func(key string, dst any) {
		if e := input.DecodeLoosely([]byte(s[key]), dst); e != nil && err == nil {
			err = fmt.Errorf("its %s: %w", key, e)
		}
	}
	m := Meta{
		Game:         s["game"],
		RulesVersion: int(number("rules_version")),
		RulesHash:    s["rules_hash"],
		ObsHash:      s["obs_hash"],
		Algorithm:    s["algorithm"],
		ValueTarget:  s["value_target"],
		Play:         s["play"],
		Steps:        number("steps"),
		Iterations:   number("iterations"),
		Games:        number("games"),
	}
	seed, e := strconv.ParseUint(s["seed"], 10, 64)
	if e != nil && err == nil {
		err = fmt.Errorf("its seed: %w", input.Short(e))
	}
	m.Seed = seed
	object("net", &m.Net)
	if _, ok := s["config"]; ok {
		object("config", &m.Config)
		var b bytes.Buffer
		if err == nil && json.Compact(&b, m.Config) == nil { // another program may have added spaces
			m.Config = b.Bytes()
		}
	}
	if _, ok := s["exact"]; ok {
		object("exact", &m.Exact)
	}
	return m, err
}
