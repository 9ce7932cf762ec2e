package harness

import (
	"fmt"
	"os"
)

// progress shows what is being measured on a line that the next row replaces.
// Where the output is no terminal it shows nothing.
type progress struct{ terminal *os.File }

const eraseLine = "\r\x1b[K"

func newProgress(f *os.File) *progress {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &progress{}
	}
	return &progress{terminal: f}
}

func (p *progress) show(w Workload, round int, s Side) {
	if p.terminal == nil {
		return
	}
	what := fmt.Sprintf("round %d", round)
	if round == 0 {
		what = "warming up"
	}
	fmt.Fprintf(p.terminal, "%s%s: %s, %s", eraseLine, w.Name, what, s.label())
}

func (p *progress) clear() {
	if p.terminal != nil {
		fmt.Fprint(p.terminal, eraseLine)
	}
}
