// Http serves HTTP/1.1, in the clear and over TLS, on coroutines: each connection is
// one, and reads its requests and writes its answers as straight-line code. The
// messages are those of net/http, the handshakes those of crypto/tls, unchanged:
//
//	go run ./examples/http
//
// starts both servers and asks each a question. With -listen and -listen-tls they
// serve until they are interrupted.
//
// A program that wants all of net/http's server gives it the listener, on goroutines
// of its own: http.Serve(listener, handler).
package main

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
	"flag"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func main() {
	plain := flag.String("listen", "", "address to serve HTTP on, until interrupted")
	secure := flag.String("listen-tls", "", "address to serve HTTPS on, until interrupted")
	flag.Parse()
	if err := run(context.Background(), *plain, *secure, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "http:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, plain, secure string, out io.Writer) error {
	return scheduler.Run(ctx, func(ctx context.Context) error {
		stay := plain != "" || secure != ""
		cert, roots, err := selfSigned()
		if err != nil {
			return err
		}
		http, err := listen(ctx, plain)
		if err != nil {
			return err
		}
		https, err := listen(ctx, secure)
		if err != nil {
			return err
		}
		secured := tls.NewListener(https, &tls.Config{Certificates: []tls.Certificate{cert}})
		scheduler.Go(ctx, func(ctx context.Context) error { return serve(ctx, http, hello) })
		scheduler.Go(ctx, func(ctx context.Context) error { return serve(ctx, secured, hello) })
		fmt.Fprintf(out, "serving http://%v/ and https://%v/\n", http.Addr(), https.Addr())
		if stay {
			_, err = aio.WaitSignal(ctx, os.Interrupt)
		} else {
			err = ask(ctx, http.Addr().String(), https.Addr().String(), roots, out)
		}
		scheduler.Current(ctx).Scheduler().Shutdown(nil)
		return err
	})
}

func listen(ctx context.Context, address string) (*aio.Listener, error) {
	if address == "" {
		address = "127.0.0.1:0"
	}
	return aio.Listen(ctx, "tcp", address)
}

// handler answers a request. It may suspend.
type handler func(ctx context.Context, req *http.Request) *http.Response

// hello greets, after a moment in which other coroutines run.
func hello(ctx context.Context, req *http.Request) *http.Response {
	if err := scheduler.Sleep(ctx, 10*time.Millisecond); err != nil {
		return text(req, http.StatusServiceUnavailable, "closing\n")
	}
	switch {
	case req.Method == http.MethodPost:
		body, err := io.ReadAll(io.LimitReader(req.Body, 1<<20))
		if err != nil {
			return text(req, http.StatusBadRequest, "cannot read that\n")
		}
		return text(req, http.StatusOK, strings.ToUpper(string(body)))
	case req.URL.Path == "/":
		scheme := "http"
		if req.TLS != nil {
			scheme = "https"
		}
		return text(req, http.StatusOK, fmt.Sprintf("hello over %s\n", scheme))
	}
	return text(req, http.StatusNotFound, "nothing here\n")
}

// text is an answer to req.
func text(req *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode:    status,
		ProtoMajor:    1,
		ProtoMinor:    1,
		Request:       req,
		Header:        http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
		Body:          io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)),
		Close:         req.Close,
	}
}

// serve accepts connections until l is closed or the loop shuts down.
func serve(ctx context.Context, l net.Listener, h handler) error {
	defer l.Close()
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) || errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
		scheduler.Go(ctx, func(ctx context.Context) error {
			defer conn.Close()
			talk(ctx, conn, h)
			return nil
		})
	}
}

// idle is how long a connection may be without a request.
const idle = 30 * time.Second

// talk answers one request after the other, until the peer or we have had enough.
func talk(ctx context.Context, conn net.Conn, h handler) {
	in, out := bufio.NewReader(conn), bufio.NewWriter(conn)
	for ctx.Err() == nil {
		if conn.SetReadDeadline(time.Now().Add(idle)) != nil {
			return
		}
		req, err := http.ReadRequest(in)
		if err != nil {
			return // it has left, is silent, or speaks something else
		}
		if secure, ok := conn.(*tls.Conn); ok {
			state := secure.ConnectionState()
			req.TLS = &state
		}
		resp := h(ctx, req)
		if resp.Write(out) != nil || out.Flush() != nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil || resp.Close {
			return
		}
	}
}

// ask asks both servers, at the same time.
func ask(ctx context.Context, plain, secure string, roots *x509.CertPool, out io.Writer) error {
	questions := []*scheduler.Future[string]{
		scheduler.Spawn(ctx, func(ctx context.Context) (string, error) {
			conn, err := aio.Dial(ctx, "tcp", plain)
			if err != nil {
				return "", err
			}
			defer conn.Close()
			return get(conn, "http://"+plain+"/")
		}),
		scheduler.Spawn(ctx, func(ctx context.Context) (string, error) {
			conn, err := aio.Dial(ctx, "tcp", secure)
			if err != nil {
				return "", err
			}
			tlsConn := tls.Client(conn, &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"})
			defer tlsConn.Close()
			return get(tlsConn, "https://"+secure+"/")
		}),
	}
	answers, err := scheduler.AwaitAll(ctx, questions...)
	for _, answer := range answers {
		fmt.Fprint(out, answer)
	}
	return err
}

// get asks for a page over conn.
func get(conn net.Conn, url string) (string, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	if err := req.Write(conn); err != nil {
		return "", err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// selfSigned is a certificate for 127.0.0.1, and whom to trust to trust it.
func selfSigned() (cert tls.Certificate, roots *x509.CertPool, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return cert, nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "example"},
		NotAfter:              time.Now().Add(24 * time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return cert, nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return cert, nil, err
	}
	roots = x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots, nil
}
