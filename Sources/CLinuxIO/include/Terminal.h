// SPDX-License-Identifier: Apache-2.0

#ifndef CLINUXIO_TERMINAL_H
#define CLINUXIO_TERMINAL_H

#include <stddef.h>

// A terminal that is drawn on (termios(3), ioctl_tty(2)). The same rules as in Kernel.h, but for the state
// that a crash needs to leave the terminal as it was: a signal handler gets no arguments.

/// TIOCGWINSZ. ioctl is variadic.
int clinuxio_terminal_size(int fd, int *_Nonnull columns, int *_Nonnull rows);

/// Switches the terminal at `fd` to single keys without echo, writes `enter`, and keeps its former state and
/// `leave`, to restore it at the end, also after a signal that ends the process, such as a crash
/// (signal(7); SIGKILL allows nothing). One terminal at a time: -EBUSY. `leave` has less than 128 bytes.
int clinuxio_terminal_take(int fd, const char *_Nonnull enter, const char *_Nonnull leave);

/// Restores the terminal until `clinuxio_terminal_resume`, while another program uses it.
void clinuxio_terminal_suspend(void);

/// Switches it again, after `clinuxio_terminal_suspend` or after another program used it (SIGCONT).
int clinuxio_terminal_resume(void);

/// Restores the terminal. May be called when none is taken.
void clinuxio_terminal_restore(void);

#endif
