package cluster

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"marsgym/internal/atomicfile"
	"marsgym/internal/input"
)

// Access is how a process reaches a broker, or serves one.
type Access struct {
	Addr string // HOST:PORT, or several separated by commas
	Key  string // file with the seed of an nkey
	// Files in PEM form, for TLS both ways.
	Cert, CertKey, CA string
}

// Flags adds the flags of the files of a to f, and returns their names.
func (a *Access) Flags(f *flag.FlagSet) []string {
	f.StringVar(&a.Key, "key", "", "`file` with the key of this process, which cmd/worker -new-key makes; needed beyond this machine")
	f.StringVar(&a.Cert, "tls-cert", "", "PEM `file` with the certificate of this process; needed beyond this machine")
	f.StringVar(&a.CertKey, "tls-key", "", "PEM `file` with the private key of -tls-cert")
	f.StringVar(&a.CA, "tls-ca", "", "PEM `file` with the certificates of the authority that signed the certificates of all processes")
	return []string{"key", "tls-cert", "tls-key", "tls-ca"}
}

// ErrAccess is wrapped by errors in an [Access].
var ErrAccess = errors.New("the address and the files of the cluster")

// Check returns an error unless a is complete: beyond loopback it needs a key and TLS.
func (a *Access) Check() error {
	files := [...]string{a.Cert, a.CertKey, a.CA}
	some, all := false, true
	for _, f := range files {
		some, all = some || f != "", all && f != ""
	}
	if some && !all {
		return fmt.Errorf("%w: want all of -tls-cert, -tls-key and -tls-ca, or none", ErrAccess)
	}
	for addr := range strings.SplitSeq(a.Addr, ",") {
		host, port, err := net.SplitHostPort(addr)
		if err != nil || port == "" || host == "" {
			return fmt.Errorf("%w: %q is no address; want HOST:PORT such as 127.0.0.1:4222", ErrAccess, addr)
		}
		if ip := net.ParseIP(host); host != "localhost" && !ip.IsLoopback() && !(all && a.Key != "") {
			return fmt.Errorf("%w: %s is not on this machine only; give -key, -tls-cert, -tls-key and -tls-ca, or an address of 127.0.0.1", ErrAccess, addr)
		}
	}
	return nil
}

// TLS returns the configuration for both ends: each shows its certificate, and accepts
// those that the authority has signed. It returns nil without files.
func (a *Access) TLS() (*tls.Config, error) {
	if a.Cert == "" {
		return nil, nil
	}
	var files [3][]byte
	for i, path := range []string{a.Cert, a.CertKey, a.CA} {
		var err error
		if files[i], err = atomicfile.ReadFile(path, input.Settings); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrAccess, err)
		}
	}
	cert, err := tls.X509KeyPair(files[0], files[1])
	if err != nil {
		return nil, fmt.Errorf("%w: %s and %s: %w", ErrAccess, a.Cert, a.CertKey, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(files[2]) {
		return nil, fmt.Errorf("%w: %s has no certificate", ErrAccess, a.CA)
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert},
		RootCAs: pool, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
	}, nil
}

// name returns the name of this process in subjects: its public key, or random letters.
func (a *Access) name() (string, error) {
	if a.Key == "" {
		var b [9]byte
		rand.Read(b[:])
		return "w" + hex.EncodeToString(b[:]), nil
	}
	seed, err := input.ReadFile(a.Key, input.Settings)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrAccess, err)
	}
	pair, err := nkeys.FromSeed([]byte(strings.TrimSpace(string(seed))))
	if err != nil {
		return "", fmt.Errorf("%w: %s holds no key; make one with go run ./cmd/worker -new-key FILE", ErrAccess, a.Key)
	}
	defer pair.Wipe()
	return pair.PublicKey()
}

// NewKey writes the seed of a new key to a file, which must not exist, and returns the
// public key.
func NewKey(path string) (public string, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return "", err
	}
	defer pair.Wipe()
	seed, err := pair.Seed()
	if err != nil {
		return "", err
	}
	if public, err = pair.PublicKey(); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("%s exists, and is not overwritten; name another file", path)
	}
	if err != nil {
		return "", err
	}
	_, err = f.Write(append(seed, '\n'))
	return public, errors.Join(err, f.Sync(), f.Close())
}

