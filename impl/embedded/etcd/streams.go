package etcd

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// streams ends the open watch and keep-alive streams of a server when it stops,
// with the status that a client gets from a server that has crashed.
type streams struct {
	ctx context.Context
	end context.CancelFunc
}

func newStreams() *streams {
	ctx, cancel := context.WithCancel(context.Background())
	return &streams{ctx: ctx, end: cancel}
}

// intercept is a grpc.StreamServerInterceptor.
func (s *streams) intercept(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	err := next(srv, boundStream{ServerStream: stream, ctx: ctx})
	if s.ctx.Err() != nil {
		return status.Error(codes.Unavailable, "the server is stopping")
	}
	return err
}

// boundStream is a stream whose context ends with the server as well.
type boundStream struct {
	grpc.ServerStream
	ctx context.Context
}

// Context implements grpc.ServerStream.
func (b boundStream) Context() context.Context { return b.ctx }
