// Package foreign measures what other languages offer: small programs, in the
// folder programs, which are built or interpreted with what the machine has.
//
// A program takes requests from its standard input, a line each, and answers each
// with a line on its standard output that begins with "bench answer: "; it ends
// with its input. What it is asked is:
//
//	version          the name and the version of what it shows
//	switch COUNT N   COUNT coroutines give way to each other, N times in all
//	spawn BATCH N    N coroutines start and end, in batches of BATCH
//
// The answer to the last two is how many times it was done, and how many
// nanoseconds that took. A program that is started with arguments is an echo
// server instead: the last argument is the size of its buffers, where it has a say
// in that, and it answers with its address.
package foreign

import (
	"errors"
	"fmt"
	"sync"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

// Program is a program in another language.
type Program struct {
	// ready is the command that runs it and the version it tells, or why it cannot
	// run here. It is found out once.
	ready func() (command []string, version string, err error)
}

// The programs.
var (
	Libuv   = built("uv.c", "cc", []string{"-O2"}, []string{"-luv"}, "gcc libuv1-dev")
	Boost   = built("boost.cpp", "c++", []string{"-O2", "-std=c++17"}, []string{"-lboost_context"}, "g++ libboost-context-dev")
	PHP     = interpreted("fiber.php", "php", "php-cli")
	Node    = interpreted("node.js", "node", "nodejs")
	Asyncio = interpreted("asyncio_peer.py", "python3", "python3")
)

// errNotInstalled is what a program's error is when Debian has what is missing.
var errNotInstalled = errors.New("not installed: apt-get install")

func notInstalled(packages string) error { return fmt.Errorf("%w %s", errNotInstalled, packages) }

// program is run by the command that prepare returns.
func program(prepare func() ([]string, error)) *Program {
	var (
		once    sync.Once
		command []string
		version string
		err     error
	)
	return &Program{func() ([]string, string, error) {
		once.Do(func() {
			if command, err = prepare(); err == nil {
				version, err = ask(command, "version")
			}
		})
		return command, version, err
	}}
}

// ask starts a program for a single request.
func ask(command []string, request string) (answer string, err error) {
	c, err := harness.StartProgram(command[0], command[1:]...)
	if err != nil {
		return "", err
	}
	answer, err = c.Ask(request)
	return answer, errors.Join(err, c.Close())
}

// Version tells what the program shows, or why it cannot run on this machine.
func (p *Program) Version() (string, error) {
	_, version, err := p.ready()
	return version, err
}

// Start starts the program. Its caller closes it.
func (p *Program) Start(args ...string) (*harness.Child, error) {
	command, _, err := p.ready()
	if err != nil {
		return nil, err
	}
	return harness.StartProgram(command[0], append(command[1:len(command):len(command)], args...)...)
}
