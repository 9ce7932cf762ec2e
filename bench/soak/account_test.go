package main

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// faithful is a connection on which all went well.
func faithful(k kind) *account {
	a := &account{id: 1, kind: k}
	a.finished.Store(true)
	a.sent.Store(100)
	a.arrived.Store(100)
	if k == acks {
		a.returned.Store(8)
		a.back.Store(8)
		a.acknowledged.Store(100)
	} else {
		a.returned.Store(100)
		a.back.Store(100)
	}
	return a
}

func TestAccountWithoutFaults(t *testing.T) {
	for k := range kinds {
		require.Empty(t, faithful(k).faults())
	}
}

func TestFaultsOfAConnectionThatNobodyBroke(t *testing.T) {
	for name, spoil := range map[string]func(*account){
		"lost on the way there":     func(a *account) { a.arrived.Store(99); a.acknowledged.Store(99) },
		"lost on the way back":      func(a *account) { a.back.Store(7) },
		"never acknowledged":        func(a *account) { a.acknowledged.Store(92) },
		"no end":                    func(a *account) { a.finished.Store(false) },
		"an error":                  func(a *account) { a.fail("client", io.ErrClosedPipe) },
		"bytes of another":          func(a *account) { a.fail("server", errMismatch) },
		"more than was sent":        func(a *account) { a.sent.Store(99) },
		"acknowledged, not arrived": func(a *account) { a.acknowledged.Store(101) },
	} {
		t.Run(name, func(t *testing.T) {
			a := faithful(acks)
			spoil(a)
			require.NotEmpty(t, a.faults())
		})
	}
}

func TestABrokenConnectionMayLoseBytesButNotInventThem(t *testing.T) {
	broken := func() *account {
		a := faithful(echo)
		a.clientBroke.Store(true)
		a.finished.Store(false)
		return a
	}
	a := broken()
	a.arrived.Store(50)
	a.back.Store(20)
	a.fail("client", errors.New("reset"))
	require.Empty(t, a.faults())

	a = broken()
	a.arrived.Store(101)
	require.NotEmpty(t, a.faults())

	a = broken()
	a.fail("server", errMismatch)
	require.NotEmpty(t, a.faults())
	a.torn.Store(true)
	require.Empty(t, a.faults())
}

func TestLedger(t *testing.T) {
	l := newLedger(5)
	a := l.open(echo)
	require.Equal(t, uint64(6), a.id)
	require.Same(t, a, l.account(6))
	require.Nil(t, l.account(7))
	a.arrived.Store(3) // more than was sent
	bytes, faults := l.close()
	require.Equal(t, int64(3), bytes)
	require.NotEmpty(t, faults)
}

func TestLedgerBreaksAll(t *testing.T) {
	l := newLedger(0)
	before := l.open(echo)
	require.False(t, before.broken())
	l.breakAll()
	require.True(t, before.broken())
	require.True(t, l.open(echo).broken())
}
