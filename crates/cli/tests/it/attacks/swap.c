// Runs a program and swaps two names right before its K-th system call.
//
//   swap K WAY A B PROGRAM ARGUMENT...
//
// WAY is a number L (exchange A and B, and exchange them again L calls later; 0: never) or `move` (B gets the name A,
// which is free). With K = 0 nothing is swapped. Prints how many calls came up to the first that
// writes a file, whether the names were swapped, and how the program ended; with K = 0 then also which calls took the
// name A. All its threads are counted together.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *way, *a, *b;
static int swapped;

static void swap(void) {
    int done = strcmp(way, "move") == 0 ? renameat2(AT_FDCWD, b, AT_FDCWD, a, RENAME_NOREPLACE)
                                        : renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
    swapped += done == 0;
}

// Whether an argument of a call is the name A.
static int names_it(pid_t who, unsigned long long argument) {
    char text[64] = {0};
    size_t length = strlen(a) + 1;
    struct iovec here = {text, length}, there = {(void *)argument, length};
    ssize_t got = length <= sizeof text ? process_vm_readv(who, &here, 1, &there, 1, 0) : -1;
    return got == (ssize_t)length && strcmp(text, a) == 0;
}

static int writes(unsigned long long nr) {
    return nr == SYS_pwrite64 || nr == SYS_pwritev || nr == SYS_pwritev2 || nr == SYS_io_uring_enter || nr == SYS_io_submit ||
           nr == SYS_copy_file_range || nr == SYS_sendfile;
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    long k = atol(argv[1]), calls = 0, first = 0;
    long length = atol(argv[2]); // 0 of `move`
    way = argv[2], a = argv[3], b = argv[4];
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        execv(argv[5], argv + 5);
        _exit(127);
    }
    int status, code = -1;
    waitpid(child, &status, 0);
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
                   PTRACE_O_EXITKILL;
    ptrace(PTRACE_SETOPTIONS, child, 0, options);
    ptrace(PTRACE_SYSCALL, child, 0, 0);
    int over = 0, taken = 0;
    long takes[256];
    for (;;) {
        pid_t who = waitpid(-1, &status, __WALL);
        if (who < 0) break;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (who != child) continue;
            code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            break;
        }
        int signal = WSTOPSIG(status);
        if (signal == (SIGTRAP | 0x80)) {
            signal = 0;
            struct __ptrace_syscall_info info = {0};
            ptrace(PTRACE_GET_SYSCALL_INFO, who, (void *)sizeof info, &info);
            if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
                calls++;
                if (first == 0 && writes(info.entry.nr)) first = calls;
                int named = k == 0 && (names_it(who, info.entry.args[0]) || names_it(who, info.entry.args[1]));
                if (named && taken < 256) takes[taken++] = calls;
                if (calls == k) swap();
                if (length > 0 && calls == k + length) swap();
            }
            over = k > 0 ? calls > k + length : first > 0;
        } else if (signal == SIGTRAP || signal == SIGSTOP) {
            signal = 0; // of the tracer's own
        }
        ptrace(over ? PTRACE_CONT : PTRACE_SYSCALL, who, 0, (long)signal);
    }
    printf("%ld %d %d", first > 0 ? first : calls, swapped > 0, code);
    for (int one = 0; one < taken; one++) printf(" %ld", takes[one]);
    printf("\n");
    return 0;
}
