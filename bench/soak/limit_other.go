//go:build !unix

package main

func descriptorLimit() int { return fewDescriptors }
