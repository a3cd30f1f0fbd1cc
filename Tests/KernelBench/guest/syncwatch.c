// SPDX-License-Identifier: Apache-2.0

// syncwatch DIR COMMAND...: runs COMMAND and keeps in DIR a copy of each of its logs as of the last sync that succeeded.
//
// After a power cut, everything that fsync or fdatasync promised must be there. This program learns the promises from
// the system calls, not from the program: when a sync of a file called *.imulog begins, it reads the contents; when
// the sync returns 0, it writes them to DIR over the previous copy, and only then lets the program continue.
//
//     COMMAND ── fdatasync ──► seccomp stop: read the file ──► kernel syncs ──► exit stop: 0? copy to DIR ──► continues
//
// A file's sync promises its contents, and its directory's the name (fsync(2)): before that a power cut may leave the
// contents under no name at all, on vfat also under half of one. Copies are NAME.unnamed until a directory was synced
// after the first of them.
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

/// The sync that a thread is in; without a name it is a directory's.
struct sync {
  pid_t thread;
  char name[256];
  char *data;
  size_t size;
  /// How many logs had been synced when it began.
  size_t synced;
};
static struct sync syncs[16];

/// The logs that were synced, in the order of their first sync.
struct synced {
  char name[256];
  int is_named;
};
static struct synced synced[64];
static size_t synced_count;

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
  struct stat status;
  if (stat(link, &status) != 0) die(path);
  if (!S_ISDIR(status.st_mode) && (!end || strcmp(end, ".imulog") != 0)) return;
  if (!sync) exit((fprintf(stderr, "syncwatch: too many syncs at once\n"), 1));
  *sync = (struct sync){.thread = thread, .synced = synced_count};
  if (S_ISDIR(status.st_mode)) return;
  int file = open(link, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &status) != 0) die(path);
  sync->data = malloc((size_t)status.st_size + 1);
  memcpy(sync->name, name, strnlen(name, sizeof sync->name - 1));
  for (ssize_t count; (count = pread(file, sync->data + sync->size, (size_t)status.st_size - sync->size,
                                     (off_t)sync->size)) > 0;)
    sync->size += (size_t)count;
  close(file);
}

static void put(const char *directory, const char *name, const char *suffix, const char *data, size_t size) {
  char draft[4352], final[4352];
  snprintf(draft, sizeof draft, "%s/draft", directory);
  snprintf(final, sizeof final, "%s/%s%s", directory, name, suffix);
  int file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0 || write(file, data, size) != (ssize_t)size || close(file) != 0) die(draft);
  if (rename(draft, final) != 0) die(final);
}

/// A log's sync has succeeded.
static void keep(const struct sync *sync, const char *directory) {
  size_t log = 0;
  while (log < synced_count && strcmp(synced[log].name, sync->name) != 0) log++;
  if (log == sizeof synced / sizeof *synced) exit((fprintf(stderr, "syncwatch: too many logs\n"), 1));
  if (log == synced_count) memcpy(synced[synced_count++].name, sync->name, sizeof sync->name);
  put(directory, sync->name, synced[log].is_named ? "" : ".unnamed", sync->data, sync->size);
}

/// A directory's sync has succeeded: the names that were there when it began are promised.
static void name(const struct sync *sync, const char *directory) {
  for (size_t log = 0; log < sync->synced; log++) {
    if (synced[log].is_named) continue;
    char *unnamed, *final;
    if (asprintf(&final, "%s/%s", directory, synced[log].name) < 0) die(directory);
    if (asprintf(&unnamed, "%s.unnamed", final) < 0) die(directory);
    if (rename(unnamed, final) != 0) die(final);
    synced[log].is_named = 1;
    free(unnamed);
    free(final);
  }
}

/// A sync has ended: the data that it covered are promised.
static void end(pid_t thread, const char *directory) {
  struct sync *sync = slot(thread);
  if (!sync) return;
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, thread, 0, &registers) == 0 && registers.rax == 0) {
    if (sync->data) keep(sync, directory); else name(sync, directory);
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
