// Package broker serves NATS for package cluster: in this process, in memory.
package broker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"marsgym/internal/cluster"
)

// Broker is a NATS server of this process.
type Broker struct {
	server *server.Server
	dir    string
	own    nkeys.KeyPair // of connections within this process, where keys are needed
}

// ready is how long a server may take to start. Chosen: for busy machines.
const ready = 30 * time.Second

// Start starts a broker. Beyond loopback the access must be complete, and keys is the file
// with the keys that may connect (see [readKeys]); it is needed where the access has a key.
func Start(a cluster.Access, keys string) (*Broker, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	if (a.Key == "") != (keys == "") {
		return nil, fmt.Errorf("%w: a broker with keys needs -keys, the file with those that may connect, and -key, its own", cluster.ErrAccess)
	}
	host, text, err := net.SplitHostPort(a.Addr)
	if err != nil {
		return nil, fmt.Errorf("%w: a broker has one address: %w", cluster.ErrAccess, err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return nil, fmt.Errorf("%w: port %q; want 1 to 65535", cluster.ErrAccess, text)
	}
	// Another broker at this address would be found by clients of this one.
	l, err := net.Listen("tcp", a.Addr)
	if err != nil {
		return nil, fmt.Errorf("the broker cannot listen: %w", err)
	}
	l.Close()
	b := &Broker{}
	opt := &server.Options{
		Host: host, Port: int(port), NoSigs: true, NoLog: true, MaxPayload: 1 << 20, MaxConn: 4096, MaxPending: 1 << 30,
		JetStream: true, JetStreamMaxMemory: 2 * cluster.InputBytes, JetStreamMaxStore: 1 << 20, DisableJetStreamBanner: true,
	}
	if opt.TLSConfig, err = a.TLS(); err != nil {
		return nil, err
	}
	if opt.TLSConfig != nil {
		opt.TLS, opt.TLSVerify, opt.TLSTimeout, opt.AuthTimeout = true, true, 5, 5
	}
	if keys != "" {
		if opt.Nkeys, err = readKeys(keys); err != nil {
			return nil, err
		}
		if b.own, err = nkeys.CreateUser(); err != nil {
			return nil, err
		}
		public, err := b.own.PublicKey()
		if err != nil {
			return nil, err
		}
		opt.Nkeys = append(opt.Nkeys, &server.NkeyUser{Nkey: public, Account: server.NewAccount(cluster.Commands)})
		opt.Accounts = []*server.Account{server.NewAccount(cluster.Commands), server.NewAccount(cluster.Workers)}
	}
	if b.dir, err = os.MkdirTemp("", "marsgym-broker-"); err != nil { // JetStream wants a folder; streams are in memory
		return nil, err
	}
	opt.StoreDir = b.dir
	if b.server, err = server.NewServer(opt); err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.dir))
	}
	if keys != "" {
		err = connectAccounts(b.server)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the accounts of the broker: %w", err), os.RemoveAll(b.dir))
	}
	b.server.Start()
	if !b.server.ReadyForConnections(ready) {
		return nil, errors.Join(fmt.Errorf("the broker does not start at %s", a.Addr), b.Close())
	}
	if keys != "" {
		in, err := b.server.LookupAccount(cluster.Commands)
		if err == nil {
			err = in.EnableJetStream(nil, nil)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("the accounts of the broker: %w", err), b.Close())
		}
	}
	// The broker has made all its files. Without its folder it leaves none when it is killed.
	return b, os.RemoveAll(b.dir)
}

// Prepare makes the streams, and the queue of the workers of an identity with a lease. The
// process of a broker need not have the key of a coordinator for that.
func (b *Broker) Prepare(ctx context.Context, identity string, lease time.Duration) error {
	options := []nats.Option{nats.InProcessServer(b.server)}
	if b.own != nil {
		public, err := b.own.PublicKey()
		if err != nil {
			return err
		}
		options = append(options, nats.Nkey(public, b.own.Sign))
	}
	nc, err := nats.Connect("", options...)
	if err != nil {
		return err
	}
	defer nc.Close()
	return cluster.Prepare(ctx, nc, identity, lease)
}

// Close stops the broker.
func (b *Broker) Close() error {
	b.server.Shutdown()
	b.server.WaitForShutdown()
	return os.RemoveAll(b.dir)
}
