package likes

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// requestTable has the keys of requests, where they are the defence.
const requestTable = "like_requests"

// tables are the statement that creates the likes, before the unique index.
var tables = map[dialect.Kind]string{
	dialect.KindSQLite:   "id INTEGER PRIMARY KEY, post INTEGER NOT NULL, person TEXT NOT NULL, times INTEGER NOT NULL",
	dialect.KindPostgres: "id BIGSERIAL PRIMARY KEY, post BIGINT NOT NULL, person TEXT NOT NULL, times BIGINT NOT NULL",
	dialect.KindMySQL: "id BIGINT AUTO_INCREMENT PRIMARY KEY, post BIGINT NOT NULL, " +
		"person VARBINARY(255) NOT NULL, times BIGINT NOT NULL",
}

// CreateSchema creates the tables where they are missing.
func (s *Service) CreateSchema(ctx context.Context) error {
	columns := tables[s.db.Dialect().Kind()]
	if s.defence == Unique {
		columns += ", UNIQUE (post, person)"
	}
	if _, err := s.db.Exec(ctx, "CREATE TABLE IF NOT EXISTS likes ("+columns+")"); err != nil {
		return err
	}
	if s.defence == Idempotency {
		return s.requests.CreateSchema(ctx)
	}
	return nil
}

// Prepare makes the row that [Conditional] needs, as happens in practice when
// the person becomes one of the service's. The others need none.
func (s *Service) Prepare(ctx context.Context, post int64, person string) error {
	if s.defence != Conditional {
		return nil
	}
	_, err := s.db.Exec(ctx, "INSERT INTO likes (post, person, times) VALUES (?, ?, 0)", post, person)
	return err
}
