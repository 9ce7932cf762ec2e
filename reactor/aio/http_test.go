//go:build unix

package aio_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// certificate is one for 127.0.0.1, and the pool of those who signed it.
func certificate(t testing.TB) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "test"},
		NotAfter:              time.Now().Add(time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// A handshake and an echo of crypto/tls, on two coroutines.
func TestTLSOnCoroutines(t *testing.T) {
	cert, pool := certificate(t)
	run(t, func(ctx context.Context) error {
		l := tls.NewListener(listen(t, ctx), &tls.Config{Certificates: []tls.Certificate{cert}})
		server := scheduler.Go(ctx, func(context.Context) error {
			c, err := l.Accept()
			require.NoError(t, err)
			_, err = io.Copy(struct{ io.Writer }{c}, struct{ io.Reader }{c})
			require.NoError(t, err)
			return c.Close()
		})
		raw, err := aio.Dial(ctx, "tcp", l.Addr().String())
		require.NoError(t, err)
		c := tls.Client(raw, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"})
		require.NoError(t, c.Handshake())
		want := strings.Repeat("hello over tls ", 100_000)
		writer := scheduler.Go(ctx, func(context.Context) error {
			_, err := io.WriteString(c, want)
			return errors.Join(err, c.CloseWrite())
		})
		got, err := io.ReadAll(c)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		require.NoError(t, writer.Await(ctx))
		require.NoError(t, server.Await(ctx))
		return errors.Join(c.Close(), l.Close())
	})
}

// net/http, which knows nothing of coroutines, on both ends.
func TestHTTPServesAndFetches(t *testing.T) {
	ctx := background(t)
	l := listen(t, ctx)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
		_, _ = io.WriteString(w, r.URL.Path)
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	transport := &http.Transport{DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
		var d aio.Dialer
		return d.DialContext(ctx, network, address)
	}}
	client := &http.Client{Transport: transport}
	for range 20 {
		resp, err := client.Post("http://"+l.Addr().String()+"/path", "text/plain", strings.NewReader("body "))
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, "body /path", string(body))
	}
	transport.CloseIdleConnections()
	require.NoError(t, server.Shutdown(context.Background()))
	require.ErrorIs(t, <-served, http.ErrServerClosed)
}

// Close of a server, called on the loop, waits for no goroutine that wants the loop.
func TestHTTPServerClosesFromTheLoop(t *testing.T) {
	run(t, func(ctx context.Context) error {
		l := listen(t, ctx)
		entered := make(chan struct{})
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(entered)
			<-r.Context().Done()
		})}
		served := scheduler.Offload(ctx, func(context.Context) (struct{}, error) { return struct{}{}, server.Serve(l) })
		c, err := aio.Dial(ctx, "tcp", l.Addr().String())
		require.NoError(t, err)
		_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		_, err = scheduler.Offload(ctx, func(context.Context) (struct{}, error) {
			<-entered
			return struct{}{}, nil
		}).Await(ctx)
		require.NoError(t, err)
		require.NoError(t, server.Close())
		_, err = served.Await(ctx)
		require.ErrorIs(t, err, http.ErrServerClosed)
		_, err = c.Read(make([]byte, 1))
		require.Error(t, err)
		return c.Close()
	})
}

// Requests and responses of net/http, read and written by coroutines.
func TestHTTPMessagesOnCoroutines(t *testing.T) {
	run(t, func(ctx context.Context) error {
		l := listen(t, ctx)
		server := scheduler.Go(ctx, func(context.Context) error {
			c, err := l.Accept()
			require.NoError(t, err)
			r := bufio.NewReader(c)
			for {
				req, err := http.ReadRequest(r)
				if err == io.EOF {
					return c.Close()
				}
				require.NoError(t, err)
				body, err := io.ReadAll(req.Body)
				require.NoError(t, err)
				resp := &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Request: req,
					ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(string(body)))}
				require.NoError(t, resp.Write(c))
			}
		})
		c, err := aio.Dial(ctx, "tcp", l.Addr().String())
		require.NoError(t, err)
		r := bufio.NewReader(c)
		for _, want := range []string{"one", "two"} {
			req, err := http.NewRequest("POST", "http://test/", strings.NewReader(want))
			require.NoError(t, err)
			require.NoError(t, req.Write(c))
			resp, err := http.ReadResponse(r, req)
			require.NoError(t, err)
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.Equal(t, want, string(body))
		}
		require.NoError(t, c.Close())
		require.NoError(t, server.Await(ctx))
		return l.Close()
	})
}
