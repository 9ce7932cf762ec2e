package reactor_test

import (
	"fmt"
	"log"
	"time"

	"github.com/trueasync/trueasync-go/reactor"
)

// One timer, moved on whenever something happens, says that nothing has.
func ExampleTimer_Reset() {
	clock := &beats{}
	r, err := reactor.New(reactor.WithClock(clock))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	silence := r.NewTimer(time.Minute, 0)
	silence.Subscribe(func(error) { fmt.Println("silent for a minute, after", clock.since) })
	_ = silence.Start()

	left := 3
	sign := r.NewTimer(40*time.Second, 40*time.Second)
	sign.Subscribe(func(error) {
		silence.Reset(time.Minute)
		if left--; left == 0 {
			sign.Stop()
		}
	})
	_ = sign.Start()
	for r.Alive() {
		if _, err := r.Execute(false); err != nil {
			log.Fatal(err)
		}
	}
	// Output: silent for a minute, after 3m0s
}

// Many timers cost one look at the clock.
func ExampleTimer_StartAt() {
	r, err := reactor.New(reactor.WithClock(&beats{}))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	now := r.Now()
	for n := range 3 {
		t := r.NewTimer(time.Duration(3-n)*time.Second, 0)
		t.Subscribe(func(error) { fmt.Println(t) })
		_ = t.StartAt(now)
	}
	for r.Alive() {
		if _, err := r.Execute(false); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// timer 1s
	// timer 2s
	// timer 3s
}

// beats is a virtual clock that knows how long it has run.
type beats struct{ since time.Duration }

func (b *beats) Now() time.Time        { return time.Unix(0, 0).Add(b.since) }
func (b *beats) AdvanceTo(t time.Time) { b.since = t.Sub(time.Unix(0, 0)) }

// A reactor within a loop of somebody else's, which asks how long it may be away.
func ExampleReactor_NextTimer() {
	clock := &beats{}
	r, err := reactor.New(reactor.WithClock(clock))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	t := r.NewTimer(16*time.Millisecond, 0)
	t.Subscribe(func(error) { fmt.Println("fired") })
	_ = t.Start()
	for {
		next, armed := r.NextTimer()
		if !armed {
			break
		}
		fmt.Println("away for", next.Sub(r.Now()))
		clock.AdvanceTo(next)
		_, _ = r.Execute(true)
	}
	// Output:
	// away for 16ms
	// fired
}
