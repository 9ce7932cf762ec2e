package taskgroup_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

// A random group is driven by random coroutines, in a random order of the
// scheduler, and every task is accounted for.
func TestRandomGroupsAccountForEveryTask(t *testing.T) {
	n := 1500
	if testing.Short() {
		n = 100
	}
	clean(t)
	for seed := range uint64(n) {
		drive(t, seed)
	}
}

func FuzzGroup(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(drive)
}

// drive runs the random group of a seed.
func drive(t *testing.T, seed uint64) {
	m := &model{t: t, rng: rand.New(rand.NewPCG(seed, 7)), tasks: map[int]*modelTask{}}
	whole := false
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		m.run(ctx)
		whole = true
		return nil
	}, scheduler.WithSeed(seed), scheduler.WithLogger(nil))
	if !whole || err != nil || t.Failed() {
		t.Fatalf("seed %d (%s): %v", seed, m.what, err)
	}
}

// model is what a group is compared with.
type model struct {
	t    *testing.T
	rng  *rand.Rand
	what string
	g    *intGroup

	limit, queue int
	discard      bool
	running      int
	peak         int
	tasks        map[int]*modelTask // those that a Spawn accepted, by number
	yielded      map[int]taskgroup.Result[int]
	reported     []error // by a group that discards
	busy         int     // drivers
	spawns       int     // also those refused
}

// modelTask is what is known of one of them.
type modelTask struct {
	v       int
	started int
	ended   bool
	outcome string // of the body, where it ended
}

var errTask = errors.New("task failed")

func (m *model) run(ctx context.Context) {
	r := m.rng
	m.yielded = map[int]taskgroup.Result[int]{}
	var opts []taskgroup.Option
	if m.limit = r.IntN(5); m.limit > 0 {
		opts = append(opts, taskgroup.Concurrency(m.limit))
	}
	if m.queue = r.IntN(4); m.queue > 0 {
		opts = append(opts, taskgroup.QueueLimit(m.queue))
	}
	failFast := r.IntN(4) == 0
	if failFast {
		opts = append(opts, taskgroup.FailFast())
	}
	if m.discard = r.IntN(5) == 0; m.discard {
		opts = append(opts, taskgroup.Discard())
	}
	with := ctx
	var cancelCtx context.CancelFunc
	switch r.IntN(6) {
	case 0:
		with, cancelCtx = scheduler.WithTimeout(ctx, time.Duration(r.IntN(200))*time.Microsecond)
	case 1:
		with, cancelCtx = context.WithCancel(ctx)
	}
	m.what = fmt.Sprintf("limit %d, queue %d, fail fast %v, discard %v, derived %v", m.limit, m.queue, failFast, m.discard, cancelCtx != nil)
	m.g = taskgroup.New[int](with, opts...)
	m.g.Scope().OnError(func(_ *scheduler.Coroutine, err error) { m.reported = append(m.reported, err) })
	finals := 0
	m.g.Finally(func(*intGroup) { finals++ })

	for range 1 + r.IntN(3) {
		m.driver(ctx, m.produce)
	}
	for range r.IntN(3) {
		m.driver(ctx, m.iterate)
	}
	for range r.IntN(3) {
		m.driver(ctx, m.await)
	}
	if r.IntN(3) == 0 {
		m.driver(ctx, func(ctx context.Context) {
			m.idle(ctx)
			switch m.rng.IntN(4) {
			case 0:
				m.g.Cancel(errBoom)
			case 1:
				require.NoError(m.t, onlyTaskErrors(m.g.Dispose()))
			case 2:
				m.g.Seal()
			case 3:
				if cancelCtx != nil {
					cancelCtx()
				}
			}
		})
	}
	for m.busy > 0 {
		settle(ctx, 1)
		if m.rng.IntN(50) == 0 {
			m.g.Seal() // loops end, and producers that wait
		}
	}
	m.g.Seal()
	require.NoError(m.t, m.g.AwaitCompletion(ctx))
	for key, res := range m.g.Each(ctx) {
		m.yield(key, res)
	}
	m.check(ctx)
	_ = m.g.Dispose()
	if cancelCtx != nil {
		cancelCtx()
	}
	for finals == 0 {
		settle(ctx, 1)
	}
	settle(ctx, 2)
	require.Equal(m.t, 1, finals)
	require.Empty(m.t, scheduler.Current(ctx).Scope().Children())
}

func onlyTaskErrors(err error) error {
	if err == nil {
		return nil
	}
	var all *scheduler.CompositeError
	if !errors.As(err, &all) {
		return err
	}
	for _, err := range all.Errs {
		var te *taskgroup.TaskError[int]
		if !errors.As(err, &te) {
			return err
		}
	}
	return nil
}

func (m *model) driver(ctx context.Context, fn func(context.Context)) {
	m.busy++
	scheduler.Go(ctx, func(ctx context.Context) error {
		defer func() { m.busy-- }()
		fn(ctx)
		return nil
	})
}

func (m *model) idle(ctx context.Context) {
	for range m.rng.IntN(6) {
		_ = scheduler.Yield(ctx) // under a ctx that has ended as well
	}
}

// produce spawns tasks, sometimes under a ctx that ends meanwhile.
func (m *model) produce(ctx context.Context) {
	for range m.rng.IntN(15) {
		own := ctx
		if m.rng.IntN(5) == 0 {
			var cancel context.CancelFunc
			own, cancel = scheduler.WithTimeout(ctx, time.Duration(m.rng.IntN(50))*time.Microsecond)
			defer cancel()
		}
		m.spawn(own)
		m.idle(ctx)
	}
}

