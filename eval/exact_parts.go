package eval

import (
	"context"
	"fmt"

	"marsgym/agents"
	"marsgym/env/game"
	"marsgym/internal/jobs"
)

// partRows is the number of rows of a table in a job. Chosen: a second or two of computing
// in Martian Dice, so that many workers end at the same time.
const partRows = 512

// rowRange are the arguments of the job to tabulate some rows of the table of a network: the
// rows From <= i < To.
type rowRange struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// tabulateBy tabulates an agent: in parts, if there is an executor and the agent is a
// network.
func (e *ExactEvaluator) tabulateBy(ctx context.Context, a *agents.Agent) (game.TabularPolicy, error) {
	rows, width, ok := e.game.TableSize()
	if e.Executor == nil || !ok || a.Source == nil || !a.Source.Network {
		return e.solution.Tabulate(ctx, a.Policy)
	}
	inputs, err := newSeating(e.game, []*agents.Agent{a})
	if err != nil {
		return nil, err
	}
	table := make([]float64, rows*width)
	var tasks []jobs.Task
	ended := counting((rows+partRows-1)/partRows, e.Progress)
	for from := 0; from < rows; from += partRows {
		part := rowRange{from, min(from+partRows, rows)}
		tasks = append(tasks, &jobs.Part[[]float64]{
			Name: fmt.Sprintf("rows %d to %d of a table", part.From, part.To), Kind: TabulateKind, Args: part, Inputs: inputs,
			Find: func(ctx context.Context) ([]float64, error) {
				return e.game.TabulateRows(ctx, a.Policy, part.From, part.To)
			},
			Decode: func(r jobs.Result) ([]float64, error) { return part.decode(r, width) },
			Take: func(found []float64) {
				copy(table[from*width:], found)
				ended()
			},
		})
	}
	if err := e.Executor.Do(ctx, tasks); err != nil {
		return nil, err
	}
	return e.solution.ReadTable(a.Policy, table)
}

// decode returns the rows [To-From, width] of a result.
func (p rowRange) decode(r jobs.Result, width int) ([]float64, error) {
	found, rest, err := jobs.CutSlice[float64](r.Bytes)
	if want := (p.To - p.From) * width; err == nil && (len(found) != want || len(rest) > 0) {
		err = fmt.Errorf("%d numbers and %d bytes; want %d numbers", len(found), len(rest), want)
	}
	for _, x := range found {
		if err == nil && !(x >= 0 && x <= 1+1e-9) {
			err = fmt.Errorf("a probability is %v", x)
		}
	}
	return found, err
}

// tabulate computes jobs of kind [TabulateKind].
func (w *openedCache) tabulate(ctx context.Context, text []byte, inputs []*jobs.Blob) (jobs.Result, error) {
	var args rowRange
	o, err := w.of(ctx, text, &args, inputs)
	if err != nil {
		return jobs.Result{}, err
	}
	if len(o.agents) != 1 || !o.agents[0].Source.Network {
		return jobs.Result{}, fmt.Errorf("%d agents to tabulate, of which the first is %s; want one network", len(o.agents), o.agents[0].Name)
	}
	found, err := o.game.TabulateRows(ctx, o.agents[0].Policy, args.From, args.To)
	return jobs.Result{Bytes: jobs.AppendSlice(nil, found)}, err
}
