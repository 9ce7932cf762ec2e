package foreign

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

//go:embed programs
var programs embed.FS

// folder is where programs are built, a temporary one that is made when the first
// is needed.
type folder struct {
	mu   sync.Mutex
	path string
}

// here is this process's.
var here folder

// Remove removes what has been built. No program can be started after it.
func Remove() error { return here.remove() }

func (f *folder) remove() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		return nil
	}
	return os.RemoveAll(f.path)
}

// unpack writes the source of a program to a file, and returns its name.
func (f *folder) unpack(source string) (file string, err error) {
	text, err := programs.ReadFile("programs/" + source)
	if err != nil {
		return "", fmt.Errorf("foreign: unpacking: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		if f.path, err = os.MkdirTemp("", "trueasync-bench-"); err != nil {
			return "", fmt.Errorf("foreign: unpacking %s: %w", source, err)
		}
	}
	file = filepath.Join(f.path, source)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", fmt.Errorf("foreign: unpacking: %w", err)
	}
	return file, nil
}

// interpreted is a program that the tool runs as it is.
func interpreted(source, tool, packages string) *Program {
	return program(func() ([]string, error) {
		path, err := exec.LookPath(tool)
		if err != nil {
			return nil, notInstalled(packages)
		}
		file, err := here.unpack(source)
		return []string{path, file}, err
	})
}

// built is a program that a compiler makes, with flags before and libraries after
// the source.
func built(source, compiler string, flags, libraries []string, packages string) *Program {
	return program(func() ([]string, error) {
		to, err := here.build(source, compiler, flags, libraries, packages)
		return []string{to}, err
	})
}

func (f *folder) build(source, compiler string, flags, libraries []string, packages string) (to string, err error) {
	path, err := exec.LookPath(compiler)
	if err != nil {
		return "", notInstalled(packages)
	}
	file, err := f.unpack(source)
	if err != nil {
		return "", err
	}
	to = strings.TrimSuffix(file, filepath.Ext(file))
	cmd := exec.Command(path, slices.Concat(flags, []string{"-o", to, file}, libraries)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C") // missing tells by the words
	output, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return to, nil
	case missing(string(output)):
		return "", notInstalled(packages)
	default:
		first, _, _ := strings.Cut(string(output), "\n")
		return "", fmt.Errorf("foreign: building %s: %w: %s", source, err, first)
	}
}

// missing tells whether a compiler has failed for want of a header or a library.
func missing(output string) bool {
	return strings.Contains(output, "No such file or directory") || // gcc
		strings.Contains(output, "file not found") || // clang
		strings.Contains(output, "cannot find -l")
}
