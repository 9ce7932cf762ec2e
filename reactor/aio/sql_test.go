//go:build unix

package aio_test

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// ledger is a database of one number. A request is a line; the answer is a line ok,
// one for each row, and one with a dot.
type ledger struct {
	l                *aio.Listener
	total, rollbacks int
	held             *scheduler.Channel[string] // tells a test when a coroutine may be cancelled
}

// serve serves a ledger with coroutines of the loop of ctx until its listener closes.
func serve(t testing.TB, ctx context.Context) *ledger {
	g := &ledger{l: listen(t, ctx), held: scheduler.NewChannel[string](ctx, 1)}
	scheduler.Go(ctx, func(ctx context.Context) error {
		for {
			c, err := g.l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			require.NoError(t, err)
			scheduler.Go(ctx, func(ctx context.Context) error { return errors.Join(g.session(ctx, c), c.Close()) })
		}
	})
	return g
}

// session answers what comes on c until its other end has been closed.
func (g *ledger) session(ctx context.Context, c net.Conn) error {
	pending := 0
	for in := bufio.NewScanner(c); in.Scan(); {
		var command string
		var n int
		_, _ = fmt.Sscan(in.Text(), &command, &n)
		answer := "ok\n"
		switch command {
		case "square":
			answer += fmt.Sprintln(n * n)
		case "count":
			for i := range n {
				answer += fmt.Sprintln(i)
			}
		case "begin":
		case "rollback":
			g.rollbacks++
			pending = 0
		case "add":
			pending += n
		case "commit":
			g.total, pending = g.total+pending, 0
		case "total":
			answer += fmt.Sprintln(g.total + pending)
		case "stall", "trickle":
			if command == "trickle" {
				if _, err := io.WriteString(c, answer+"1\n2\n"); err != nil {
					return err
				}
			}
			if err := g.held.Send(ctx, command); err != nil {
				return err
			}
			continue
		case "hangup":
			return nil
		default:
			return fmt.Errorf("ledger: %q", in.Text())
		}
		if _, err := io.WriteString(c, answer+".\n"); err != nil {
			return err
		}
	}
	return nil
}

// sqlConnector, sqlConn, sqlStmt and sqlRows are a driver for ledgers, as it would be
// for net's connections; but for the loop, which a pool that opens a connection in the
// background cannot tell.
type sqlConnector struct {
	loop    context.Context
	address string
}

func (o *sqlConnector) Driver() driver.Driver { return nil }

func (o *sqlConnector) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := aio.Dial(ctx, "tcp", o.address)
	if errors.Is(err, scheduler.ErrNotCoroutine) {
		c, err = aio.Dial(o.loop, "tcp", o.address)
	}
	if err != nil {
		return nil, err
	}
	return &sqlConn{c: c, in: bufio.NewReader(c)}, nil
}

type sqlConn struct {
	c      *aio.Conn
	in     *bufio.Reader
	broken bool // an answer was not read to its end
}

func (c *sqlConn) IsValid() bool { return !c.broken }
func (c *sqlConn) Close() error  { return c.c.Close() }

func (c *sqlConn) Prepare(query string) (driver.Stmt, error) {
	return &sqlStmt{conn: c, query: query}, nil
}

func (c *sqlConn) Begin() (driver.Tx, error) {
	return c, c.do(context.Background(), "begin")
}

func (c *sqlConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	return c, c.do(ctx, "begin")
}

func (c *sqlConn) Commit() error   { return c.do(context.Background(), "commit") }
func (c *sqlConn) Rollback() error { return c.do(context.Background(), "rollback") }

// do sends a request whose answer has no rows.
func (c *sqlConn) do(ctx context.Context, request string) error {
	rows, err := c.query(ctx, request)
	if err != nil {
		return err
	}
	return rows.Close()
}

