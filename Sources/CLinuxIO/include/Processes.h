// SPDX-License-Identifier: Apache-2.0

#ifndef CLINUXIO_PROCESSES_H
#define CLINUXIO_PROCESSES_H

#include <sys/types.h>

// Child programs, a process's priority, and the system's log. The same rules as in Kernel.h.

/// A child program, and this process's ends of its standard streams.
struct clinuxio_child {
  pid_t pid;
  /// Writes to its stdin; nonblocking.
  int input;
  /// Reads its stdout; a pipe of 1 MiB where the kernel allows.
  int output;
  /// Reads its stderr; nonblocking.
  int talk;
};

/// Starts a program, searched for as execvp(3) does, in a process group of its own, with pipes (pipe2, outside the Glibc
/// module) that close on exec. Signals are as from a shell: none blocked, SIGPIPE and SIGXFSZ not ignored. It
/// gets SIGTERM when the thread that started it ends (PR_SET_PDEATHSIG), which posix_spawn(3) cannot ask for. `words`
/// ends in NULL. 0 or -errno; -ENOENT when there is no such program.
int clinuxio_start(char *_Nullable const *_Nonnull words, struct clinuxio_child *_Nonnull child);
/// Whether a child ended; it stays a zombie until ``clinuxio_end``.
int clinuxio_has_ended(pid_t pid);
/// Waits so many milliseconds for a child's end, then ends its group with SIGTERM and, a second later, SIGKILL; whatever
/// it left in its group ends with it. Its exit status, or 128 plus the signal's number, as in a shell.
int clinuxio_end(pid_t pid, int milliseconds);

/// Yields to everything else: nice value 10, and best-effort I/O of the lowest priority
/// (ioprio_set(2), which has no C function). For the calling thread and those it starts later.
/// A refusal of the kernel is ignored.
void clinuxio_step_back(void);

/// syslog(3) with facility LOG_AUTH and level LOG_NOTICE or, when `is_refusal`, LOG_WARNING; its format is
/// variadic. Lost where no system log listens.
void clinuxio_log(int is_refusal, const char *_Nonnull line);

#endif
