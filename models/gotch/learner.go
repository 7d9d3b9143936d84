//go:build gotch && cgo

package gotch

import (
	"context"

	"marsgym/models"
)

// learner implements [models.Learner].
type learner struct {
	mlp         *models.MLP
	adam        *models.Adam
	device      device
	accumulator models.GradientAccumulator
}

// New returns a learner of the network. Fit changes the network's weights. The device is
// cpu, or cuda:0 and so on. Only gradients are computed on it: the weights and the
// optimizer stay in this program's memory.
func New(mlp *models.MLP, cfg models.AdamConfig, device string) (models.Learner, error) {
	adam, err := models.NewAdam(len(mlp.Weights()), cfg)
	if err != nil {
		return nil, err
	}
	d, err := parseDevice(device)
	if err != nil {
		return nil, err
	}
	return &learner{mlp: mlp, adam: adam, device: d}, nil
}

// CheckDevice returns an error, which names the devices that exist, if no learner can
// run on the device.
func CheckDevice(device string) error {
	_, err := parseDevice(device)
	return err
}

// MLP implements [models.Learner].
func (l *learner) MLP() *models.MLP { return l.mlp }

// Fit implements [models.Learner]. It runs up to GOMAXPROCS groups of shards at the same
// time, each on its own thread.
func (l *learner) Fit(ctx context.Context, shards []models.Shard, rate float64) (norm float64, err error) {
	groups, _, err := models.Groups(shards, l.mlp.Shape().Obs)
	if err != nil {
		return 0, err
	}
	defer lockThread()()
	weights := tensors{device: l.device}
	defer weights.free()
	layers := upload(&weights, l.mlp)
	if weights.err != nil {
		return 0, weights.err
	}
	sum, err := l.accumulator.Sum(ctx, len(groups), len(l.mlp.Weights()), func(i int, grad []float32) error {
		defer lockThread()()
		return l.gradient(grad, layers, groups[i])
	})
	if err != nil {
		return 0, err
	}
	return l.adam.Step(l.mlp.Weights(), sum, rate)
}

// layer holds the weights of a layer on the device.
type layer struct{ w, b tensor } // [in, out], [out]

// upload copies the weights to the device.
func upload(t *tensors, mlp *models.MLP) (layers []layer) {
	for _, l := range mlp.Layers() {
		layers = append(layers, layer{t.of(l.W, l.In, l.Out), t.of(l.B, l.Out)})
	}
	return layers
}

// uploadObservations copies the observations of shards, of n rows of d numbers, to the device.
func uploadObservations(t *tensors, n, d int, shards ...models.Shard) tensor {
	obs := make([]float32, 0, n*d)
	for _, s := range shards {
		from := len(obs)
		obs = obs[:from+s.Len()*d]
		s.Obs.Dense(obs[from:])
	}
	return t.of(obs, n, d)
}

// forward runs the network on obs [n, D]. It returns the input of each layer and, last,
// the output of the heads [n, K+P].
func forward(t *tensors, layers []layer, obs tensor) []tensor {
	xs := []tensor{obs}
	for i, l := range layers {
		y := t.addmm(l.b, xs[i], l.w)
		if i < len(layers)-1 {
			t.relu(y)
		}
		xs = append(xs, y)
	}
	return xs
}

// gradient fills grad, in the order of MLP.Weights, with the gradient of a group of shards. With
// z = x·W + b and dz the gradient with respect to z,
//
//	dW = xᵀ·dz   db = 1ᵀ·dz   dx = dz·Wᵀ
//
// and dz of the layer before is dx where x > 0, else 0.
func (l *learner) gradient(grad []float32, layers []layer, shards []models.Shard) error {
	s := l.mlp.Shape()
	n, k, p := 0, s.PolicyWidth(), s.Players
	for _, shard := range shards {
		n += shard.Len()
	}
	t := tensors{device: l.device}
	defer t.free()
	xs := forward(&t, layers, uploadObservations(&t, n, s.Obs, shards...))
	y := make([]float32, n*(k+p))
	t.read(y, xs[len(layers)])
	if t.err != nil {
		return t.err
	}
	for i, rest := 0, y; i < len(shards); i++ {
		size := shards[i].Len() * (k + p)
		lossGradient(rest[:size], k, p, shards[i])
		rest = rest[size:]
	}
	dz := t.of(y, n, k+p)
	end := len(grad)
	for i := len(layers) - 1; i >= 0; i-- {
		b := end - l.mlp.Layers()[i].Out
		w := b - len(l.mlp.Layers()[i].W)
		t.read(grad[w:b], t.mm(t.transpose(xs[i]), dz))
		t.read(grad[b:end], t.sumRows(dz))
		if i > 0 {
			dz = t.mm(dz, t.transpose(layers[i].w))
			t.reluGradient(dz, xs[i])
		}
		end = w
	}
	return t.err
}

// lossGradient returns the gradient of the shard's loss with respect to the output of
// the heads y [n, k+p], in the same shape. It overwrites y.
func lossGradient(y []float32, k, p int, shard models.Shard) []float32 {
	n := len(y) / (k + p)
	both := make([]float32, 2*len(y))
	policy, dpolicy := both[:n*k], both[n*k:2*n*k]
	values, dvalues := both[2*n*k:][:n*p], both[2*n*k:][n*p:]
	models.Split(policy, values, y, k, p)
	shard.Loss(policy, values, dpolicy, dvalues)
	for i := range n {
		row := y[i*(k+p) : (i+1)*(k+p)]
		copy(row, dpolicy[i*k:(i+1)*k])
		copy(row[k:], dvalues[i*p:(i+1)*p])
	}
	return y
}

// State returns the state of the optimizer, see [models.Adam.State].
func (l *learner) State() []models.Tensor { return l.adam.State() }

// Restore restores what State returned. It ignores other tensors.
func (l *learner) Restore(state []models.Tensor) error { return l.adam.Restore(state) }
