package main

import (
	"sync"
	"time"

	"github.com/trueasync/trueasync-go/scheduler"
)

// stall watches how long a loop keeps others waiting.
type stall struct {
	stop     chan struct{}
	watching sync.WaitGroup
	longest  time.Duration // once the watching has ended
}

// watchEvery is the time between two looks.
const watchEvery = 5 * time.Millisecond

// watch begins, before s runs, to ask it for a sign of life again and again.
func (st *stall) watch(s *scheduler.Scheduler) {
	st.stop = make(chan struct{})
	st.watching.Go(func() {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		answer := make(chan struct{}, 1)
		sign := func() { answer <- struct{}{} }
		for {
			select {
			case <-st.stop:
				return
			case <-tick.C:
			}
			asked := time.Now()
			if s.PostOr(sign, sign) != nil {
				return
			}
			<-answer
			st.longest = max(st.longest, time.Since(asked))
		}
	})
}

// end ends the watching.
func (st *stall) end() {
	close(st.stop)
	st.watching.Wait()
}
