// SPDX-License-Identifier: Apache-2.0

// button NAME SECONDS: prints each edge of the GPIO line NAME as `fall T` or `rise T`, T being the kernel's monotonic
// time in nanoseconds, until no edge has come for SECONDS.
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int fail(const char *what) {
  fprintf(stderr, "button: %s: %s\n", what, strerror(errno));
  return 1;
}

/// The number of the line called `name` on the chip, -1 when it has none.
static int find(int chip, const char *name) {
  struct gpiochip_info information;
  if (ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &information) != 0) return -1;
  for (unsigned offset = 0; offset < information.lines; offset++) {
    struct gpio_v2_line_info line = {.offset = offset};
    if (ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &line) == 0 && strcmp(line.name, name) == 0) return (int)offset;
  }
  return -1;
}

int main(int count, char **arguments) {
  if (count != 3) return fprintf(stderr, "usage: button NAME SECONDS\n"), 64;
  int chip = open("/dev/gpiochip0", O_RDONLY | O_CLOEXEC);
  if (chip < 0) return fail("/dev/gpiochip0");
  int offset = find(chip, arguments[1]);
  if (offset < 0) return fprintf(stderr, "button: no line %s\n", arguments[1]), 1;
  struct gpio_v2_line_request request = {
      .offsets = {(unsigned)offset},
      .num_lines = 1,
      .consumer = "bench",
      .config.flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_FALLING | GPIO_V2_LINE_FLAG_EDGE_RISING,
  };
  if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) != 0) return fail("asking for the line");
  printf("waiting\n");
  fflush(stdout);
  struct pollfd wait = {.fd = request.fd, .events = POLLIN};
  int milliseconds = (int)(1000 * atof(arguments[2]));
  while (poll(&wait, 1, milliseconds) == 1) {
    struct gpio_v2_line_event event;
    if (read(request.fd, &event, sizeof event) != sizeof event) return fail("reading an edge");
    const char *kind = event.id == GPIO_V2_LINE_EVENT_FALLING_EDGE ? "fall" : "rise";
    printf("%s %llu\n", kind, (unsigned long long)event.timestamp_ns);
  }
  return 0;
}
