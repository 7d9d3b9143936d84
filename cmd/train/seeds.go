package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"marsgym/agents"
	"marsgym/eval"
	"marsgym/eval/analysis"
	"marsgym/internal/cli"
	"marsgym/internal/figure"
	"marsgym/models"
	"marsgym/train"
	"marsgym/train/sweep"
)

// maxSeeds bounds -seeds. Chosen: more runs than anybody waits for.
const maxSeeds = 1000

// seedsPlan returns the sweep of -seeds: n runs that differ in their seeds only, from that of the
// settings on.
func seedsPlan(s train.Settings, n uint64) (*sweep.Plan, error) {
	doc := struct {
		Base  train.Settings `json:"base"`
		Seeds []uint64       `json:"seeds"`
	}{Base: s}
	for k := range n {
		doc.Seeds = append(doc.Seeds, s.Train.Seed+k)
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, err
	}
	return sweep.Parse(text)
}

// ofSeeds reports whether the runs of a plan differ in their seeds only: their strengths are
// summarised, not ranked.
func ofSeeds(p *sweep.Plan) bool { return len(p.Fields) == 0 && p.League == nil }

// seedsResult is the strength of the runs of several seeds. Figures are means over the runs, each
// with the half width of its interval by Student's t.
type seedsResult struct {
	Runs       []*runResult     `json:"runs"`
	Confidence float64          `json:"confidence"`
	Means      map[string]means `json:"means"` // by the name of a figure
}

type means struct {
	Mean float64 `json:"mean"`
	Half float64 `json:"half_width"` // of its interval
}

// figures returns the figures of the strength of a run, and their names in order.
func (r *runResult) figures(bot string) (names []string, values map[string]float64) {
	values = map[string]float64{}
	add := func(name string, x float64) { names, values[name] = append(names, name), x }
	if n := len(r.Evaluations); n > 0 {
		if x := r.Evaluations[n-1]; x.Exact != nil {
			add("exploitability", x.Exact.Exploitability)
			add("wins against optimal play", x.Exact.Win())
		} else if share, ok := x.Matches[bot]; ok {
			add("wins against "+bot, share.Win)
		}
	}
	return names, values
}

// reportSeeds returns the strength of runs that have ended, and prints it.
func (s *session) reportSeeds(p *sweep.Plan, trials []sweep.Trial) (*seedsResult, error) {
	out := &seedsResult{Confidence: analysis.Confidence, Means: map[string]means{}}
	all := map[string][]float64{}
	var names []string
	rows := [][]string{{"seed"}}
	for k, t := range trials {
		r, err := s.result(t.Dir, p.Variants[0].Runs[k])
		if err != nil {
			return nil, err
		}
		out.Runs = append(out.Runs, r)
		line := []string{strconv.FormatUint(r.Seed, 10)}
		if t.Diverged != nil {
			rows = append(rows, append(line, "diverged"))
			continue
		}
		var values map[string]float64
		names, values = r.figures(agents.BestBot(s.game))
		for _, name := range names {
			all[name] = append(all[name], values[name])
			line = append(line, figure.Digits(values[name], 5))
		}
		rows = append(rows, append(line, figure.Digits(r.Seconds, 1), filepath.Base(t.Dir)))
	}
	rows[0] = append(append(rows[0], names...), "seconds", "folder")
	mean, interval := []string{"mean"}, []string{"±"}
	for _, name := range names {
		x := all[name]
		m := means{stat.Mean(x, nil), 0}
		text := "-"
		if len(x) > 1 {
			m.Half = analysis.HalfInterval(x)
			text = figure.Digits(m.Half, 5)
		}
		out.Means[name] = m
		mean, interval = append(mean, figure.Digits(m.Mean, 5)), append(interval, text)
	}
	return out, cli.Write(s.stdout, false, nil, func(b *strings.Builder) {
		fmt.Fprintf(b, "\n%s, %d runs.\n± is half of the %.0f %% interval of the mean over seeds, by Student's t:\n\n", s.spec.FullTitle(), len(trials), 100*analysis.Confidence)
		cli.Columns(b, "", append(rows, mean, interval))
		b.WriteByte('\n')
	})
}

// endSeeds reports the runs of several seeds at their end.
func (s *session) endSeeds(c call, dir string, trials []sweep.Trial) error {
	r, err := s.reportSeeds(c.plan, trials)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, run := range r.Runs {
		names[run.Dir] = fmt.Sprintf("seed %d", run.Seed)
	}
	s.reportCurve(dir, s.drawCurve(dir, names))
	return s.answer(r)
}

// answer writes the result of the call to standard output with -json.
func (s *session) answer(r any) error {
	if s.json == nil {
		return nil
	}
	return cli.Write(s.json, true, r, nil)
}

// runResult is the result of a run, as -json writes it.
type runResult struct {
	Game      string          `json:"game"`
	Players   int             `json:"players"`
	Dir       string          `json:"dir"`
	Algorithm train.Algorithm `json:"algorithm"`
	Seed      uint64          `json:"seed"`
	Steps     uint64          `json:"steps"`
	Seconds   float64         `json:"seconds"` // of training
	// Evaluations are those during the run, in order; the last is at its end.
	Evaluations []evaluationResult `json:"evaluations"`
	Lookahead   []lookaheadResult  `json:"lookahead,omitempty"`
	Match       *eval.Match        `json:"match,omitempty"` // at the end, where strength is not exact
}

type evaluationResult struct {
	Steps   uint64                 `json:"steps"`
	Seconds float64                `json:"seconds"`
	Exact   *models.Exact          `json:"exact,omitempty"`
	Matches map[string]train.Share `json:"matches,omitempty"`
}

// lookaheadResult is the exact strength of a run's network with look-ahead.
type lookaheadResult struct {
	Agent          string  `json:"agent"`
	Win            float64 `json:"win"`
	Exploitability float64 `json:"exploitability"`
}

// result returns the result of a run so far.
func (s *session) result(dir string, c train.Settings) (*runResult, error) {
	lines, err := train.ReadMetrics(dir)
	if err != nil {
		return nil, err
	}
	r := &runResult{Game: s.spec.ID, Players: s.spec.Players, Dir: filepath.Clean(dir), Algorithm: c.Train.Algorithm, Seed: c.Train.Seed, Evaluations: []evaluationResult{}}
	for _, m := range lines {
		r.Steps, r.Seconds = m.Steps, m.Seconds
		if m.Exact != nil || m.Matches != nil {
			r.Evaluations = append(r.Evaluations, evaluationResult{m.Steps, m.Seconds, m.Exact, m.Matches})
		}
	}
	return r, nil
}
