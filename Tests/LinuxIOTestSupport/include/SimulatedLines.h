#ifndef SIMULATEDLINES_H
#define SIMULATEDLINES_H

#include <stdint.h>

/// GPIO chips without a kernel: GPIO requests to a regular file are answered from its text,
///
///     gpiochip0=pinctrl-bcm2711       name and label
///     ID_SDA                          the name of line 0
///     GPIO17=sysfs                    a line that somebody uses
///
/// and a line that was given is a file in memory with its edges. Tests that use it run one by one.
struct simulated_lines {
  /// What GPIO_V2_GET_LINE_IOCTL answers to a request with a pull; 0 when it takes it.
  int bias_failure;
  /// What the given line answers; 0 when it is there.
  int failure;
  /// The line's level.
  int value;
  /// What was asked for last: flags, the attribute's kind, the debounce in microseconds, the user.
  uint64_t flags;
  uint32_t attribute;
  uint32_t debounce;
  char consumer[32];
  /// The line that was given last, and the edges in it.
  int descriptor;
  unsigned edges;
};

/// The chips.
struct simulated_lines *_Nonnull simulated_lines(void);
/// All fields 0.
void simulated_lines_reset(void);
/// An edge of the line that was given last.
void simulated_lines_edge(int is_active, uint64_t time, uint32_t number);
/// An errno, 0, or -1 for "not mine".
int simulated_lines_answer(int fd, unsigned long request, void *_Nullable argument);

#endif
