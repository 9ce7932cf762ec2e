package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/scheduler/schedtest"
)

// program is made of bytes: each coroutine takes the next one and does what it
// says, until there are none. It is state of the loop.
type program struct {
	code []byte
	at   int

	trace    []string
	ends     map[uint64]int // by coroutine, how often it ended
	spawned  []*scheduler.Coroutine
	parked   []*scheduler.Coroutine
	scopes   []*scheduler.Scope
	channel  *scheduler.Channel[int]
	sent     map[int]int // how often a value's Send succeeded
	received map[int]int
	mutex    scheduler.Mutex
	inside   int // coroutines that hold the mutex
	futures  []*scheduler.Future[int]
	pending  []*scheduler.Resolver[int]
	reported map[error]int
	failed   map[error]bool
}

var errPlanned = errors.New("planned")

func (p *program) next() (op byte, ok bool) {
	if p.at == len(p.code) {
		return 0, false
	}
	p.at++
	return p.code[p.at-1], true
}

func (p *program) note(ctx context.Context, format string, args ...any) {
	p.trace = append(p.trace, fmt.Sprintf("%d: ", scheduler.Current(ctx).ID())+fmt.Sprintf(format, args...))
}

// pick is an element of all, chosen by the program.
func pick[T any](p *program, all []T) (one T, ok bool) {
	n, _ := p.next()
	if len(all) == 0 {
		return one, false
	}
	return all[int(n)%len(all)], true
}

// spawn starts a coroutine that goes on with the program.
func (p *program) spawn(ctx context.Context, opts ...scheduler.SpawnOption) {
	c := scheduler.Go(ctx, p.body, opts...)
	p.spawned = append(p.spawned, c)
	c.Finally(func(c *scheduler.Coroutine) { p.ends[c.ID()]++ })
}

func (p *program) body(ctx context.Context) error {
	for {
		op, ok := p.next()
		if !ok {
			return nil
		}
		if done, err := p.step(ctx, op); done || err != nil {
			p.note(ctx, "ends with %v", err)
			return err
		}
	}
}

// step does what op says. Errors of waiting that is cut short are noted, and end
// the body now and then; most go on, to see what a cancelled coroutine can do.
func (p *program) step(ctx context.Context, op byte) (done bool, err error) {
	switch op % 24 {
	case 0, 1:
		p.spawn(ctx)
	case 2:
		err = scheduler.Yield(ctx)
	case 3:
		err = scheduler.Sleep(ctx, time.Duration(op)*time.Millisecond)
	case 4:
		late, cancel := scheduler.WithTimeout(ctx, time.Duration(op)*time.Millisecond)
		_, err = scheduler.Suspend(late)
		cancel()
	case 5:
		p.parked = append(p.parked, scheduler.Current(ctx))
		_, err = scheduler.Suspend(ctx)
	case 6:
		if c, ok := pick(p, p.parked); ok {
			p.note(ctx, "resumes %d: %v", c.ID(), c.Resume(nil) == nil)
		}
	case 7:
		if c, ok := pick(p, p.spawned); ok {
			c.Cancel(errPlanned)
		}
	case 8:
		var opts []scheduler.ScopeOption
		if op > 128 {
			opts = append(opts, scheduler.AllowZombies())
		}
		p.scopes = append(p.scopes, scheduler.NewScope(ctx, opts...))
	case 9:
		if sc, ok := pick(p, p.scopes); ok && !sc.Closed() {
			p.spawn(ctx, scheduler.In(sc))
		}
	case 10:
		if sc, ok := pick(p, p.scopes); ok {
			switch op / 24 % 4 {
			case 0:
				sc.Cancel(errPlanned)
			case 1:
				sc.Close()
			case 2:
				sc.Dispose()
			case 3:
				sc.DisposeSafely()
			}
		}
	case 11:
		if sc, ok := pick(p, p.scopes); ok {
			late, cancel := scheduler.WithTimeout(ctx, time.Second)
			err = sc.AwaitCompletion(late)
			cancel()
		}
	case 12, 13:
		v := p.at
		if err = p.channel.Send(ctx, v); err == nil {
			p.sent[v]++
		}
	case 14, 15:
		var v int
		if v, err = p.channel.Recv(ctx); err == nil {
			p.received[v]++
		}
	case 16:
		if op > 200 {
			p.channel.Close(nil)
		}
	case 17:
		if err = p.mutex.Lock(ctx); err == nil {
			if p.inside++; p.inside > 1 {
				return true, errors.New("two hold the mutex")
			}
			_ = scheduler.Yield(ctx)
			p.inside--
			p.mutex.Unlock()
		}
	case 18:
		f, r := scheduler.NewFuture[int](ctx)
		p.futures, p.pending = append(p.futures, f), append(p.pending, r)
	case 19:
		if r, ok := pick(p, p.pending); ok {
			p.note(ctx, "settles: %v", r.Complete(p.at) == nil)
		}
	case 20:
		if f, ok := pick(p, p.futures); ok {
			late, cancel := scheduler.WithTimeout(ctx, time.Second)
			_, err = f.Await(late)
			cancel()
		}
	case 21:
		err = scheduler.Protect(ctx, func(ctx context.Context) error {
			return scheduler.Sleep(ctx, time.Millisecond)
		})
	case 22:
		if c, ok := pick(p, p.spawned); ok {
			late, cancel := scheduler.WithTimeout(ctx, time.Second)
			err = c.Await(late)
			cancel()
			if p.failed[err] {
				err = nil // seen, whether or not it was reported too
			}
		}
	case 23:
		err := fmt.Errorf("failure at %d", p.at)
		p.failed[err] = true
		if op > 128 {
			panic(err)
		}
		return true, err
	}
	p.note(ctx, "%d: %v", op%24, err)
	return err != nil && op > 160, nil
}

