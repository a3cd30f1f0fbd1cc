// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "Terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static int answer(int result) { return result < 0 ? -errno : result; }

int clinuxio_terminal_size(int fd, int *columns, int *rows) {
  struct winsize size = {0, 0, 0, 0};
  int result = answer(ioctl(fd, TIOCGWINSZ, &size));
  *columns = size.ws_col;
  *rows = size.ws_row;
  return result;
}

// Written by one thread before `taken` is set, read while it is. `taken` is the only part that a handler
// may find half-way, and is one word.
static volatile sig_atomic_t taken = 0;
static int terminal = -1;
static struct termios before, during;
static char enter_text[128], leave_text[128];

// Restored for a while, to be switched again.
static int lent = 0;

/// Signals that end a process unless it says otherwise: crashes first, then what others may send.
static const int deadly[] = {SIGSEGV, SIGABRT, SIGILL,  SIGTRAP,   SIGBUS,  SIGFPE, SIGSYS, SIGXCPU, SIGXFSZ,
                             SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,   SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM,
                             SIGPROF, SIGIO,   SIGPWR,  SIGVTALRM, SIGSTKFLT};
enum { crash_count = 6, deadly_count = sizeof deadly / sizeof deadly[0] };
/// The actions before, such as the Swift runtime's crash report.
static struct sigaction others[deadly_count];

/// Writes what there is room for within a second; the descriptor is nonblocking. Only calls that a signal
/// handler may make (signal-safety(7); poll is on the list of POSIX.1-2008).
static void say(const char *text) {
  size_t left = strlen(text);
  while (left > 0) {
    ssize_t count = write(terminal, text, left);
    if (count > 0) {
      text += count;
      left -= (size_t)count;
      continue;
    }
    struct pollfd room = {.fd = terminal, .events = POLLOUT, .revents = 0};
    if (count < 0 && errno != EAGAIN && errno != EINTR) return;
    if (poll(&room, 1, 1000) <= 0) return;
  }
}

static void restore(void) {
  taken = 0;
  say(leave_text);
  tcsetattr(terminal, TCSANOW, &before);
}

static void die(int number) {
  if (taken) restore();
  for (int n = 0; n < deadly_count; n++)
    if (deadly[n] == number) sigaction(number, &others[n], NULL);
  raise(number);
}

/// Whether the signal would end the program, or, for a crash, report it. A signal that is ignored or handled by
/// other code ends nothing.
static int is_end(int n) {
  int is_handled = others[n].sa_flags & SA_SIGINFO || others[n].sa_handler != SIG_DFL;
  return n < crash_count ? others[n].sa_handler != SIG_IGN : !is_handled;
}

static void watch_ends(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = die;
  action.sa_flags = SA_NODEFER;
  for (int n = 0; n < deadly_count; n++)
    if (sigaction(deadly[n], NULL, &others[n]) == 0 && is_end(n)) sigaction(deadly[n], &action, NULL);
}

static void watch_no_ends(void) {
  for (int n = 0; n < deadly_count; n++) sigaction(deadly[n], &others[n], NULL);
}

int clinuxio_terminal_take(int fd, const char *enter, const char *leave) {
  if (taken || lent) return -EBUSY;
  if (strlen(enter) >= sizeof enter_text || strlen(leave) >= sizeof leave_text) return -EINVAL;
  if (tcgetattr(fd, &before) < 0) return -errno;
  strcpy(enter_text, enter);
  strcpy(leave_text, leave);
  terminal = fd;
  during = before;
  cfmakeraw(&during);
  if (tcsetattr(fd, TCSANOW, &during) < 0) return -errno;
  taken = 1;
  watch_ends();
  say(enter_text);
  return 0;
}

void clinuxio_terminal_suspend(void) {
  if (!taken) return;
  restore();
  lent = 1;
}

int clinuxio_terminal_resume(void) {
  if (!taken && !lent) return 0;
  int result = answer(tcsetattr(terminal, TCSANOW, &during));
  lent = 0;
  taken = 1;
  say(enter_text);
  return result;
}

void clinuxio_terminal_restore(void) {
  if (!taken && !lent) return;
  if (taken) restore();
  lent = 0;
  watch_no_ends();
}
