package harness

import (
	"fmt"
	"io"
	"strings"
)

// Table prints comparisons, each as soon as it is there.
type Table struct {
	w            io.Writer
	work, metric string // of the row above
}

const rowFormat = "%-36s %-17s %10s   %-34s %10s  %6s %s\n"

// NewTable prints the head of a table to w.
func NewTable(w io.Writer) *Table {
	head := fmt.Sprintf(rowFormat, "work", "figure", "trueasync", "beside", "", "ratio", "(in all rounds)")
	fmt.Fprintf(w, "%s%s\n", head, strings.Repeat("-", len(head)-1))
	return &Table{w: w}
}

// Add prints c. What is the same as in the row above is left out.
func (t *Table) Add(c Comparison) {
	work, metric, ours := c.Workload, c.Metric, Figure(c.Ours.Median, c.Metric)
	if work == t.work {
		work = ""
		if metric == t.metric {
			metric, ours = "", ""
		}
	}
	t.work, t.metric = c.Workload, c.Metric
	if c.Missing != nil {
		row := fmt.Sprintf(rowFormat, work, "", "", c.Peer, c.Missing, "", "")
		fmt.Fprintln(t.w, strings.TrimRight(row, " \n"))
		return
	}
	ratio, spread := "", ""
	if c.Ratio != (Spread{}) {
		ratio = fmt.Sprintf("%.2f", c.Ratio.Median)
		spread = fmt.Sprintf("(%.2f to %.2f)", c.Ratio.Min, c.Ratio.Max)
	}
	row := fmt.Sprintf(rowFormat, work, metric, ours,
		c.Peer, Figure(c.Theirs.Median, c.Metric), ratio, spread)
	fmt.Fprintln(t.w, strings.TrimRight(row, " \n"))
}

// Skip prints why w is not measured.
func (t *Table) Skip(w Workload) {
	fmt.Fprintf(t.w, "%-36s skipped: %s\n", w.Name, w.Skip)
}

// Figure writes v, which is so many of the metric's unit, with three digits.
// The unit is what the metric begins with: "ns/op", "B/coroutine", "ns-p99".
func Figure(v float64, metric string) string {
	unit := metric
	if end := strings.IndexAny(metric, "-/"); end >= 0 {
		unit = metric[:end]
	}
	for _, larger := range []struct {
		unit, next string
		factor     float64
	}{
		{"ns", "µs", 1000}, {"µs", "ms", 1000}, {"ms", "s", 1000},
		{"B", "KiB", 1024}, {"KiB", "MiB", 1024},
	} {
		if unit == larger.unit && v >= larger.factor {
			unit, v = larger.next, v/larger.factor
		}
	}
	switch {
	case v < 10:
		return fmt.Sprintf("%.2f %s", v, unit)
	case v < 100:
		return fmt.Sprintf("%.1f %s", v, unit)
	default:
		return fmt.Sprintf("%.0f %s", v, unit)
	}
}
