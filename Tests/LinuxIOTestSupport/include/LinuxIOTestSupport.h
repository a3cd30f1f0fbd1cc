// SPDX-License-Identifier: Apache-2.0

#ifndef LINUXIOTESTSUPPORT_H
#define LINUXIOTESTSUPPORT_H

#include "SimulatedLines.h"

#include <stdint.h>
#include <sys/types.h>

/// An I2C adapter without a kernel driver: this target defines `ioctl`, which the test executable,
/// and libi2c in it, then uses instead of the C library's. I2C requests to a regular file go to the
/// adapter below, all others to the kernel. One adapter with one chip; tests that use it run one by
/// one.
struct simulated_adapter {
  /// The answer to I2C_FUNCS.
  uint64_t functions;
  /// The chip that acknowledges, and its registers; reads and writes count the register up.
  uint16_t chip;
  uint8_t registers[256];
  /// The address that a kernel driver owns: see simulated_adapter_hold.
  uint16_t held;
  /// Transfers that succeed before `failure` is answered to all that follow; 0 for none.
  int failure;
  int failure_after;
  /// The inode of a node that fails until a transfer is made on another one: a multiplexer whose supply failed. 0 for none.
  ino_t deselected;
  /// Bytes by which SMBus block reads come short.
  uint8_t shortfall;
  /// The address from I2C_SLAVE.
  uint16_t selected;
  /// The values set by I2C_TIMEOUT and I2C_RETRIES.
  uint64_t timeout;
  uint64_t retries;
  /// System calls that moved bytes, and those that selected a chip: see simulated_adapter_selections.
  int transfers;
  int selections;
  /// The longest block of SMBus and the number of messages of the last I2C_RDWR.
  int longest_block;
  int messages;
};

/// The adapter. I2C requests are answered ENOTTY until its `functions` are set.
struct simulated_adapter *_Nonnull simulated_adapter(void);
/// All fields 0, and register n holding n ^ 0xA5.
void simulated_adapter_reset(void);
/// Lets a kernel driver own an address, 0 for none: I2C_SLAVE answers EBUSY. From any thread.
void simulated_adapter_hold(uint16_t address);
/// How often a chip was selected so far. From any thread.
int simulated_adapter_selections(void);
/// A register's value.
uint8_t simulated_adapter_register(uint8_t number);

/// Sets the kernel's clock discipline from now on: this target defines `adjtimex` too. `answer`
/// is the call's result (TIME_OK and so on, or -1), `status` the STA_ bits.
void simulate_clock_discipline(int answer, int status);

/// Takes CAP_SYS_NICE from the calling thread, and so from the threads that it makes.
int drop_scheduling_right(void);
/// prctl(PR_GET_TIMERSLACK) of the calling thread, in nanoseconds.
int timer_slack(void);

/// Begins a process that has a write lock on one byte of a file. Returns its ID, or -1.
pid_t begin_process_locking(const char *_Nonnull path, long offset);
/// Begins a process that listens at a control socket and has the lock beside it. Returns its ID, or -1.
pid_t begin_process_serving(const char *_Nonnull path);
/// Kills such a process and waits until it is gone.
void end_other_process(pid_t process);

/// Holds a thread of another process, by its name, as if the kernel did not run it. Its number, or -1 where tracing is
/// not permitted. To be released, or waited for, by the thread that held it.
pid_t hold_thread(pid_t process, const char *_Nonnull name);
/// Lets it run.
void release_thread(pid_t thread);
/// Waits until it has ended with its process, whose end can be waited for only then.
void wait_for_thread(pid_t thread);

/// A datagram socket at `path`, with `@` in front in the abstract name space. Returns its descriptor, or -1.
int begin_datagram_socket(const char *_Nonnull path);

#endif
