package foreign

import (
	"os"
	"testing"
)

func TestFolderIsMadeOnceAndRemoved(t *testing.T) {
	var f folder
	if err := f.remove(); err != nil {
		t.Fatal("one that was not needed:", err)
	}
	for _, source := range []string{"node.js", "uv.c"} {
		file, err := f.unpack(source)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(file); err != nil || len(text) == 0 {
			t.Fatal(len(text), err)
		}
	}
	if entries, err := os.ReadDir(f.path); err != nil || len(entries) != 2 {
		t.Fatal(entries, err)
	}
	if err := f.remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.path); !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

func TestUnpackOfAnUnknownSource(t *testing.T) {
	if _, err := new(folder).unpack("none.c"); err == nil {
		t.Fatal("no error")
	}
}

func TestMissing(t *testing.T) {
	for output, want := range map[string]bool{
		"uv.c:5:10: fatal error: uv.h: No such file or directory": true,
		"uv.c:5:10: fatal error: 'uv.h' file not found":           true,
		"/usr/bin/ld: cannot find -lboost_context: No such file":  true,
		"/usr/bin/ld: cannot find -luv":                           true,
		"uv.c:9:1: error: expected ';' before '}' token":          false,
	} {
		if got := missing(output); got != want {
			t.Errorf("%q: %v", output, got)
		}
	}
}

// What is wrong with a program itself must not be taken for a missing package.
func TestProgramThatCannotBeBuilt(t *testing.T) {
	skipWithout(t, Libuv)
	var f folder
	defer f.remove()
	_, err := f.build("uv.c", "cc", nil, nil, "gcc libuv1-dev") // nothing to link with
	if err == nil || isNotInstalled(err) {
		t.Fatal(err)
	}
}
