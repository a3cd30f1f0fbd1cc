// SPDX-License-Identifier: Apache-2.0

#ifndef CLINUXIO_SOCKETS_H
#define CLINUXIO_SOCKETS_H

#include <stddef.h>
#include <stdint.h>

// Sockets with names in the file system (unix(7)), whose addresses hold arrays, which Swift sees as
// tuples, and epoll, whose events are packed. The same rules as in Kernel.h.

/// Longest path of a socket: sun_path without its NUL.
#define CLINUXIO_LONGEST_SOCKET_PATH 107

/// A nonblocking stream socket that listens at `path`, where nothing may exist; mode 0600. The
/// descriptor.
int clinuxio_listen(const char *_Nonnull path, int backlog);
/// The next caller of such a socket, nonblocking, or -EAGAIN.
int clinuxio_accept(int listener);
/// A stream socket connected to `path`; neither connecting nor sending takes longer than
/// `milliseconds`. Returns the descriptor.
int clinuxio_connect(const char *_Nonnull path, int milliseconds);
/// Sends without SIGPIPE. Returns the number of bytes.
int clinuxio_send(int fd, const void *_Nonnull bytes, size_t count);
/// Sends one datagram to `path`, `@` in front of it meaning the abstract name space; waits at most
/// `milliseconds` for room.
int clinuxio_send_datagram(
    const char *_Nonnull path, const void *_Nonnull bytes, size_t count, int milliseconds);

/// epoll_create1(EPOLL_CLOEXEC).
int clinuxio_epoll(void);
/// Watches `fd` for input when `is_for_input`, else for the other end's closing alone; `is_new` when
/// it is not yet watched.
int clinuxio_epoll_watch(int epoll, int fd, int is_for_input, int is_new);
/// Stops watching `fd`.
int clinuxio_epoll_forget(int epoll, int fd);
/// A ready descriptor, without waiting, or -EAGAIN when there is none. `is_closed`
/// is 1 when the other end is gone.
int clinuxio_epoll_next(int epoll, int *_Nonnull is_closed);

#endif
