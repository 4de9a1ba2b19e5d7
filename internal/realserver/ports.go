package realserver

import (
	"errors"
	"fmt"
)

// onFreePort calls start with an unused loopback port, and again with another
// one as long as the server exits at once, as it does when somebody else was
// faster to take the port.
func onFreePort(start func(port int) error) error {
	for try := 1; ; try++ {
		port, err := freePort()
		if err != nil {
			return fmt.Errorf("find a free port: %w", err)
		}
		if err = start(port); !errors.Is(err, errExited) || try == portTries {
			return err
		}
	}
}
