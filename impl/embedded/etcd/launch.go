package etcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// Timing of the single member: the tick and the election timeout in
// milliseconds. A short election makes the start quick and [MinTTL] short.
const (
	tickMs     = 10
	electionMs = 100
)

// portTries bounds how often a start that found its port taken is repeated.
const portTries = 5

// startOnFreePorts picks ports and starts on them. Another process may take a
// port between the two, hence the repetition.
func (s *Server) startOnFreePorts(ctx context.Context) error {
	var err error
	for range portTries {
		if s.client, s.peer, err = freeURLs(); err != nil {
			return fmt.Errorf("embedded etcd: find a free port: %w", err)
		}
		s.running, err = launch(ctx, s.dir, s.client, s.peer)
		if !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("embedded etcd: start: %w", err)
	}
	return nil
}

// freeURLs finds two unused loopback ports. The server has to know its ports
// beforehand, because it advertises them in its member list.
func freeURLs() (client, peer url.URL, err error) {
	for _, u := range []*url.URL{&client, &peer} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return client, peer, err
		}
		defer l.Close()
		*u = url.URL{Scheme: "http", Host: l.Addr().String()}
	}
	return client, peer, nil
}

// launch starts a member and waits until it is ready.
func launch(ctx context.Context, dir string, client, peer url.URL) (*instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	open := newStreams()
	e, err := embed.StartEtcd(config(dir, client, peer, open))
	if err != nil {
		return nil, err
	}
	run := &instance{etcd: e, streams: open}
	select {
	case <-e.Server.ReadyNotify():
		return run, nil
	case err = <-e.Err():
	case <-ctx.Done():
		err = ctx.Err()
	}
	run.stop()
	return nil, err
}

func config(dir string, client, peer url.URL, open *streams) *embed.Config {
	cfg := embed.NewConfig()
	cfg.Name = "lockstep"
	cfg.Dir = dir
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.TickMs, cfg.ElectionMs = tickMs, electionMs
	cfg.UnsafeNoFsync = true // the data does not outlive the process
	cfg.EnableGRPCGateway = false
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	cfg.GRPCAdditionalServerOptions = []grpc.ServerOption{grpc.ChainStreamInterceptor(open.intercept)}
	return cfg
}

// stop ends the streams first: etcd's own shutdown waits for them for over 5 s.
func (i *instance) stop() {
	i.streams.end()
	i.etcd.Close()
}
