// In package broker for what reads the file of keys.
package broker

import (
	"strings"
	"testing"

	"github.com/nats-io/nkeys"

	"marsgym/internal/cluster"
)

func FuzzKeys(f *testing.F) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		f.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		f.Fatal(err)
	}
	f.Add("# keys\n\nworker " + public + " of the first machine\r\ncoordinator " + public)
	f.Add("worker\x00 " + public + "\ncoordinator UA\xff\n worker > ")
	f.Fuzz(func(t *testing.T, text string) {
		users, err := parseKeys("keys", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "keys") || len(err.Error()) > 300 {
				t.Errorf("%q", err)
			}
			return
		}
		for _, u := range users {
			if !nkeys.IsValidPublicUserKey(u.Nkey) || !strings.Contains(text, u.Nkey) {
				t.Errorf("key %q", u.Nkey)
			}
			if worker := u.Account.Name == cluster.Workers; worker != (u.Permissions != nil) || !worker && !strings.Contains(text, "coordinator") {
				t.Errorf("%s has the account %s, and the permissions %v", u.Nkey, u.Account.Name, u.Permissions)
			}
		}
	})
}
