package broker_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"marsgym/internal/broker"
	"marsgym/internal/cluster"
	"marsgym/internal/test/freeport"
)

// authority signs certificates of this machine.
type authority struct {
	t    *testing.T
	file string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, file: filepath.Join(t.TempDir(), "ca.pem")}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "marsgym"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	var der []byte
	der, a.key = a.sign(template, nil)
	a.cert, _ = x509.ParseCertificate(der)
	a.write(a.file, "CERTIFICATE", der)
	return a
}

func (a *authority) sign(template *x509.Certificate, parent *authority) ([]byte, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	issuer, signer := template, key
	if parent != nil {
		issuer, signer = parent.cert, parent.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	return der, key
}

func (a *authority) write(file, kind string, der []byte) {
	a.t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// access returns an access with a certificate, and a new key of this public part.
func (a *authority) access(addr string) (cluster.Access, string) {
	a.t.Helper()
	dir := a.t.TempDir()
	der, key := a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a)
	x := cluster.Access{Addr: addr, Key: filepath.Join(dir, "key"), Cert: filepath.Join(dir, "cert.pem"), CertKey: filepath.Join(dir, "cert-key.pem"), CA: a.file}
	a.write(x.Cert, "CERTIFICATE", der)
	text, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(x.CertKey, "PRIVATE KEY", text)
	public, err := cluster.NewKey(x.Key)
	if err != nil {
		a.t.Fatal(err)
	}
	return x, public
}

func keys(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestKeys computes with keys and certificates, and without the right ones.
func TestKeys(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(t), newAuthority(t)
	addr := freeport.Address(t)
	own, serverKey := ca.access(addr)
	coordinator, coordinatorKey := ca.access(addr)
	good, goodKey := ca.access(addr)
	serve(t, own, keys(t, "# the keys", "worker "+serverKey, "coordinator "+coordinatorKey, "worker "+goodKey+" of the second machine"))
	c := connect(t, cluster.Options{Access: coordinator})
	work(t, cluster.WorkOptions{Access: good})
	check(t, c, 6, 10)

	unknown, _ := ca.access(addr)
	foreign, _ := other.access(addr)
	foreign.Key = good.Key
	plain := cluster.Access{Addr: addr}
	unsigned := good
	unsigned.Cert, unsigned.CertKey = foreign.Cert, foreign.CertKey
	for name, tt := range map[string]struct {
		cluster.Access
		want string
	}{
		"an unknown key":                    {unknown, "add U"},
		"a certificate of others":           {unsigned, "certificate"},
		"an authority that is not ours":     {foreign, "certificate"},
		"no certificate":                    {plain, "the broker at"},
		"a key that is none":                {cluster.Access{Addr: addr, Key: own.Cert}, "holds no key"},
		"another address without a key":     {cluster.Access{Addr: "192.0.2.1:4222"}, "is not on this machine only"},
		"no port":                           {cluster.Access{Addr: "127.0.0.1"}, "want HOST:PORT"},
		"a certificate without its key":     {cluster.Access{Addr: addr, Cert: own.Cert}, "want all of"},
		"a broker that is not there at all": {cluster.Access{Addr: freeport.Address(t)}, "go run ./cmd/worker -serve"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := cluster.Work(t.Context(), cluster.WorkOptions{Access: tt.Access, Kinds: kinds, Slots: 1, Log: func(string) {}})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v; want %q", err, tt.want)
			}
		})
	}
}

