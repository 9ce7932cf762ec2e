// Package taskgroup runs related tasks as one unit: every task is awaited or
// cancelled, and no error is lost.
package taskgroup
