// SPDX-License-Identifier: Apache-2.0

#include "LinuxIOTestSupport.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static pid_t thread_named(pid_t process, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *directory = opendir(path);
  if (!directory) return -1;  // ENOENT: the process is gone.
  pid_t found = -1;
  for (struct dirent *entry; found < 0 && (entry = readdir(directory));) {
    char file[352], text[32] = "";
    snprintf(file, sizeof file, "%s/%s/comm", path, entry->d_name);
    FILE *stream = fopen(file, "r");
    if (!stream) continue;
    if (fgets(text, sizeof text, stream)) text[strcspn(text, "\n")] = 0;
    fclose(stream);
    if (strcmp(text, name) == 0) found = atoi(entry->d_name);
  }
  closedir(directory);
  errno = ESRCH;
  return found;
}

pid_t hold_thread(pid_t process, const char *name) {
  pid_t thread = thread_named(process, name);
  if (thread < 0) return -1;
  if (ptrace(PTRACE_SEIZE, thread, 0, 0) != 0) return -1;
  int status;
  if (ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0 || waitpid(thread, &status, __WALL) != thread) return -1;
  return thread;
}

void release_thread(pid_t thread) { ptrace(PTRACE_DETACH, thread, 0, 0); }

void wait_for_thread(pid_t thread) {
  int status;
  while (waitpid(thread, &status, __WALL) == thread || errno == EINTR)
    if (WIFEXITED(status) || WIFSIGNALED(status)) return;
}
