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

enum { crash_count = 6 };
static const int crashes[crash_count] = {SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE};
/// What happened at a crash before, such as the Swift runtime's account of it.
static struct sigaction others[crash_count];

/// Writes what there is room for within a second; the descriptor does not block. Only calls that a signal
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

static void crashed(int number) {
  if (taken) restore();
  for (int n = 0; n < crash_count; n++)
    if (crashes[n] == number) sigaction(number, &others[n], NULL);
  raise(number);
}

static void watch_crashes(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = crashed;
  action.sa_flags = SA_NODEFER;
  for (int n = 0; n < crash_count; n++) sigaction(crashes[n], &action, &others[n]);
}

static void watch_no_crashes(void) {
  for (int n = 0; n < crash_count; n++) sigaction(crashes[n], &others[n], NULL);
}

int clinuxio_terminal_take(int fd, const char *enter, const char *leave) {
  if (taken) return -EBUSY;
  if (strlen(enter) >= sizeof enter_text || strlen(leave) >= sizeof leave_text) return -EINVAL;
  if (tcgetattr(fd, &before) < 0) return -errno;
  strcpy(enter_text, enter);
  strcpy(leave_text, leave);
  terminal = fd;
  during = before;
  cfmakeraw(&during);
  if (tcsetattr(fd, TCSANOW, &during) < 0) return -errno;
  taken = 1;
  watch_crashes();
  say(enter_text);
  return 0;
}

int clinuxio_terminal_again(void) {
  if (!taken) return 0;
  int result = answer(tcsetattr(terminal, TCSANOW, &during));
  say(enter_text);
  return result;
}

void clinuxio_terminal_give_back(void) {
  if (!taken) return;
  restore();
  watch_no_crashes();
}
