package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"marsgym/internal/input"
)

// formatVersion is incremented when a program that reads the older format would
// misread a file.
const formatVersion = 1

// Meta is the metadata of a model file, under the keys of its JSON fields.
type Meta struct {
	Game         string          `json:"game"`             // id of the game
	RulesVersion int             `json:"rules_version"`    // version of its rules
	RulesHash    string          `json:"rules_hash"`       // hash of the rules and the game's config
	ObsHash      string          `json:"obs_hash"`         // hash of the observation's fields
	Config       json.RawMessage `json:"config,omitempty"` // the game's config; may be nil
	Net          Shape           `json:"net"`              // Save sets it to the network's

	Algorithm string `json:"algorithm"` // that trained the network
	// ValueTarget names the states whose values the network was trained on:
	// "decision", "afterstate" or "turn_start", see search.ValueTarget in package
	// agents/search. Files of older releases have none.
	ValueTarget string `json:"value_target,omitempty"`
	// Play is how the network of a release plays: "lookahead:K", "search:N", or empty for its
	// policy head. Package agents obeys it for the agent "pretrained".
	Play       string `json:"play,omitempty"`
	Seed       uint64 `json:"seed"`
	Steps      int64  `json:"steps"`           // decisions of all rows, also outside of Games
	Iterations int64  `json:"iterations"`      // of the algorithm
	Games      int64  `json:"games"`           // played to their end
	Exact      *Exact `json:"exact,omitempty"` // nil if the game is not solved
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
		return fail("it was trained with other settings of %s: %s; here they are %s", m.Game, input.Cut(string(m.Config)), input.Cut(string(want.Config)))
	case m.ObsHash != want.ObsHash || g.Obs != w.Obs || g.Actions != w.Actions:
		return fail("it observes %d numbers and chooses among %d actions of %s; in this release these are %d and %d, or in another order; train a new model, or use the release that trained it",
			g.Obs, g.Actions, m.Game, w.Obs, w.Actions)
	}
	return nil
}

// versionKey is the key of formatVersion.
const versionKey = "format_version"

// fields yields the fields of m by their keys, and those that a file may lack as optional.
func (m *Meta) fields(yield func(key string, optional bool, field reflect.Value) error) error {
	v := reflect.ValueOf(m).Elem()
	for i := range v.NumField() {
		key, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if err := yield(key, options != "", v.Field(i)); err != nil {
			return fmt.Errorf("its %s: %w", key, err)
		}
	}
	return nil
}

// strings returns the metadata as strings, which is what safetensors can store: texts as they
// are, and all else as JSON.
func (m Meta) strings() (map[string]string, error) {
	s := map[string]string{versionKey: strconv.Itoa(formatVersion)}
	return s, m.fields(func(key string, optional bool, field reflect.Value) error {
		if optional && field.IsZero() {
			return nil
		}
		if field.Kind() == reflect.String {
			s[key] = field.String()
			return nil
		}
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		err := e.Encode(field.Interface())
		s[key] = strings.TrimSuffix(b.String(), "\n")
		return err
	})
}

// parseMeta parses what strings returned. It ignores unknown keys.
func parseMeta(s map[string]string) (m Meta, err error) {
	if v := s[versionKey]; v != strconv.Itoa(formatVersion) {
		return m, fmt.Errorf("its format version is %s, and this program reads version %d; use the release that wrote it", input.Quote(v), formatVersion)
	}
	err = m.fields(func(key string, optional bool, field reflect.Value) error {
		text, given := s[key]
		switch {
		case field.Kind() == reflect.String:
			field.SetString(text)
		case given || !optional:
			if err := input.DecodeLoosely([]byte(text), field.Addr().Interface()); err != nil {
				return err
			}
		}
		if field.CanInt() && field.Int() < 0 {
			return fmt.Errorf("%d is negative", field.Int())
		}
		return nil
	})
	var b bytes.Buffer
	if err == nil && json.Compact(&b, m.Config) == nil { // another program may have added spaces
		m.Config = b.Bytes()
	}
	return m, err
}
