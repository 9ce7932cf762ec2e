package ring_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/ring"
)

func contents[T any](r *ring.Ring[T]) []T {
	out := make([]T, r.Len())
	for i := range out {
		out[i] = r.At(i)
	}
	return out
}

func TestZeroValueIsReady(t *testing.T) {
	var r ring.Ring[int]
	require.Zero(t, r.Len())
	_, ok := r.PopFront()
	require.False(t, ok)
	_, ok = r.PopBack()
	require.False(t, ok)
	r.PushFront(1)
	r.PushBack(2)
	require.Equal(t, []int{1, 2}, contents(&r))
}

func TestEnds(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(r *ring.Ring[int]) []int // what was popped
		pop  []int
		left []int
	}{
		{"first in, first out", func(r *ring.Ring[int]) []int {
			pushBack(r, 1, 2, 3)
			return []int{popFront(r), popFront(r)}
		}, []int{1, 2}, []int{3}},
		{"last in, first out at the back", func(r *ring.Ring[int]) []int {
			pushBack(r, 1, 2, 3)
			return []int{popBack(r), popBack(r)}
		}, []int{3, 2}, []int{1}},
		{"the front overtakes", func(r *ring.Ring[int]) []int {
			pushBack(r, 1, 2)
			r.PushFront(0)
			return []int{popFront(r)}
		}, []int{0}, []int{1, 2}},
		{"front pushes come out reversed", func(r *ring.Ring[int]) []int {
			r.PushFront(1)
			r.PushFront(2)
			return []int{popBack(r)}
		}, []int{1}, []int{2}},
		{"swap", func(r *ring.Ring[int]) []int {
			pushBack(r, 1, 2, 3)
			r.Swap(0, 2)
			r.Swap(1, 1)
			return nil
		}, nil, []int{3, 2, 1}},
		{"clear", func(r *ring.Ring[int]) []int {
			pushBack(r, 1, 2, 3)
			r.Clear()
			r.PushBack(4)
			return nil
		}, nil, []int{4}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r ring.Ring[int]
			require.Equal(t, tc.pop, tc.do(&r))
			require.Equal(t, tc.left, contents(&r))
		})
	}
}

// Growing and shrinking happen here while the elements lie across the end of
// the buffer, at every possible offset.
func TestOrderIsKeptAcrossTheWrap(t *testing.T) {
	const smallest, large = 16, 512
	for offset := range smallest {
		var r ring.Ring[int]
		for range offset {
			r.PushBack(-1)
			r.PopFront()
		}
		for i := range large {
			r.PushBack(i)
		}
		require.Equal(t, large, r.Cap())
		for i := range large - 3 {
			require.Equal(t, i, popFront(&r))
		}
		for i := large; r.Cap() > smallest; i++ {
			r.PushBack(i)
			require.Equal(t, i-3, popFront(&r))
			require.Less(t, i, 20*large, "never shrank")
		}
		require.Equal(t, 3, r.Len())
		require.Equal(t, r.At(0)+2, r.At(2))
	}
}

func TestShrinksFromEveryPop(t *testing.T) {
	for name, op := range map[string]func(*ring.Ring[int]){
		"back to front":  func(r *ring.Ring[int]) { r.PushBack(1); popFront(r) },
		"front to back":  func(r *ring.Ring[int]) { r.PushFront(1); popBack(r) },
		"front to front": func(r *ring.Ring[int]) { r.PushFront(1); popFront(r) },
		"back to back":   func(r *ring.Ring[int]) { r.PushBack(1); popBack(r) },
	} {
		t.Run(name, func(t *testing.T) {
			var r ring.Ring[int]
			fill(&r, 1024)
			drain(&r)
			for range 16 * 1024 {
				op(&r)
			}
			require.Equal(t, 16, r.Cap())
		})
	}
}

// A ring that is filled and emptied over and over keeps its size, and so does
// one whose length goes back and forth over any boundary.
func TestNeverThrashes(t *testing.T) {
	for _, size := range []int{17, 64, 129, 1000, 1024} {
		var r ring.Ring[int]
		burst := func() {
			fill(&r, size)
			drain(&r)
		}
		burst()
		require.Zero(t, testing.AllocsPerRun(200, burst), "bursts of %d", size)
	}
	for size := 1; size <= 256; size++ {
		var r ring.Ring[int]
		fill(&r, 256)
		for r.Len() > size {
			popFront(&r)
		}
		hover := func() {
			for range 4096 {
				r.PushBack(1)
				popFront(&r)
			}
		}
		hover() // settles on a size
		require.Zero(t, testing.AllocsPerRun(1, hover), "length %d", size)
	}
}

