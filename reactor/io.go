package reactor

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/poll"
	"github.com/trueasync/trueasync-go/internal/sys"
)

// Type is the kind of thing behind an IO handle.
type Type uint8

// The kinds of IO handle. One interface serves all of them; the type picks the
// implementation when the handle is made.
const (
	Pipe Type = iota + 1 // a pipe or FIFO, or a stream socket that serves as one
	File                 // a regular file or a device, whose operations run off the loop
	TCP                  // a stream socket, connected, connecting or listening; unix sockets too
	UDP                  // a datagram socket; unix sockets too
	TTY                  // a terminal
)

// String is the type's name in lower case.
func (t Type) String() string {
	if t < Pipe || t > TTY {
		return fmt.Sprintf("type %d", uint8(t))
	}
	return [...]string{"pipe", "file", "tcp", "udp", "tty"}[t-Pipe]
}

// IO is an asynchronous stream, datagram socket or file. Its methods belong to
// the loop, suspend nothing and block on nothing: each begins an operation and
// returns the Request that stands for it. Operations of one direction are
// carried out in the order in which they were begun; the two directions do not
// hold each other up.
type IO struct {
	r      *Reactor
	fd     int
	typ    Type
	desc   *poll.Desc // nil for files
	file   *fileQueue // nil but for files
	member member
	closed bool
	// restore says that the descriptor was blocking when we got it, and may be
	// shared with others who want it so.
	restore bool
	shared  int // the caller's descriptor where ours is another opening of it; else -1
	traits  poll.Traits
}

// NewIO takes over fd, sets it non-blocking where its type allows, and owns it
// from then on; children do not inherit it. If it fails, fd is still the caller's.
// An fd that is not of type t gives an error that matches ENOTSOCK, ENOTTY,
// EPROTOTYPE or EINVAL.
func (r *Reactor) NewIO(fd int, t Type) (*IO, error) {
	if r.closed {
		return nil, net.ErrClosed
	}
	facts, err := sys.Inspect(fd)
	if err == nil {
		err = t.check(facts.Class)
	}
	if err != nil {
		return nil, fmt.Errorf("reactor: descriptor %d as %v: %w", fd, t, err)
	}
	sys.CloseOnExec(fd)
	io := &IO{r: r, fd: fd, typ: t, shared: -1}
	if t == File {
		io.queueFiles(sys.Close)
		return io, nil
	}
	if err := io.unblock(facts); err != nil {
		return nil, err
	}
	return io, nil
}

// NewFile returns a File handle over fd, of whatever kind that is, for work that
// [IO.Do] does with it off the loop. Where the handle is closed, also with its reactor,
// free is called once, on any goroutine, when no such work is under way: it closes
// fd, and what belongs to it. If NewFile fails, fd is still the caller's.
func (r *Reactor) NewFile(fd int, free func(fd int) syscall.Errno) (*IO, error) {
	if r.closed {
		return nil, net.ErrClosed
	}
	if err := sys.Check(fd); err != nil {
		return nil, fmt.Errorf("reactor: descriptor %d as %v: %w", fd, File, err)
	}
	io := &IO{r: r, fd: fd, typ: File, shared: -1}
	io.queueFiles(free)
	return io, nil
}

func (io *IO) queueFiles(free func(fd int) syscall.Errno) {
	io.file = &fileQueue{io: io, free: free}
	io.r.handles.add(&io.member, io)
}

// unblock prepares a handle for the backend.
func (io *IO) unblock(facts sys.Facts) error {
	class := facts.Class
	backend, err := io.r.poller()
	if err != nil {
		return err
	}
	if class == sys.ClassTTY {
		if nfd := sys.Reopen(io.fd); nfd >= 0 {
			io.fd, io.shared = nfd, io.fd
		}
	}
	changed, err := sys.SetNonblock(io.fd)
	if err != nil {
		return err
	}
	socket := class == sys.ClassStream || class == sys.ClassDatagram
	io.restore = changed && !socket
	if socket {
		if errno := sys.QuietSocket(io.fd); errno != 0 {
			return os.NewSyscallError("setsockopt", errno)
		}
	}
	io.attach(backend, poll.Traits{Socket: socket, ShortIsDrained: facts.TCP, Inet6: facts.Inet6})
	return nil
}

func (io *IO) attach(backend poll.Backend, traits poll.Traits) {
	io.desc = backend.Attach(io.fd, traits)
	io.traits = traits
	io.r.handles.add(&io.member, io)
}

// accepted makes a handle of a connection that the listener io accepted.
func (io *IO) accepted(fd int) *IO {
	c := &IO{r: io.r, fd: fd, typ: io.typ, shared: -1}
	c.attach(io.r.backend, io.traits)
	return c
}

