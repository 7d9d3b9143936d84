package curve

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/chart"
)

// smoothed is the number of points in the line of a noisy field. Chosen.
const smoothed = 100

// Chart returns the chart of runs, named "curve": their exact strength if a run has
// one, else the metrics of training. Runs of the same name have the same colour, so
// those of one method can share it. The title is that of the game. The error wraps
// [game.ErrNoCharts] if there is nothing to draw.
func Chart(title string, runs []Run) (chart.Chart, error) {
	c := chart.Chart{Name: "curve", Title: title + ": learning curve"}
	if len(runs) > 1 {
		c.Title += "s"
	}
	if with, _ := part(runs, exploitability); len(with) > 0 {
		strength(&c, runs)
	} else {
		training(&c, runs)
	}
	if len(c.Panels) == 0 {
		return chart.Chart{}, fmt.Errorf("%w: no run has exact values, an entropy, a return or a loss yet", game.ErrNoCharts)
	}
	return c, nil
}

// part returns the runs that have a field and the names of those that lack it.
func part(runs []Run, field string) (with []Run, without []string) {
	for _, r := range runs {
		if slices.ContainsFunc(r.Points, func(p Point) bool { _, ok := p[field]; return ok }) {
			with = append(with, r)
		} else {
			without = append(without, r.Name)
		}
	}
	return with, without
}

func strength(c *chart.Chart, runs []Run) {
	c.Caption = "Each dot is an exact evaluation, over the whole game. Exploitability: how much more than half of its games a best response to the network wins; 0 is perfect, and the scale is logarithmic. Wins against optimal play are a probability of one half at best. Both are means of moving first and second."
	runs, without := part(runs, exploitability)
	c.Caption += lack("exact values", without)
	timed, without := part(runs, seconds)

	level := func(p Point) (float64, bool) {
		x, ok := p[exploitability]
		return math.Log10(x), ok && x > 0 // the scale has no zero
	}
	lo, hi, zero := math.Inf(1), 0.0, false
	for _, r := range runs {
		for _, p := range r.Points {
			if x, ok := p[exploitability]; ok && x > 0 {
				lo, hi = min(lo, x), max(hi, x)
			} else if ok {
				zero = true
			}
		}
	}
	if hi > 0 {
		y := chart.Axis{Label: "exploitability (win probability)", Ticks: logTicks(lo, hi), Log: true}
		c.Panels = append(c.Panels, panel("Exploitability by decisions", y, runs, steps, level))
		if len(timed) > 0 {
			c.Panels = append(c.Panels, panel("Exploitability by time", y, runs, seconds, level))
			c.Caption += " Training time does not include evaluation." + lack("times", without)
		}
	}
	if zero {
		c.Caption += " Where exploitability is 0, a dot is missing."
	}
	y := chart.Axis{Label: "win probability against optimal play"}
	win := panel("Wins against optimal play", y, runs, steps, func(p Point) (float64, bool) {
		w, _, ok := p.Strength()
		return w, ok
	})
	most := 0.0
	for _, l := range win.Lines {
		most = max(most, l.X[len(l.X)-1])
	}
	if len(win.Lines) > 0 {
		win.Lines = append(win.Lines, chart.Line{Name: "optimal play", X: []float64{0, most}, Y: []float64{0.5, 0.5}})
		c.Panels = append(c.Panels, win)
	}
}

func training(c *chart.Chart, runs []Run) {
	fields := map[string]bool{}
	for _, r := range runs {
		for _, p := range r.Points {
			for f := range p {
				fields[f] = ofTraining(f)
			}
		}
	}
	won(c, runs)
	c.Caption += fmt.Sprintf("Metrics of training; exact strength is not known. Long runs are shown as the means of %d stretches.", smoothed)
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		if !fields[f] {
			continue
		}
		name := strings.ReplaceAll(f, "_", " ")
		y := chart.Axis{Label: name}
		if f == "entropy" {
			y.Label += " (nats)"
			c.Caption += " Entropy measures how random the choice of actions is."
		}
		p := panel(strings.ToUpper(name[:1])+name[1:], y, runs, steps, func(p Point) (float64, bool) { v, ok := p[f]; return v, ok })
		for i := range p.Lines {
			smooth(&p.Lines[i])
		}
		c.Panels = append(c.Panels, p)
		_, without := part(runs, f)
		c.Caption += lack(name, without)
	}
}

