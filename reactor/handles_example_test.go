//go:build unix

package reactor_test

import (
	"fmt"
	"log"
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/reactor"
)

// socket is a new socket, as a handle.
func socket(r *reactor.Reactor, kind int, t reactor.Type) *reactor.IO {
	fd, err := syscall.Socket(syscall.AF_INET, kind, 0)
	if err != nil {
		log.Fatal(err)
	}
	io, err := r.NewIO(fd, t)
	if err != nil {
		log.Fatal(err)
	}
	return io
}

// bound binds it to a free port of the loopback, and returns the address.
func bound(io *reactor.IO) netip.AddrPort {
	if err := syscall.Bind(io.Fd(), &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		log.Fatal(err)
	}
	sa, err := syscall.Getsockname(io.Fd())
	if err != nil {
		log.Fatal(err)
	}
	in := sa.(*syscall.SockaddrInet4)
	return netip.AddrPortFrom(netip.AddrFrom4(in.Addr), uint16(in.Port))
}

// A server and its client on one loop, by callbacks alone.
func ExampleIO_Accept() {
	r := open()
	defer r.Close()
	l := socket(r, syscall.SOCK_STREAM, reactor.TCP)
	at := bound(l)
	if err := syscall.Listen(l.Fd(), 16); err != nil {
		log.Fatal(err)
	}
	accept := l.Accept()
	accept.Subscribe(func(error) {
		conn := accept.Conn()
		conn.Write([]byte("hello"))
		conn.Close()
	})

	client := socket(r, syscall.SOCK_STREAM, reactor.TCP)
	client.Connect(net.TCPAddrFromAddrPort(at)).Subscribe(func(error) {
		buf := make([]byte, 64)
		read := client.Read(buf)
		read.Subscribe(func(err error) { fmt.Printf("%s, %v\n", buf[:read.N()], err) })
	})
	run(r)
	// Output: hello, <nil>
}

func ExampleIO_WriteTo() {
	r := open()
	defer r.Close()
	from, to := socket(r, syscall.SOCK_DGRAM, reactor.UDP), socket(r, syscall.SOCK_DGRAM, reactor.UDP)
	sender, receiver := bound(from), bound(to)
	buf := make([]byte, 64)
	got := to.ReadFrom(buf)
	got.Subscribe(func(err error) { fmt.Printf("%s, by the sender: %v\n", buf[:got.N()], got.From() == sender) })
	from.WriteTo([]byte("a datagram"), receiver)
	run(r)
	// Output: a datagram, by the sender: true
}

// A system call that the handle does not have takes its turn among those it has: here
// one that looks at what will be read.
func ExampleIO_TryWith() {
	r := open()
	defer r.Close()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer syscall.Close(fds[1])
	io, err := r.NewIO(fds[0], reactor.TCP)
	if err != nil {
		log.Fatal(err)
	}
	buf := make([]byte, 64)
	var peek reactor.Request
	peek.Subscribe(func(err error) { fmt.Printf("there is %q, %v\n", buf[:peek.N()], err) })
	io.TryWith(&peek, reactor.Readable, func(fd int) (int, error) {
		n, _, err := unix.Recvfrom(fd, buf, unix.MSG_PEEK)
		return max(n, 0), err
	})
	_, _ = syscall.Write(fds[1], []byte("something"))
	run(r)
	// Output: there is "something", <nil>
}

// What blocks is done off the loop, in order with the handle's other operations.
func ExampleIO_Do() {
	r := open()
	defer r.Close()
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		log.Fatal(err)
	}
	// The descriptor may be of any kind; here it is one whose reads block.
	blocking, err := r.NewFile(fds[0], func(fd int) syscall.Errno {
		_ = syscall.Close(fd)
		return 0
	})
	if err != nil {
		log.Fatal(err)
	}
	buf := make([]byte, 64)
	var read reactor.Request
	read.Subscribe(func(err error) { fmt.Printf("%s, %v\n", buf[:read.N()], err) })
	blocking.Do(&read, func(fd int) (int, error) { return syscall.Read(fd, buf) })

	t := r.NewTimer(time.Millisecond, 0)
	t.Subscribe(func(error) {
		fmt.Println("the loop goes on")
		_, _ = syscall.Write(fds[1], []byte("read at last"))
		_ = syscall.Close(fds[1])
	})
	_ = t.Start()
	run(r)
	// Output:
	// the loop goes on
	// read at last, <nil>
}

// A request that is given up completes with what was done by then.
func ExampleRequest_Cancel() {
	r := open()
	defer r.Close()
	rd, wr := pipes(r)
	defer wr.Close()
	read := rd.Read(make([]byte, 64))
	read.Subscribe(func(err error) { fmt.Println(read.N(), "bytes:", err) })
	read.Cancel()
	run(r)
	// Output: 0 bytes: reactor: request cancelled: context canceled
}
