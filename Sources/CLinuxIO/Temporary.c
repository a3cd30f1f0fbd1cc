// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "Temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// A path is written before its flag is set and stays while it is set: the handler may run between any two instructions.
static char paths[8][PATH_MAX];
static volatile sig_atomic_t held[8];
enum { path_count = sizeof paths / sizeof *paths };

// The standard signals that end a program unless it handles them, but for those of its own faults, and SIGPIPE and SIGXFSZ,
// which it ignores.
static const int ends[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2,
                           SIGXCPU, SIGPROF, SIGVTALRM, SIGIO, SIGPWR, SIGSTKFLT};
enum { end_count = sizeof ends / sizeof *ends };
static struct sigaction others[end_count];

// Not for the handler.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hold_count = 0;

/// getdents64(2): the kernel's directory entries.
struct entry {
  uint64_t inode;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[];
};

/// Deletes the files of a directory, then it. Only system calls, which a handler may make; readdir(3) allocates.
static void delete_directory(const char *path) {
  _Alignas(8) char entries[4096];
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) return;
  // Deleting moves the entries of some file systems, so it begins anew until nothing can be deleted.
  for (int deleted = 1; deleted > 0;) {
    deleted = 0;
    if (lseek(directory, 0, SEEK_SET) < 0) break;
    long count;
    while ((count = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0) {
      for (long place = 0; place < count;) {
        struct entry *one = (struct entry *)(entries + place);
        if (unlinkat(directory, one->name, 0) == 0) deleted++;
        place += one->length;
      }
    }
  }
  close(directory);
  rmdir(path);
}

static void end(int number) {
  int saved = errno;
  for (int n = 0; n < path_count; n++)
    if (held[n] && unlink(paths[n]) < 0 && (errno == EISDIR || errno == EPERM)) delete_directory(paths[n]);
  // The signal is blocked until this returns, and then has its former effect. The language's report of SIGQUIT would
  // return: without the file the program must not go on.
  for (int n = 0; n < end_count; n++) {
    if (ends[n] != number) continue;
    if (number == SIGQUIT && others[n].sa_flags & SA_SIGINFO)
      signal(number, SIG_DFL);
    else
      sigaction(number, &others[n], NULL);
  }
  raise(number);
  errno = saved;
}

static void watch(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  for (int n = 0; n < end_count; n++) sigaddset(&action.sa_mask, ends[n]);
  action.sa_handler = end;
  for (int n = 0; n < end_count; n++) {
    if (sigaction(ends[n], NULL, &others[n]) < 0) continue;
    int is_ignored = !(others[n].sa_flags & SA_SIGINFO) && others[n].sa_handler == SIG_IGN;
    if (!is_ignored) sigaction(ends[n], &action, NULL);
  }
}

static void watch_no_more(void) {
  for (int n = 0; n < end_count; n++) {
    struct sigaction now;
    // Another part of the program may have taken it since.
    if (sigaction(ends[n], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == end)
      sigaction(ends[n], &others[n], NULL);
  }
}

int clinuxio_temporary_hold(const char *path) {
  if (strlen(path) >= PATH_MAX) return -ENAMETOOLONG;
  int number = -EBUSY;
  pthread_mutex_lock(&lock);
  for (int n = 0; n < path_count && number < 0; n++)
    if (!held[n]) number = n;
  if (number >= 0) {
    strcpy(paths[number], path);
    if (hold_count++ == 0) watch();
    held[number] = 1;
  }
  pthread_mutex_unlock(&lock);
  return number;
}

void clinuxio_temporary_release(int number) {
  pthread_mutex_lock(&lock);
  held[number] = 0;
  if (--hold_count == 0) watch_no_more();
  pthread_mutex_unlock(&lock);
}
