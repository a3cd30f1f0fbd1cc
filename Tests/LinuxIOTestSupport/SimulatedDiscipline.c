// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "LinuxIOTestSupport.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

static bool is_simulated;
static int simulated_answer;
static int simulated_status;

void simulate_clock_discipline(int answer, int status) {
  is_simulated = true;
  simulated_answer = answer;
  simulated_status = status;
}

int adjtimex(struct timex *state) {
  if (!is_simulated) return (int)syscall(SYS_adjtimex, state);
  if (state->modes != 0 || simulated_answer < 0) {
    errno = EPERM;
    return -1;
  }
  state->status = simulated_status;
  return simulated_answer;
}
