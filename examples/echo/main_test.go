//go:build unix

package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEchoMeasuresItself(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(context.Background(), options{clients: 5, seconds: 0.05, size: 100_000}, &out))
	require.Regexp(t, `^listening on 127\.0\.0\.1:\d+\n[1-9]\d* round trips of 100000 bytes over 5 connections in`, out.String())
}

func TestEchoServesUntilItIsInterrupted(t *testing.T) {
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(context.Background(), options{listen: "127.0.0.1:0"}, w)
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	conn, err := net.Dial("tcp", strings.TrimSpace(strings.TrimPrefix(line, "listening on ")))
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "hello")
	require.NoError(t, err)
	buf := make([]byte, 5)
	_, err = io.ReadFull(conn, buf)
	require.NoError(t, err)
	require.Equal(t, "hello", string(buf))
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT)) // it waits for one by now: it has served
	require.NoError(t, <-ended)
	_, err = conn.Read(buf)
	require.Equal(t, io.EOF, err)
}
