package coro_test

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/coro"
)

// group is a Group that makes contexts whose bodies know them.
type group struct {
	*coro.Group
	root *coro.Context
}

func newGroup() group {
	root := new(coro.Context)
	return group{coro.NewGroup(root), root}
}

func (g group) make(body func(self *coro.Context)) *coro.Context {
	c := new(coro.Context)
	g.Make(c, func() { body(c) })
	return c
}

// checkGone waits until as many goroutines are left as there were: an ended
// context's goroutine may still be on its way out when its heir runs.
func checkGone(t *testing.T, before int) {
	t.Helper()
	for range 1_000_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

func TestSwitchGoesStraightFromOneToTheOther(t *testing.T) {
	before := runtime.NumGoroutine()
	g := newGroup()
	var got []string
	var a, b *coro.Context
	a = g.make(func(self *coro.Context) {
		for range 3 {
			got = append(got, "a")
			coro.Switch(self, b)
		}
	})
	b = g.make(func(self *coro.Context) {
		for range 3 {
			got = append(got, "b")
			coro.Switch(self, a)
		}
	})
	g.Enter(a) // a ends, after b parked in the switch to it
	require.Equal(t, []string{"a", "b", "a", "b", "a", "b"}, got)
	require.Equal(t, 1, g.Live())
	g.Enter(b)
	require.Zero(t, g.Live())
	checkGone(t, before)
}

// The one parked in the birth slot of a context that ends is seldom its heir.
func TestExitWakesTheHeirAndNotABystander(t *testing.T) {
	before := runtime.NumGoroutine()
	g := newGroup()
	var got []string
	var a, b, c *coro.Context
	a = g.make(func(self *coro.Context) {
		got = append(got, "a1")
		coro.Switch(self, b)
		got = append(got, "a2")
		coro.Switch(self, c)
		got = append(got, "a3")
	})
	b = g.make(func(self *coro.Context) {
		got = append(got, "b1")
		coro.Switch(self, a)
		got = append(got, "b2")
		self.SetHeir(c)
	})
	c = g.make(func(self *coro.Context) {
		got = append(got, "c1")
		coro.Switch(self, b)
		got = append(got, "c2")
		self.SetHeir(a)
	})
	g.Enter(a)
	require.Equal(t, []string{"a1", "b1", "a2", "c1", "b2", "c2", "a3"}, got)
	require.Zero(t, g.Live())
	checkGone(t, before)
}

func TestPanicAtTheBottomReachesTheRoot(t *testing.T) {
	before := runtime.NumGoroutine()
	g := newGroup()
	other := g.make(func(self *coro.Context) {
		coro.Switch(self, g.make(func(self *coro.Context) {
			panic("lost?")
		}))
	})
	func() {
		defer func() {
			f, ok := recover().(*coro.Fault)
			require.True(t, ok)
			require.Equal(t, "lost?", f.Value)
			require.Contains(t, string(f.Stack), "TestPanicAtTheBottom")
		}()
		g.Enter(other)
		t.Error("the panic vanished")
	}()
	require.Equal(t, 1, g.Live())
	g.Enter(other)
	require.Zero(t, g.Live())
	checkGone(t, before)
}

// A Goexit must end its own context alone, whoever is parked in its birth slot
// and by whichever of the two swaps.
func TestGoexitEndsOneContextAlone(t *testing.T) {
	for extra := range 4 {
		before := runtime.NumGoroutine()
		g := newGroup()
		var got []string
		var dying, other *coro.Context
		dying = g.make(func(self *coro.Context) {
			defer func() { got = append(got, "deferred") }()
			for range extra { // flips who is parked in the birth slot, and how
				coro.Switch(self, other)
			}
			self.SetHeir(other)
			runtime.Goexit()
		})
		other = g.make(func(self *coro.Context) {
			defer func() { got = append(got, "other ended") }()
			for range extra {
				coro.Switch(self, dying)
			}
			got = append(got, "heir")
		})
		g.Enter(dying)
		got = append(got, "root")
		require.Equal(t, []string{"deferred", "heir", "other ended", "root"}, got, "extra %d", extra)
		require.Zero(t, g.Live())
		checkGone(t, before)
	}
}

func TestDeferredCallsOfAGoexitMaySwitch(t *testing.T) {
	g := newGroup()
	var got []string
	c := g.make(func(self *coro.Context) {
		defer func() {
			got = append(got, "before")
			coro.Switch(self, g.root)
			got = append(got, "after")
		}()
		runtime.Goexit()
	})
	g.Enter(c)
	got = append(got, "root")
	g.Enter(c)
	require.Equal(t, []string{"before", "root", "after"}, got)
	require.Zero(t, g.Live())
}

func TestLockedThread(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		stress(t, rand.New(rand.NewPCG(1, 2)), 50, 2000)
	}()
	<-done
}

