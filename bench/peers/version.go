package main

import (
	"runtime/debug"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

// from is side with the version of the module that does its work.
func from(module string, side harness.Side) harness.Side {
	side.Version = func() (string, error) { return module + " " + versionOf(module), nil }
	return side
}

// versionOf is a module's version in this build.
func versionOf(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == module {
				return dep.Version
			}
		}
	}
	return "(unknown version)" // as in tests, which are built without that knowledge
}

// The modules that are measured.
const (
	errgroupModule = "golang.org/x/sync"
	concModule     = "github.com/sourcegraph/conc"
	antsModule     = "github.com/panjf2000/ants/v2"
	pondModule     = "github.com/alitto/pond/v2"
	gnetModule     = "github.com/panjf2000/gnet/v2"
	netpollModule  = "github.com/cloudwego/netpoll"
	nbioModule     = "github.com/lesismal/nbio"
)
