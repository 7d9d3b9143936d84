package cluster

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
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
	if err := secret(a.CertKey); err != nil {
		return nil, err
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
	if err := secret(a.Key); err != nil {
		return "", err
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

// secret returns an error if every user of this machine may read or change a file with a private
// key, or if there is none. Its group may read it: that is how systemd and Kubernetes hand a key
// to a service. Windows has no such modes.
func secret(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAccess, err)
	}
	if mode := info.Mode().Perm(); mode&0o006 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("%w: every user of this machine may read or change the private key in %s (mode %04o); run chmod 600 %[2]s, and make a new key if others had access", ErrAccess, path, mode)
	}
	return nil
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

// The accounts of a broker with keys.
const (
	Commands = "commands"
	Workers  = "workers"
)

// userInfo is the subject on which a broker says whose a connection is.
const userInfo = "$SYS.REQ.USER.INFO"

// roles are the first words of the lines of keys, by account.
var roles = map[string]string{Commands: "coordinator", Workers: "worker"}

// checkRole returns an error if the key of a connection is that of another account of the
// broker. Another broker may have other accounts, or not say.
func (a *Access) checkRole(ctx context.Context, nc *nats.Conn, name, account string) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, userInfo, nil)
	if err != nil {
		return nil
	}
	var info struct {
		Data struct{ Account string }
	}
	if err := json.Unmarshal(m.Data, &info); err != nil {
		return nil
	}
	if is := roles[info.Data.Account]; is != "" && info.Data.Account != account {
		return fmt.Errorf("%w: for the broker at %s, %s is the key of a %s, and this process is a %s; give the key of a %[5]s, or change the line of %[3]s in the -keys file and start the broker again", ErrAccess, a.Addr, name, is, roles[account])
	}
	return nil
}

// dial connects to a broker, for which it waits for some seconds, and connects again whenever
// the connection is lost. The account is that of processes of this role; denied is called when
// the broker does not allow them something.
func (a *Access) dial(ctx context.Context, name, account string, log func(string), denied func(error), more ...nats.Option) (nc *nats.Conn, err error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	options := append([]nats.Option{
		nats.Name("marsgym " + name), nats.Timeout(dialTimeout), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait),
		nats.CustomInboxPrefix(inbox(name)), nats.PingInterval(20 * time.Second),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log(fmt.Sprintf("the connection to the broker is lost, trying again: %v", err))
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			switch {
			case !errors.Is(err, nats.ErrPermissionViolation):
				log(fmt.Sprintf("the broker: %v", err))
			case !strings.Contains(err.Error(), userInfo): // it need not say whose the key is
				denied(err)
			}
		}),
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
	if err == nil && a.Key != "" {
		if err := a.checkRole(ctx, nc, name, account); err != nil {
			nc.Close()
			return nil, err
		}
	}
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
