//go:build !race && !portable

package taskgroup_test

// million is how many tasks the tests of memory make.
const million = 1_000_000
