package drivers_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"go.uber.org/goleak"

	_ "github.com/lockstep-sim/lockstep/impl/drivers/consul"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/embedded/consul"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/embedded/etcd"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/embedded/redis"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/embedded/sqlite"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/embedded/zk"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/etcd"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/mysql"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/postgres"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/redis"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/sqlite"
	_ "github.com/lockstep-sim/lockstep/impl/drivers/zk"
	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/impl/embedded/etcd"
	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

func TestMain(m *testing.M) {
	logging.Disable() // go-redis reports the servers that the tests do not have
	goleak.VerifyTestMain(m)
}

func TestEverySchemeIsRegistered(t *testing.T) {
	want := []string{"consul", "embedded:consul", "embedded:etcd", "embedded:redis", "embedded:sqlite", "embedded:zk",
		"etcd", "mysql", "postgres", "redis", "rediss", "redlock", "sqlite", "zk"}
	if got := lock.Schemes(); !slices.Equal(got, want) {
		t.Errorf("Schemes() = %v, want %v", got, want)
	}
}

// works opens a URL, takes a lock, sees that it excludes, and closes.
func works(t *testing.T, rawURL string) {
	t.Helper()
	c, err := lock.Open(t.Context(), rawURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("second Close = %v", err)
		}
		if _, err := c.Acquire(t.Context(), "order:1"); !errors.Is(err, lock.ErrClosed) {
			t.Errorf("Acquire after Close = %v, want ErrClosed", err)
		}
	}()
	for range 2 {
		lease, err := c.Acquire(t.Context(), "order:1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.TryAcquire(t.Context(), "order:1"); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("TryAcquire of a lock that is held = %v, want ErrNotAcquired", err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Errorf("Release = %v", err)
		}
	}
}

func TestEmbeddedBackendsOpen(t *testing.T) {
	for _, rawURL := range []string{
		"embedded:redis", "embedded:redis?ttl=5s&fencing=true&kind=fair", "embedded:redis?kind=reentrant&renew=false",
		"embedded:zk", "embedded:zk?ttl=10s", "embedded:etcd?ttl=5s", "embedded:consul", "embedded:consul?ttl=3s&lockdelay=1s",
		"embedded:sqlite", "embedded:sqlite?ttl=5s&table=my_locks",
	} {
		t.Run(rawURL, func(t *testing.T) { works(t, rawURL) })
	}
}

func TestServersOpen(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		works(t, "sqlite://"+filepath.ToSlash(filepath.Join(t.TempDir(), "locks.db")))
	})
	t.Run("redis", func(t *testing.T) {
		server := listenRedis(t)
		works(t, server+"/0?ttl=5s")
	})
	t.Run("redlock", func(t *testing.T) {
		hosts := []string{"127.0.0.1:1"} // one of them is down
		for range 4 {
			hosts = append(hosts, strings.TrimPrefix(listenRedis(t), "redis://"))
		}
		works(t, "redlock://"+strings.Join(hosts, ",")+"?timeout=1s&ttl=10s")
	})
	t.Run("zk", func(t *testing.T) {
		server, err := zk.Listen(zk.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Close() })
		works(t, "zk://alice:secret@"+server.Addr()+","+server.Addr()+"/locks")
	})
	t.Run("etcd", func(t *testing.T) {
		server, err := etcd.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Close() })
		works(t, "etcd://"+strings.TrimPrefix(server.Endpoint(), "http://"))
	})
	t.Run("consul", func(t *testing.T) {
		server, err := consul.Start(consul.Options{MinTTL: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Close() })
		works(t, "consul://:token@"+server.Addr()+"?ttl=2s&minttl=1s&lockdelay=0s")
	})
}

func TestDatabasesOpen(t *testing.T) {
	t.Run("postgres", func(t *testing.T) {
		addr := realserver.Postgres(t).Addr()
		works(t, "postgres://postgres@"+addr+"/postgres?sslmode=disable&ttl=5s")
		works(t, "postgres://postgres@"+addr+"/postgres?notify=false&table=other_locks")
	})
	t.Run("mysql", func(t *testing.T) {
		works(t, "mysql://lockstep:lockstep@"+realserver.MariaDB(t).Addr()+"/lockstep?ttl=5s")
	})
	t.Run("zk", func(t *testing.T) { works(t, "zk://"+realserver.ZooKeeper(t).Addr()) })
}

func listenRedis(t *testing.T) string {
	t.Helper()
	server, err := redisd.Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server.URL()
}

