//go:build race || portable

package taskgroup_test

// million is fewer where each task takes microseconds: what the tests of memory
// show, they show in the other builds.
const million = 50_000
