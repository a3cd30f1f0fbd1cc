#define _GNU_SOURCE
#include "Processes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

extern char **environ;

static int spawn(char *const *words, int input, int output, int talk, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, input, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, talk, 2);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int code = posix_spawnp(pid, words[0], &actions, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return -code;
}

static void shut(const int *fds, int count) {
  for (int i = 0; i < count; i++)
    if (fds[i] >= 0) close(fds[i]);
}

int clinuxio_start(char *const *words, struct clinuxio_child *child) {
  /* Its input (our end, its end), its output (its end, ours), its talk. */
  int in[2] = {-1, -1}, out[2] = {-1, -1}, talk = -1, result = 0;
  if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0) result = -errno;
  if (result == 0 && (talk = memfd_create("imulog", MFD_CLOEXEC)) < 0) result = -errno;
  if (result == 0) {
    (void)fcntl(out[0], F_SETPIPE_SZ, 1 << 20);
    result = spawn(words, in[0], out[1], talk, &child->pid);
  }
  shut((int[]){in[0], out[1]}, 2);
  if (result < 0) {
    shut((int[]){in[1], out[0], talk}, 3);
    return result;
  }
  child->input = in[1];
  child->output = out[0];
  child->talk = talk;
  return 0;
}

int clinuxio_await(pid_t pid) {
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