func TestAPasswordIsUsedAndNotShown(t *testing.T) {
	addr := realserver.Redis(t).Addr()
	admin := redis.NewClient(&redis.Options{Addr: addr, DisableIdentity: true})
	defer admin.Close()
	if err := admin.ConfigSet(t.Context(), "requirepass", "s3cret").Err(); err != nil {
		t.Fatal(err)
	}
	works(t, "redis://:s3cret@"+addr)
	_, err := lock.Open(t.Context(), "redis://:wr0ng@"+addr)
	if err == nil || !strings.Contains(err.Error(), "WRONGPASS") || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("Open = %v, want what the server says, without the password", err)
	}
}

func TestURLsThatCannotWorkAreOneClearError(t *testing.T) {
	for rawURL, say := range map[string]string{
		"redis://localhost?ttl=0s":            "ttl=0s is not a duration above zero",
		"redis://localhost?ttl=1ms":           "below the minimum of 10ms",
		"redis://localhost?ttl=soon":          "ttl=soon is not a duration",
		"redis://localhost?tll=5s":            `did you mean "ttl"?`,
		"redis://localhost?ttl=5s&ttl=6s":     "given 2 times",
		"redis://localhost?fencing=perhaps":   "neither true nor false",
		"redis://localhost?kind=faire":        "none of mutex, fair and reentrant",
		"redis://localhost/orders":            "not the number of a database",
		"redis://localhost,other":             "names 2 hosts",
		"redis://":                            "names no host",
		"redlock://a,b,c?fencing=true":        "unknown parameter",
		"embedded:redis?ttl=5ms":              "below the minimum",
		"embedded:zk?ttl=1ms":                 "",
		"embedded:etcd?ttl=1500ms":            "whole seconds",
		"embedded:consul?ttl=10ms":            "",
		"embedded:sqlite?ttl=1ms":             "below the minimum",
		"embedded:sqlite?path=x":              "unknown parameter",
		"embedded:mysql":                      "unknown scheme",
		"sqlite://host/x.db":                  "SQLite has no host",
		"sqlite://":                           "names no file",
		"zk://?ttl=5s":                        "names no host",
		"zk://localhost?session=5s":           "unknown parameter",
		"etcd://localhost?ttl=100ms":          "whole seconds",
		"consul://localhost?ttl=1s":           "",
		"postgres://localhost/db?ttl=1ms":     "below the minimum",
		"mysql://localhost/db?ttl=1ms":        "below the minimum",
		"mysql://localhost/db?table=x;drop":   "",
		"mysql://localhost/db?tls=of-course":  "",
		"postgres://localhost/db?sslmode=may": "",
	} {
		t.Run(rawURL, func(t *testing.T) {
			c, err := lock.Open(t.Context(), rawURL+dial(rawURL))
			if err == nil {
				_ = c.Close()
				t.Fatal("it opened")
			}
			if !strings.Contains(err.Error(), say) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q, want one line with %q", err, say)
			}
			if say != "" && !errors.Is(err, lock.ErrInvalid) {
				t.Errorf("error %v is not ErrInvalid", err)
			}
		})
	}
}

// dial bounds tests whose error is found late.
func dial(rawURL string) string {
	if strings.Contains(rawURL, "?") {
		return "&dial=1s"
	}
	return "?dial=1s"
}

func TestAServerThatIsNotThereIsAnErrorWithinTheDialTimeout(t *testing.T) {
	silent := listenSilently(t)
	for name, addr := range map[string]string{"refused": "127.0.0.1:1", "silent": silent} {
		for _, scheme := range []string{"redis", "rediss", "redlock", "zk", "etcd", "consul", "postgres", "mysql"} {
			t.Run(scheme+" "+name, func(t *testing.T) {
				begin := time.Now()
				c, err := lock.Open(t.Context(), scheme+"://user:s3cret@"+addr+"?dial=300ms")
				if err == nil {
					_ = c.Close()
					t.Fatal("it opened")
				}
				if took := time.Since(begin); took > 5*time.Second {
					t.Errorf("took %v for a dial timeout of 300ms", took)
				}
				if msg := err.Error(); !strings.Contains(msg, addr) || strings.Contains(msg, "s3cret") || strings.Contains(msg, "\n") {
					t.Errorf("error %q, want one line with the address and without the password", msg)
				}
			})
		}
	}
}

// listenSilently accepts connections and never answers.
func listenSilently(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var open []net.Conn
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open = append(open, c)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
		for _, c := range open {
			_ = c.Close()
		}
	})
	return l.Addr().String()
}

func TestOpenEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if c, err := lock.Open(ctx, "redis://"+listenSilently(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("Open = %v, %v; want context.Canceled", c, err)
	}
}
