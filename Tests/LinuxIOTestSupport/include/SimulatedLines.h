// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATEDLINES_H
#define SIMULATEDLINES_H

#include <stdint.h>

/// GPIO chips without a kernel: GPIO requests to a regular file are answered from its text,
///
///     gpiochip0=pinctrl-bcm2711       name and label
///     ID_SDA                          the name of line 0
///     GPIO17=sysfs                    a line in use
///
/// and a requested line is a file in memory with its edges. One test at a time has them.
struct simulated_lines {
  /// The answer of GPIO_V2_GET_LINE_IOCTL to a request with a pull; 0 to accept it.
  int bias_failure;
  /// The answer of the requested line; 0 when it is there.
  int failure;
  /// The line's level.
  int value;
  /// The last request: flags, the attribute's kind, the debounce in microseconds, the user.
  uint64_t flags;
  uint32_t attribute;
  uint32_t debounce;
  char consumer[32];
  /// The line requested last, and the edges in it.
  int descriptor;
  unsigned edges;
};

/// The chips.
struct simulated_lines *_Nonnull simulated_lines(void);
/// Makes all fields 0, and 1; 0 while another test has the lines.
int simulated_lines_take(void);
/// Leaves the lines to the next test.
void simulated_lines_give(void);
/// An edge of the line requested last.
void simulated_lines_edge(int is_active, uint64_t time, uint32_t number);
/// An errno, 0, or -1 for "not mine".
int simulated_lines_answer(int fd, unsigned long request, void *_Nullable argument);

#endif
