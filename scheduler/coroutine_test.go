package scheduler

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestHotPartOfACoroutineIsOneCacheLine(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("laid out for 64 bits")
	}
	const line = 64
	var c Coroutine
	require.EqualValues(t, line, unsafe.Offsetof(c.wakeErr)+unsafe.Sizeof(c.wakeErr))
	require.EqualValues(t, 3*line, unsafe.Sizeof(c))
}
