package runner

import "fmt"

// owners hands out the identities of grants and remembers whose they are. They
// are readable, A#1 for the first grant that client A asks for, where a real
// client takes random ones.
type owners struct {
	clients map[string]string
	counts  map[string]int
}

func newOwners() *owners {
	return &owners{clients: map[string]string{}, counts: map[string]int{}}
}

func (o *owners) next(client string) string {
	o.counts[client]++
	id := fmt.Sprintf("%s#%d", client, o.counts[client])
	o.clients[id] = client
	return id
}

// client is the name of the client that made the grant, or the identity itself
// where no client of the run did.
func (o *owners) client(grant string) string {
	if name, known := o.clients[grant]; known {
		return name
	}
	return grant
}
