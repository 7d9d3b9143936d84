package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// run names a series of measurements.
type run struct {
	what  string // of the row
	tree  string // its name
	cores int    // or atOnce
	extra string // the title of an extra of the row, or ""
}

// atOnce is the number of cores of two runs at once, each on one core.
const atOnce = 0

// results holds what was measured of each run, and why nothing was.
type results struct {
	samples map[run][]sample
	faults  map[run]error
}

// cost returns the median of the seconds that a step takes: CPU-seconds, or those of
// the clock.
func (r results) cost(key run, wall bool) (float64, bool) {
	return r.median(key, func(s sample) float64 {
		if wall {
			return s.wall / s.Steps
		}
		return s.CPU / s.Steps
	})
}

func (r results) median(key run, f func(sample) float64) (float64, bool) {
	list := r.samples[key]
	if len(list) == 0 {
		return 0, false
	}
	x := make([]float64, len(list))
	for i, s := range list {
		x[i] = f(s)
	}
	return median(x), true
}

// median returns the middle of x, or the mean of the two in the middle. It sorts x.
func median(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// column is a column of a table; its cell is "" where there is nothing to show.
type column struct {
	title string
	cell  func(g group, r row) string
}

// page returns the tables of what was measured, with a commit to compare with unless it is "".
func (r results) page(against string) (string, error) {
	var b strings.Builder
	for _, t := range tables {
		if t.groups = r.tried(t.groups); len(t.groups) == 0 {
			continue
		}
		columns, err := r.columns(t, against)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", t.title, t.intro)
		write(&b, columns, t.groups)
	}
	var two group
	for _, row := range each() {
		if row.two {
			two = append(two, row)
		}
	}
	if groups := r.tried([]group{two}); len(groups) > 0 {
		b.WriteString("\n## Two cores\n\nThe figures are wall-clock seconds per million decisions or per evaluation. The limit is how much more two runs on one core each do at once than one run alone.\n\n")
		write(&b, r.twoCores(against), groups)
	}
	return b.String(), nil
}

// tried returns groups without the rows that -only leaves out.
func (r results) tried(groups []group) (list []group) {
	for _, g := range groups {
		g = slices.DeleteFunc(slices.Clone(g), func(row row) bool {
			key := run{what: row.what, cores: 1}
			return r.samples[key] == nil && r.faults[key] == nil
		})
		if len(g) > 0 {
			list = append(list, g)
		}
	}
	return list
}

func (r results) columns(t table, against string) ([]column, error) {
	columns := []column{
		{"what", func(_ group, row row) string { return row.what }},
		{"project", func(_ group, row row) string { return cmp.Or(row.project, "marsgym") }},
	}
	if t.kind == rates {
		lengths := map[string][2]int{}
		for _, row := range each() {
			if row.spec == nil {
				if s := r.samples[run{what: row.what, cores: 1}]; len(s) > 0 && s[0].Actions > 0 {
					lengths[row.what] = [2]int{s[0].Observation, s[0].Actions}
				}
				continue
			}
			spec, err := row.spec()
			if err != nil {
				return nil, err
			}
			lengths[row.what] = [2]int{spec.ObsLen(), spec.Actions}
		}
		for i, title := range []string{"observation", "actions"} {
			columns = append(columns, column{title, func(_ group, row row) string {
				if l, ok := lengths[row.what]; ok {
					return fmt.Sprint(l[i])
				}
				return ""
			}})
		}
	}
	value := func(tree, extra string) func(group, row) string {
		return func(_ group, row row) string {
			key := run{row.what, tree, 1, extra}
			cost, ok := r.cost(key, false)
			switch {
			case !ok && (tree == "" || row.project == "") && r.faults[key] != nil:
				return "not measured: " + r.faults[key].Error()
			case !ok:
				return ""
			case t.kind == rates:
				return number(1 / cost / row.unit)
			}
			return number(cost * row.unit)
		}
	}
	title := "CPU-seconds"
	if t.kind == rates {
		title = "million decisions per CPU-second"
	}
	columns = append(columns, column{title, value("", "")})
	times := func(extra string) func(group, row) string {
		return func(_ group, row row) string {
			return r.ratio(run{row.what, against, 1, extra}, run{row.what, "", 1, extra}, false)
		}
	}
	if against != "" {
		columns = append(columns, column{"at " + against, value(against, "")}, column{"times as fast", times("")})
	}
	for _, extra := range t.extras() {
		columns = append(columns, column{extra, value("", extra)})
		if against != "" {
			columns = append(columns, column{extra + ": times as fast", times(extra)})
		}
	}
	if t.kind == costs {
		memory := func(tree string) func(group, row) string {
			return func(_ group, row row) string {
				m, ok := r.median(run{what: row.what, tree: tree, cores: 1}, func(s sample) float64 { return s.Memory })
				if !ok || m == 0 {
					return ""
				}
				return number(m/1e6) + " MB"
			}
		}
		columns = append(columns, column{"peak memory", memory("")})
		if against != "" {
			columns = append(columns, column{"peak memory at " + against, memory(against)})
		}
	}
	return append(columns,
		column{"× marsgym's CPU time", func(g group, row row) string {
			var list []string
			for _, ours := range g {
				if ours.project != "" || row.project == "" {
					continue
				}
				if times := r.ratio(run{what: row.what, cores: 1}, run{what: ours.what, cores: 1}, false); times != "" {
					list = append(list, times)
				}
			}
			return strings.Join(list, "; ")
		}},
		column{"what differs", func(_ group, row row) string { return row.differs }},
	), nil
}

func (r results) twoCores(against string) []column {
	columns := []column{{"what", func(_ group, row row) string { return row.what }}}
	for _, tree := range slices.Compact([]string{"", against}) {
		at := ""
		if tree != "" {
			at = " at " + tree
		}
		seconds := func(cores int) func(group, row) string {
			return func(_ group, row row) string {
				key := run{what: row.what, tree: tree, cores: cores}
				if cost, ok := r.cost(key, true); ok {
					return number(cost * row.unit)
				}
				return fmt.Sprintf("not measured: %v", r.faults[key])
			}
		}
		columns = append(columns, column{"one core" + at, seconds(1)}, column{"two cores" + at, seconds(2)},
			column{"times as fast" + at, func(_ group, row row) string {
				return r.ratio(run{what: row.what, tree: tree, cores: 1}, run{what: row.what, tree: tree, cores: 2}, true)
			}},
			column{"share of the limit" + at, func(_ group, row row) string {
				if beside, two, ok := r.costs(run{what: row.what, tree: tree, cores: atOnce}, run{what: row.what, tree: tree, cores: 2}, true); ok {
					return fmt.Sprintf("%.0f %%", 100*beside/2/two)
				}
				return ""
			}})
	}
	return columns
}

// ratio returns how many times as fast b is as a, or "" if one was not measured.
func (r results) ratio(a, b run, wall bool) string {
	if x, y, ok := r.costs(a, b, wall); ok {
		return number(x / y)
	}
	return ""
}

// costs returns the costs of a step of two runs.
func (r results) costs(a, b run, wall bool) (x, y float64, ok bool) {
	x, ok1 := r.cost(a, wall)
	y, ok2 := r.cost(b, wall)
	return x, y, ok1 && ok2
}

// number writes x with three digits, or all before the point.
func number(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// write writes a table without the columns that are empty.
func write(b *strings.Builder, columns []column, groups []group) {
	line := func(cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }
	columns = slices.DeleteFunc(columns, func(c column) bool {
		for _, g := range groups {
			for _, row := range g {
				if c.cell(g, row) != "" {
					return false
				}
			}
		}
		return true
	})
	titles, rule := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		titles[i], rule[i] = c.title, "---"
	}
	line(titles)
	line(rule)
	for _, g := range groups {
		for _, row := range g {
			cells := make([]string, len(columns))
			for i, c := range columns {
				cells[i] = c.cell(g, row)
			}
			line(cells)
		}
	}
}

// extras returns the titles of the extras of all rows.
func (t table) extras() (titles []string) {
	for _, g := range t.groups {
		for _, row := range g {
			for _, e := range row.extras {
				if !slices.Contains(titles, e.title) {
					titles = append(titles, e.title)
				}
			}
		}
	}
	return titles
}

func each() (rows []row) {
	for _, t := range tables {
		for _, g := range t.groups {
			rows = append(rows, g...)
		}
	}
	return rows
}

const (
	begin = "<!-- Written by go -C tools run ./benchmarks. -->\n"
	end   = "<!-- End of what it writes. -->\n"
)

// splice replaces what is between the two marks in a page.
func splice(page, text string) (string, error) {
	before, rest, ok1 := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		return "", fmt.Errorf("the page lacks the line %q, or %q after it", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin + text + end + after, nil
}
