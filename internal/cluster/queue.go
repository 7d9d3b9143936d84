package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// queue is the queue of a worker's jobs, from which it takes one at a time. Unlike the pull
// consumers of package jetstream it gives back a job that is on its way when the worker stops.
type queue struct {
	nc      *nats.Conn
	subject string // of requests for the next job
	request []byte
	inbox   string
	sub     *nats.Subscription
	jobs    chan *nats.Msg
	lost    chan nats.Status // the connection, and with it a request
	lease   time.Duration
}

func newQueue(nc *nats.Conn, consumer string, lease time.Duration) (*queue, error) {
	request, err := json.Marshal(map[string]int64{"batch": 1, "expires": int64(fetchTimeout)})
	if err != nil {
		return nil, err
	}
	q := &queue{
		nc: nc, subject: "$JS.API.CONSUMER.MSG.NEXT." + jobStream + "." + consumer, request: request, inbox: nc.NewInbox(),
		jobs: make(chan *nats.Msg, 16), lost: nc.StatusChanged(nats.RECONNECTING), lease: lease,
	}
	if q.sub, err = nc.ChanSubscribe(q.inbox, q.jobs); err != nil {
		nc.RemoveStatusListener(q.lost)
	}
	return q, err
}

// next waits a while for a job, and returns nil if there is none.
func (q *queue) next(ctx context.Context) (*nats.Msg, error) {
	if err := q.nc.PublishRequest(q.subject, q.inbox, q.request); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-q.lost:
		return nil, nats.ErrDisconnected
	case <-time.After(fetchTimeout + askTimeout):
		return nil, nats.ErrTimeout
	case m := <-q.jobs:
		switch status := m.Header.Get("Status"); status {
		case "":
			return m, nil
		case "404", "408": // there was none
			return nil, nil
		default:
			return nil, fmt.Errorf("the queue: %s %s", status, m.Header.Get("Description"))
		}
	}
}

// leave ends the queue. A job that is on its way goes back at once; else it would wait for
// its lease.
func (q *queue) leave() {
	q.nc.RemoveStatusListener(q.lost)
	q.sub.Drain()
	q.nc.FlushTimeout(askTimeout) // the broker sends no more, and what it has sent is here
	for {
		select {
		case m := <-q.jobs:
			if m.Reply != "" {
				q.nc.Publish(m.Reply, []byte("-NAK"))
			}
		default:
			return
		}
	}
}