// won adds a panel of what the networks of runs win in matches, if they have played some.
func won(c *chart.Chart, runs []Run) {
	names := map[string]bool{} // of opponents
	for _, r := range runs {
		for _, p := range r.Points {
			for f := range p {
				if name, ok := strings.CutSuffix(f, ".win"); ok && strings.HasPrefix(name, matches) {
					names[strings.TrimPrefix(name, matches)] = true
				}
			}
		}
	}
	var won []Run // of each run against each opponent
	for _, name := range slices.Sorted(maps.Keys(names)) {
		for _, r := range runs {
			against := Run{Name: "against " + name}
			if len(runs) > 1 {
				against.Name = r.Name + " " + against.Name
			}
			for _, p := range r.Points {
				if _, ok := p[matches+name+".win"]; ok {
					against.Points = append(against.Points, Point{steps: p[steps], "win": p[matches+name+".win"], "low": p[matches+name+".low"], "high": p[matches+name+".high"]})
				}
			}
			if len(against.Points) > 0 {
				won = append(won, against)
			}
		}
	}
	all := panel("Wins in matches", chart.Axis{Label: "share of the games won"}, won, steps, func(p Point) (float64, bool) { return p["win"], true })
	for k, l := range all.Lines { // an interval is a stroke between its ends
		bars := chart.Line{Name: l.Name}
		for i, p := range won[k].Points {
			bars.X = append(bars.X, l.X[i], l.X[i], l.X[i], l.X[i])
			bars.Y = append(bars.Y, p["win"], p["low"], p["high"], p["win"])
		}
		all.Lines[k] = bars
	}
	if len(all.Lines) > 0 {
		c.Panels = append(c.Panels, all)
		c.Caption = "Wins in matches against the game's bot, the network of the evaluation before and the best so far, with their intervals. "
	}
}

// lack returns a sentence for the caption on runs that are not shown.
func lack(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(" Not shown because they lack %s: %s.", what, strings.Join(names, ", "))
}

// panel returns the panel of a quantity of runs by their steps or seconds, at the
// points that have both.
func panel(title string, y chart.Axis, runs []Run, by string, quantity func(Point) (float64, bool)) chart.Panel {
	p := chart.Panel{Title: title, Y: y}
	most := 0.0
	for _, r := range runs {
		l := chart.Line{Name: r.Name}
		for _, at := range r.Points {
			x, known := at[by]
			if v, ok := quantity(at); ok && known {
				l.X, l.Y = append(l.X, x), append(l.Y, v)
				most = max(most, x)
			}
		}
		if len(l.X) > 0 {
			p.Lines = append(p.Lines, l)
		}
	}
	units := stepUnits
	if by == seconds {
		units = timeUnits
	}
	u := fit(most, units)
	for _, l := range p.Lines {
		for k := range l.X {
			l.X[k] /= u.size
		}
	}
	p.X.Label = u.name
	return p
}

// smooth replaces the points of a long line by the means of equal stretches.
func smooth(l *chart.Line) {
	n := len(l.X)
	if n <= smoothed {
		return
	}
	for k := range smoothed {
		from, to := k*n/smoothed, (k+1)*n/smoothed
		var x, y float64
		for i := from; i < to; i++ {
			x, y = x+l.X[i], y+l.Y[i]
		}
		l.X[k], l.Y[k] = x/float64(to-from), y/float64(to-from)
	}
	l.X, l.Y = l.X[:smoothed], l.Y[:smoothed]
}
