package harness

import "slices"

// Spread is what several measurements of one thing came to.
type Spread struct{ Median, Min, Max float64 }

func spreadOf(figures []float64) Spread {
	sorted := slices.Sorted(slices.Values(figures))
	n := len(sorted)
	return Spread{
		Median: (sorted[(n-1)/2] + sorted[n/2]) / 2,
		Min:    sorted[0],
		Max:    sorted[n-1],
	}
}
