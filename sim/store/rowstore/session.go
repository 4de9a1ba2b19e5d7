package rowstore

import (
	"database/sql/driver"
	"slices"
	"strconv"
	"time"

	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
)

// session is one connection at the server.
type session struct {
	db       *DB
	tx       *transaction // nil between transactions
	lockWait time.Duration
	saved    time.Duration // the bound before it was changed, as impl/rowlock keeps it in a variable
	waiting  *wait
	closed   bool
	idle     func() // cancels the end of an idle transaction
}

var _ sqlstore.Observed = (*session)(nil)

// Do implements sqlstore.Session.
func (s *session) Do(st sqlstore.Statement, done func(sqlstore.Answer)) {
	s.stopIdling()
	if s.closed {
		done(sqlstore.Answer{Err: s.db.fail(terminated)})
		return
	}
	args := make([]any, len(st.Args))
	for i, a := range st.Args {
		args[i] = a
	}
	parsed, err := parse(st.Text, args)
	if err != nil {
		err = s.db.explain(syntax, err.Error())
	}
	s.db.attempt(&running{session: s, st: parsed, err: err, done: done, snapshot: s.db.commits})
}

// Close implements sqlstore.Session.
func (s *session) Close() { s.end("rolled back: the connection is gone") }

// end closes the session, and says why if that undoes something.
func (s *session) end(why string) {
	s.stopIdling()
	if s.closed {
		return
	}
	s.closed = true
	undone := s.current()
	if s.waiting != nil {
		s.db.forget(s.waiting)
	}
	if undone != nil {
		s.db.rollback(undone)
		s.db.changed(why, s)
	}
	s.db.sessions = slices.DeleteFunc(s.db.sessions, func(o *session) bool { return o == s })
	s.db.wake()
}

// startIdling ends the session if its transaction stays idle for too long.
func (s *session) startIdling() {
	if s.db.cfg.Idle == 0 || s.tx == nil || s.closed {
		return
	}
	s.idle = s.db.cfg.After(s.db.cfg.Idle, func() {
		s.idle = nil
		s.end("rolled back: the transaction was idle for too long")
	})
}

func (s *session) stopIdling() {
	if s.idle != nil {
		s.idle()
		s.idle = nil
	}
}

// control carries out a statement about the transaction. It reports false for
// any other statement.
func (s *session) control(st *statement) (sqlstore.Answer, bool) {
	ok := sqlstore.Answer{Affected: -1}
	switch st.verb {
	case "BEGIN":
		s.begin()
	case "COMMIT":
		s.commit()
	case "ROLLBACK":
		if s.tx != nil {
			s.db.rollback(s.tx)
		}
		s.lockWait = s.afterTransaction()
	case "SAVEPOINT", "ROLLBACK TO", "RELEASE":
		return sqlstore.Answer{Affected: -1, Err: s.savepoint(st)}, true
	case "SET":
		for _, v := range st.settings {
			s.set(v)
		}
	default:
		return sqlstore.Answer{}, false
	}
	return ok, true
}

// begin starts a transaction. Within one, InnoDB commits what there is, and
// PostgreSQL only warns.
func (s *session) begin() {
	if s.tx != nil && !s.db.innodb() {
		return
	}
	if s.tx != nil {
		s.db.commit(s.tx)
	}
	s.tx = newTransaction(s, true)
}

func (s *session) commit() {
	switch {
	case s.tx == nil:
	case s.tx.broken:
		s.db.rollback(s.tx)
	default:
		s.db.commit(s.tx)
	}
	s.lockWait = s.afterTransaction()
}

// afterTransaction is the bound on waits: on PostgreSQL a setting that is LOCAL
// ends with the transaction.
func (s *session) afterTransaction() time.Duration {
	if s.db.innodb() {
		return s.lockWait
	}
	return s.db.cfg.LockWait
}

func (s *session) savepoint(st *statement) error {
	if s.tx == nil {
		if st.verb == "SAVEPOINT" && s.db.innodb() {
			return nil // it is forgotten at once
		}
		return s.db.explain(syntax, st.verb+" outside a transaction")
	}
	if st.verb == "SAVEPOINT" {
		s.tx.save(st.name)
		return nil
	}
	i := s.tx.savepoint(st.name)
	switch {
	case i < 0:
		return s.db.explain(syntax, "no savepoint "+st.name)
	case st.verb == "RELEASE":
		s.tx.saved = s.tx.saved[:i]
	default:
		s.tx.backTo(i)
	}
	return nil
}

// set changes the bound on waits: milliseconds on PostgreSQL, seconds on InnoDB.
// A value that is a variable puts back what the variable has kept.
func (s *session) set(v setting) {
	n, err := strconv.Atoi(v.value)
	switch {
	case v.name == "lock_timeout" && err == nil:
		s.lockWait = time.Duration(n) * time.Millisecond
	case v.name == "innodb_lock_wait_timeout" && err == nil:
		s.lockWait = time.Duration(n) * time.Second
	case v.name == "innodb_lock_wait_timeout":
		s.lockWait = s.saved
	case v.name[0] == '@':
		s.saved = s.lockWait
	}
}

// State implements sqlstore.Observed.
func (s *session) State() sqlstore.SessionState {
	tx := s.current()
	if tx == nil {
		return sqlstore.SessionState{}
	}
	out := sqlstore.SessionState{State: "in transaction"}
	if tx.broken {
		out.State = "aborted"
	}
	for _, r := range tx.locks {
		out.Holds = append(out.Holds, r.name())
	}
	for _, g := range tx.gaps {
		out.Holds = append(out.Holds, g.String())
	}
	if w := s.waiting; w != nil {
		out.State, out.Waits = "waiting", w.name()
		for _, b := range s.db.blockers(w) {
			out.For = append(out.For, b.session)
		}
	}
	return out
}

// View implements sqlstore.Observed.
func (s *session) View(query string) ([][]driver.Value, error) {
	tx, snapshot := s.current(), s.db.commits
	if tx != nil && tx.snapshot >= 0 {
		snapshot = tx.snapshot
	}
	return s.db.view(query, tx, snapshot)
}

// current is the transaction of the session, that of a single statement which
// waits included.
func (s *session) current() *transaction {
	if s.tx == nil && s.waiting != nil {
		return s.waiting.running.tx
	}
	return s.tx
}
