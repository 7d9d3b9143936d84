// Package sweep trains networks for one game under many settings and orders the
// settings by exact strength after equal training time.
//
// [Parse] reads a sweep, a JSON document such as
//
//	{
//	  "base": {"game": "pig", "train": {"steps": 2000000}},
//	  "grid": {"train.rows": [64, 128], "train.hidden": [[64], [128, 128]]},
//	  "random": {"runs": 8, "seed": 1, "draw": {"train.learning_rate.0": {"log": [0.001, 0.02]}}},
//	  "seeds": [1, 2]
//	}
//
// which makes 2·2·8·2 runs. Fields have their names in [train.ConfigFile]; an
// element of a list has its index, from 0, as a further part of the name.
// [Plan.Run] trains all of them, and [Rank] compares the results. With
//
//	"league": {"games": 2000, "against": ["greedy"]}
//
// the finished runs are compared by matches instead, also in games that are not solved;
// cmd/train plays them.
package sweep
