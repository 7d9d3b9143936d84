//go:build gotch && cgo

package gotch

import "marsgym/models"

// Learner fits a network. It implements [models.Learner].
type Learner struct {
	mlp         *models.MLP
	adam        *models.Adam
	device      device
	accumulator models.GradientAccumulator
}

var _ models.Learner = (*Learner)(nil)

// New returns a learner of the network, whose weights it changes from then on.
// The device is cpu, or cuda:0 and so on. Only gradients are computed there:
// the weights and the optimizer stay in this program's memory.
func New(mlp *models.MLP, cfg models.AdamConfig, device string) (models.Learner, error) {
	adam, err := models.NewAdam(len(mlp.Weights()), cfg)
	if err != nil {
		return nil, err
	}
	d, err := open(device)
	if err != nil {
		return nil, err
	}
	return &Learner{mlp: mlp, adam: adam, device: d}, nil
}

// CheckDevice reports whether a learner can run on a device, with an error
// that says what there is.
func CheckDevice(device string) error {
	_, err := open(device)
	return err
}

// MLP is the network, with the weights of the last Fit.
func (l *Learner) MLP() *models.MLP { return l.mlp }

// Fit runs the shards on up to GOMAXPROCS threads. A few more shards than
// cores, of some hundred rows each, spread the load evenly.
func (l *Learner) Fit(shards []models.Shard, rate float64) (norm float64, err error) {
	if _, err := models.LargestShard(shards, l.mlp.Shape().Obs); err != nil {
		return 0, err
	}
	defer enter()()
	weights := tensors{device: l.device}
	defer weights.free()
	layers := upload(&weights, l.mlp)
	if weights.err != nil {
		return 0, weights.err
	}
	sum, err := l.accumulator.Sum(len(shards), len(l.mlp.Weights()), func(i int, grad []float32) error {
		defer enter()()
		return l.gradient(grad, layers, shards[i])
	})
	if err != nil {
		return 0, err
	}
	return l.adam.Step(l.mlp.Weights(), sum, rate)
}

// layer is the weights of a layer on the device.
type layer struct{ w, b tensor } // [in, out], [out]

// upload copies the weights to the device.
func upload(t *tensors, mlp *models.MLP) (layers []layer) {
	for _, l := range mlp.Layers() {
		layers = append(layers, layer{t.of(l.W, l.In, l.Out), t.of(l.B, l.Out)})
	}
	return layers
}

// forward runs the network on obs [n, D]. It returns what goes into each layer
// and, last, what comes out of the heads, [n, K+P].
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

// gradient fills grad, in the order of MLP.Weights, with that of a shard. With
// y = x·W + b and dz the gradient with respect to it,
//
//	dW = xᵀ·dz   db = 1ᵀ·dz   dx = dz·Wᵀ
//
// and dz of the layer below is dx where x is above zero, else 0.
func (l *Learner) gradient(grad []float32, layers []layer, shard models.Shard) error {
	s := l.mlp.Shape()
	n, k, p := len(shard.Obs)/s.Obs, s.PolicyWidth(), s.Players
	if n == 0 {
		clear(grad)
		return nil
	}
	t := tensors{device: l.device}
	defer t.free()
	xs := forward(&t, layers, t.of(shard.Obs, n, s.Obs))
	y := make([]float32, n*(k+p))
	t.read(y, xs[len(layers)])
	if t.err != nil {
		return t.err
	}
	dz := t.of(lossGradient(y, k, p, shard), n, k+p)
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

// lossGradient asks the shard for its gradient with respect to the heads'
// output y, [n, k+p], and returns it in the same shape.
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

// State returns the optimizer's.
func (l *Learner) State() []models.Tensor { return l.adam.State() }

// Restore takes back what State returned, and ignores other tensors.
func (l *Learner) Restore(state []models.Tensor) error { return l.adam.Restore(state) }
