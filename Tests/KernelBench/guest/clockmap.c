// SPDX-License-Identifier: Apache-2.0

// clockmap FILE MILLISECONDS: compares this guest's clocks with the host's, through a page of memory that both see.
//
//     page    host:8    the host's monotonic clock, which the host stores again and again
//             guest:8   this guest's CLOCK_MONOTONIC_RAW, which is stored here again and again
//
// FILE gets the page's physical address, and the host begins. What is read from the page is never younger than the moment
// of reading it: so each side finds a limit of the difference between the clocks, and no transport comes in between. Prints
//
//     most        the largest difference that CLOCK_MONOTONIC_RAW minus the host's clock can have
//     low high    between these lies CLOCK_MONOTONIC - CLOCK_MONOTONIC_RAW
//     low high    and CLOCK_REALTIME - CLOCK_MONOTONIC
//
// in nanoseconds.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int fail(const char *what) {
  fprintf(stderr, "clockmap: %s: %s\n", what, strerror(errno));
  return 1;
}

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// The limits of b - a.
static void compare(clockid_t a, clockid_t b, int64_t limits[2]) {
  int64_t before = now(a), between = now(b), after = now(a);
  if (between - after > limits[0]) limits[0] = between - after;
  if (between - before < limits[1]) limits[1] = between - before;
}

static int64_t physical(void *page) {
  uint64_t entry = 0;
  int map = open("/proc/self/pagemap", O_RDONLY);
  if (map < 0 || pread(map, &entry, 8, (uintptr_t)page / 4096 * 8) != 8) return -1;
  close(map);
  return (entry & ((1ULL << 55) - 1)) * 4096;
}

int main(int count, char **arguments) {
  if (count != 3) return fprintf(stderr, "usage: clockmap FILE MILLISECONDS\n"), 64;
  struct sched_param first = {.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &first) != 0) return fail("sched_setscheduler");
  volatile int64_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (page == MAP_FAILED || mlockall(MCL_CURRENT) != 0) return fail("a page of memory");
  page[0] = page[1] = 0;
  int64_t address = physical((void *)page);
  if (address <= 0) return fail("/proc/self/pagemap");
  FILE *file = fopen(arguments[1], "w");
  if (!file || fprintf(file, "%lld\n", (long long)address) < 0 || fclose(file) != 0) return fail(arguments[1]);

  int64_t most = INT64_MAX, raw[2] = {INT64_MIN, INT64_MAX}, real[2] = {INT64_MIN, INT64_MAX};
  int64_t end = now(CLOCK_MONOTONIC) + 10000000000LL;
  while (page[0] == 0 && now(CLOCK_MONOTONIC) < end) usleep(1000);
  if (page[0] == 0) return fprintf(stderr, "clockmap: the host did not come\n"), 1;
  for (end = now(CLOCK_MONOTONIC) + atoi(arguments[2]) * 1000000LL; now(CLOCK_MONOTONIC) < end;) {
    int64_t host = page[0], time = now(CLOCK_MONOTONIC_RAW);
    page[1] = time;
    if (time - host < most) most = time - host;
    compare(CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC, raw);
    compare(CLOCK_MONOTONIC, CLOCK_REALTIME, real);
  }
  printf("%lld %lld %lld %lld %lld\n", (long long)most, (long long)raw[0], (long long)raw[1], (long long)real[0],
         (long long)real[1]);
  return 0;
}
