// SPDX-License-Identifier: Apache-2.0

// stallwatch FILE: appends to FILE a line with the milliseconds of each time that this guest stood still for 10 ms or
// more.
//
// It asks to be woken every 5 ms, ahead of everything else in the guest; a later wake-up means that the host did not
// run the guest's processor. Events that a scenario then finds late, or lost because they were shorter, are the host's
// doing.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD = 5 * 1000 * 1000, STALL = 10 * 1000 * 1000 };

static int fail(const char *what) {
  fprintf(stderr, "stallwatch: %s: %s\n", what, strerror(errno));
  return 1;
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
  if (count != 2) return fprintf(stderr, "usage: stallwatch FILE\n"), 64;
  int file = open(arguments[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return fail(arguments[1]);
  struct sched_param first = {.sched_priority = sched_get_priority_max(SCHED_FIFO)};
  if (sched_setscheduler(0, SCHED_FIFO, &first) != 0) return fail("sched_setscheduler");
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return fail("mlockall");
  for (;;) {
    long long due = now() + PERIOD;
    struct timespec until = {due / 1000000000, due % 1000000000};
    if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) continue;
    long long late = now() - due;
    if (late >= STALL && dprintf(file, "%lld\n", late / 1000000) < 0) return fail(arguments[1]);
  }
}
