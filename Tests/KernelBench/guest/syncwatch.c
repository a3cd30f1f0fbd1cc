// syncwatch DIR COMMAND...: runs COMMAND and keeps in DIR a copy of each of its logs as of the last sync that succeeded.
//
// What a program was promised by fsync or fdatasync must be there after a power cut. This program knows it from the
// system calls, and not from the program: when a sync of a file called *.imulog begins, its contents are taken; when it
// returns 0, they are written to DIR and put in the place of the copy before, and only then the program goes on.
//
//     COMMAND ── fdatasync ──► seccomp stop: read the file ──► kernel syncs ──► exit stop: 0? copy to DIR ──► goes on
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/// The sync that a thread is in.
struct sync {
  pid_t thread;
  char name[256];
  char *data;
  size_t size;
};
static struct sync syncs[16];

static void die(const char *what) {
  fprintf(stderr, "syncwatch: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void run(char **command) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fdatasync, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) die("tracing");
  raise(SIGSTOP);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) die("seccomp");
  execvp(command[0], command);
  die(command[0]);
}

static struct sync *slot(pid_t thread) {
  for (size_t index = 0; index < sizeof syncs / sizeof *syncs; index++)
    if (syncs[index].thread == thread) return &syncs[index];
  return NULL;
}

/// A sync begins: takes the contents of the file, if it is a log.
static void begin(pid_t thread) {
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, thread, 0, &registers) != 0) return;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/%d/fd/%d", thread, (int)registers.rdi);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) die(link);
  path[length] = 0;
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *end = strrchr(name, '.');
  struct sync *sync = slot(0);
  if (!end || strcmp(end, ".imulog") != 0) return;
  if (!sync) exit((fprintf(stderr, "syncwatch: too many syncs at once\n"), 1));
  struct stat status;
  int file = open(link, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &status) != 0) die(path);
  *sync = (struct sync){.thread = thread, .data = malloc((size_t)status.st_size + 1)};
  memcpy(sync->name, name, strnlen(name, sizeof sync->name - 1));
  for (ssize_t count; (count = pread(file, sync->data + sync->size, (size_t)status.st_size - sync->size,
                                     (off_t)sync->size)) > 0;)
    sync->size += (size_t)count;
  close(file);
}

/// A sync has ended: what it covered is promised.
static void end(pid_t thread, const char *directory) {
  struct sync *sync = slot(thread);
  if (!sync) return;
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, thread, 0, &registers) == 0 && registers.rax == 0) {
    char draft[4352], final[4352];
    snprintf(draft, sizeof draft, "%s/draft", directory);
    snprintf(final, sizeof final, "%s/%s", directory, sync->name);
    int file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || write(file, sync->data, sync->size) != (ssize_t)sync->size || close(file) != 0) die(draft);
    if (rename(draft, final) != 0) die(final);
  }
  free(sync->data);
  *sync = (struct sync){0};
}

int main(int count, char **arguments) {
  if (count < 3) return fprintf(stderr, "usage: syncwatch DIR COMMAND...\n"), 64;
  pid_t child = fork();
  if (child == 0) run(arguments + 2);
  int status;
  waitpid(child, &status, 0);
  long options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD |
                 PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, child, 0, options) != 0) die("ptrace");
  ptrace(PTRACE_CONT, child, 0, 0);
  for (pid_t thread; (thread = waitpid(-1, &status, __WALL)) > 0;) {
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (thread == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    int deliver = 0, next = PTRACE_CONT;
    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8)) {
      begin(thread);
      next = PTRACE_SYSCALL;
    } else if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
      end(thread, arguments[1]);
    } else if (WSTOPSIG(status) != SIGSTOP && status >> 16 == 0) {
      deliver = WSTOPSIG(status);
    }
    ptrace(next, thread, 0, deliver);
  }
  return 1;
}