// TestPermissions has a worker that tries to publish jobs and inputs, to pass for another
// worker, and to read what is not for it.
func TestPermissions(t *testing.T) {
	t.Parallel()
	ca, addr := newAuthority(t), freeport.Address(t)
	own, serverKey := ca.access(addr)
	worker, workerKey := ca.access(addr)
	serve(t, own, keys(t, "coordinator "+serverKey, "worker "+workerKey))
	c := connect(t, cluster.Options{Access: own})
	if c.Status().Workers != 0 {
		t.Error("there are workers")
	}
	config, err := worker.TLS()
	if err != nil {
		t.Fatal(err)
	}
	nkey, err := nats.NkeyOptionFromSeed(worker.Key)
	if err != nil {
		t.Fatal(err)
	}
	denied := make(chan error, 100)
	nc, err := nats.Connect(addr, nats.Secure(config), nkey, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { denied <- err }))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	want := func(what string, do func() error) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-denied:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s is not denied", what)
		}
	}
	for _, subject := range []string{
		"marsgym.job.identity.test", "marsgym.input.digest.0", "marsgym.run.test.result.another", "marsgym.worker.another",
		"$JS.API.STREAM.PURGE.MARSGYM_JOBS", "$JS.API.STREAM.DELETE.MARSGYM_INPUTS", "$JS.API.CONSUMER.CREATE.MARSGYM_JOBS.x",
	} {
		want(subject, func() error { return nc.Publish(subject, []byte("x")) })
	}
	for _, subject := range []string{">", "marsgym.run.>", "marsgym.job.>", "_INBOX_another.>"} {
		want(subject, func() error { _, err := nc.SubscribeSync(subject); return err })
	}
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	ca, addr := newAuthority(t), freeport.Address(t)
	a, public := ca.access(addr)
	for _, tt := range []struct{ line, want string }{
		{"worker", "line 1: want worker KEY"},
		{"worker abc", "line 1: want worker KEY"},
		{"guest " + public, "neither worker nor coordinator"},
		{"# none", "has no keys"},
	} {
		if b, err := broker.Start(a, keys(t, tt.line)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, error %v; want %q", tt.line, b, err, tt.want)
		}
	}
	for want, x := range map[string]cluster.Access{
		"0.0.0.0:4222 is not on this machine only": {Addr: "0.0.0.0:4222"},
		"a broker with keys needs -keys":           {Addr: addr, Cert: a.Cert, CertKey: a.CertKey, CA: a.CA},
	} {
		if _, err := broker.Start(x, keys(t, "worker "+public)); !errors.Is(err, cluster.ErrAccess) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want ErrAccess and %q", err, want)
		}
	}
	if _, err := cluster.NewKey(a.Key); err == nil || !strings.Contains(err.Error(), "is not overwritten") {
		t.Errorf("a key file that exists: %v", err)
	}
}

