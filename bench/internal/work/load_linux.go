package work

import (
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// load keeps one request under way on each of its connections. It is a loop
// over epoll on one thread, so that it is no bottleneck to what it measures;
// cpuShare tells whether it was.
type load struct {
	traffic
	ep     int
	conns  map[int32]*loadConn
	buf    []byte
	events []unix.EpollEvent

	left      int // requests not sent yet
	latencies []time.Duration
	elapsed   time.Duration
	cpu       time.Duration
}

// loadConn is a connection's request: what is still to be sent and received.
type loadConn struct {
	fd         int
	send, recv int
	sentAt     time.Time
}

// newLoad connects to address, which is an IPv4 one, for t.
func newLoad(address string, t traffic) (*load, error) {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	l := &load{
		traffic: t,
		conns:   make(map[int32]*loadConn, t.connections),
		buf:     make([]byte, t.answer),
		events:  make([]unix.EpollEvent, 256),
	}
	if l.ep, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, fmt.Errorf("load: epoll_create1: %w", err)
	}
	for i := range t.connections {
		if err := l.connect(to, byte(1+i/portsOfAnAddress)); err != nil {
			l.close()
			return nil, err
		}
	}
	return l, nil
}

// portsOfAnAddress is how many connections come from one loopback address, which
// has no more than some 28,000 ports to spare.
const portsOfAnAddress = 20_000

// connect connects from the loopback address whose last byte is given.
func (l *load) connect(to netip.AddrPort, from byte) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("load: socket: %w", err)
	}
	l.conns[int32(fd)] = &loadConn{fd: fd}
	// The port is chosen by connect, which knows that only the pair must be unique.
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1); err != nil {
		return fmt.Errorf("load: setsockopt: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, from}}); err != nil {
		return fmt.Errorf("load: bind: %w", err)
	}
	if err := unix.Connect(fd, &unix.SockaddrInet4{Addr: to.Addr().As4(), Port: int(to.Port())}); err != nil {
		return fmt.Errorf("load: connect: %w", err)
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return fmt.Errorf("load: setsockopt: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return fmt.Errorf("load: non-blocking: %w", err)
	}
	return watch(l.ep, fd, unix.EPOLLIN|unix.EPOLLOUT|unix.EPOLLET)
}

// close closes the connections.
func (l *load) close() {
	for _, c := range l.conns {
		unix.Close(c.fd)
	}
	unix.Close(l.ep)
}

// run sends n requests and waits for their answers.
func (l *load) run(n int) error {
	runtime.LockOSThread() // whose time is taken
	defer runtime.UnlockOSThread()
	l.left = n
	l.latencies = make([]time.Duration, 0, n)
	start, cpu := time.Now(), threadTime()
	for _, c := range l.conns {
		if err := l.next(c); err != nil {
			return err
		}
	}
	for len(l.latencies) < n {
		ready, err := unix.EpollWait(l.ep, l.events, -1)
		if err != nil && err != unix.EINTR {
			return fmt.Errorf("load: epoll_wait: %w", err)
		}
		for _, event := range l.events[:max(ready, 0)] {
			if err := l.advance(l.conns[event.Fd]); err != nil {
				return err
			}
		}
	}
	l.elapsed, l.cpu = time.Since(start), threadTime()-cpu
	slices.Sort(l.latencies)
	return nil
}

// next sends a request on c, where any is left. Its answer, however early,
// comes with an event of its own.
func (l *load) next(c *loadConn) error {
	if l.left == 0 {
		return nil
	}
	l.left--
	c.send, c.recv, c.sentAt = len(l.request), l.answer, time.Now()
	return l.flush(c)
}

// flush sends what the kernel has room for.
func (l *load) flush(c *loadConn) error {
	for c.send > 0 {
		n, err := unix.Write(c.fd, l.request[len(l.request)-c.send:])
		if err == unix.EAGAIN {
			return nil
		}
		if err != nil {
			return fmt.Errorf("load: write: %w", err)
		}
		c.send -= n
	}
	return nil
}

// advance sends and receives what the kernel has room and data for.
func (l *load) advance(c *loadConn) error {
	if err := l.flush(c); err != nil {
		return err
	}
	for c.recv > 0 {
		n, err := unix.Read(c.fd, l.buf)
		if err == unix.EAGAIN {
			return nil
		}
		if err != nil {
			return fmt.Errorf("load: read: %w", err)
		}
		if n == 0 {
			return fmt.Errorf("load: read: %w", io.ErrUnexpectedEOF)
		}
		if c.recv -= n; c.recv == 0 {
			l.latencies = append(l.latencies, time.Since(c.sentAt))
			return l.next(c)
		}
	}
	return nil
}

// permille is the latency that p in a thousand requests of the last run did not
// exceed.
func (l *load) permille(p int) time.Duration {
	return l.latencies[(len(l.latencies)*p+999)/1000-1]
}

// cpuShare is the part of the last run's time that the load was busy.
func (l *load) cpuShare() float64 { return float64(l.cpu) / float64(l.elapsed) }

// threadTime is the processor time that the calling thread has used.
func threadTime() time.Duration {
	var t unix.Timespec
	must(unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t))
	return time.Duration(t.Nano())
}
