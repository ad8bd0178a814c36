/* Calls a kernel with registers and the stack filled with patterns, and sees that it gives back what is its caller's; if it is
 * told to trace, instruction by instruction, at each of which the stack must lead back to here. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

void kernel(void);

/* called(function, pointers, given): loads `given` into what is the caller's, calls, and puts there what is found after it. */
__asm__(
    ".text\n.globl called\n.type called, @function\ncalled:\n.cfi_startproc\n"
    "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6, -16\n"
    "mov %rsp, %rbp\n.cfi_def_cfa_register 6\n"
    "push %rbx\npush %r12\npush %r13\npush %r14\npush %r15\npush %rdx\n"
    "mov %rdi, %rax\nmov %rsi, %r10\nmov %rdx, %r11\n"
    "sub $256, %rsp\n"
    "xor %ecx, %ecx\n"
    "1: mov 48(%r10,%rcx,8), %rbx\nmov %rbx, (%rsp,%rcx,8)\ninc %rcx\ncmp $32, %rcx\njne 1b\n"
    "mov (%r11), %rbx\nmov 8(%r11), %r12\nmov 16(%r11), %r13\nmov 24(%r11), %r14\nmov 32(%r11), %r15\n"
    "mov (%r10), %rdi\nmov 8(%r10), %rsi\nmov 16(%r10), %rdx\nmov 24(%r10), %rcx\nmov 32(%r10), %r8\nmov 40(%r10), %r9\n"
    "call *%rax\n"
    "mov -48(%rbp), %r11\n"
    "mov %rbx, (%r11)\nmov %r12, 8(%r11)\nmov %r13, 16(%r11)\nmov %r14, 24(%r11)\nmov %r15, 32(%r11)\n"
    "lea 304(%rsp), %rax\nmov %rax, 40(%r11)\nmov %rbp, 48(%r11)\n"
    "pushfq\npop %rax\nmov %rax, 56(%r11)\n"
    "lea -48(%rbp), %rsp\npop %rdx\npop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\n.cfi_def_cfa 7, 8\nret\n"
    ".cfi_endproc\n.size called, .-called\n.section .note.GNU-stack,\"\",@progbits\n.text\n");
void called(void (*)(void), uint64_t *, uint64_t *);

static volatile int inside, reached;
static volatile long steps, lost;
static char *first;

static _Unwind_Reason_Code frame(struct _Unwind_Context *context, void *unused)
{
    (void)unused;
    /* Frames above `main` have higher addresses than what it holds. */
    if ((char *)_Unwind_GetCFA(context) > first) {
        reached = 1;
        return _URC_END_OF_STACK;
    }
    return _URC_NO_REASON;
}

static void step(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    ucontext_t *at = context;
    if (!inside) {
        at->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
        return;
    }
    reached = 0;
    _Unwind_Backtrace(frame, 0);
    steps++;
    lost += !reached;
}

int main(int count, char **words)
{
    char here;
    const int traces = count > 1 && !strcmp(words[1], "trace");
    first = &here;
    uint64_t pointers[64], given[8], found[8];
    for (int k = 0; k < 38; k++) {
        void *memory = aligned_alloc(64, 1 << 16);
        memset(memory, 0x5a + k, 1 << 16);
        pointers[k] = (uint64_t)memory;
    }
    for (int k = 0; k < 8; k++)
        given[k] = 0x0123456789abcdefULL * (uint64_t)(2 * k + 3);
    memcpy(found, given, sizeof given);
    struct sigaction action = {0};
    action.sa_sigaction = step;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, 0);
    inside = 1;
    if (traces)
        __asm__ volatile("lea -128(%%rsp), %%rsp\npushfq\norq $0x100, (%%rsp)\npopfq\nlea 128(%%rsp), %%rsp" ::: "memory", "cc");
    called(kernel, pointers, found);
    inside = 0;
    if (memcmp(found, given, 40))
        return puts("registers are not given back"), 1;
    if (found[5] != found[6])
        return puts("the stack is not given back"), 1;
    if (found[7] & 0x400)
        return puts("the direction flag is set"), 1;
    if (traces && (lost || steps < 20))
        return printf("of %ld instructions %ld lead nowhere\n", steps, lost), 1;
    return 0;
}
