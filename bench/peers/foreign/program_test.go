package foreign

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	m.Run()
	if err := Remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func isNotInstalled(err error) bool { return errors.Is(err, errNotInstalled) }

// skipWithout skips a test of a program that this machine has no tool for. One that
// is there and fails is no reason to skip.
func skipWithout(t *testing.T, p *Program) {
	t.Helper()
	if _, err := p.Version(); isNotInstalled(err) {
		t.Skip(err)
	}
}

func TestVersion(t *testing.T) {
	for name, p := range map[string]*Program{
		"libuv": Libuv, "Boost.Context": Boost, "PHP": PHP, "Node": Node, "CPython": Asyncio,
	} {
		t.Run(name, func(t *testing.T) {
			skipWithout(t, p)
			version, err := p.Version()
			if err != nil || !strings.HasPrefix(version, name+" ") {
				t.Fatalf("%q, %v", version, err)
			}
		})
	}
}

func TestToolThatIsNotInstalled(t *testing.T) {
	for _, p := range []*Program{
		interpreted("node.js", "no-such-interpreter", "package-a package-b"),
		built("uv.c", "no-such-compiler", nil, nil, "package-a package-b"),
	} {
		_, err := p.Version()
		if err == nil || err.Error() != "not installed: apt-get install package-a package-b" {
			t.Error(err)
		}
		if _, again := p.Start(); again != err {
			t.Error(again)
		}
	}
}

// Programs answer as soon as they are asked, and several times.
func TestProgramAnswersUntilItsInputEnds(t *testing.T) {
	for _, p := range []*Program{Libuv, Boost, PHP, Node, Asyncio} {
		if _, err := p.Version(); isNotInstalled(err) {
			t.Log(err)
			continue
		}
		c, err := p.Start()
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := c.Ask("version"); err != nil {
				t.Error(err)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
