// SPDX-License-Identifier: Apache-2.0

#ifndef CTERMINALTESTING_H
#define CTERMINALTESTING_H

#include <stddef.h>

// Pseudo-terminals (pty(7)), whose calls the C library's module does not show.

/// Makes one: its descriptor, which does not block and closes on exec, or -1; `name` is what a program opens.
int open_terminal(char *_Nonnull name, size_t count);

/// Gives it its size (TIOCSWINSZ), and with that the program at it (SIGWINCH).
int resize_terminal(int fd, int columns, int rows);

#endif
