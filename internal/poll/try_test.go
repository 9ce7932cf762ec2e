//go:build linux

package poll

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// GO-10: a kernel has been seen to say that it did more than it was asked for.
func TestFault_GO10_ImpossibleCounts(t *testing.T) {
	var e Readiness
	op := &Op{Buf: make([]byte, 8)}
	done, stop := e.wrote(&Desc{}, op, 9, 8, 0)
	require.True(t, done && stop)
	require.ErrorIs(t, op.Err, errImpossible)
	require.Zero(t, op.N)
	done, stop = e.wrote(&Desc{}, op, 0, 8, 0)
	require.True(t, done && stop)
	require.ErrorIs(t, op.Err, io.ErrUnexpectedEOF)
}

func TestConsume(t *testing.T) {
	op := &Op{Bufs: [][]byte{[]byte("ab"), nil, []byte("cde"), []byte("f")}}
	op.consume(0)
	op.consume(1)
	require.Equal(t, "b", string(op.Bufs[0]))
	op.consume(3)
	require.Len(t, op.Bufs, 2)
	require.Equal(t, "e", string(op.Bufs[0]))
	op.consume(2)
	require.Empty(t, op.Bufs)
}
