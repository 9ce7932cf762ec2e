//go:build unix

package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHTTPAsksItself(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(context.Background(), "", "", &out))
	require.Contains(t, out.String(), "hello over http\nhello over https\n")
}

// Clients of net/http's are served, over both, until an interrupt.
func TestHTTPServesStandardClients(t *testing.T) {
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(context.Background(), "127.0.0.1:0", "127.0.0.1:0", w) }()
	line, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	urls := regexp.MustCompile(`https?://\S+`).FindAllString(line, -1)
	require.Len(t, urls, 2)
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	client := &http.Client{Transport: transport}
	ask := func(method, url, body string) (int, string) {
		req, err := http.NewRequest(method, url, strings.NewReader(body))
		require.NoError(t, err)
		resp, err := client.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(answer)
	}
	for i, url := range urls {
		status, answer := ask(http.MethodGet, url, "")
		require.Equal(t, 200, status)
		require.Equal(t, []string{"hello over http\n", "hello over https\n"}[i], answer)
		status, _ = ask(http.MethodGet, url+"none", "")
		require.Equal(t, 404, status)
		long := strings.Repeat("shout ", 10_000)
		status, answer = ask(http.MethodPost, url, long)
		require.Equal(t, 200, status)
		require.Equal(t, strings.ToUpper(long), answer)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { ask(http.MethodGet, urls[0], "") })
	}
	all.Wait()
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
	require.NoError(t, <-ended, "with connections open that wait for a request")
	transport.CloseIdleConnections()
}
