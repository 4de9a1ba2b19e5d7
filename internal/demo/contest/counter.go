package contest

import "sync"

// counter is what the lock protects. Reading and writing it are safe by
// themselves; the two together are not, and that is the point.
type counter struct {
	mu     sync.Mutex
	value  int64
	writes int64
}

func (c *counter) read() int64 {
	value, _ := c.state()
	return value
}

func (c *counter) write(v int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.value = v
	c.writes++
}

// state is the value and the number of writes that led to it.
func (c *counter) state() (value, writes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.value, c.writes
}
