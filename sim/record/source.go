package record

import (
	"runtime"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// module is the import path of this module, found at run time so that a fork
// under another path still works.
var module = func() string {
	pc, _, _, _ := runtime.Caller(0)
	name, _, _ := strings.Cut(runtime.FuncForPC(pc).Name(), "/sim/record")
	return name
}()

// locate is the source position of an event: the innermost frame of impl/ that
// is executing, or for the later events of an exchange that of its request.
func (r *Recorder) locate(e *trace.Event) trace.Source {
	src := e.Source
	if src.File == "" && r.k.InTask() {
		src = caller()
	}
	if e.Msg == 0 {
		return src
	}
	switch e.Kind {
	case trace.KindSend:
		r.sources[e.Msg] = src
	case trace.KindReceive, trace.KindLost:
		src = r.sources[e.Msg]
		delete(r.sources, e.Msg)
	default:
		if src.File == "" {
			src = r.sources[e.Msg]
		}
	}
	return src
}

// caller walks the stack to the first frame that lies in impl/ and shows what is
// sent. Where a sender was called from outside impl/, that is the sender.
func caller() trace.Source {
	var pcs [48]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var sender trace.Source
	for {
		f, more := frames.Next()
		rest, ok := strings.CutPrefix(f.Function, module+"/impl/")
		switch here := file(f); {
		case ok && teaches(rest, here):
			return trace.Source{File: here, Line: f.Line}
		case ok && sender == (trace.Source{}) && slices.Contains(senderFiles, here):
			sender = trace.Source{File: here, Line: f.Line}
		case sender != (trace.Source{}) && strings.HasPrefix(f.Function, module+"/sim/runner"), !more:
			return sender
		}
	}
}

// plumbing are the functions of impl/ that are no lock code: the clock, the
// servers, and what only hands a command on.
var plumbing = []string{"clock.", "embedded/", "redislock/internal/engine.Conn.", "redislock/internal/lua.",
	"consullock/internal/engine.API.txn", "sqllock/internal/table.Protocol.changed", "internal/sqlengine.Retry", "internal/sqlengine.(*Engine).Do", "etcdlock.caller.", "etcdlock/antipattern.base.ask", "etcdlock/antipattern.base.txn"}

// senders are the files whose functions send any statement of a database for
// others, and parts of the names of those that do so elsewhere. Names alone do
// not tell: the compiler puts what it inlines a function into in front.
var (
	senderFiles = []string{"impl/rowlock/tx.go", "impl/rowlock/config.go"}
	senderNames = []string{"Protocol.Exec.func"}
)

// teaches reports whether a function of impl/ is worth showing to a learner.
func teaches(function, file string) bool {
	return !slices.Contains(senderFiles, file) &&
		!slices.ContainsFunc(plumbing, func(p string) bool { return strings.HasPrefix(function, p) }) &&
		!slices.ContainsFunc(senderNames, func(p string) bool { return strings.Contains(function, p) })
}

// file is the path of a frame's file inside the module, wherever the module was
// built. It does not follow from the function's name: an inlined one is called
// after what it was inlined into.
func file(f runtime.Frame) string {
	if i := strings.LastIndex(f.File, "/impl/"); i >= 0 {
		return f.File[i+1:]
	}
	return ""
}
