//go:build unix

package reactor_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/trueasync/trueasync-go/reactor"
)

// run ticks for as long as something holds the loop.
func run(r *reactor.Reactor) {
	for r.Alive() {
		if _, err := r.Execute(false); err != nil {
			log.Fatal(err)
		}
	}
}

// open is New for examples.
func open(opts ...reactor.Option) *reactor.Reactor {
	r, err := reactor.New(opts...)
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// A loop in a few lines: it ends when nothing is armed any more.
func Example() {
	r := open()
	defer r.Close()
	t := r.NewTimer(time.Millisecond, time.Millisecond)
	beats := 0
	t.Subscribe(func(error) {
		beats++
		fmt.Println("beat", beats)
		if beats == 3 {
			t.Stop()
		}
	})
	_ = t.Start()
	run(r)
	// Output:
	// beat 1
	// beat 2
	// beat 3
}

// A timer that merely watches lets the loop end.
func ExampleTimer_Unref() {
	r := open()
	defer r.Close()
	_ = r.NewTimer(time.Hour, time.Hour).Unref().Start()
	run(r)
	fmt.Println("nothing left to do")
	// Output: nothing left to do
}

// Another goroutine hands something over and wakes the loop.
func ExampleReactor_Wake() {
	r := open()
	defer r.Close()
	box := make(chan string, 1)
	go func() {
		box <- "from outside"
		r.Wake()
	}()
	for len(box) == 0 {
		_, _ = r.Execute(false)
	}
	fmt.Println(<-box)
	// Output: from outside
}

type stepClock struct{ now time.Time }

func (c *stepClock) Now() time.Time        { return c.now }
func (c *stepClock) AdvanceTo(t time.Time) { c.now = t }

// With a virtual clock a day takes no time.
func ExampleWithClock() {
	r := open(reactor.WithClock(&stepClock{time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}))
	defer r.Close()
	_ = r.NewTimer(24*time.Hour, 0).Start()
	run(r)
	fmt.Println(r.Now().Format(time.DateOnly))
	// Output: 2030-01-02
}

// pipes are the two ends of a pipe, as handles.
func pipes(r *reactor.Reactor) (rd, wr *reactor.IO) {
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		log.Fatal(err)
	}
	rd, err := r.NewIO(fds[0], reactor.Pipe)
	if err != nil {
		log.Fatal(err)
	}
	if wr, err = r.NewIO(fds[1], reactor.Pipe); err != nil {
		log.Fatal(err)
	}
	return rd, wr
}

// A request that completes later tells its subscriber; one that could be
// carried out at once tells before Subscribe returns.
func ExampleIO() {
	r := open()
	defer r.Close()
	rd, wr := pipes(r)
	buf := make([]byte, 64)
	read := rd.Read(buf)
	read.Subscribe(func(err error) { fmt.Printf("read %q, %v\n", buf[:read.N()], err) })
	write := wr.Write([]byte("hello"))
	write.Subscribe(func(err error) { fmt.Println("wrote", write.N(), err) })
	run(r)
	// Output:
	// wrote 5 <nil>
	// read "hello", <nil>
}

// One request serves a whole conversation, and nothing is allocated on the way.
func ExampleRequest() {
	r := open()
	defer r.Close()
	rd, wr := pipes(r)
	buf := make([]byte, 4)
	var read reactor.Request
	read.Subscribe(func(err error) {
		if err == io.EOF {
			fmt.Println("end")
			return
		}
		fmt.Printf("%q\n", buf[:read.N()])
		rd.ReadWith(&read, buf)
	})
	rd.ReadWith(&read, buf)
	wr.Write([]byte("one two "))
	wr.Close()
	run(r)
	// Output:
	// "one "
	// "two "
	// end
}

func ExamplePoll() {
	r := open()
	defer r.Close()
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		log.Fatal(err)
	}
	defer syscall.Close(fds[0])
	defer syscall.Close(fds[1])
	p, err := r.NewPoll(fds[1], reactor.Writable)
	if err != nil {
		log.Fatal(err)
	}
	p.Subscribe(func(error) {
		fmt.Println("there is room")
		p.Stop()
	})
	_ = p.Start()
	run(r)
	// Output: there is room
}

func ExampleSignal() {
	r := open()
	defer r.Close()
	s, err := r.NewSignal(syscall.SIGUSR1)
	if err != nil {
		log.Fatal(err)
	}
	s.Subscribe(func(error) {
		fmt.Println("told")
		s.Stop()
	})
	_ = s.Start()
	_ = syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	run(r)
	// Output: told
}

func ExampleProcess() {
	r := open()
	defer r.Close()
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	p, err := r.NewProcess(cmd.Process)
	if err != nil {
		log.Fatal(err)
	}
	p.Subscribe(func(error) { fmt.Println(p.State()) })
	_ = p.Start()
	run(r)
	// Output: exit status 0
}

func ExampleLookup() {
	r := open()
	defer r.Close()
	l := r.NewLookup(context.Background(), "ip", "192.0.2.1")
	l.Subscribe(func(err error) { fmt.Println(l.Addrs(), err) })
	_ = l.Start()
	run(r)
	// Output: [192.0.2.1] <nil>
}
