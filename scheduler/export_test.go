package scheduler

// ForceSeed has every Scheduler that is made from now on permute its order, as
// WithSeed does, unless an option says otherwise.
func ForceSeed(seed uint64) { prepare = WithSeed(seed) }

// InOrder takes that back for one Scheduler: for tests of the order itself.
func InOrder() Option { return func(s *Scheduler) { s.seed = nil } }