// clean returns a log whose lines are safe for a terminal: other processes have a part in them.
func clean(log func(string)) func(string) {
	return func(line string) { log(input.Printable(strings.ReplaceAll(line, "\n", `\n`))) }
}

// Times of a connection. Chosen.
const (
	dialTimeout    = 5 * time.Second
	requestTimeout = 10 * time.Second // of the broker
	askTimeout     = 3 * time.Second  // of a coordinator
	closeTimeout   = time.Second      // to remove what is left of a run
	reconnectWait  = 250 * time.Millisecond
	presenceEvery  = time.Second
	presenceLasts  = 5 * time.Second
	goneAfter      = 3 * time.Second  // of a coordinator that a worker computes for
	partialLasts   = 30 * time.Second // of a result of which no more comes
	auditEvery     = 2 * time.Second
	fetchTimeout   = 5 * time.Second  // of a worker that waits for a job
	silenceLasts   = 10 * time.Second // of a coordinator that did not answer
)

// retry calls f until it returns nil, ctx is done or the time is over, as long as its error is
// that of a broker which is about to start.
func retry(ctx context.Context, limit time.Duration, f func() error) error {
	for end := time.Now().Add(limit); ; pause(ctx) {
		err := f()
		switch {
		case err == nil, ctx.Err() != nil, time.Now().After(end):
			return err
		case errors.Is(err, nats.ErrNoServers), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), // as it starts
			errors.Is(err, nats.ErrNoResponders), errors.Is(err, context.DeadlineExceeded): // as its streams do
		default:
			return err
		}
	}
}

// dial connects to a broker, for which it waits for some seconds, and connects again whenever
// the connection is lost.
func (a *Access) dial(ctx context.Context, name string, more ...nats.Option) (nc *nats.Conn, err error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	options := append([]nats.Option{
		nats.Name("marsgym " + name), nats.Timeout(dialTimeout), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait),
		nats.CustomInboxPrefix(inbox(name)), nats.PingInterval(20 * time.Second),
	}, more...)
	config, err := a.TLS()
	if err != nil {
		return nil, err
	}
	if config != nil {
		options = append(options, nats.Secure(config))
	}
	if a.Key != "" {
		o, err := nats.NkeyOptionFromSeed(a.Key)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrAccess, a.Key, err)
		}
		options = append(options, o)
	}
	var connected atomic.Bool // from then on the connection lives longer than ctx
	options = append(options, nats.SetCustomDialer(dial(func(network, addr string) (net.Conn, error) {
		d := net.Dialer{Timeout: dialTimeout}
		if connected.Load() {
			return d.Dial(network, addr)
		}
		c, err := d.DialContext(ctx, network, addr)
		if err == nil { // a broker that is stopped accepts connections, and says nothing
			context.AfterFunc(ctx, func() {
				if !connected.Load() {
					c.Close()
				}
			})
		}
		return c, err
	})))
	err = retry(ctx, dialTimeout, func() error {
		nc, err = nats.Connect(a.Addr, options...)
		connected.Store(err == nil)
		return err
	})
	switch {
	case err == nil:
		return nc, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, nats.ErrAuthorization):
		return nil, fmt.Errorf("%s refuses the key of this process: add %s to the -keys file of the broker, and start it again", a.Addr, name)
	case errors.Is(err, nats.ErrNoServers):
		return nil, fmt.Errorf("no broker answers at %s; start one there with go run ./cmd/worker -serve %s", a.Addr, a.Addr)
	default:
		return nil, fmt.Errorf("the broker at %s: %w; where it has a certificate, give one that its authority has signed (-tls-cert, -tls-key, -tls-ca), and a -key", a.Addr, err)
	}
}

// dial dials for package nats.
type dial func(network, addr string) (net.Conn, error)

// Dial implements [nats.CustomDialer].
func (d dial) Dial(network, addr string) (net.Conn, error) { return d(network, addr) }
