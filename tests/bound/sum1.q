# The sum of 1000 integers: a loop.
int32 result
int32 tmp
int32 ctr

result = 0
ctr = 0
looptop:
    tmp = mem32[START+ctr]
    result += tmp
    ctr += 4
    unsigned<? ctr - 4000
    goto looptop if unsigned<
