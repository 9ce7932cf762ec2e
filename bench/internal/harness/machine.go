package harness

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// Machine says in a line where and when a table was made.
func Machine() string {
	return fmt.Sprintf("%s, %s/%s, %s, %s, %d CPUs, %s",
		time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH,
		kernel(), runtime.Version(), runtime.NumCPU(), processor())
}

// kernel is the kernel's release where the system tells it in /proc.
func kernel() string {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return "unknown kernel"
	}
	return "kernel " + strings.TrimSpace(string(release))
}

// processor is the processor's name where the system tells it in /proc.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	return modelName(string(info))
}

func modelName(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
