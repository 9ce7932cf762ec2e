package harness

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpread(t *testing.T) {
	for _, tc := range []struct {
		in   []float64
		want Spread
	}{
		{[]float64{3}, Spread{3, 3, 3}},
		{[]float64{9, 1}, Spread{5, 1, 9}},
		{[]float64{5, 9, 1}, Spread{5, 1, 9}},
		{[]float64{100, 2, 4, 1}, Spread{3, 1, 100}},
	} {
		before := append([]float64(nil), tc.in...)
		require.Equal(t, tc.want, spreadOf(tc.in))
		require.Equal(t, before, tc.in, "left in its order")
	}
}
