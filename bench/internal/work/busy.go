package work

import (
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// Busy is how long a connection that has become readable waits to be served, while
// others do nothing but give way to each other. The bytes come from another thread,
// one at a time.
func Busy(others int) harness.Workload {
	return harness.Workload{
		Name:    fmt.Sprintf("socket beside %d that yield", others),
		Metrics: []string{"ns-p50", "ns-p99", "ns-max"},
		Sides: []harness.Side{
			{Name: ours, Procs: 2, Do: func(m harness.Meter, n int) int { return busyCoroutines(m, n, others) }},
			{Name: "goroutines", Procs: 2, Do: func(m harness.Meter, n int) int { return busyGoroutines(m, n, others) }},
		},
	}
}

// sender sends bytes, each as soon as the last has been received, and notes how
// long each was under way.
type sender struct {
	sentAt   atomic.Int64 // since start
	start    time.Time
	received chan struct{}
	took     []time.Duration
}

func newSender() *sender { return &sender{start: time.Now(), received: make(chan struct{}, 1)} }

// send sends n bytes to address.
func (s *sender) send(address string, n int) {
	c, err := net.Dial("tcp", address)
	must(err)
	for range n {
		s.sentAt.Store(int64(time.Since(s.start)))
		_, err := c.Write([]byte{0})
		must(err)
		<-s.received
	}
	must(c.Close())
}

// receive reads to the end of c.
func (s *sender) receive(c net.Conn) error {
	defer c.Close()
	var b [1]byte
	for {
		if _, err := c.Read(b[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		s.took = append(s.took, time.Since(s.start)-time.Duration(s.sentAt.Load()))
		s.received <- struct{}{} // has room
	}
}

func (s *sender) report(m harness.Meter) {
	slices.Sort(s.took)
	last := len(s.took) - 1
	m.ReportMetric(float64(s.took[last/2]), "ns-p50")
	m.ReportMetric(float64(s.took[last*99/100]), "ns-p99")
	m.ReportMetric(float64(s.took[last]), "ns-max")
}

func busyCoroutines(m harness.Meter, n, others int) int {
	s := newSender()
	run(func(ctx context.Context) error {
		l, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		done := false
		for range others {
			scheduler.Go(ctx, func(ctx context.Context) error {
				for !done {
					if err := scheduler.Yield(ctx); err != nil {
						return err
					}
				}
				return nil
			})
		}
		m.ResetTimer()
		go s.send(l.Addr().String(), n)
		c, err := l.Accept()
		if err != nil {
			return err
		}
		err = s.receive(c)
		m.StopTimer()
		done = true
		return err
	})
	s.report(m)
	return n
}

func busyGoroutines(m harness.Meter, n, others int) int {
	s := newSender()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	var done atomic.Bool
	var ended sync.WaitGroup
	for range others {
		ended.Go(func() {
			for !done.Load() {
				runtime.Gosched()
			}
		})
	}
	m.ResetTimer()
	go s.send(l.Addr().String(), n)
	c, err := l.Accept()
	must(err)
	must(s.receive(c))
	m.StopTimer()
	done.Store(true)
	ended.Wait()
	must(l.Close())
	s.report(m)
	return n
}
