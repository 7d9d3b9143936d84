package broker

import (
	"fmt"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"marsgym/internal/cluster"
	"marsgym/internal/input"
)

// readKeys reads the keys that may connect. A line is "worker KEY" or "coordinator KEY", and
// may have more words; empty lines and those that begin with # are skipped.
func readKeys(path string) ([]*server.NkeyUser, error) {
	text, err := input.ReadFile(path, input.Settings)
	if err != nil {
		return nil, err
	}
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
			u.Permissions = &server.Permissions{
				Publish: &server.SubjectPermission{Allow: publish}, Subscribe: &server.SubjectPermission{Allow: subscribe},
			}
		case "coordinator": // all subjects
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
