// Pipeline shows stages that work at the same time, joined by channels: each stage
// goes no faster than the next one takes its work, and a failure anywhere ends all
// of them.
//
//	go run ./examples/pipeline
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

const text = `A coroutine that waits lets another one run.
One loop runs them all, one at a time,
so what they share needs no lock.
A task that waits for its turn has no stack at all.`

func main() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		counts, err := count(ctx, strings.Split(text, "\n"))
		if err != nil {
			return err
		}
		report(os.Stdout, counts)
		_, err = count(ctx, []string{"a good line", "a line with a \x00", "never read"})
		fmt.Println("and with a bad line:", err)
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// count counts the words of the lines, in three stages. They are the tasks of one
// group: where one fails the others are cancelled, whatever they wait for, and the
// error is that of the one.
func count(ctx context.Context, lines []string) (map[string]int, error) {
	read := scheduler.NewChannel[string](ctx, 2)
	words := scheduler.NewChannel[string](ctx, 8)
	counts := map[string]int{}

	stages := taskgroup.NewKeyed[string, struct{}](ctx, taskgroup.FailFast())
	for _, stage := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"read", func(ctx context.Context) error {
			defer read.Close(nil)
			for _, line := range lines {
				if err := read.Send(ctx, line); err != nil { // suspends while 2 wait
					return err
				}
			}
			return nil
		}},
		{"split", func(ctx context.Context) error {
			defer words.Close(nil)
			return parallel(ctx, 3, func(ctx context.Context) error { return split(ctx, read, words) })
		}},
		{"count", func(ctx context.Context) error {
			for word := range words.All(ctx) {
				counts[word]++
			}
			return ctx.Err() // All ends also where ctx does
		}},
	} {
		err := stages.SpawnWithKey(ctx, stage.name, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, stage.run(ctx)
		})
		if err != nil {
			return nil, err
		}
	}
	_, err := stages.All().Await(ctx)
	return counts, errors.Join(err, stages.Dispose())
}

// parallel runs n of the same: a stage of several workers is a group of its own.
func parallel(ctx context.Context, n int, work func(context.Context) error) error {
	workers := taskgroup.New[struct{}](ctx, taskgroup.FailFast())
	for range n {
		err := workers.Spawn(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, work(ctx) })
		if err != nil {
			return err
		}
	}
	_, err := workers.All().Await(ctx)
	return errors.Join(err, workers.Dispose())
}

// split takes lines until there are no more and sends their words on.
func split(ctx context.Context, lines, words *scheduler.Channel[string]) error {
	for line := range lines.All(ctx) {
		if strings.ContainsRune(line, 0) {
			return fmt.Errorf("not text: %q", line)
		}
		for word := range strings.FieldsFuncSeq(strings.ToLower(line), func(r rune) bool { return r < 'a' || r > 'z' }) {
			if err := words.Send(ctx, word); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// report prints the most frequent words.
func report(out io.Writer, counts map[string]int) {
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for _, word := range words[:min(5, len(words))] {
		fmt.Fprintf(out, "%d× %s\n", counts[word], word)
	}
}
