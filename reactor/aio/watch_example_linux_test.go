package aio_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// A program that reloads its settings when the file is replaced.
func ExampleWatch() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		dir, err := os.MkdirTemp("", "aio")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		w, err := aio.Watch(ctx, dir, false)
		if err != nil {
			return err
		}
		defer w.Close()

		fresh, settings := filepath.Join(dir, "fresh"), filepath.Join(dir, "settings")
		if err := os.WriteFile(fresh, []byte("colour=blue"), 0o600); err != nil {
			return err
		}
		if err := os.Rename(fresh, settings); err != nil {
			return err
		}
		for {
			change, err := w.Next(ctx) // suspends
			if err != nil {
				return err
			}
			if change.Path == settings && change.Op == aio.FSCreate {
				break
			}
		}
		now, err := os.ReadFile(settings)
		fmt.Println(string(now))
		return err
	})
	fmt.Println(err)
	// Output:
	// colour=blue
	// <nil>
}
