package work

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Both servers answer with the same number of bytes, by which the load goes.
func TestServersGreetAlike(t *testing.T) {
	addresses := make(chan string, 1)
	go func() { _ = serveNetHTTP(0, func(a string) { addresses <- a }) }()
	c, err := net.Dial("tcp", <-addresses)
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Write([]byte(helloRequest))
	require.NoError(t, err)
	var read strings.Builder
	buf := make([]byte, 1<<10)
	for !strings.Contains(read.String(), hello) {
		n, err := c.Read(buf)
		require.NoError(t, err)
		read.Write(buf[:n])
	}
	require.Len(t, read.String(), len(greeting(time.Now())))

	r, err := http.ReadResponse(bufio.NewReader(strings.NewReader(greeting(time.Now()))), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.EqualValues(t, len(hello), r.ContentLength)
}
