// SPDX-License-Identifier: Apache-2.0

#ifndef CLINUXIO_KERNEL_H
#define CLINUXIO_KERNEL_H

#include <pthread.h>
#include <stdint.h>

// Calls that Swift cannot make: variadic functions, function-like macros, structures that hold
// pointers to one another, headers outside the Glibc module. They keep no state, decide nothing,
// and return 0 (or a count) on success and -errno on failure, so that no caller reads errno.

// I2C (/dev/i2c-N, Linux Documentation/i2c/dev-interface.rst). ioctl is variadic.

/// I2C_FUNCS: the adapter's abilities, a mask of I2C_FUNC_* bits.
int clinuxio_i2c_functions(int fd, uint64_t *_Nonnull mask);
/// I2C_SLAVE: the chip that SMBus calls speak to. -EBUSY when a kernel driver owns the address.
int clinuxio_i2c_select(int fd, uint16_t address);
/// I2C_TIMEOUT in units of 10 ms and I2C_RETRIES after a lost arbitration; both hold for the
/// adapter.
int clinuxio_i2c_limit(int fd, unsigned timeout_centiseconds, unsigned retries);
/// I2C_RDWR with two messages: the register's number is written, then `count` bytes are read.
/// The messages live on this function's stack, so a transfer allocates nothing in this process.
int clinuxio_i2c_read(
    int fd, uint16_t address, uint8_t reg, uint8_t *_Nonnull buffer, uint16_t count);
/// I2C_RDWR with one message: the register's number and its value.
int clinuxio_i2c_write(int fd, uint16_t address, uint8_t reg, uint8_t value);

// Scheduling, clocks, signals.

/// prctl(PR_SET_NAME) for the calling thread; the kernel keeps 15 bytes. Cannot fail.
void clinuxio_set_thread_name(const char *_Nonnull name);
/// prctl(PR_SET_TIMERSLACK) for the calling thread. prctl is variadic.
int clinuxio_set_timer_slack(unsigned long nanoseconds);
/// sched_setscheduler(SCHED_FIFO | SCHED_RESET_ON_FORK) for the calling thread.
int clinuxio_set_fifo(int priority);
/// getrlimit(RLIMIT_RTPRIO): the priority that a process without CAP_SYS_NICE may take.
int clinuxio_realtime_limit(uint64_t *_Nonnull soft, uint64_t *_Nonnull hard);
/// setrlimit(RLIMIT_RTPRIO).
int clinuxio_set_realtime_limit(uint64_t soft, uint64_t hard);
/// getrlimit(RLIMIT_MEMLOCK), soft; UINT64_MAX when unlimited.
int clinuxio_memory_lock_limit(uint64_t *_Nonnull bytes);
/// mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT). MCL_ONFAULT is outside the Glibc module.
int clinuxio_lock_memory(void);
/// madvise(MADV_DONTNEED) of the program's code, whose bounds are the linker's: pages needed again
/// come back from the page cache, and locked where the code was. Refused before Linux 5.18 when the code is locked.
int clinuxio_drop_code(void);
/// Writes a byte to each page of the next 64 KiB of the calling thread's stack. Swift has no
/// alloca.
void clinuxio_touch_stack(void);
/// adjtimex with modes 0: 1 when the kernel calls its wall clock synchronised, 0 when not.
int clinuxio_clock_is_synchronised(void);
/// eventfd(EFD_CLOEXEC | EFD_NONBLOCK) at 0. Returns the descriptor.
int clinuxio_event_descriptor(void);
/// signalfd(SFD_CLOEXEC | SFD_NONBLOCK) of up to 64 signals, bit n-1 for signal n. Returns the descriptor.
int clinuxio_signal_descriptor(uint64_t signals);
/// The next signal from such a descriptor, 0 when none is pending.
int clinuxio_next_signal(int fd);
/// sigpending: 1 when SIGINT, SIGTERM or SIGHUP is blocked and pending, for a caller that watches for it.
int clinuxio_is_end_asked(void);

// File systems.

/// syncfs: everything written to the file system that `fd` is on is durable. Outside the Glibc module.
int clinuxio_sync_file_system(int fd);
/// sync_file_range(SYNC_FILE_RANGE_WRITE): starts writing these bytes to the medium without waiting. The next sync of the
/// file reports a failure. Outside the Glibc module.
void clinuxio_begin_writing(int fd, uint64_t start, uint64_t count);
/// renameat2(RENAME_NOREPLACE): -EEXIST when the new name exists, -EINVAL when the file system cannot
/// promise that. Outside the Glibc module.
int clinuxio_rename_free(
    int old_directory, const char *_Nonnull old, int new_directory, const char *_Nonnull new);
/// statx: 1 when no program can remove the name, because its file is immutable or append-only, or something is mounted on
/// it; 0 when not, or when the file system does not report it. Outside the Glibc module.
int clinuxio_is_fixed(const char *_Nonnull path);
/// fcntl(F_SETLEASE): 1 when the file is also open elsewhere; 0 when not. Fails when the kernel does not report it: another
/// user's file without CAP_LEASE (EACCES), and file systems without leases. `fd` is open for reading. fcntl is variadic.
int clinuxio_is_open_elsewhere(int fd);

// Record locks, which end with the process.

/// fcntl(F_SETLK, F_WRLCK) of the one byte at `offset`. -EAGAIN or -EACCES when another process has
/// it. fcntl is variadic.
int clinuxio_lock_byte(int fd, int64_t offset);
/// fcntl(F_SETLK, F_UNLCK) of that byte.
int clinuxio_unlock_byte(int fd, int64_t offset);
/// fcntl(F_GETLK) of `count` bytes: 1 when another process has one of them, whether or not it is visible to this one.
int clinuxio_is_locked(int fd, int64_t first, int64_t count);
/// fcntl(F_GETLK) of one byte: the process that has it, 0 when none has.
int clinuxio_lock_holder(int fd, int64_t offset);

// Threads.

/// pthread_clockjoin_np until `deadline`, nanoseconds of CLOCK_MONOTONIC. -ETIMEDOUT when the thread has not ended by
/// then. Outside the Glibc module.
int clinuxio_join_until(pthread_t thread, int64_t deadline);

#endif
