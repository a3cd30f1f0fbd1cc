// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "GPIO.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { most_edges = 16 };

static int answer(int result) { return result < 0 ? -errno : result; }

/// The kernel ends its names in a NUL; that is not relied on.
static void copy_name(char *to, const char from[GPIO_MAX_NAME_SIZE]) {
  memcpy(to, from, GPIO_MAX_NAME_SIZE);
  to[GPIO_MAX_NAME_SIZE] = 0;
}

int clinuxio_gpio_chip(int fd, char *name, char *label, uint32_t *lines) {
  struct gpiochip_info information;
  memset(&information, 0, sizeof information);
  int result = answer(ioctl(fd, GPIO_GET_CHIPINFO_IOCTL, &information));
  copy_name(name, information.name);
  copy_name(label, information.label);
  *lines = information.lines;
  return result;
}

int clinuxio_gpio_line(int fd, uint32_t offset, char *name, char *consumer) {
  struct gpio_v2_line_info information;
  memset(&information, 0, sizeof information);
  information.offset = offset;
  int result = answer(ioctl(fd, GPIO_V2_GET_LINEINFO_IOCTL, &information));
  copy_name(name, information.name);
  copy_name(consumer, information.consumer);
  return result < 0 ? result : (information.flags & GPIO_V2_LINE_FLAG_USED) != 0;
}

static int request(int chip, struct gpio_v2_line_request *request, const char *consumer) {
  strncpy(request->consumer, consumer, GPIO_MAX_NAME_SIZE - 1);
  request->num_lines = 1;
  int result = answer(ioctl(chip, GPIO_V2_GET_LINE_IOCTL, request));
  return result < 0 ? result : request->fd;
}

int clinuxio_gpio_input(
    int chip, uint32_t offset, const char *consumer, int is_active_low,
    enum clinuxio_gpio_edges edges, enum clinuxio_gpio_bias bias, uint32_t debounce, uint32_t events) {
  struct gpio_v2_line_request input;
  memset(&input, 0, sizeof input);
  input.offsets[0] = offset;
  input.event_buffer_size = events;
  input.config.flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING;
  if (edges == CLINUXIO_GPIO_BOTH_EDGES) input.config.flags |= GPIO_V2_LINE_FLAG_EDGE_FALLING;
  if (is_active_low) input.config.flags |= GPIO_V2_LINE_FLAG_ACTIVE_LOW;
  if (bias == CLINUXIO_GPIO_BIAS_PULL_UP) input.config.flags |= GPIO_V2_LINE_FLAG_BIAS_PULL_UP;
  if (bias == CLINUXIO_GPIO_BIAS_PULL_DOWN) input.config.flags |= GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN;
  if (debounce != 0) {
    input.config.num_attrs = 1;
    input.config.attrs[0].mask = 1;
    input.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE;
    input.config.attrs[0].attr.debounce_period_us = debounce;
  }
  int line = request(chip, &input, consumer);
  if (line < 0) return line;
  int flags = fcntl(line, F_GETFL);
  int result = answer(flags < 0 ? flags : fcntl(line, F_SETFL, flags | O_NONBLOCK));
  if (result < 0) close(line);
  return result < 0 ? result : line;
}

int clinuxio_gpio_output(
    int chip, uint32_t offset, const char *consumer, int is_active_low, int is_active) {
  struct gpio_v2_line_request output;
  memset(&output, 0, sizeof output);
  output.offsets[0] = offset;
  output.config.flags = GPIO_V2_LINE_FLAG_OUTPUT;
  if (is_active_low) output.config.flags |= GPIO_V2_LINE_FLAG_ACTIVE_LOW;
  output.config.num_attrs = 1;
  output.config.attrs[0].mask = 1;
  output.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
  output.config.attrs[0].attr.values = is_active != 0;
  return request(chip, &output, consumer);
}

int clinuxio_gpio_get(int line) {
  struct gpio_v2_line_values values = {.bits = 0, .mask = 1};
  int result = answer(ioctl(line, GPIO_V2_LINE_GET_VALUES_IOCTL, &values));
  return result < 0 ? result : (int)(values.bits & 1);
}

int clinuxio_gpio_set(int line, int is_active) {
  struct gpio_v2_line_values values = {.bits = is_active != 0, .mask = 1};
  return answer(ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values));
}

int clinuxio_gpio_edges(int line, struct clinuxio_gpio_edge *edges, unsigned count) {
  struct gpio_v2_line_event events[most_edges];
  if (count > most_edges) count = most_edges;
  ssize_t bytes = read(line, events, count * sizeof events[0]);
  if (bytes < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  unsigned got = (unsigned)((size_t)bytes / sizeof events[0]);
  for (unsigned index = 0; index < got; index++) {
    edges[index].time = events[index].timestamp_ns;
    edges[index].number = events[index].line_seqno;
    edges[index].is_active = events[index].id == GPIO_V2_LINE_EVENT_RISING_EDGE;
  }
  return (int)got;
}
