package harness

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

// Main is the main function of a program that measures workloads.
func Main(roles Roles, workloads []Workload) {
	roles.Play()
	run := flag.String("run", "", "measure only the workloads whose names match this `regexp`")
	rounds := flag.Int("rounds", 5, "measure every side `n` times, in turns with the others")
	each := flag.Duration("time", 100*time.Millisecond, "how long one measurement takes, about")
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
		os.Exit(2)
	}
	fmt.Printf("%s\n%d rounds of %v each\n\n", Machine(), *rounds, *each)
	comparisons := measure(matching, Plan{Rounds: *rounds, Time: *each})
	if *charts != "" {
		if err := WriteCharts(*charts, comparisons); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if over := lost(comparisons); *guard && len(over) > 0 {
		fmt.Fprintf(os.Stderr, "bench: lost:\n\t%s\n", strings.Join(over, "\n\t"))
		os.Exit(1)
	}
}

// measure prints the table of workloads, and returns it.
func measure(workloads []Workload, plan Plan) (all []Comparison) {
	p := newProgress(os.Stderr)
	plan.Progress = p.show
	table := NewTable(os.Stdout)
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
