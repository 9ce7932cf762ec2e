package harness

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Main is the main function of a program that measures workloads, and returns the
// status to exit with.
func Main(roles Roles, workloads []Workload) int {
	roles.Play()
	run := flag.String("run", "", "measure only the workloads whose names match this `regexp`")
	rounds := flag.Int("rounds", 5, "measure every side `n` times, in turns with the others")
	each := flag.Duration("time", 100*time.Millisecond, "how long one measurement takes, about")
	file := flag.String("o", "", "write the table to this `file`, too")
	charts := flag.String("svg", "", "draw the table into this `directory`, as charts")
	guard := flag.Bool("guard", false, "measure only what has a limit, and fail where one is passed")
	flag.Parse()

	if *guard {
		workloads = guarded(workloads)
	}
	matching, err := match(workloads, *run)
	if err == nil && *rounds < 1 {
		err = fmt.Errorf("bench: -rounds is %d, and must be at least 1", *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	comparisons, err := tabulate(*file, matching, Plan{Rounds: *rounds, Time: *each})
	if err == nil && *charts != "" {
		err = WriteCharts(*charts, comparisons)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if over := lost(comparisons); *guard && len(over) > 0 {
		fmt.Fprintf(os.Stderr, "bench: lost:\n\t%s\n", strings.Join(over, "\n\t"))
		return 1
	}
	return 0
}

// tabulate prints the table of workloads, to the file as well where one is named,
// and returns it.
func tabulate(file string, workloads []Workload, plan Plan) ([]Comparison, error) {
	if file == "" {
		return measure(os.Stdout, workloads, plan), nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, fmt.Errorf("bench: -o: %w", err)
	}
	all := measure(io.MultiWriter(os.Stdout, f), workloads, plan)
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("bench: -o: %w", err)
	}
	return all, nil
}

// measure prints the table of workloads to out, row by row, and returns it.
func measure(out io.Writer, workloads []Workload, plan Plan) (all []Comparison) {
	fmt.Fprintln(out, Machine())
	if beside := versions(workloads); len(beside) > 0 {
		fmt.Fprintf(out, "beside %s\n", strings.Join(beside, ", "))
	}
	fmt.Fprintf(out, "%d rounds of %v each\n\n", plan.Rounds, plan.Time)
	p := newProgress(os.Stderr)
	plan.Progress = p.show
	table := NewTable(out)
	for _, w := range workloads {
		if w.Skip != "" {
			table.Skip(w)
			continue
		}
		comparisons := plan.Compare(w)
		p.clear()
		for _, c := range comparisons {
			table.Add(c)
		}
		all = append(all, comparisons...)
	}
	return all
}

// versions are those of all that can be measured, each once.
func versions(workloads []Workload) []string {
	var all []string
	for _, w := range workloads {
		for _, side := range w.Sides {
			if side.Version == nil {
				continue
			}
			if v, err := side.Version(); err == nil {
				all = append(all, v)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func match(workloads []Workload, pattern string) ([]Workload, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("bench: -run: %w", err)
	}
	var out []Workload
	for _, w := range workloads {
		if re.MatchString(w.Name) {
			out = append(out, w)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("bench: -run %q matches no workload", pattern)
	}
	return out, nil
}
