package harness

import "time"

// Comparison is one side's figures beside this library's, taken in turns. That
// of a note has no Ratio, and that of a side which cannot be measured on this
// machine has only Missing.
type Comparison struct {
	Workload, Metric, Peer string
	Ours, Theirs, Ratio    Spread
	Limit                  float64 // of a time that is guarded
	Missing                error   // why there are no figures
}

// Plan says how long to measure.
type Plan struct {
	// Rounds is how often each side is measured, in turns with the others.
	Rounds int
	// Time is about how long one measurement takes.
	Time time.Duration
	// Progress, where it is not nil, is called before each measurement.
	Progress func(w Workload, round int, s Side)
}

// Compare measures all sides of w, and returns one Comparison for each metric
// and each side but the first, and one for each side that is missing.
func (p Plan) Compare(w Workload) []Comparison {
	w, missing := present(w)
	counts := make([]int, len(w.Sides))
	for i, side := range w.Sides {
		p.progress(w, 0, side)
		counts[i] = p.count(w, side)
	}
	rounds := make([][]measurement, p.Rounds) // by round, then by side
	for r := range rounds {
		rounds[r] = make([]measurement, len(w.Sides))
		for i := range w.Sides {
			if r%2 == 1 { // there and back, so that nobody always comes first
				i = len(w.Sides) - 1 - i
			}
			p.progress(w, r+1, w.Sides[i])
			rounds[r][i] = w.Sides[i].measure(counts[i])
		}
	}
	var out []Comparison
	for _, metric := range w.metrics() {
		out = append(out, compare(w, metric, rounds)...)
	}
	for _, note := range w.Notes {
		for _, c := range compare(w, note, rounds) {
			c.Ratio = Spread{}
			out = append(out, c)
		}
	}
	return append(out, missing...)
}

// present leaves of w the sides that can be measured on this machine.
func present(w Workload) (_ Workload, missing []Comparison) {
	var sides []Side
	for _, side := range w.Sides {
		if err := side.missing(); err != nil {
			missing = append(missing, Comparison{Workload: w.Name, Peer: side.label(), Missing: err})
			continue
		}
		sides = append(sides, side)
	}
	w.Sides = sides
	return w, missing
}

// compare holds the first side's figures against each other side's, round by
// round.
func compare(w Workload, metric string, rounds [][]measurement) (out []Comparison) {
	for i, side := range w.Sides[1:] {
		var ours, theirs, ratios []float64
		for _, sides := range rounds {
			a, b := sides[0].figures[metric], sides[i+1].figures[metric]
			ours, theirs, ratios = append(ours, a), append(theirs, b), append(ratios, a/b)
		}
		c := Comparison{
			Workload: w.Name, Metric: metric, Peer: side.label(),
			Ours: spreadOf(ours), Theirs: spreadOf(theirs), Ratio: spreadOf(ratios),
		}
		if metric == TimePerOp {
			c.Limit = side.Limit
		}
		out = append(out, c)
	}
	return out
}

func (p Plan) progress(w Workload, round int, s Side) {
	if p.Progress != nil {
		p.Progress(w, round, s)
	}
}

// count finds how many operations take about p.Time, which warms the side up
// as well.
func (p Plan) count(w Workload, s Side) int {
	if w.N != 0 {
		return w.N
	}
	for n := 1; ; {
		m := s.measure(n)
		fits := max(1, int(float64(p.Time)/m.figures[TimePerOp]))
		if m.took >= p.Time/2 || fits <= n {
			return fits
		}
		// A short measurement is mostly start-up: it may raise the count, but
		// only a hundredfold.
		n = min(fits, 100*m.did)
	}
}
