package ring

// Cap is the number of slots in the buffer.
func (r *Ring[T]) Cap() int { return len(r.buf) }
