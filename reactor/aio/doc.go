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
//     database drivers run on these types unchanged. A coroutine of another loop is
//     such a goroutine, and would hold its own loop up; let it use connections of its
//     own.
//   - A callback of the loop must do neither, and gets [scheduler.ErrNotCoroutine];
//     but Close, deadlines and options, which never wait, it may use.
//
// Functions that open something take a ctx, and with it a loop: they are called by a
// coroutine with its ctx, or by a goroutine off the loop that was given a ctx of the
// loop's, as the functions of scheduler.Offload are.
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