// check tells whether a descriptor of class c can be a handle of type t.
func (t Type) check(c sys.Class) error {
	ok := false
	var otherwise error = syscall.EINVAL
	switch t {
	case TCP, UDP:
		ok = t == TCP && c == sys.ClassStream || t == UDP && c == sys.ClassDatagram
		otherwise = syscall.EPROTOTYPE
		if c != sys.ClassStream && c != sys.ClassDatagram {
			otherwise = syscall.ENOTSOCK
		}
	case Pipe:
		ok = c == sys.ClassPipe || c == sys.ClassStream
	case TTY:
		ok, otherwise = c == sys.ClassTTY, syscall.ENOTTY
	case File:
		ok = c == sys.ClassOther
	}
	if ok {
		return nil
	}
	return otherwise
}

// poller is the backend, opened when it is first needed.
func (r *Reactor) poller() (poll.Backend, error) {
	if r.backend == nil {
		b, err := r.open()
		if err != nil {
			return nil, fmt.Errorf("reactor: %w", err)
		}
		r.backend = b
	}
	return r.backend, nil
}

// Fd is the handle's descriptor, for calls that leave its ownership and its
// non-blocking mode alone; -1 once the handle is closed.
func (io *IO) Fd() int {
	if io.closed {
		return -1
	}
	return io.fd
}

// Type is the handle's type.
func (io *IO) Type() Type { return io.typ }

// Read starts reading into b: at least one byte, io.EOF at the end. A b of no
// bytes reads none. On a UDP handle it receives a datagram, as ReadFrom does.
func (io *IO) Read(b []byte) *Request {
	q := new(Request)
	io.ReadWith(q, b)
	return q
}

// ReadWith is Read with a request of the caller's own.
func (io *IO) ReadWith(q *Request, b []byte) {
	kind := poll.Read
	if io.typ == UDP {
		kind = poll.Receive
	}
	io.transfer(q, kind, b, sys.Addr{})
}

// Write starts writing all of b. Writes on one handle are carried out in
// order. On a UDP handle, which must be connected, b is one datagram. A write to
// a peer or reader that is gone fails with EPIPE or ECONNRESET and raises no signal.
func (io *IO) Write(b []byte) *Request {
	q := new(Request)
	io.WriteWith(q, b)
	return q
}

// WriteWith is Write with a request of the caller's own.
func (io *IO) WriteWith(q *Request, b []byte) {
	kind := poll.Write
	if io.typ == UDP {
		kind = poll.Send
	}
	io.transfer(q, kind, b, sys.Addr{})
}

func (io *IO) transfer(q *Request, kind poll.Kind, b []byte, addr sys.Addr) {
	if !q.prepare(io, kind) {
		return
	}
	q.op.Buf, q.op.Addr = b, addr
	if io.file != nil {
		io.file.transfer(q)
		return
	}
	q.submit()
}

// WriteBuffersWith starts writing all of bufs, with as few calls as the system
// allows. The elements of bufs are the request's, as is what they hold: they
// are nil, or shortened, by what has been written. Files refuse it.
func (io *IO) WriteBuffersWith(q *Request, bufs [][]byte) {
	if q.prepare(io, poll.WriteV) {
		q.op.Bufs = bufs
		q.submit()
	}
}

// ReadFrom starts receiving one datagram into b on a UDP handle; what does not
// fit is lost. See Request.From.
func (io *IO) ReadFrom(b []byte) *Request {
	q := new(Request)
	io.ReadFromWith(q, b)
	return q
}

// ReadFromWith is ReadFrom with a request of the caller's own.
func (io *IO) ReadFromWith(q *Request, b []byte) {
	if q.prepare(io, poll.Receive) {
		q.op.Buf, q.op.Addr = b, sys.Addr{}
		q.submitAs(UDP)
	}
}

// WriteTo sends one datagram to addr, on a UDP handle.
func (io *IO) WriteTo(b []byte, addr netip.AddrPort) *Request {
	q := new(Request)
	io.WriteToWith(q, b, addr)
	return q
}

// WriteToWith is WriteTo with a request of the caller's own.
func (io *IO) WriteToWith(q *Request, b []byte, addr netip.AddrPort) {
	io.sendTo(q, b, sys.Addr{Net: addr})
}

// WriteToPathWith is WriteToWith for a unix socket bound to path; a leading @
// stands for the abstract name space.
func (io *IO) WriteToPathWith(q *Request, b []byte, path string) {
	io.sendTo(q, b, sys.Addr{Unix: true, Path: path})
}

func (io *IO) sendTo(q *Request, b []byte, addr sys.Addr) {
	if !q.prepare(io, poll.Send) {
		return
	}
	if !addr.Valid() {
		q.finish(os.NewSyscallError("sendto", syscall.EINVAL))
		return
	}
	q.op.Buf, q.op.Addr = b, addr
	q.submitAs(UDP)
}

