package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"marsgym/internal/figure"
	"marsgym/models"
	"marsgym/train"
)

// window is the training time in seconds over which the progress bar shows the speed. Chosen: a
// single short iteration varies much, and the mean since the start hides a change.
const window = 10

// progress is what the bar and the lines show of a run.
type progress struct {
	shown *models.Exact // the latest strength, or nil
	// latest are the end of the last iteration before the window, and of those in it; since is
	// where the last line was printed, and entropy is that of the iterations after it.
	latest  []moment
	since   moment
	entropy train.Mean
	begun   bool
}

// moment is the end of an iteration.
type moment struct {
	steps   uint64
	seconds float64 // of training
}

// add adds an iteration.
func (p *progress) add(m train.Metrics) {
	now := moment{m.Steps, m.Seconds}
	if !p.begun {
		p.begun = true
		if m.StepsPerS > 0 { // a resumed run did not begin at 0
			p.since = moment{m.Steps - m.Decisions, m.Seconds - float64(m.Decisions)/m.StepsPerS}
		}
		p.latest = []moment{p.since}
	}
	for p.latest = append(p.latest, now); len(p.latest) > 2 && now.seconds-p.latest[1].seconds >= window; {
		p.latest = p.latest[1:]
	}
	p.entropy.Join(m.Entropy)
	if m.Exact != nil {
		p.shown = m.Exact
	}
}

// opponentName names an opponent of [train.Metrics.Matches] for people.
func opponentName(name string) string {
	switch name {
	case "previous":
		return "the network of the evaluation before"
	case "best":
		return "the best so far"
	}
	return name
}

// speed returns the decisions per second between two moments, 0 if the clock has not advanced.
func speed(from, to moment) float64 {
	if !(to.seconds > from.seconds) {
		return 0
	}
	return float64(to.steps-from.steps) / (to.seconds - from.seconds)
}

// note is the text of the progress bar: the speed in the latest seconds, and the latest exact
// strength.
func (p *progress) note() string {
	text := "training" // without the speed, for which 80 columns have no room beside it
	if x := speed(p.latest[0], p.latest[len(p.latest)-1]); x > 0 {
		text = fmt.Sprintf("%.0f steps/s", x)
	}
	if p.shown != nil {
		text += ", exploitability " + figure.Digits(p.shown.Exploitability, 4)
	}
	return text
}

// line describes a run after an iteration: decisions and training time so far, speed and entropy
// since the line before, and the strength if it was evaluated: exactly, or in matches with their
// intervals. It is one line or, if the terminal has fewer columns, several, which are broken between
// its figures. With 0 columns it is one line.
func (p *progress) line(m train.Metrics, columns int) string {
	now := moment{m.Steps, m.Seconds}
	parts := []string{fmt.Sprintf("%10d steps", m.Steps), fmt.Sprintf("%5.0f s", m.Seconds)}
	if x := speed(p.since, now); x > 0 {
		parts = append(parts, fmt.Sprintf("%9.0f steps/s", x))
	}
	if !p.entropy.IsZero() {
		parts = append(parts, fmt.Sprintf("entropy %.3f", p.entropy.Value()))
	}
	p.since, p.entropy = now, train.Mean{}
	var strength []string
	if x := m.Exact; x != nil {
		strength = []string{"wins " + figure.Digits(x.Win(), 4) + " against optimal play", "exploitability " + figure.Digits(x.Exploitability, 5)}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Matches)) {
		x := m.Matches[name]
		strength = append(strength, fmt.Sprintf("wins %s [%s, %s] against %s", figure.Digits(x.Win, 3), figure.Digits(x.Low, 3), figure.Digits(x.High, 3), opponentName(name)))
	}
	const gap = "  "
	text := strings.Join(append(parts, strength...), gap)
	if columns == 0 || len(text) < columns {
		return text
	}
	var lines []string
	for _, group := range [][]string{parts, strength} {
		at := ""
		for _, part := range group {
			if at != "" && len(at)+len(gap)+len(part) >= columns {
				lines, at = append(lines, at), ""
			}
			if at == "" && len(lines) > 0 {
				at = "    "
			}
			at += gap + part
		}
		if at != "" {
			lines = append(lines, at)
		}
	}
	return strings.TrimPrefix(strings.Join(lines, "\n"), gap)
}
