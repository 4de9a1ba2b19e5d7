package runner

import "fmt"

// owners hands out the identities of grants and remembers whose they are. They
// are readable, A#1 for the first grant that client A asks for, where a real
// client takes random ones.
type owners struct {
	clients map[string]string
	counts  map[string]int
}

// newOwners knows the clients themselves, too: under re-entry a client is the
// owner.
func newOwners(clients []string) *owners {
	o := &owners{clients: map[string]string{}, counts: map[string]int{}}
	for _, c := range clients {
		o.clients[c] = c
	}
	return o
}

func (o *owners) next(client string) string {
	o.counts[client]++
	id := fmt.Sprintf("%s#%d", client, o.counts[client])
	o.clients[id] = client
	return id
}

// client is the name of the client that made the grant, or empty where none did:
// a counter and a latch have values that are nobody's identity.
func (o *owners) client(grant string) string { return o.clients[grant] }