// submitAs is submit for what only handles of type t can do.
func (q *Request) submitAs(t Type) {
	if q.io.typ != t {
		q.finish(q.io.wrongType(q))
		return
	}
	q.submit()
}

func (io *IO) wrongType(q *Request) error {
	return fmt.Errorf("reactor: %v: %w", q, syscall.EOPNOTSUPP)
}

// Accept starts accepting a connection on a listening TCP handle; see
// Request.Conn and Request.From. Connections that ended before they could be
// accepted are passed over. Out of descriptors it fails with EMFILE or ENFILE,
// out of memory with ENOBUFS or ENOMEM; whoever begins it again should wait a while.
func (io *IO) Accept() *Request {
	q := new(Request)
	io.AcceptWith(q)
	return q
}

// AcceptWith is Accept with a request of the caller's own.
func (io *IO) AcceptWith(q *Request) {
	if q.prepare(io, poll.Accept) {
		q.op.Addr = sys.Addr{}
		q.submitAs(TCP)
	}
}

// Connect starts connecting a socket to addr: a *net.TCPAddr, *net.UDPAddr or
// *net.UnixAddr. After a failure the handle is good only for Close. A unix
// socket whose listener has no room fails with EAGAIN: no readiness tells when
// it has, so the caller must try again with the same handle.
func (io *IO) Connect(addr net.Addr) *Request {
	q := new(Request)
	io.ConnectWith(q, addr)
	return q
}

// ConnectWith is Connect with a request of the caller's own.
func (io *IO) ConnectWith(q *Request, addr net.Addr) {
	if !q.prepare(io, poll.Connect) {
		return
	}
	switch a := addr.(type) {
	case *net.TCPAddr:
		q.op.Addr = sys.Addr{Net: a.AddrPort()}
	case *net.UDPAddr:
		q.op.Addr = sys.Addr{Net: a.AddrPort()}
	case *net.UnixAddr:
		q.op.Addr = sys.Addr{Unix: true, Path: a.Name}
	default:
		q.finish(&net.AddrError{Err: "unexpected address type", Addr: fmt.Sprint(addr)})
		return
	}
	q.submit()
}

// WaitWith starts waiting until the handle is ready in one direction, for
// callers who make a system call of their own. It is to be used when that call
// has given EAGAIN, and may complete although the next one does too. Files
// refuse it, and mode must be Readable or Writable.
func (io *IO) WaitWith(q *Request, mode Mode) {
	if mode != Readable && mode != Writable {
		panic(fmt.Sprintf("reactor: waiting for %v at once", mode))
	}
	if q.prepare(io, poll.Ready) {
		q.op.Mode = mode.ops()
		q.submit()
	}
}

// Close completes every request under way with net.ErrClosed, then frees the
// descriptor: deregistered first, closed once. The request it returns completes
// when that is done, which for a file may be later: an operation that the system
// has begun on it comes to its end. A second Close completes with net.ErrClosed.
func (io *IO) Close() *Request {
	q := &Request{}
	if q.prepare(io, 0) {
		if io.file != nil {
			io.closed = true
			io.file.close(q)
		} else {
			q.finish(io.close())
		}
	}
	return q
}

// close closes a handle of the backend.
func (io *IO) close() error {
	if io.closed {
		return nil
	}
	io.closed = true
	io.member.leave()
	ours := true
	var errno syscall.Errno
	func() {
		defer func() { // also where a waiter panicked
			if ours {
				errno = io.free()
			}
		}()
		ours = io.r.backend.Detach(io.desc)
	}()
	if errno != 0 {
		return os.NewSyscallError("close", errno)
	}
	return nil
}

// free gives the descriptor back, as it was where others may share it.
func (io *IO) free() syscall.Errno {
	if io.restore {
		sys.SetBlocking(io.fd)
	}
	if io.shared >= 0 {
		_ = sys.Close(io.shared)
	}
	return sys.Close(io.fd)
}

// abandon closes the handle when the reactor closes.
func (io *IO) abandon() {
	if io.file != nil {
		io.closed = true
		io.member.leave()
		io.file.abandon()
		return
	}
	_ = io.close()
}

// label is what the handle is known by in dumps.
func (io *IO) label() string {
	if !io.closed && (io.typ == TCP || io.typ == UDP) {
		for _, a := range []sys.Addr{sys.RemoteAddr(io.fd), sys.LocalAddr(io.fd)} {
			switch {
			case a.Unix && a.Path != "":
				return a.Path
			case a.Net.IsValid():
				return a.Net.String()
			}
		}
	}
	return "descriptor " + strconv.Itoa(io.fd)
}
