package main

import (
	"math/rand/v2"

	"github.com/trueasync/trueasync-go/scheduler"
)

// victims are the coroutines that may be cancelled at random. They belong to the
// loop.
type victims struct {
	list []*scheduler.Coroutine
	at   map[*scheduler.Coroutine]int
}

// add adds c until it ends.
func (v *victims) add(c *scheduler.Coroutine) {
	if v.at == nil {
		v.at = make(map[*scheduler.Coroutine]int)
	}
	v.at[c] = len(v.list)
	v.list = append(v.list, c)
	c.Finally(v.remove)
}

func (v *victims) remove(c *scheduler.Coroutine) {
	i, last := v.at[c], len(v.list)-1
	v.list[i] = v.list[last]
	v.at[v.list[i]] = i
	v.list[last] = nil
	v.list = v.list[:last]
	delete(v.at, c)
}

// pick returns one of them, nil where there is none.
func (v *victims) pick(rng *rand.Rand) *scheduler.Coroutine {
	if len(v.list) == 0 {
		return nil
	}
	return v.list[rng.IntN(len(v.list))]
}
