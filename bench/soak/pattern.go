package main

import "bytes"

// A stream's bytes follow from its key and their positions, so that whoever
// receives some knows whether they are the right ones: of this connection, in
// their place, and nobody else's.

// fill writes to b what a stream has from position at on.
func fill(b []byte, key uint64, at int64) {
	for i := 0; i < len(b); {
		word := mix(key ^ uint64(at)>>3)
		for shift := uint(at&7) * 8; shift < 64 && i < len(b); shift += 8 {
			b[i] = byte(word >> shift)
			i++
			at++
		}
	}
}

// matches reports whether b is what a stream has from position at on. It uses
// scratch, which must not be shorter than b.
func matches(b, scratch []byte, key uint64, at int64) bool {
	scratch = scratch[:len(b)]
	fill(scratch, key, at)
	return bytes.Equal(b, scratch)
}

// mix scatters its argument over all 64 bits: the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
