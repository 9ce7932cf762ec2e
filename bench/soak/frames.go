package main

import "fmt"

// Several writers share a connection by writing frames: a byte for who writes,
// three for the length, and that much of the writer's stream.

const (
	frameHeader = 4
	maxWriters  = 4
)

// streamOf is the key of a writer's stream.
func streamOf(id uint64, writer int) uint64 { return mix(id) + uint64(writer) }

// appendFrame appends to b a frame with size bytes of a writer's stream, from
// position at on.
func appendFrame(b []byte, id uint64, writer int, at int64, size int) []byte {
	b = append(b, byte(writer), byte(size>>16), byte(size>>8), byte(size))
	b = append(b, make([]byte, size)...)
	fill(b[len(b)-size:], streamOf(id, writer), at)
	return b
}

// frames takes a connection's bytes, however they are cut, and looks whether the
// frames in them are whole and each writer's in order.
type frames struct {
	id      uint64
	at      [maxWriters]int64
	header  [frameHeader]byte
	have    int // of the header
	left    int // of the payload
	scratch []byte
}

func (f *frames) take(b []byte) error {
	if len(f.scratch) < len(b) {
		f.scratch = make([]byte, len(b))
	}
	for len(b) > 0 {
		if f.left == 0 {
			n := copy(f.header[f.have:], b)
			f.have, b = f.have+n, b[n:]
			if f.have < frameHeader {
				return nil
			}
			f.have, f.left = 0, int(f.header[1])<<16|int(f.header[2])<<8|int(f.header[3])
			if f.header[0] >= maxWriters {
				return fmt.Errorf("frame of writer %d: %w", f.header[0], errMismatch)
			}
			continue
		}
		part, writer := b[:min(f.left, len(b))], int(f.header[0])
		if !matches(part, f.scratch, streamOf(f.id, writer), f.at[writer]) {
			return fmt.Errorf("writer %d at %d: %w", writer, f.at[writer], errMismatch)
		}
		f.at[writer] += int64(len(part))
		f.left -= len(part)
		b = b[len(part):]
	}
	return nil
}

// whole reports whether nothing of a frame is missing.
func (f *frames) whole() bool { return f.have == 0 && f.left == 0 }
