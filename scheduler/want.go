package scheduler

// want is what a coroutine waits for that is no event. It is kept as a number, for
// it is noted at every such suspension and read in dumps alone.
type want uint8

const (
	noWant want = iota
	channelSend
	channelReceive
	mutexLock
	semaphoreUnits
	waitGroupEmpty
	iterationStep
	iterationEnd
	schedulerShutdown
)

var wantNames = [...]string{
	channelSend:       "channel send",
	channelReceive:    "channel receive",
	mutexLock:         "mutex",
	semaphoreUnits:    "semaphore",
	waitGroupEmpty:    "wait group",
	iterationStep:     "iteration",
	iterationEnd:      "end of an iteration",
	schedulerShutdown: "shutdown",
}

func (w want) String() string { return wantNames[w] }
