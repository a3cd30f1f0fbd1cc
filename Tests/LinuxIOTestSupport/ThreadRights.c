// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "LinuxIOTestSupport.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int drop_scheduling_right(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct sets[2];
  if (syscall(SYS_capget, &header, sets) != 0) return -1;
  unsigned mask = ~(1u << CAP_SYS_NICE);
  sets[0].effective &= mask;
  sets[0].permitted &= mask;
  sets[0].inheritable &= mask;
  return (int)syscall(SYS_capset, &header, sets);
}

int timer_slack(void) { return prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0); }
