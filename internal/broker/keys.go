package broker

import (
	"fmt"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"marsgym/internal/cluster"
	"marsgym/internal/input"
)

// connectAccounts lets the requests of workers in to the commands, before the server starts.
// Streams are those of the commands. What workers publish stays in their account, but for these
// requests. An answer to one goes to the account that it is from, so no request of a worker can
// have it put into a stream.
func connectAccounts(s *server.Server) error {
	in, err := s.LookupAccount(cluster.Commands)
	if err != nil {
		return err
	}
	out, err := s.LookupAccount(cluster.Workers)
	if err != nil {
		return err
	}
	services, streams := cluster.Exports()
	// With the last one the server leaves out its own JetStream subjects for workers.
	for _, subject := range append(services, server.JSApiAccountInfo) {
		if err := in.AddServiceExport(subject, []*server.Account{out}); err != nil {
			return err
		}
		if err := out.AddServiceImport(in, subject, subject); err != nil {
			return err
		}
	}
	for _, subject := range streams {
		if err := in.AddStreamExport(subject, []*server.Account{out}); err != nil {
			return err
		}
		if err := out.AddStreamImport(in, subject, ""); err != nil {
			return err
		}
	}
	return nil
}

// readKeys reads the keys that may connect. A line is "worker KEY" or "coordinator KEY", and
// may have more words; empty lines and those that begin with # are skipped.
func readKeys(path string) ([]*server.NkeyUser, error) {
	text, err := input.ReadFile(path, input.Settings)
	if err != nil {
		return nil, err
	}
	return parseKeys(path, text)
}

// parseKeys reads the text of the file at path.
func parseKeys(path string, text []byte) ([]*server.NkeyUser, error) {
	var users []*server.NkeyUser
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) < 2 || !nkeys.IsValidPublicUserKey(words[1]) {
			return nil, fmt.Errorf("%s, line %d: want worker KEY or coordinator KEY, with a key that -new-key printed", path, n)
		}
		u := &server.NkeyUser{Nkey: words[1]}
		switch words[0] {
		case "worker":
			publish, subscribe := cluster.WorkerSubjects(words[1])
			u.Account = server.NewAccount(cluster.Workers)
			u.Permissions = &server.Permissions{
				Publish: &server.SubjectPermission{Allow: publish}, Subscribe: &server.SubjectPermission{Allow: subscribe},
			}
		case "coordinator": // all subjects
			u.Account = server.NewAccount(cluster.Commands)
		default:
			return nil, fmt.Errorf("%s, line %d: %s is neither worker nor coordinator", path, n, input.Quote(words[0]))
		}
		users = append(users, u)
	}
	if len(users) == 0 {
		return nil, fmt.Errorf("%s has no keys", path)
	}
	return users, nil
}
