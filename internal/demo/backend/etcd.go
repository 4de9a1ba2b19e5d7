package backend

import (
	"context"
	"strings"
	"time"

	"google.golang.org/grpc"

	"github.com/lockstep-sim/lockstep/impl/embedded/etcd"
	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func startEtcd(ctx context.Context, b *Backend, ttl time.Duration) error {
	cfg := etcdlock.Config{TTL: ttl}
	if _, err := cfg.WithDefaults(); err != nil {
		return err // before a server is started for nothing
	}
	server, err := etcd.Start(ctx)
	if err != nil {
		return err
	}
	b.close.add(server.Close)
	b.connect = func(context.Context) (lock.Locker, error) {
		client, err := server.NewClient(
			grpc.WithChainUnaryInterceptor(b.meter.unary), grpc.WithChainStreamInterceptor(b.meter.stream))
		if err != nil {
			return nil, err
		}
		b.close.add(client.Close)
		l, err := etcdlock.New(client, cfg)
		if err != nil {
			return nil, err
		}
		b.close.add(l.Close)
		return l, nil
	}
	return nil
}

// unary is a grpc.UnaryClientInterceptor.
func (m *meter) unary(
	ctx context.Context, method string, req, reply any, conn *grpc.ClientConn,
	next grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	m.count(false)
	return next(ctx, method, req, reply, conn, opts...)
}

// stream is a grpc.StreamClientInterceptor. Watches and keep-alives are streams
// on which every message to the server is a request.
func (m *meter) stream(
	ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string,
	next grpc.Streamer, opts ...grpc.CallOption,
) (grpc.ClientStream, error) {
	s, err := next(ctx, desc, conn, method, opts...)
	if err != nil {
		return nil, err
	}
	return countedStream{s, m, strings.HasSuffix(method, "/LeaseKeepAlive")}, nil
}

type countedStream struct {
	grpc.ClientStream
	meter     *meter
	keepAlive bool
}

// SendMsg implements grpc.ClientStream.
func (s countedStream) SendMsg(msg any) error {
	s.meter.count(s.keepAlive)
	return s.ClientStream.SendMsg(msg)
}
