// Package curve makes charts of learning curves from the metrics of training runs.
package curve
