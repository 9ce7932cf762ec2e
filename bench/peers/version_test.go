package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

// A version can only be told of a module that is spelt as go.mod does.
func TestModulesAreRequired(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range []string{
		errgroupModule, concModule, antsModule, pondModule, gnetModule, netpollModule, nbioModule,
	} {
		if !regexp.MustCompile(`(?m)^\t` + regexp.QuoteMeta(module) + ` v`).Match(mod) {
			t.Errorf("%s is not in go.mod", module)
		}
	}
}

func TestVersionOfAModuleThatIsNotBuiltIn(t *testing.T) {
	version, err := from("example.com/none", harness.Side{}).Version()
	if err != nil || version != "example.com/none (unknown version)" {
		t.Fatalf("%q, %v", version, err)
	}
}
