// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "SimulatedLines.h"

#include <errno.h>
#include <linux/gpio.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static struct simulated_lines lines;

struct simulated_lines *simulated_lines(void) { return &lines; }

static atomic_flag are_taken = ATOMIC_FLAG_INIT;

int simulated_lines_take(void) {
  if (atomic_flag_test_and_set(&are_taken)) return 0;
  memset(&lines, 0, sizeof lines);
  return 1;
}

void simulated_lines_give(void) { atomic_flag_clear(&are_taken); }

/// The text of line `number` (0 for the chip's own) of a chip's file, up to a NUL; 0 when there is none.
static int row(const char *text, unsigned number, char *into, size_t room) {
  while (number-- != 0) {
    text = strchr(text, '\n');
    if (text == NULL) return 0;
    text++;
  }
  size_t length = strcspn(text, "\n");
  if (length == 0 && *text == 0) return 0;
  snprintf(into, room, "%.*s", (int)length, text);
  return 1;
}

/// Splits `WORD=REST` in two; a missing part is empty.
static void split(const char *text, char *first, char *second) {
  size_t length = strcspn(text, "=");
  snprintf(first, GPIO_MAX_NAME_SIZE, "%.*s", (int)length, text);
  snprintf(second, GPIO_MAX_NAME_SIZE, "%s", text[length] ? text + length + 1 : "");
}

static int chip(const char *text, struct gpiochip_info *information) {
  char first[128];
  if (!row(text, 0, first, sizeof first)) return ENOTTY;
  split(first, information->name, information->label);
  for (information->lines = 0; row(text, information->lines + 1, first, sizeof first);)
    information->lines++;
  return 0;
}

static int line(const char *text, struct gpio_v2_line_info *information) {
  char found[128];
  if (!row(text, information->offset + 1, found, sizeof found)) return EINVAL;
  split(found, information->name, information->consumer);
  information->flags = information->consumer[0] ? GPIO_V2_LINE_FLAG_USED : 0;
  return 0;
}

/// The line's descriptor is a file in memory that holds its edges.
static int request(const char *text, struct gpio_v2_line_request *request) {
  struct gpio_v2_line_info information = {.offset = request->offsets[0]};
  int code = line(text, &information);
  if (code != 0) return code;
  if (information.flags & GPIO_V2_LINE_FLAG_USED) return EBUSY;
  uint64_t bias = GPIO_V2_LINE_FLAG_BIAS_PULL_UP | GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN;
  if (lines.bias_failure && request->config.flags & bias) return lines.bias_failure;
  lines.flags = request->config.flags;
  lines.attribute = request->config.num_attrs ? request->config.attrs[0].attr.id : 0;
  lines.debounce = request->config.attrs[0].attr.debounce_period_us;
  if (lines.attribute == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES)
    lines.value = (int)request->config.attrs[0].attr.values;
  snprintf(lines.consumer, sizeof lines.consumer, "%s", request->consumer);
  request->fd = memfd_create("line", MFD_CLOEXEC);
  lines.descriptor = request->fd;
  lines.edges = 0;
  return request->fd < 0 ? errno : 0;
}

void simulated_lines_edge(int is_active, uint64_t time, uint32_t number) {
  struct gpio_v2_line_event event = {
      .timestamp_ns = time,
      .id = is_active ? GPIO_V2_LINE_EVENT_RISING_EDGE : GPIO_V2_LINE_EVENT_FALLING_EDGE,
      .line_seqno = number,
      .seqno = number,
  };
  off_t end = (off_t)(lines.edges++ * sizeof event);
  if (pwrite(lines.descriptor, &event, sizeof event, end) != sizeof event) lines.edges = 0;
}

int simulated_lines_answer(int fd, unsigned long request_number, void *argument) {
  if (request_number == GPIO_V2_LINE_GET_VALUES_IOCTL) {
    if (lines.failure) return lines.failure;
    ((struct gpio_v2_line_values *)argument)->bits = (uint64_t)lines.value;
    return 0;
  }
  if (request_number == GPIO_V2_LINE_SET_VALUES_IOCTL) {
    if (lines.failure) return lines.failure;
    lines.value = (int)((struct gpio_v2_line_values *)argument)->bits;
    return 0;
  }
  char text[8192];
  ssize_t count = pread(fd, text, sizeof text - 1, 0);
  if (count < 0) return EIO;
  text[count] = 0;
  switch (request_number) {
    case GPIO_GET_CHIPINFO_IOCTL: return chip(text, argument);
    case GPIO_V2_GET_LINEINFO_IOCTL: return line(text, argument);
    case GPIO_V2_GET_LINE_IOCTL: return request(text, argument);
    default: return -1;
  }
}
