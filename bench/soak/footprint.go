package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

// footprint is what a process uses that it must give back.
type footprint struct {
	descriptors, goroutines int
	memory                  uint64 // of live objects and stacks
}

func (f footprint) String() string {
	return fmt.Sprintf("%d descriptors, %d goroutines, %.1f MiB", f.descriptors, f.goroutines, float64(f.memory)/(1<<20))
}

// settled is the footprint once it has come down to want's descriptors and
// goroutines, or has had time to: a goroutine that has done its work is counted
// until it has ended.
func settled(want footprint) footprint {
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		f := footprint{descriptors: descriptors(), goroutines: runtime.NumGoroutine()}
		if f.descriptors <= want.descriptors && f.goroutines <= want.goroutines || time.Now().After(deadline) {
			f.memory = memory()
			return f
		}
	}
}

func memory() uint64 {
	debug.FreeOSMemory() // collects
	runtime.GC()         // and what the first collection has only moved out of the pools
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc + stats.StackInuse
}

// descriptors counts those that are open, where the system lists them, and is 0
// elsewhere. That of the list itself is counted every time.
func descriptors() int {
	for _, dir := range []string{"/proc/self/fd", "/dev/fd"} {
		if entries, err := os.ReadDir(dir); err == nil {
			return len(entries)
		}
	}
	return 0
}
