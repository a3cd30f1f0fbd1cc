#ifndef CLINUXIO_TERMINAL_H
#define CLINUXIO_TERMINAL_H

#include <stddef.h>

// A terminal that is drawn on (termios(3), ioctl_tty(2)). The same rules as in Kernel.h, but for the state
// that a crash needs to leave the terminal as it was: a signal handler can be given nothing.

/// TIOCGWINSZ. ioctl is variadic.
int clinuxio_terminal_size(int fd, int *_Nonnull columns, int *_Nonnull rows);

/// Switches the terminal at `fd` to single keys without echo, writes `enter`, and remembers what it was and
/// `leave`, to be written when it is given back, also by a signal that ends the process, such as a crash
/// (signal(7); SIGKILL gives no chance to). One terminal at a time: -EBUSY. `leave` has less than 128 bytes.
int clinuxio_terminal_take(int fd, const char *_Nonnull enter, const char *_Nonnull leave);

/// Gives the terminal back as it was until `again`, while another program is to have it.
void clinuxio_terminal_lend(void);

/// Switches it again as `take` did, after `lend`, or after another program had it (SIGCONT).
int clinuxio_terminal_again(void);

/// Gives the terminal back as it was. May be called when none is taken.
void clinuxio_terminal_give_back(void);

#endif
