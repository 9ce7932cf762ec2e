// Command soak keeps package aio busy with connections that are opened, used,
// half-closed, reset and abandoned by the thousand while the coroutines that use
// them are cancelled at random, and then looks whether anything was lost or left
// behind:
//
//	go run ./bench/soak
//
// It prints a line for each wave of connections, and exits with status 1 where
// something was wrong.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	s := Soak{Log: os.Stdout, Crowd: 5_000, Wave: 4 * time.Second}
	flag.DurationVar(&s.Time, "time", time.Minute, "how long to go on, about")
	flag.Uint64Var(&s.Seed, "seed", uint64(time.Now().UnixNano()), "what the random decisions are made from")
	flag.IntVar(&s.AtOnce, "at-once", 400, "how many connections are used at a time")
	flag.DurationVar(&s.Stall, "stall", 2*time.Second, "how long the loop may be held, at most")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := s.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}