func (m *model) spawn(ctx context.Context) {
	m.spawns++
	task := &modelTask{v: m.spawns}
	kind, yields := m.rng.IntN(12), m.rng.IntN(4)
	err := m.g.Spawn(ctx, func(ctx context.Context) (v int, err error) {
		task.started++
		m.running++
		m.peak = max(m.peak, m.running)
		defer func() {
			m.running--
			task.ended = true
		}()
		v, err = m.body(ctx, task, kind, yields)
		return v, err
	})
	if err != nil {
		if !errors.Is(err, taskgroup.ErrSealed) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			m.t.Errorf("a spawn failed with %v", err)
		}
		if task.started > 0 {
			m.t.Errorf("a task of a spawn that failed has run: %v", err)
		}
		return
	}
	m.tasks[len(m.tasks)] = task
}

func (m *model) body(ctx context.Context, task *modelTask, kind, yields int) (int, error) {
	for range yields {
		if err := scheduler.Yield(ctx); err != nil {
			task.outcome = "cancelled"
			return 0, err
		}
	}
	switch kind {
	case 0:
		task.outcome = "failed"
		return 0, errTask
	case 1:
		task.outcome = "failed"
		panic(errTask)
	case 2:
		task.outcome = "failed"
		runtime.Goexit()
	case 3:
		if m.queue == 0 { // else it might wait for itself
			m.spawn(ctx)
		}
	case 4:
		if m.rng.IntN(4) == 0 {
			m.g.Seal()
		}
	case 5:
		if m.rng.IntN(6) == 0 {
			m.g.Cancel(errBang)
		}
	case 6:
		scheduler.Current(ctx)
	case 7:
		if err := scheduler.Sleep(ctx, time.Duration(m.rng.IntN(30))*time.Microsecond); err != nil {
			task.outcome = "cancelled"
			return 0, err
		}
	}
	task.outcome = "succeeded"
	return task.v, nil
}

// iterate takes some of the outcomes.
func (m *model) iterate(ctx context.Context) {
	left := m.rng.IntN(10)
	for key, res := range m.g.Each(ctx) {
		m.yield(key, res)
		m.idle(ctx)
		if left--; left < 0 {
			return
		}
	}
}

func (m *model) yield(key int, res taskgroup.Result[int]) {
	if _, twice := m.yielded[key]; twice {
		m.t.Errorf("task %d was yielded twice", key)
	}
	m.yielded[key] = res
}

// await asks for one of the futures, and now and then gives up.
func (m *model) await(ctx context.Context) {
	for range 1 + m.rng.IntN(3) {
		m.idle(ctx)
		if m.rng.IntN(3) == 0 {
			var cancel context.CancelFunc
			ctx, cancel = scheduler.WithTimeout(ctx, time.Duration(m.rng.IntN(100))*time.Microsecond)
			defer cancel()
		}
		switch m.rng.IntN(4) {
		case 0:
			n := m.g.Count()
			r, err := m.g.All().Await(ctx)
			if err == nil && !m.discard && r.Len() < n {
				m.t.Errorf("All gave %d results of %d tasks", r.Len(), n)
			}
		case 1:
			_, _ = m.g.Race().Await(ctx)
		case 2:
			_, _ = m.g.Any().Await(ctx)
		case 3:
			f := m.g.All(taskgroup.IgnoreErrors())
			f.Cancel(nil)
		}
	}
}

// check compares the group, which is sealed and over, with the model.
func (m *model) check(ctx context.Context) {
	t, g := m.t, m.g
	require.True(t, g.IsFinished())
	require.Zero(t, m.running)
	if m.limit > 0 {
		require.LessOrEqual(t, m.peak, m.limit)
	}
	tally := map[string]int{}
	var values []int
	for _, task := range m.tasks {
		require.LessOrEqual(t, task.started, 1)
		require.Equal(t, task.started == 1, task.ended)
		if task.started == 0 {
			task.outcome = "cancelled"
		}
		if tally[task.outcome]++; task.outcome == "succeeded" {
			values = append(values, task.v)
		}
	}
	if m.discard {
		require.Zero(t, g.Count())
		failed := len(m.reported)
		for _, res := range m.yielded {
			if res.Err != nil && !errors.Is(res.Err, context.Canceled) {
				failed++
			}
		}
		require.LessOrEqual(t, failed, tally["failed"])
		return
	}
	require.Equal(t, len(m.tasks), g.Count())
	results, errs := g.GetResults(), g.GetErrors()
	require.ElementsMatch(t, values, results.Values())
	require.Len(t, errs, tally["failed"])
	require.Len(t, m.yielded, len(m.tasks))
	failed := map[int]bool{}
	for _, te := range errs {
		failed[te.Key] = true
		require.ErrorIs(t, m.yielded[te.Key].Err, te.Err)
	}
	for key, res := range m.yielded {
		v, ok := results.Get(key)
		require.Equal(t, res.Err == nil, ok)
		require.False(t, ok && failed[key], "a success and a failure")
		if ok {
			require.Equal(t, v, res.Value)
		} else if !failed[key] {
			require.ErrorIs(t, res.Err, context.Canceled)
		}
	}
	_, err := g.All().Await(ctx)
	var all *scheduler.CompositeError
	var gone *scheduler.CancelledError
	switch {
	case tally["failed"] > 0:
		require.ErrorAs(t, err, &all)
		require.Len(t, all.Errs, tally["failed"])
	case tally["cancelled"] > 0:
		require.ErrorAs(t, err, &gone)
	default:
		require.NoError(t, err)
	}
}