// run runs the program and checks what must hold whatever it was.
func (p *program) run(t *testing.T, seed uint64) error {
	p.ends, p.sent, p.received = map[uint64]int{}, map[int]int{}, map[int]int{}
	p.reported, p.failed = map[error]int{}, map[error]bool{}
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		p.channel = scheduler.NewChannel[int](ctx, 1)
		report := func(err error) {
			var panicked *scheduler.PanicError
			if errors.As(err, &panicked) {
				err = panicked.Value.(error)
			}
			p.reported[err]++
		}
		scope := scheduler.Current(ctx).Scope()
		scope.OnError(func(_ *scheduler.Coroutine, err error) { report(err) })
		scope.OnChildError(func(_ *scheduler.Scope, _ *scheduler.Coroutine, err error) { report(err) })
		for range 3 {
			p.spawn(ctx)
		}
		return nil
	}, scheduler.WithSeed(seed), scheduler.WithClock(schedtest.NewClock(schedtest.Start)), scheduler.WithLogger(nil))

	var deadlock *scheduler.DeadlockError
	if err != nil && !errors.As(err, &deadlock) {
		t.Errorf("run: %v", err)
	}
	for _, c := range p.spawned {
		require.Equal(t, scheduler.Finished, c.State())
		require.Equal(t, 1, p.ends[c.ID()], "coroutine %d", c.ID())
	}
	delete(p.reported, scheduler.ErrScopeClosed) // one for each spawn that was refused
	for err, n := range p.reported {
		require.Equal(t, 1, n, "%v was reported more than once", err)
		require.True(t, p.failed[err], "%v was made up", err)
	}
	for v, n := range p.received {
		require.Equal(t, 1, n, "value %d", v)
		require.LessOrEqual(t, p.sent[v], 1)
	}
	for v, n := range p.sent {
		if p.received[v] == 0 {
			require.Equal(t, 1, n)
		}
	}
	lost := len(p.sent) - len(p.received)
	require.Equal(t, p.channel.Len(), lost, "what was sent and not received is in the buffer")
	return err
}

func checkProgram(t *testing.T, seed uint64, code []byte) {
	clean(t)
	first := program{code: code}
	err := first.run(t, seed)
	second := program{code: code}
	again := second.run(t, seed)
	require.Equal(t, first.trace, second.trace, "the same seed gives the same trace")
	require.Equal(t, err == nil, again == nil)
}

func FuzzProgram(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		code := make([]byte, 200)
		for i := range code {
			code[i] = byte(rng.Uint32())
		}
		f.Add(rng.Uint64(), code)
	}
	f.Fuzz(func(t *testing.T, seed uint64, code []byte) {
		if len(code) > 2000 {
			code = code[:2000]
		}
		checkProgram(t, seed, code)
	})
}

// Random programs, as many as a test has time for.
func TestRandomPrograms(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 30
	}
	for i := range uint64(n) {
		rng := rand.New(rand.NewPCG(i, 99))
		code := make([]byte, rng.IntN(400))
		for j := range code {
			code[j] = byte(rng.Uint32())
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) { checkProgram(t, i, code) })
	}
}
