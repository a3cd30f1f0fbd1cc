// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "LinuxIOTestSupport.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/// Makes a process that does `prepare` and then nothing; returns its ID, or -1 when that failed. Between
/// fork and the end the child makes only calls that are safe there (signal-safety(7); close_range is a plain
/// system call).
static pid_t begin(int (*prepare)(const char *, long), const char *path, long number) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return -1;
  pid_t process = fork();
  if (process == 0) {
    // Not even descriptors are shared with the tests: a lock of theirs would last for as long as its copy is open here.
    int answers = dup2(ready[1], 3);
    if (answers < 0 || close_range(4, ~0U, 0) != 0) _exit(1);
    char answer = (char)prepare(path, number);
    if (write(answers, &answer, 1) != 1) _exit(1);
    for (;;) pause();
  }
  char answer = 0;
  close(ready[1]);
  ssize_t count = read(ready[0], &answer, 1);
  close(ready[0]);
  if (count == 1 && answer) return process;
  end_other_process(process);
  return -1;
}

static int lock(const char *path, long offset) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
  return fcntl(open(path, O_RDWR), F_SETLK, &lock) == 0;
}

/// As a control socket's owner leaves things: a locked PATH.lock, a socket at PATH.
static int serve(const char *path, long number) {
  (void)number;
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  char lock_path[sizeof name.sun_path + 8];
  size_t length = strlen(path);
  if (length >= sizeof name.sun_path) return 0;
  memcpy(name.sun_path, path, length);
  memcpy(lock_path, path, length);
  memcpy(lock_path + length, ".lock", 6);
  close(open(lock_path, O_RDWR | O_CREAT, 0600));
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  return lock(lock_path, 0) && bind(listener, (struct sockaddr *)&name, sizeof name) == 0 &&
         listen(listener, 1) == 0;
}

pid_t begin_process_locking(const char *path, long offset) { return begin(lock, path, offset); }

pid_t begin_process_serving(const char *path) { return begin(serve, path, 0); }

void end_other_process(pid_t process) {
  // One that did not begin: to kill(2) a number below 1 means many processes.
  if (process < 1) return;
  kill(process, SIGKILL);
  waitpid(process, NULL, 0);
}

int begin_datagram_socket(const char *path) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length >= sizeof name.sun_path) return -1;
  memcpy(name.sun_path, path, length);
  if (path[0] == '@') name.sun_path[0] = 0;
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  return bind(fd, (struct sockaddr *)&name, size) == 0 ? fd : -1;
}
