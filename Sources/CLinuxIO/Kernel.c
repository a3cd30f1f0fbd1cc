// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "Kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif

static int answer(int result) { return result < 0 ? -errno : result; }

int clinuxio_i2c_functions(int fd, uint64_t *mask) {
  unsigned long functions = 0;
  int result = answer(ioctl(fd, I2C_FUNCS, &functions));
  *mask = functions;
  return result < 0 ? result : 0;
}

int clinuxio_i2c_select(int fd, uint16_t address) {
  return answer(ioctl(fd, I2C_SLAVE, (unsigned long)address));
}

int clinuxio_i2c_limit(int fd, unsigned timeout_centiseconds, unsigned retries) {
  int result = answer(ioctl(fd, I2C_TIMEOUT, (unsigned long)timeout_centiseconds));
  return result < 0 ? result : answer(ioctl(fd, I2C_RETRIES, (unsigned long)retries));
}

/// The kernel returns the number of messages done; fewer than all is a failed transfer.
static int transfer(int fd, struct i2c_msg *messages, unsigned count) {
  struct i2c_rdwr_ioctl_data data = {.msgs = messages, .nmsgs = count};
  int result = answer(ioctl(fd, I2C_RDWR, &data));
  if (result < 0) return result;
  return (unsigned)result == count ? 0 : -EIO;
}

int clinuxio_i2c_read(int fd, uint16_t address, uint8_t reg, uint8_t *buffer, uint16_t count) {
  struct i2c_msg messages[2] = {
      {.addr = address, .flags = 0, .len = 1, .buf = &reg},
      {.addr = address, .flags = I2C_M_RD, .len = count, .buf = buffer},
  };
  return transfer(fd, messages, 2);
}

int clinuxio_i2c_write(int fd, uint16_t address, uint8_t reg, uint8_t value) {
  uint8_t bytes[2] = {reg, value};
  struct i2c_msg message = {.addr = address, .flags = 0, .len = 2, .buf = bytes};
  return transfer(fd, &message, 1);
}

int clinuxio_sync_file_system(int fd) { return answer(syncfs(fd)); }

void clinuxio_begin_writing(int fd, uint64_t start, uint64_t count) {
  (void)sync_file_range(fd, (off_t)start, (off_t)count, SYNC_FILE_RANGE_WRITE);
}

int clinuxio_rename_free(int old_directory, const char *old, int new_directory, const char *new) {
  return answer(renameat2(old_directory, old, new_directory, new, RENAME_NOREPLACE));
}

int clinuxio_is_fixed(const char *path) {
  struct statx status;
  int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
  if (statx(AT_FDCWD, path, flags, STATX_TYPE, &status) != 0) return 0;
  uint64_t fixed = STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND | STATX_ATTR_MOUNT_ROOT;
  return (status.stx_attributes & fixed) != 0;
}

int clinuxio_is_open_elsewhere(int fd) {
  // A program that opens the file during the lease triggers a signal: SIGIO would end the process, SIGURG is
  // ignored.
  if (fcntl(fd, F_SETSIG, SIGURG) != 0) return -errno;
  if (fcntl(fd, F_SETLEASE, F_WRLCK) != 0) return errno == EAGAIN ? 1 : -errno;
  fcntl(fd, F_SETLEASE, F_UNLCK);
  return 0;
}

void clinuxio_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

int clinuxio_set_timer_slack(unsigned long nanoseconds) {
  return answer(prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0));
}

int clinuxio_set_fifo(int priority) {
  struct sched_param parameters = {.sched_priority = priority};
  return answer(sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters));
}

int clinuxio_realtime_limit(uint64_t *soft, uint64_t *hard) {
  struct rlimit limit = {0, 0};
  int result = answer(getrlimit(RLIMIT_RTPRIO, &limit));
  *soft = limit.rlim_cur;
  *hard = limit.rlim_max;
  return result;
}

int clinuxio_set_realtime_limit(uint64_t soft, uint64_t hard) {
  struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
  return answer(setrlimit(RLIMIT_RTPRIO, &limit));
}

