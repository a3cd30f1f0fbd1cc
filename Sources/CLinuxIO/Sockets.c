// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "Sockets.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

_Static_assert(
    sizeof ((struct sockaddr_un *)0)->sun_path == CLINUXIO_LONGEST_SOCKET_PATH + 1, "unix(7)");

static int answer(ssize_t result) { return result < 0 ? -errno : (int)result; }

/// The address of a path; 0 when it is too long or empty.
static socklen_t address(struct sockaddr_un *address, const char *path) {
  size_t length = strlen(path);
  if (length == 0 || length > CLINUXIO_LONGEST_SOCKET_PATH) return 0;
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
}

/// Closes `fd` and returns the error from before.
static int failed(int fd) {
  int code = errno;
  close(fd);
  return -code;
}

static int limit_sending(int fd, int milliseconds) {
  struct timeval limit = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
  return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

int clinuxio_listen(const char *path, int backlog) {
  struct sockaddr_un name;
  socklen_t length = address(&name, path);
  if (length == 0) return -ENAMETOOLONG;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -errno;
  // The mode of a socket that has no name yet becomes that of its file, so that it is never open to
  // more than its owner.
  if (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&name, length) < 0 ||
      listen(fd, backlog) < 0)
    return failed(fd);
  return fd;
}

int clinuxio_accept(int listener) {
  return answer(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

int clinuxio_connect(const char *path, int milliseconds) {
  struct sockaddr_un name;
  socklen_t length = address(&name, path);
  if (length == 0) return -ENAMETOOLONG;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  if (limit_sending(fd, milliseconds) < 0 || connect(fd, (struct sockaddr *)&name, length) < 0)
    return failed(fd);
  return fd;
}

int clinuxio_send(int fd, const void *bytes, size_t count) {
  return answer(send(fd, bytes, count, MSG_NOSIGNAL));
}

int clinuxio_send_datagram(const char *path, const void *bytes, size_t count, int milliseconds) {
  struct sockaddr_un name;
  socklen_t length = address(&name, path);
  if (length == 0) return -ENAMETOOLONG;
  // An abstract name begins with a NUL and has no NUL at its end.
  if (name.sun_path[0] == '@') {
    name.sun_path[0] = 0;
    length--;
  }
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  if (limit_sending(fd, milliseconds) < 0) return failed(fd);
  ssize_t sent = sendto(fd, bytes, count, MSG_NOSIGNAL, (struct sockaddr *)&name, length);
  if (sent < 0) return failed(fd);
  close(fd);
  return (int)sent;
}

int clinuxio_epoll(void) { return answer(epoll_create1(EPOLL_CLOEXEC)); }

int clinuxio_epoll_watch(int epoll, int fd, int is_for_input, int is_new) {
  struct epoll_event event = {.events = is_for_input ? EPOLLIN : 0, .data.fd = fd};
  return answer(epoll_ctl(epoll, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event));
}

int clinuxio_epoll_forget(int epoll, int fd) {
  return answer(epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL));
}

int clinuxio_epoll_next(int epoll, int *is_closed) {
  struct epoll_event event;
  int count = epoll_wait(epoll, &event, 1, 0);
  if (count <= 0) return count < 0 && errno != EINTR ? -errno : -EAGAIN;
  *is_closed = (event.events & EPOLLIN) == 0 && (event.events & (EPOLLHUP | EPOLLERR)) != 0;
  return event.data.fd;
}
