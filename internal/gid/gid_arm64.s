//go:build !portable

#include "textflag.h"

// func Get() uintptr
TEXT ·Get(SB), NOSPLIT, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET

// func callersCallerPC() uintptr
// R29 is the frame pointer of CallerPC, and points at that of CallerPC's caller;
// a return address lies one word above each.
TEXT ·callersCallerPC(SB), NOSPLIT|NOFRAME, $0-8
	MOVD (R29), R0
	MOVD 8(R0), R0
	MOVD R0, ret+0(FP)
	RET
