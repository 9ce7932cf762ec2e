// Package aio is the reactor for people who write coroutines: connections,
// listeners, files, processes and signals whose methods suspend the calling
// coroutine instead of blocking its loop. Called from any other goroutine they
// block that goroutine, so that code which knows nothing of coroutines works.
//
//	scheduler.Run(ctx, func(ctx context.Context) error {
//		l, err := aio.Listen(ctx, "tcp", "127.0.0.1:7777")
//		if err != nil {
//			return err
//		}
//		for {
//			conn, err := l.Accept() // suspends
//			if err != nil {
//				return err
//			}
//			scheduler.Go(ctx, func(context.Context) error {
//				defer conn.Close()
//				_, err := io.Copy(conn, conn)
//				return err
//			})
//		}
//	})
//
// # Who may call
//
// What is opened belongs to one loop, that of the ctx it was opened with, and closes
// with it. Whoever calls a method is told apart by the goroutine it runs on:
//
//   - A coroutine of that loop is suspended, and others run meanwhile.
//   - Any other goroutine blocks: the loop works for it. So crypto/tls, net/http and
//     database drivers run on these types unchanged; but see below for the pool of
//     database/sql. A coroutine of another loop is such a goroutine, and would hold
//     its own loop up; let it use connections of its own.
//   - A callback of the loop must do neither, and gets [scheduler.ErrNotCoroutine];
//     but Close, deadlines and options, which never wait, it may use.
//
// Functions that open something take a ctx, and with it a loop: they are called by a
// coroutine with its ctx, or by a goroutine off the loop that was given a ctx of the
// loop's, as the functions of scheduler.Offload are.
//
// # Database pools
//
// A driver of database/sql whose connections are of this package suspends the coroutine
// that queries. The pool above it does not: it waits on Go's channels and locks, which
// holds the loop, and for ever where another coroutine of the loop has what it waits
// for. In a call given to scheduler.Offload it may wait for whatever it likes: where in
// doubt, do so with the whole of a query and its rows, or of a transaction. Coroutines
// that call the pool themselves keep to these rules:
//
//   - Nobody waits for a free connection. SetMaxOpenConns is left alone; the limit is a
//     [scheduler.Semaphore], held until the rows are closed or the transaction has
//     ended, and its size is that of SetMaxIdleConns. A maximum, be it as large as the
//     number of coroutines, can be reached: after a cancellation the pool rolls the
//     transaction back in the background, and has its connection until then.
//   - A sql.DB is everybody's; a Conn, Tx, Stmt or Rows is one coroutine's.
//   - Rows are closed before their transaction is committed or rolled back.
//   - When the ctx of a query ends, the pool closes its rows on a goroutine of its own,
//     under a lock that the coroutine's next use of them takes. So Close of a driver's
//     rows must not read from the connection once ctx has ended, but give it up.
//
// A pool with a maximum replaces a lost connection on a goroutine of its own, with a
// ctx that has no loop: the driver then dials with one that it was given before.
//
// # Turns
//
// What can be done at once is done without a suspension, but not for ever: a coroutine
// whose calls have completed at once some ten times in a row, or have moved some
// hundred KiB, lets whoever is ready run before its next call begins. So a peer that
// floods its connection holds nobody up.
//
// # Cancellation
//
// Functions that take a ctx fail as soon as it has ended. Methods without one keep to
// the interfaces they implement: a cancellation of the coroutine interrupts one call,
// the one under way or the next, with an error that matches [context.Canceled]; later
// calls work, so that a deferred flush or close can. What had come when the
// interruption did is delivered, and the next call interrupted instead: no
// connection, datagram or byte is lost.
//
// # Deadlines and Close
//
// Deadlines follow the scheduler's clock, reach calls that wait already, and hold no
// loop. Close wakes whoever waits, and never waits itself, neither for the peer nor,
// off the loop, for the loop: from its return on nothing begins, and soon after the
// descriptor is closed.
package aio
