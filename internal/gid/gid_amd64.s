//go:build !portable

#include "textflag.h"

// func Get() uintptr
TEXT ·Get(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// func callersCallerPC() uintptr
// BP is the frame pointer of CallerPC, and points at that of CallerPC's caller;
// a return address lies one word above each.
TEXT ·callersCallerPC(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ (BP), AX
	MOVQ 8(AX), AX
	MOVQ AX, ret+0(FP)
	RET
