/* Runs a program instruction by instruction and prints the address of each: steps PROGRAM. For x86-64 Linux. */
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    if (count != 2) return 2;
    const pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(arguments[1], arguments + 1);
        _exit(127);
    }
    for (int status; waitpid(child, &status, 0) == child && WIFSTOPPED(status);) {
        struct user_regs_struct registers;
        if (ptrace(PTRACE_GETREGS, child, NULL, &registers) != 0) return 1;
        printf("%llx\n", registers.rip);
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0) return 1;
    }
    return 0;
}