// query sends a request. The end of ctx interrupts it, and its rows, by the deadline.
func (c *sqlConn) query(ctx context.Context, request string) (*sqlRows, error) {
	if c.broken {
		return nil, driver.ErrBadConn
	}
	rows := &sqlRows{conn: c, ctx: ctx}
	rows.unwatch = context.AfterFunc(ctx, func() { _ = c.c.SetDeadline(time.Unix(1, 0)) })
	_, err := io.WriteString(c.c, request+"\n")
	for range 2 { // the ok, and what follows it
		if err == nil {
			err = rows.advance()
		}
	}
	if err != nil {
		return nil, errors.Join(rows.failure(err), rows.Close())
	}
	return rows, nil
}

type sqlStmt struct {
	conn  *sqlConn
	query string
}

func (s *sqlStmt) Close() error                               { return nil }
func (s *sqlStmt) NumInput() int                              { return -1 }
func (s *sqlStmt) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }
func (s *sqlStmt) Query([]driver.Value) (driver.Rows, error)  { return nil, driver.ErrSkip }

func (s *sqlStmt) request(args []driver.NamedValue) string {
	request := s.query
	for _, a := range args {
		request += fmt.Sprint(" ", a.Value)
	}
	return request
}

func (s *sqlStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return driver.ResultNoRows, s.conn.do(ctx, s.request(args))
}

