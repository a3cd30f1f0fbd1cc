// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CTerminalTesting.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int open_terminal(char *name, size_t count) {
  int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  if (grantpt(fd) == 0 && unlockpt(fd) == 0 && ptsname_r(fd, name, count) == 0) return fd;
  close(fd);
  return -1;
}

int resize_terminal(int fd, int columns, int rows) {
  struct winsize size = {(unsigned short)rows, (unsigned short)columns, 0, 0};
  return ioctl(fd, TIOCSWINSZ, &size);
}
