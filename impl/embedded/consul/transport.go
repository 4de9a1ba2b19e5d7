package consul

import (
	"bytes"
	"io"
	"net/http"
)

// Transport serves the HTTP API of s without a network: each request is answered
// in the goroutine that sends it, and a blocking query blocks that goroutine on
// the clock of s. It starts no goroutine of its own.
//
// Give it to a client as api.Config{HttpClient: &http.Client{Transport: t}}.
func Transport(s *Store) http.RoundTripper { return transport{Handler(s)} }

type transport struct{ handler http.Handler }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	answer := &recorder{header: make(http.Header), status: http.StatusOK}
	t.handler.ServeHTTP(answer, r)
	// As on a network, a caller that has given up does not get the answer.
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return answer.response(r), nil
}

// recorder keeps the answer of a handler.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(p []byte) (int, error) { return w.body.Write(p) }

func (w *recorder) response(r *http.Request) *http.Response {
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body),
		ContentLength: int64(w.body.Len()), Request: r,
	}
}
