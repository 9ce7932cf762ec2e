package gid_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/gid"
)

func TestTable(t *testing.T) {
	var table gid.Table[int]
	_, ok := table.Get(1)
	require.False(t, ok)
	table.Delete(1)
	const n = 1000
	for i := range n {
		table.Put(uintptr(i*448), i)
	}
	for i := range n {
		v, ok := table.Get(uintptr(i * 448))
		require.True(t, ok)
		require.Equal(t, i, v)
	}
	for i := 0; i < n; i += 2 {
		table.Delete(uintptr(i * 448))
	}
	for i := range n {
		_, ok := table.Get(uintptr(i * 448))
		require.Equal(t, i%2 == 1, ok)
	}
}

func TestTableReadersNeedNoLock(t *testing.T) {
	var table gid.Table[uintptr]
	table.Put(7, 7)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if v, ok := table.Get(7); !ok || v != 7 {
					t.Error("an entry that stays was not found")
					return
				}
			}
		})
	}
	for i := range uintptr(2000) {
		table.Put(100+i, i)
		if i%3 == 0 {
			table.Delete(100 + i)
		}
	}
	close(stop)
	readers.Wait()
}
