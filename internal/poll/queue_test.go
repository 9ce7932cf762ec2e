//go:build linux

package poll

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQueueKeepsItsOrder(t *testing.T) {
	var q queue
	ops := make([]*Op, 5)
	for i := range ops {
		ops[i] = &Op{N: i}
		q.push(ops[i])
	}
	for _, i := range []int{2, 0, 4} { // from the middle and both ends
		q.remove(ops[i])
		require.Nil(t, ops[i].in)
	}
	q.push(ops[0])
	var got []int
	for q.head != nil {
		got = append(got, q.head.N)
		q.remove(q.head)
	}
	require.Equal(t, []int{1, 3, 0}, got)
	require.Nil(t, q.tail)
}
