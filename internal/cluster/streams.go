package cluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"marsgym/internal/jobs"
)

// Lease is the time after which a job of a worker that no longer answers is given to
// another one, unless the broker has another. Chosen: ten times as long as a pause of a
// busy machine.
const Lease = 10 * time.Second

// InputBytes is the memory of a broker for inputs. Chosen.
const InputBytes = 1 << 30

// Bounds of the queue, and how long the broker keeps jobs and inputs of commands that are
// gone. Chosen: the jobs of some hundred commands. What a command still needs it publishes again.
const (
	jobBytes  = InputBytes / 4
	streamAge = 24 * time.Hour
)

// consumerName is the name of the consumer whose jobs the workers of an identity share.
func consumerName(identity string) string { return "workers_" + IdentityToken(identity) }

// Prepare makes the streams, and the queue of the workers of an identity with a lease, unless
// they are there, in which case their settings stay.
func Prepare(ctx context.Context, nc *nats.Conn, identity string, lease time.Duration) error {
	js, err := jetstream.New(nc)
	if err == nil {
		_, err = prepare(ctx, js, identity, lease)
	}
	return err
}

// prepare is Prepare, and returns the lease of the queue.
func prepare(ctx context.Context, js jetstream.JetStream, identity string, lease time.Duration) (time.Duration, error) {
	for _, c := range []jetstream.StreamConfig{
		{
			Name: jobStream, Subjects: []string{"marsgym.job.*.*"}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
			MaxMsgSize: maxJob, MaxMsgs: 1 << 18, MaxBytes: jobBytes, MaxAge: streamAge, Discard: jetstream.DiscardNew,
		},
		{
			Name: inputStream, Subjects: []string{"marsgym.input.*.*"}, Storage: jetstream.MemoryStorage, MaxMsgSize: inputChunk,
			MaxBytes: InputBytes, MaxAge: streamAge, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardOld, AllowDirect: true,
		},
	} {
		if _, err := js.Stream(ctx, c.Name); err == nil {
			continue // to make it again could need its memory twice
		}
		if _, err := js.CreateStream(ctx, c); err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return 0, fmt.Errorf("stream %s: %w", c.Name, err)
		}
	}
	queue, err := js.CreateConsumer(ctx, jobStream, jetstream.ConsumerConfig{
		Durable: consumerName(identity), FilterSubject: "marsgym.job." + IdentityToken(identity) + ".*",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: lease, MaxAckPending: -1, InactiveThreshold: 24 * time.Hour,
	})
	if errors.Is(err, jetstream.ErrConsumerExists) {
		queue, err = js.Consumer(ctx, jobStream, consumerName(identity))
	}
	if err != nil {
		return 0, err
	}
	return queue.CachedInfo().Config.AckWait, nil
}

func chunkSubject(d jobs.Digest, k int) string { return fmt.Sprintf("marsgym.input.%v.%d", d, k) }

// putInput publishes an input, and returns what waits for the broker to have it.
func putInput(js jetstream.JetStream, b *jobs.Blob) (acks []jetstream.PubAckFuture, err error) {
	for k := 0; k*inputChunk < len(b.Bytes); k++ {
		part := b.Bytes[k*inputChunk : min((k+1)*inputChunk, len(b.Bytes))]
		ack, err := js.PublishMsgAsync(&nats.Msg{Subject: chunkSubject(b.Digest, k), Data: part})
		if err != nil {
			return nil, err
		}
		acks = append(acks, ack)
	}
	return acks, nil
}

// errMissing is returned for an input that the broker does not have.
var errMissing = errors.New("an input is not there")

// inputs fetches inputs and keeps the latest.
type inputs struct {
	stream jetstream.Stream
	mu     sync.Mutex
	kept   []*jobs.Blob // the latest used last
	bytes  int
}

// keptInputs is the memory for inputs in a worker. Chosen: the weights of some large
// networks, and the states of many parts.
const keptInputs = 256 << 20

// get returns an input of size bytes.
func (in *inputs) get(ctx context.Context, d jobs.Digest, size int) (*jobs.Blob, error) {
	if b := in.find(d); b != nil {
		return b, nil
	}
	data := make([]byte, 0, min(size, inputChunk))
	for k := 0; len(data) < size; k++ {
		m, err := in.stream.GetLastMsgForSubject(ctx, chunkSubject(d, k))
		if errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil, errMissing
		}
		if err != nil {
			return nil, err
		}
		if len(m.Data) == 0 || len(m.Data) > size-len(data) {
			return nil, fmt.Errorf("%w: a chunk of input %v has %d bytes", errMissing, d, len(m.Data))
		}
		data = append(data, m.Data...)
	}
	if jobs.Digest(sha256.Sum256(data)) != d {
		return nil, fmt.Errorf("%w: input %v has another digest", errMissing, d)
	}
	b := &jobs.Blob{Digest: d, Bytes: data}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.kept, in.bytes = append(in.kept, b), in.bytes+size
	for in.bytes > keptInputs && len(in.kept) > 1 {
		in.bytes -= len(in.kept[0].Bytes)
		in.kept = in.kept[1:]
	}
	return b, nil
}

// find returns an input that is kept, or nil.
func (in *inputs) find(d jobs.Digest) *jobs.Blob {
	in.mu.Lock()
	defer in.mu.Unlock()
	for i, b := range in.kept {
		if b.Digest == d {
			in.kept = append(append(in.kept[:i:i], in.kept[i+1:]...), b)
			return b
		}
	}
	return nil
}

// Exports returns the subjects of the account of commands that workers in another account need:
// those of requests, and those that workers only listen to.
func Exports() (services, streams []string) {
	publish, _ := WorkerSubjects("*")
	return slices.DeleteFunc(publish, func(s string) bool { return s == userInfo }), []string{"marsgym.refuse.*"}
}

// WorkerSubjects returns the subjects that a worker with a public key needs. In those of
// its messages its own name is fixed, so it can neither pass for another worker nor change
// jobs and inputs.
func WorkerSubjects(key string) (publish, subscribe []string) {
	return []string{
			"$JS.API.STREAM.INFO." + inputStream,
			"$JS.API.DIRECT.GET." + inputStream + ".>",
			"$JS.API.CONSUMER.INFO." + jobStream + ".*",
			"$JS.API.CONSUMER.MSG.NEXT." + jobStream + ".*",
			"$JS.ACK." + jobStream + ".>",
			"marsgym.run.*.*." + key,
			"marsgym.worker." + key,
			userInfo,
		}, []string{
			"_INBOX_" + key + ".>",
			"marsgym.refuse." + key,
		}
}
