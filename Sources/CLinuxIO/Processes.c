// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "Processes.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/// The child's part between vfork(2) and its program: only calls that are safe there, because other threads of the
/// parent may have held any lock, and its memory is the parent's.
static void become(char *const *words, const int *ends, int report, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  /* Ends with its parent's thread even when that is killed; a parent that is gone already sends no signal. */
  if (setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent) {
    int safe[3], done = 1;
    /* Above the three, or one copy could close another. */
    for (int i = 0; i < 3; i++) done = done && (safe[i] = fcntl(ends[i], F_DUPFD_CLOEXEC, 3)) >= 0;
    for (int i = 0; i < 3; i++) done = done && dup2(safe[i], i) >= 0;
    if (done) {
      /* No handler of the parent's may run here once signals come in again. */
      for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        int isHandled = sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN
                        && action.sa_handler != SIG_DFL;
        if (isHandled || number == SIGPIPE || number == SIGXFSZ) (void)signal(number, SIG_DFL);
      }
      (void)sigprocmask(SIG_SETMASK, &none, NULL);
      (void)execvp(words[0], words);
    }
  }
  int code = errno;
  (void)!write(report, &code, sizeof code);
  _exit(127);
}

static int spawn(char *const *words, const int *ends, pid_t *pid) {
  int report[2], code = 0;
  if (pipe2(report, O_CLOEXEC) < 0) return -errno;
  pid_t parent = getpid();
  sigset_t all, before;
  sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  /* Not fork(2): it copies the tables of this program's memory, while no thread of it may touch a new page; with a hundred
     threads that each start a program, that is most of the time. */
  pid_t child = vfork();
  if (child == 0) become(words, ends, fcntl(report[1], F_DUPFD_CLOEXEC, 3), parent);
  if (child < 0) code = errno;
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(report[1]);
  /* Returns at the program's start, which closes the other end, or with the errno of the failure. */
  ssize_t count = 0;
  if (child > 0)
    while ((count = read(report[0], &code, sizeof code)) < 0 && errno == EINTR) {}
  close(report[0]);
  if (child > 0 && count > 0)
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  *pid = child;
  return -code;
}

static void shut(const int *fds, int count) {
  for (int i = 0; i < count; i++)
    if (fds[i] >= 0) close(fds[i]);
}

int clinuxio_start(char *const *words, struct clinuxio_child *child) {
  /* Its input (its end, our end), its output and its talk (our end, its end). */
  int in[2] = {-1, -1}, out[2] = {-1, -1}, talk[2] = {-1, -1}, result = 0;
  if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 || pipe2(talk, O_CLOEXEC) < 0)
    result = -errno;
  if (result == 0) {
    (void)fcntl(out[0], F_SETPIPE_SZ, 1 << 20);
    (void)fcntl(in[1], F_SETFL, O_WRONLY | O_NONBLOCK);
    (void)fcntl(talk[0], F_SETFL, O_RDONLY | O_NONBLOCK);
    result = spawn(words, (int[]){in[0], out[1], talk[1]}, &child->pid);
  }
  shut((int[]){in[0], out[1], talk[1]}, 3);
  if (result < 0) {
    shut((int[]){in[1], out[0], talk[0]}, 3);
    return result;
  }
  child->input = in[1];
  child->output = out[0];
  child->talk = talk[0];
  return 0;
}

/// Whether a child ended within so many milliseconds. It stays a zombie, so that its number, which is also its
/// group's, is not reused.
static int has_ended(pid_t pid, int milliseconds) {
  const struct timespec step = {.tv_nsec = 2000000};
  for (int waited = 0;; waited += 2) {
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0) return errno != EINTR;
    if (info.si_pid == pid) return 1;
    if (waited >= milliseconds) return 0;
    (void)nanosleep(&step, NULL);
  }
}

int clinuxio_has_ended(pid_t pid) { return has_ended(pid, 0); }

int clinuxio_end(pid_t pid, int milliseconds) {
  if (!has_ended(pid, milliseconds)) {
    (void)kill(-pid, SIGTERM);
    if (!has_ended(pid, 1000)) (void)kill(-pid, SIGKILL);
  }
  siginfo_t info = {0};
  while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {}
  /* What it left in its group, such as a proxy command. */
  (void)kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// IOPRIO_WHO_PROCESS, and IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 7), of <linux/ioprio.h>, which older
/// systems do not have.
enum { WHO_PROCESS = 1, LOWEST_BEST_EFFORT = 2 << 13 | 7 };

void clinuxio_step_back(void) {
  (void)setpriority(PRIO_PROCESS, 0, 10);
  (void)syscall(SYS_ioprio_set, WHO_PROCESS, 0, LOWEST_BEST_EFFORT);
}

void clinuxio_log(int is_refusal, const char *line) {
  openlog("imulog", LOG_PID, LOG_AUTH);
  syslog(is_refusal ? LOG_WARNING : LOG_NOTICE, "%s", line);
  closelog();
}