func (s *sqlStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := s.conn.query(ctx, s.request(args))
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// sqlRows is one line ahead, so that who wants one row alone has read all of them.
type sqlRows struct {
	conn    *sqlConn
	ctx     context.Context
	unwatch func() bool
	next    string
}

const sqlEnd = "."

func (r *sqlRows) Columns() []string { return []string{"value"} }

func (r *sqlRows) advance() error {
	line, err := r.conn.in.ReadString('\n')
	if err == nil {
		r.next = strings.TrimSuffix(line, "\n")
	} else if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// failure is err, or the end of ctx where that has interrupted the connection.
func (r *sqlRows) failure(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return r.ctx.Err()
	}
	return err
}

func (r *sqlRows) Next(dest []driver.Value) error {
	if r.next == sqlEnd {
		return io.EOF
	}
	dest[0] = r.next
	return r.failure(r.advance())
}

// Close waits for nothing, for the pool may hold a lock meanwhile that a coroutine
// wants: a connection with rows to come is given up.
func (r *sqlRows) Close() error {
	if !r.unwatch() || r.next != sqlEnd {
		r.conn.broken = true
	}
	return nil
}

// withDB runs main with a pool of connections to a ledger on the same loop. Neither
// the loop nor the pool may leave anything behind.
func withDB(t *testing.T, main func(ctx context.Context, db *sql.DB, g *ledger)) {
	run(t, func(ctx context.Context) error {
		g := serve(t, ctx)
		db := sql.OpenDB(&sqlConnector{loop: ctx, address: g.l.Addr().String()})
		main(ctx, db, g)
		require.Zero(t, db.Stats().InUse)
		return errors.Join(db.Close(), g.l.Close())
	})
	require.Eventually(t, func() bool {
		buf := make([]byte, 1<<20)
		return !strings.Contains(string(buf[:runtime.Stack(buf, true)]), "database/sql.(*")
	}, 10*time.Second, time.Millisecond)
}

// square asks for n times n.
func square(t testing.TB, ctx context.Context, db *sql.DB, n int) {
	var got int
	require.NoError(t, db.QueryRowContext(ctx, "square", n).Scan(&got))
	require.Equal(t, n*n, got)
}

// each runs fn with 0 to n-1 on coroutines of their own, and waits for them.
func each(t testing.TB, ctx context.Context, n int, fn func(ctx context.Context, i int)) {
	var all []*scheduler.Coroutine
	for i := range n {
		all = append(all, scheduler.Go(ctx, func(ctx context.Context) error {
			fn(ctx, i)
			return nil
		}))
	}
	for _, co := range all {
		require.NoError(t, co.Await(ctx))
	}
}

// Coroutines query at once, each under its own ctx and on a connection of its own.
func TestSQLQueriesOnCoroutines(t *testing.T) {
	withDB(t, func(ctx context.Context, db *sql.DB, _ *ledger) {
		const n = 50
		all := 0
		each(t, ctx, n, func(ctx context.Context, i int) {
			rows, err := db.QueryContext(ctx, "count", i)
			require.NoError(t, err)
			all = max(all, db.Stats().InUse)
			for want := range i {
				var got int
				require.True(t, rows.Next())
				require.NoError(t, rows.Scan(&got))
				require.Equal(t, want, got)
			}
			require.False(t, rows.Next())
			require.NoError(t, rows.Err())
			require.NoError(t, rows.Close())
			square(t, ctx, db, i)
		})
		require.Equal(t, n, all)
	})
}

// A cancelled coroutine's query fails, be it before its first row or after, and its
// connection is dropped: the next to come gets no rest of an answer.
func TestSQLCancelledQueryDropsItsConnection(t *testing.T) {
	for _, query := range []string{"stall", "trickle"} {
		t.Run(query, func(t *testing.T) {
			withDB(t, func(ctx context.Context, db *sql.DB, g *ledger) {
				square(t, ctx, db, 2)
				var got error
				co := scheduler.Go(ctx, func(ctx context.Context) error {
					rows, err := db.QueryContext(ctx, query)
					if err != nil {
						got = err
						return nil
					}
					defer rows.Close()
					require.True(t, rows.Next())
					require.False(t, rows.Next())
					got = rows.Err()
					return nil
				})
				held, err := g.held.Recv(ctx)
				require.NoError(t, err)
				require.Equal(t, query, held)
				co.Cancel(nil)
				_ = co.Await(ctx)
				require.ErrorIs(t, got, context.Canceled)
				require.Zero(t, db.Stats().OpenConnections)
				square(t, ctx, db, 3)
				require.Equal(t, 1, db.Stats().OpenConnections)
			})
		})
	}
}

// A ctx of the query's own that ends does the same, and the coroutine goes on.
func TestSQLQueryEndsWithItsOwnCtx(t *testing.T) {
	withDB(t, func(ctx context.Context, db *sql.DB, g *ledger) {
		within, cancel := context.WithCancel(ctx)
		scheduler.Go(ctx, func(ctx context.Context) error {
			_, err := g.held.Recv(ctx)
			cancel()
			return err
		})
		require.ErrorIs(t, db.QueryRowContext(within, "stall").Scan(new(int)), context.Canceled)
		require.Zero(t, db.Stats().OpenConnections)
		square(t, ctx, db, 3)
	})
}

// idle waits until the pool has all its connections back: it rolls a transaction whose
// ctx has ended back on a goroutine of its own.
func idle(t testing.TB, ctx context.Context, db *sql.DB) {
	for db.Stats().InUse > 0 {
		require.NoError(t, scheduler.Yield(ctx))
	}
}

// Nobody sees what a transaction has done before it is committed, nor ever where it is
// rolled back, or its coroutine cancelled.
func TestSQLTransactions(t *testing.T) {
	total := func(ctx context.Context, q interface {
		QueryRowContext(context.Context, string, ...any) *sql.Row
	}) (n int) {
		require.NoError(t, q.QueryRowContext(ctx, "total").Scan(&n))
		return n
	}
	withDB(t, func(ctx context.Context, db *sql.DB, g *ledger) {
		for _, commit := range []bool{true, false} {
			tx, err := db.BeginTx(ctx, nil)
			require.NoError(t, err)
			before := g.total
			_, err = tx.ExecContext(ctx, "add", 5)
			require.NoError(t, err)
			require.Equal(t, before+5, total(ctx, tx))
			require.Equal(t, before, total(ctx, db))
			if commit {
				require.NoError(t, tx.Commit())
			} else {
				require.NoError(t, tx.Rollback())
			}
			require.Equal(t, 5, total(ctx, db))
		}
		co := scheduler.Go(ctx, func(ctx context.Context) error {
			tx, err := db.BeginTx(ctx, nil)
			require.NoError(t, err)
			defer tx.Rollback()
			_, err = tx.ExecContext(ctx, "add", 5)
			require.NoError(t, err)
			require.ErrorIs(t, tx.QueryRowContext(ctx, "stall").Scan(new(int)), context.Canceled)
			require.Error(t, tx.Commit())
			return nil
		})
		_, err := g.held.Recv(ctx)
		require.NoError(t, err)
		co.Cancel(nil)
		_ = co.Await(ctx)
		require.Equal(t, 5, total(ctx, db))
		idle(t, ctx, db)
	})
}

// What a pool at its limit waits on is a Go channel: the coroutine that does holds
// its loop, and with it the one that has the connection.
func TestSQLPoolAtItsLimitHoldsTheLoop(t *testing.T) {
	withDB(t, func(ctx context.Context, db *sql.DB, _ *ledger) {
		db.SetMaxOpenConns(1)
		only, err := db.Conn(ctx)
		require.NoError(t, err)
		ran := false
		other := scheduler.Go(ctx, func(context.Context) error { ran = true; return nil })
		within, cancel := context.WithCancel(ctx)
		go func() {
			for db.Stats().WaitCount == 0 {
				runtime.Gosched()
			}
			cancel()
		}()
		_, err = db.Conn(within)
		require.ErrorIs(t, err, context.Canceled)
		require.False(t, ran)
		require.NoError(t, only.Close())
		require.NoError(t, other.Await(ctx))
	})
}

// A semaphore limits coroutines as SetMaxOpenConns would, and suspends them.
func TestSQLSemaphoreIsTheLimit(t *testing.T) {
	withDB(t, func(ctx context.Context, db *sql.DB, _ *ledger) {
		const limit = 2
		db.SetMaxIdleConns(limit)
		sem := scheduler.NewSemaphore(limit)
		most := 0
		each(t, ctx, 20, func(ctx context.Context, i int) {
			require.NoError(t, sem.Acquire(ctx, 1))
			defer sem.Release(1)
			square(t, ctx, db, i)
			most = max(most, db.Stats().OpenConnections)
		})
		require.Equal(t, limit, most)
		require.Zero(t, db.Stats().WaitCount)
	})
}

// What the pool rolls back in the background keeps its connection when the semaphore
// has been released; the next query does not wait for it.
func TestSQLQueryDuringARollbackInTheBackground(t *testing.T) {
	withDB(t, func(ctx context.Context, db *sql.DB, g *ledger) {
		db.SetMaxIdleConns(1)
		sem := scheduler.NewSemaphore(1)
		co := scheduler.Go(ctx, func(ctx context.Context) error {
			require.NoError(t, sem.Acquire(ctx, 1))
			defer sem.Release(1)
			tx, err := db.BeginTx(ctx, nil)
			require.NoError(t, err)
			_, err = tx.ExecContext(ctx, "add", 5)
			require.NoError(t, err)
			require.NoError(t, g.held.Send(ctx, "begun"))
			return scheduler.AwaitShutdown(ctx)
		})
		_, err := g.held.Recv(ctx)
		require.NoError(t, err)
		co.Cancel(nil)
		require.NoError(t, sem.Acquire(ctx, 1))
		square(t, ctx, db, 3)
		sem.Release(1)
		idle(t, ctx, db)
		require.Zero(t, g.total)
		require.Equal(t, 1, g.rollbacks)
	})
}

// Off the loop the pool's own limit holds nobody up, though what replaces a connection
// that was lost is opened by a goroutine of the pool's.
func TestSQLOffloadedWaitsForThePool(t *testing.T) {
	withDB(t, func(ctx context.Context, db *sql.DB, _ *ledger) {
		db.SetMaxOpenConns(1)
		each(t, ctx, 20, func(ctx context.Context, i int) {
			_, err := scheduler.Offload(ctx, func(ctx context.Context) (struct{}, error) {
				if i%5 == 0 {
					require.ErrorIs(t, db.QueryRowContext(ctx, "hangup").Scan(new(int)), io.ErrUnexpectedEOF)
				}
				square(t, ctx, db, i)
				return struct{}{}, nil
			}).Await(ctx)
			require.NoError(t, err)
		})
		require.Equal(t, 1, db.Stats().OpenConnections)
	})
}
