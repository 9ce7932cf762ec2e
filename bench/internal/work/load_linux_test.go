package work

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serving runs an echo server in this process and returns its address.
func serving(t *testing.T, serve func(c net.Conn)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return l.Addr().String()
}

func TestLoadCountsEveryRequest(t *testing.T) {
	address := serving(t, func(c net.Conn) { _, _ = io.Copy(c, c) })
	l, err := newLoad(address, traffic{request: make([]byte, 1<<20), answer: 1 << 20, connections: 3}) // more than a socket's buffers hold
	require.NoError(t, err)
	defer l.close()
	for _, n := range []int{1, 3, 20} {
		require.NoError(t, l.run(n))
		require.Len(t, l.latencies, n)
		require.Positive(t, l.elapsed)
		require.Positive(t, l.cpuShare())
	}
}

func TestLoadFailsWithItsServer(t *testing.T) {
	address := serving(t, func(c net.Conn) {
		_, _ = io.ReadFull(c, make([]byte, 64))
		c.Close()
	})
	l, err := newLoad(address, traffic{request: make([]byte, 64), answer: 64, connections: 1})
	require.NoError(t, err)
	defer l.close()
	require.ErrorIs(t, l.run(1), io.ErrUnexpectedEOF)
}

func TestPermille(t *testing.T) {
	var l load
	for i := range 2000 {
		l.latencies = append(l.latencies, time.Duration(i+1))
	}
	require.Equal(t, time.Duration(1980), l.permille(990))
	require.Equal(t, time.Duration(1998), l.permille(999))
	require.Equal(t, time.Duration(1000), l.permille(500))
	require.Equal(t, time.Duration(2000), l.permille(1000))
	l.latencies = l.latencies[:1]
	require.Equal(t, time.Duration(1), l.permille(990))
}
