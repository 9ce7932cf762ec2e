package aio_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// children["ends"] is both ends of what BenchmarkProxy proxies: it sends chunks by one
// connection and has each back by the other before it sends the next.
func init() {
	children["ends"] = func() int {
		var addr string
		var chunk, times int
		if _, err := fmt.Sscan(os.Getenv("AIO_TEST_ENDS"), &addr, &chunk, &times); err != nil {
			return 1
		}
		var conns [2]net.Conn
		for i := range conns {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				return 1
			}
			conns[i] = c
		}
		buf, back := make([]byte, chunk), make([]byte, chunk)
		for range times {
			go func() { _, _ = conns[0].Write(buf) }()
			if _, err := io.ReadFull(conns[1], back); err != nil {
				return 1
			}
		}
		return 0
	}
}

// BenchmarkProxy is what a chunk costs a proxy: cpu-ns is its own time on the
// processor, without that of the peers, which are another process.
func BenchmarkProxy(b *testing.B) {
	for _, chunk := range []int{1 << 10, 64 << 10, 1 << 20} {
		for name, copying := range map[string]func(dst, src *aio.Conn) (int64, error){
			"plain": func(dst, src *aio.Conn) (int64, error) {
				return io.Copy(struct{ io.Writer }{dst}, struct{ io.Reader }{src})
			},
			"splice": func(dst, src *aio.Conn) (int64, error) { return io.Copy(dst, src) },
		} {
			b.Run(fmt.Sprintf("%dKiB/%s", chunk>>10, name), func(b *testing.B) {
				run(b, func(ctx context.Context) error {
					l := listen(b, ctx)
					defer l.Close()
					ends := exec.Command(os.Args[0])
					ends.Env = append(os.Environ(), "AIO_TEST_CHILD=ends", fmt.Sprintf("AIO_TEST_ENDS=%s %d %d", l.Addr(), chunk, b.N))
					require.NoError(b, ends.Start())
					var conns [2]*aio.Conn
					for i := range conns {
						c, err := l.Accept()
						require.NoError(b, err)
						conns[i] = c.(*aio.Conn)
						defer c.Close()
					}
					b.SetBytes(int64(chunk))
					b.ResetTimer()
					before := processorTime(b)
					n, err := copying(conns[1], conns[0])
					b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
					b.StopTimer()
					require.NoError(b, err)
					require.EqualValues(b, chunk*b.N, n)
					_, err = scheduler.Offload(ctx, func(context.Context) (struct{}, error) { return struct{}{}, ends.Wait() }).Await(ctx)
					return err
				})
			})
		}
	}
}

// processorTime is what this process has used so far.
func processorTime(b *testing.B) time.Duration {
	var r unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