int clinuxio_memory_lock_limit(uint64_t *bytes) {
  struct rlimit limit = {0, 0};
  int result = answer(getrlimit(RLIMIT_MEMLOCK, &limit));
  *bytes = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
  return result;
}

int clinuxio_lock_memory(void) {
  return answer(mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT));
}

// Defined by the linker; their addresses are the values. Between them lie code and constants of the file, mapped
// read-only; relocated data begins after them.
extern const char __executable_start[], etext[];

int clinuxio_drop_code(void) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t begin = ((uintptr_t)__executable_start + page - 1) / page * page;
  uintptr_t end = (uintptr_t)etext / page * page;
  int result = answer(madvise((void *)begin, end - begin, MADV_DONTNEED));
  return result == -EINVAL ? answer(madvise((void *)begin, end - begin, MADV_DONTNEED_LOCKED)) : result;
}

__attribute__((noinline)) void clinuxio_touch_stack(void) {
  volatile char stack[64 * 1024];
  for (unsigned offset = 0; offset < sizeof stack; offset += 4096) stack[offset] = 0;
  stack[sizeof stack - 1] = 0;
}

int clinuxio_clock_is_synchronised(void) {
  struct timex state;
  memset(&state, 0, sizeof state);
  int result = answer(adjtimex(&state));
  if (result < 0) return result;
  return result != TIME_ERROR && !(state.status & STA_UNSYNC);
}

int clinuxio_event_descriptor(void) {
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int clinuxio_signal_descriptor(uint64_t signals) {
  sigset_t set;
  sigemptyset(&set);
  for (int number = 1; number <= 64; number++)
    if (signals >> (number - 1) & 1) sigaddset(&set, number);
  return answer(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int clinuxio_next_signal(int fd) {
  struct signalfd_siginfo information;
  ssize_t count = read(fd, &information, sizeof information);
  if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  return count == sizeof information ? (int)information.ssi_signo : -EIO;
}

int clinuxio_is_end_asked(void) {
  sigset_t set;
  sigpending(&set);
  return sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) || sigismember(&set, SIGHUP);
}

static struct flock byte_lock(int64_t offset) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
  return lock;
}

int clinuxio_lock_byte(int fd, int64_t offset) {
  struct flock lock = byte_lock(offset);
  return answer(fcntl(fd, F_SETLK, &lock));
}

int clinuxio_unlock_byte(int fd, int64_t offset) {
  struct flock lock = byte_lock(offset);
  lock.l_type = F_UNLCK;
  return answer(fcntl(fd, F_SETLK, &lock));
}

int clinuxio_is_locked(int fd, int64_t first, int64_t count) {
  struct flock lock = byte_lock(first);
  lock.l_len = count;
  int result = answer(fcntl(fd, F_GETLK, &lock));
  return result < 0 ? result : lock.l_type != F_UNLCK;
}

int clinuxio_lock_holder(int fd, int64_t offset) {
  struct flock lock = byte_lock(offset);
  int result = answer(fcntl(fd, F_GETLK, &lock));
  if (result < 0) return result;
  return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

int clinuxio_join_until(pthread_t thread, int64_t deadline) {
  struct timespec end = {.tv_sec = deadline / 1000000000, .tv_nsec = deadline % 1000000000};
#if __has_feature(thread_sanitizer)
  // ThreadSanitizer sees this join and not the other one, by the wall clock.
  struct timespec now, wall;
  clock_gettime(CLOCK_MONOTONIC, &now);
  clock_gettime(CLOCK_REALTIME, &wall);
  int64_t left = deadline - (now.tv_sec * 1000000000LL + now.tv_nsec) + wall.tv_nsec;
  if (left < 0) left = 0;
  end = (struct timespec){wall.tv_sec + left / 1000000000, left % 1000000000};
  return -pthread_timedjoin_np(thread, NULL, &end);
#else
  return -pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &end);
#endif
}
