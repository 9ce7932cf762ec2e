package foreign

import (
	"fmt"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

// warmUp is how many operations come before the measured ones: enough for Node to
// compile them.
const warmUp = 20_000

// Side is a way to do what the request asks for, which lacks only the number. Each
// measurement has a process to itself, which takes the time.
func (p *Program) Side(name, request string) harness.Side {
	return harness.Side{Name: name, Version: p.Version, Do: func(m harness.Meter, n int) int {
		c, err := p.Start()
		must(err)
		_, _, err = done(c.Ask(fmt.Sprint(request, " ", warmUp)))
		must(err)
		m.ResetTimer()
		did, took, err := done(c.Ask(fmt.Sprint(request, " ", n)))
		m.StopTimer()
		must(err)
		m.ReportMetric(took/float64(did), harness.TimePerOp)
		must(c.Close())
		return did
	}}
}

// done reads the answer to a request for work: how often it was done, and how many
// nanoseconds that took.
func done(answer string, err error) (did int, took float64, _ error) {
	if err != nil {
		return 0, 0, err
	}
	if _, err := fmt.Sscan(answer, &did, &took); err != nil || did <= 0 {
		return 0, 0, fmt.Errorf("foreign: unexpected answer %q", answer)
	}
	return did, took, nil
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("bench: %v", err))
	}
}