func TestPoppedElementsAreNotRetained(t *testing.T) {
	var r ring.Ring[*[64]byte]
	const n = 64
	freed := make(chan struct{}, 2*n)
	for range n {
		p, q := new([64]byte), new([64]byte)
		runtime.AddCleanup(p, func(struct{}) { freed <- struct{}{} }, struct{}{})
		runtime.AddCleanup(q, func(struct{}) { freed <- struct{}{} }, struct{}{})
		r.PushBack(p)
		r.PushFront(q)
	}
	for range n {
		r.PopFront()
		r.PopBack()
	}
	for seen := 0; seen < 2*n; {
		runtime.GC()
		<-freed
		for seen++; len(freed) > 0; seen++ {
			<-freed
		}
	}
	require.Zero(t, r.Len())
	runtime.KeepAlive(&r)
}

func TestIndexOutOfRangePanics(t *testing.T) {
	var r ring.Ring[int]
	fill(&r, 3)
	const message = "ring: index 3 out of range with length 3"
	require.PanicsWithValue(t, message, func() { r.At(3) })
	require.PanicsWithValue(t, message, func() { r.Swap(0, 3) })
	require.PanicsWithValue(t, message, func() { r.Swap(3, 0) })
	require.Panics(t, func() { r.At(-1) })
}

// FuzzRing plays each input as a program, one byte an operation, on a ring and
// on a slice, and compares them.
func FuzzRing(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5})
	f.Add([]byte{0x38, 0x39, 0x3a, 0x3b, 0xfa, 0xfb, 0x3a})
	f.Add([]byte{0x42, 0x40, 0x41, 0x43, 0x40, 0x05, 0x41})
	f.Fuzz(func(t *testing.T, program []byte) {
		program = program[:min(len(program), 256)] // the slice makes longer ones slow
		var r ring.Ring[int]
		var want []int
		same := func(got int, ok bool, i int) {
			if ok != (len(want) > 0) || ok && got != want[i] {
				t.Fatalf("popped %d, %t where %v should be left", got, ok, want)
			}
		}
		for pc, b := range program {
			// The upper bits repeat an operation, up to 256 times, so that
			// short inputs reach the sizes at which the buffer moves.
			op, times := b&7, 1<<min(b>>3, 8)
			for i := range times {
				v := pc<<10 | i
				switch op {
				case 0:
					r.PushBack(v)
					want = append(want, v)
				case 1:
					r.PushFront(v)
					want = slices.Insert(want, 0, v)
				case 6:
					want = append(want, v)
					same(r.Rotate(v), true, 0)
					want = want[1:]
				case 2, 7:
					got, ok := r.PopFront()
					same(got, ok, 0)
					want = want[min(1, len(want)):]
				case 3:
					got, ok := r.PopBack()
					same(got, ok, len(want)-1)
					want = want[:max(0, len(want)-1)]
				case 4:
					if n := len(want); n > 0 {
						i, j := v%n, (v>>10)%n
						r.Swap(i, j)
						want[i], want[j] = want[j], want[i]
					}
				case 5:
					if i == 0 && pc%8 == 7 {
						r.Clear()
						want = nil
					}
				}
			}
			if r.Len() != len(want) || r.Len() > r.Cap() {
				t.Fatalf("length %d, capacity %d, want length %d", r.Len(), r.Cap(), len(want))
			}
		}
		for i, v := range want {
			if got := r.At(i); got != v {
				t.Fatalf("element %d is %d, want %d", i, got, v)
			}
		}
	})
}

func BenchmarkPushPop(b *testing.B) {
	var r ring.Ring[*int]
	v := new(int)
	fillWith(&r, v, 100)
	b.ReportAllocs()
	for b.Loop() {
		r.PushBack(v)
		v, _ = r.PopFront()
	}
}

func BenchmarkBurst1000(b *testing.B) {
	var r ring.Ring[*int]
	v := new(int)
	b.ReportAllocs()
	for b.Loop() {
		fillWith(&r, v, 1000)
		for r.Len() > 0 {
			r.PopFront()
		}
	}
}

func pushBack(r *ring.Ring[int], vs ...int) {
	for _, v := range vs {
		r.PushBack(v)
	}
}

func popFront(r *ring.Ring[int]) int { v, _ := r.PopFront(); return v }

func popBack(r *ring.Ring[int]) int { v, _ := r.PopBack(); return v }

func fill(r *ring.Ring[int], n int) { fillWith(r, 1, n) }

func fillWith[T any](r *ring.Ring[T], v T, n int) {
	for range n {
		r.PushBack(v)
	}
}

func drain(r *ring.Ring[int]) {
	for r.Len() > 0 {
		r.PopFront()
	}
}
