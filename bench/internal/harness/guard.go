package harness

import "fmt"

// guarded leaves of workloads what has a limit: those sides, and the first of
// each workload to hold them against.
func guarded(workloads []Workload) (out []Workload) {
	for _, w := range workloads {
		sides := w.Sides[:1:1]
		for _, side := range w.Sides[1:] {
			if side.Limit != 0 {
				sides = append(sides, side)
			}
		}
		if len(sides) > 1 {
			w.Sides = sides
			out = append(out, w)
		}
	}
	return out
}

// lost says which ratios are over their limits, in every round: a busy machine
// spoils some, a real loss shows in all.
func lost(comparisons []Comparison) (out []string) {
	for _, c := range comparisons {
		if c.Limit != 0 && c.Ratio.Min > c.Limit {
			out = append(out, fmt.Sprintf("%s: at least %.2f of %s, limit %.2f",
				c.Workload, c.Ratio.Min, c.Peer, c.Limit))
		}
	}
	return out
}