// stress moves control about at random between contexts that are made, end,
// panic and call Goexit, on stacks that grow, with garbage collections between.
func stress(t *testing.T, rng *rand.Rand, population, steps int) {
	before := runtime.NumGoroutine()
	g := newGroup()
	running := g.root
	var parked []*coro.Context // all but the one that runs and the root
	ends, panics := 0, 0

	pick := func() *coro.Context {
		i := rng.IntN(len(parked))
		c := parked[i]
		parked[i] = parked[len(parked)-1]
		parked = parked[:len(parked)-1]
		return c
	}
	var body func(self *coro.Context)
	hop := func(self *coro.Context) {
		steps--
		var to *coro.Context
		switch {
		case len(parked) < population && (len(parked) == 0 || rng.IntN(3) == 0):
			to = g.make(body)
		case rng.IntN(20) == 0:
			to = g.root
		default:
			to = pick()
		}
		parked = append(parked, self)
		coro.Switch(self, to)
		running = self
	}
	var deep func(self *coro.Context, depth int) int
	deep = func(self *coro.Context, depth int) int {
		var pad [256]byte
		pad[depth%256] = byte(depth)
		if depth == 0 {
			hop(self)
			return int(pad[0])
		}
		return deep(self, depth-1) + int(pad[depth%256])
	}
	body = func(self *coro.Context) {
		running = self
		defer func() { ends++ }()
		for steps > 0 {
			if running != self {
				t.Errorf("two contexts run at once")
			}
			switch n := rng.IntN(100); {
			case n < 70:
				hop(self)
			case n < 80:
				deep(self, rng.IntN(200))
			case n < 81:
				runtime.GC()
				hop(self)
			default:
				if len(parked) == 0 {
					hop(self)
					continue
				}
				if n < 85 {
					panics++
					self.SetHeir(parked[0])
					panic("at random") // its heir is the root, whatever was named
				}
				self.SetHeir(pick())
				if n < 92 {
					runtime.Goexit()
				}
				return
			}
		}
		if len(parked) > 0 {
			self.SetHeir(pick())
		} else {
			self.SetHeir(g.root)
		}
	}
	caught := 0
	enter := func(c *coro.Context) {
		defer func() {
			if v := recover(); v != nil {
				require.Equal(t, "at random", v.(*coro.Fault).Value)
				caught++
			}
		}()
		g.Enter(c)
	}
	enter(g.make(body))
	for len(parked) > 0 {
		enter(pick())
	}
	require.Zero(t, g.Live())
	require.Equal(t, panics, caught, "a panic was lost")
	require.Positive(t, ends)
	checkGone(t, before)
}

func TestStress(t *testing.T) {
	for seed := range uint64(20) {
		stress(t, rand.New(rand.NewPCG(seed, 7)), 1+int(seed)*5, 3000)
	}
}

func TestFaultStackNamesTheCulprit(t *testing.T) {
	g := newGroup()
	defer func() {
		f := recover().(*coro.Fault)
		require.True(t, strings.Contains(string(f.Stack), "culprit"))
	}()
	g.Enter(g.make(func(*coro.Context) { culprit() }))
}

//go:noinline
func culprit() { panic("x") }

func TestSwitchAllocatesNothing(t *testing.T) {
	g := newGroup()
	stop := false
	c := g.make(func(self *coro.Context) {
		for !stop {
			coro.Switch(self, g.root)
		}
	})
	require.Zero(t, testing.AllocsPerRun(1000, func() { g.Enter(c) }))
	stop = true
	g.Enter(c)
	require.Zero(t, g.Live())
}
