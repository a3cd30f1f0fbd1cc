// SPDX-License-Identifier: Apache-2.0

#ifndef CLINUXIO_GPIO_H
#define CLINUXIO_GPIO_H

#include <stdint.h>

// GPIO character devices, version 2 of their interface (/dev/gpiochipN, linux/gpio.h, since Linux
// 5.10). ioctl is variadic, its numbers are function-like macros, and the names are arrays, which
// Swift sees as tuples. The same rules as in Kernel.h: no state, no decisions, -errno on failure.

/// Room for a name and the NUL after it: GPIO_MAX_NAME_SIZE and one.
#define CLINUXIO_GPIO_NAME_SIZE 33

/// GPIO_GET_CHIPINFO_IOCTL. `name` and `label` have room for CLINUXIO_GPIO_NAME_SIZE bytes and end
/// in a NUL.
int clinuxio_gpio_chip(
    int fd, char *_Nonnull name, char *_Nonnull label, uint32_t *_Nonnull lines);
/// GPIO_V2_GET_LINEINFO_IOCTL. `name` and `consumer` as above; 1 when the line is in use, else 0.
int clinuxio_gpio_line(
    int fd, uint32_t offset, char *_Nonnull name, char *_Nonnull consumer);

/// How a line is pulled while nothing drives it.
enum clinuxio_gpio_bias {
  CLINUXIO_GPIO_BIAS_AS_IS,
  CLINUXIO_GPIO_BIAS_PULL_UP,
  CLINUXIO_GPIO_BIAS_PULL_DOWN,
};

/// Which changes of a line are reported.
enum clinuxio_gpio_edges {
  CLINUXIO_GPIO_BOTH_EDGES,
  CLINUXIO_GPIO_RISING_EDGES,
};

/// GPIO_V2_GET_LINE_IOCTL for one input, whose edges are stamped by CLOCK_MONOTONIC. `debounce` is
/// in microseconds, 0 for none; `events` is the number of edges that the kernel keeps. Returns the descriptor,
/// which does not block.
int clinuxio_gpio_input(
    int chip, uint32_t offset, const char *_Nonnull consumer, int is_active_low,
    enum clinuxio_gpio_edges edges, enum clinuxio_gpio_bias bias, uint32_t debounce, uint32_t events);
/// GPIO_V2_GET_LINE_IOCTL for one output. Returns the descriptor.
int clinuxio_gpio_output(
    int chip, uint32_t offset, const char *_Nonnull consumer, int is_active_low, int is_active);
/// GPIO_V2_LINE_GET_VALUES_IOCTL: 1 when active, 0 when not.
int clinuxio_gpio_get(int line);
/// GPIO_V2_LINE_SET_VALUES_IOCTL.
int clinuxio_gpio_set(int line, int is_active);

/// An edge, as the kernel gives it.
struct clinuxio_gpio_edge {
  /// CLOCK_MONOTONIC in nanoseconds.
  uint64_t time;
  /// Counts the line's edges; a number left out is an edge for which the kernel had no room.
  uint32_t number;
  /// 1 for an edge to the active state, 0 for one away from it.
  uint32_t is_active;
};

/// Reads up to `count` edges, at most 16. Returns their number, 0 when none is waiting.
int clinuxio_gpio_edges(int line, struct clinuxio_gpio_edge *_Nonnull edges, unsigned count);

#endif
