package harness

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
)

// Sizes of a chart, in pixels.
const (
	chartWidth  = 760
	chartLabels = 250 // the column of names
	chartBars   = 400 // the longest bar
	chartHead   = 28  // what is shown, before the first group
	chartBar    = 20  // a bar and the gap below it
	chartGroup  = 40  // a group's title and the gap above it
)

const chartStyle = `<style>
text { font: 13px system-ui, sans-serif; fill: #24292f }
.head { font-size: 15px; font-weight: 600 }
.title { font-weight: 600 }
rect { fill: #8c959f }
rect.ours { fill: #1f6feb }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
rect { fill: #6e7681 }
rect.ours { fill: #58a6ff }
}
</style>
`

// Chart draws comparisons of one metric as bars, a group for each workload, its
// longest bar as long as any other's.
func Chart(title string, comparisons []Comparison) string {
	var body strings.Builder
	y := chartHead
	fmt.Fprintf(&body, "<text class=\"head\" x=\"0\" y=\"%d\">%s</text>\n", y-10, html.EscapeString(title))
	for _, group := range groups(comparisons) {
		y += chartGroup
		fmt.Fprintf(&body, "<text class=\"title\" x=\"0\" y=\"%d\">%s</text>\n", y-12, html.EscapeString(group.title))
		longest := 0.0
		for _, bar := range group.bars {
			longest = max(longest, bar.value)
		}
		for _, bar := range group.bars {
			length := chartBars * bar.value / longest
			fmt.Fprintf(&body, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
				chartLabels-8, y+12, html.EscapeString(bar.side))
			fmt.Fprintf(&body, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n",
				bar.class, chartLabels, y, length, chartBar-4)
			fmt.Fprintf(&body, "<text x=\"%.1f\" y=\"%d\">%s</text>\n",
				chartLabels+length+6, y+12, Figure(bar.value, group.metric))
			y += chartBar
		}
	}
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>%s</title>\n%s%s</svg>\n",
		chartWidth, y, chartWidth, y, html.EscapeString(title), chartStyle, body.String())
}

type chartBarGroup struct {
	title, metric string
	bars          []chartSide
}

type chartSide struct {
	side, class string
	value       float64
}

// groups puts the comparisons of one workload together, and this library's own
// figure before them.
func groups(comparisons []Comparison) (out []chartBarGroup) {
	for _, c := range comparisons {
		if len(out) == 0 || out[len(out)-1].title != c.Workload {
			out = append(out, chartBarGroup{title: c.Workload, metric: c.Metric, bars: []chartSide{
				{side: "trueasync", class: "ours", value: c.Ours.Median},
			}})
		}
		group := &out[len(out)-1]
		group.bars = append(group.bars, chartSide{side: c.Peer, class: "theirs", value: c.Theirs.Median})
	}
	return out
}

// words says what a metric is: "server cpu per op" for "ns-server-cpu/op", "memory
// per timer" for "B/timer".
func words(metric string) string {
	what, each, per := strings.Cut(metric, "/")
	unit, name, named := strings.Cut(what, "-")
	switch {
	case named:
		what = strings.ReplaceAll(name, "-", " ")
	case unit == "B":
		what = "memory"
	case unit == "ns":
		what = "time"
	}
	if per {
		what += " per " + each
	}
	return what
}

// WriteCharts draws comparisons into dir, a file for each metric of each kind of
// work: what their names have up to the first comma.
func WriteCharts(dir string, comparisons []Comparison) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("bench: charts: %w", err)
	}
	charts := make(map[string][]Comparison) // by title
	for _, c := range comparisons {
		if c.Ratio == (Spread{}) { // a note
			continue
		}
		kind, _, _ := strings.Cut(c.Workload, ",")
		title := kind + ", " + words(c.Metric)
		charts[title] = append(charts[title], c)
	}
	for title, of := range charts {
		name := slug(strings.ReplaceAll(strings.TrimSuffix(title, ", "+words(TimePerOp)), ", ", " "))
		name = filepath.Join(dir, name+".svg")
		if err := os.WriteFile(name, []byte(Chart(title, of)), 0o644); err != nil {
			return fmt.Errorf("bench: charts: %w", err)
		}
	}
	return nil
}