// TestRoles: a process with the key of the other role says so at once, also where another
// broker knows no roles, but not what a command does.
func TestRoles(t *testing.T) {
	t.Parallel()
	addr := freeport.Address(t)
	access := func(addr string) (cluster.Access, string) {
		a := cluster.Access{Addr: addr, Key: filepath.Join(t.TempDir(), "key")}
		public, err := cluster.NewKey(a.Key)
		if err != nil {
			t.Fatal(err)
		}
		return a, public
	}
	worker, workerKey := access(addr)
	coordinator, coordinatorKey := access(addr)
	serve(t, worker, keys(t, "worker "+workerKey, "coordinator "+coordinatorKey))

	other, otherKey := access(freeport.Address(t))
	host, port, _ := net.SplitHostPort(other.Addr)
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	publish, subscribe := cluster.WorkerSubjects(otherKey)
	foreign, err := server.NewServer(&server.Options{
		Host: host, Port: number, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(),
		Nkeys: []*server.NkeyUser{{Nkey: otherKey, Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: publish}, Subscribe: &server.SubjectPermission{Allow: subscribe},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	foreign.Start()
	defer foreign.Shutdown()

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // of one that does not notice
	defer cancel()
	silent := func(string) {}
	connects := func(a cluster.Access) error {
		_, err := cluster.Connect(ctx, cluster.Options{Access: a, Log: silent})
		return err
	}
	for _, tt := range []struct {
		name string
		err  func() error
		want string
	}{
		{"a command with the key of a worker", func() error { return connects(worker) }, workerKey + " is the key of a worker, and this process is a coordinator"},
		{"a worker with the key of a command", func() error {
			return cluster.Work(ctx, cluster.WorkOptions{Access: coordinator, Kinds: kinds, Slots: 1, Log: silent})
		}, coordinatorKey + " is the key of a coordinator, and this process is a worker"},
		{"a command with few permissions", func() error { return connects(other) }, "does not allow this process what a command needs"},
	} {
		if err := tt.err(); !errors.Is(err, cluster.ErrAccess) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v; want %q", tt.name, err, tt.want)
		}
	}
}

// TestSecrets uses files of private keys that other users may read.
func TestSecrets(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes")
	}
	t.Parallel()
	a, _ := newAuthority(t).access(freeport.Address(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // before it connects, and after it has read the files
	for _, file := range []string{a.Key, a.CertKey} {
		for mode, refused := range map[os.FileMode]bool{0o604: true, 0o622: true, 0o440: false} {
			if err := os.Chmod(file, mode); err != nil {
				t.Fatal(err)
			}
			want := context.Canceled.Error()
			if refused {
				want = fmt.Sprintf("every user of this machine may read or change the private key in %s (mode %04o); run chmod 600 %s,", file, mode, file)
			}
			_, err := cluster.Connect(ctx, cluster.Options{Access: a, Log: func(string) {}})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v; want %q", err, want)
			}
		}
		if err := os.Chmod(file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHostile sends requests that no worker sends to a coordinator, and jobs that none
// publishes to a worker.
func TestHostile(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	l := &log{}
	c := connect(t, cluster.Options{Access: a, Identity: "x"})
	nc, err := nats.Connect(a.Addr, nats.CustomInboxPrefix("_INBOX_hostile"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	random := make([]byte, 1000)
	rand.Read(random)
	for _, what := range []string{"ask", "missing", "result", "failed"} {
		for _, b := range [][]byte{nil, {0}, random, []byte("\x02{}"), []byte("\x0f{\"job\":\"00\"} zz"), append([]byte{0xff, 0xff, 3}, make([]byte, 1<<16)...)} {
			m, err := nc.Request("marsgym.run.test."+what+".hostile", b, 5*time.Second)
			if err != nil || !strings.Contains(string(m.Data), `"ok":false`) {
				t.Errorf("%s with %d bytes: %v, %v; want a refusal", what, len(b), m, err)
			}
		}
	}
	nc.Publish("marsgym.worker.hostile", []byte(`{"identity": "x", "slots": -1}`))
	nc.Publish("marsgym.worker.hostile", random)
	// The queue of the coordinator's identity takes anything.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	queue := "marsgym.job." + cluster.IdentityToken("x") + ".test"
	for _, b := range [][]byte{random, []byte(`{"run": "../..", "kind": "hash"}`), []byte(`{"run": "test", "kind": "hash", "inputs": [{"sha256": "00", "size": 1}]}`), []byte(`{"run": "test", "kind": "hash", "inputs": [{"sha256": "` + strings.Repeat("1", 64) + `", "size": 9999999999}]}`)} {
		if _, err := nc.Request(queue, b, 5*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() {
		ended <- cluster.Work(ctx, cluster.WorkOptions{Access: a, Identity: "x", Kinds: kinds, Slots: 1, Log: l.add})
	}()
	check(t, c, 4, 10)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := strings.Count(l.text(), "a job is refused"); n != 4 {
		t.Errorf("%d jobs were refused; want 4: %q", n, l.text())
	}
	for _, want := range []string{`a job of kind "hash" in run "../.." with 0 inputs`, "a digest has 2 digits; want 64", "an input of 9999999999 bytes; want at most"} {
		if !strings.Contains(l.text(), "a job is refused: ") || !strings.Contains(l.text(), want) {
			t.Errorf("no job is refused because of %q: %q", want, l.text())
		}
	}
}
