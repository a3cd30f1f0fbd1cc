// SPDX-License-Identifier: Apache-2.0

// foreground COMMAND...: runs a command whose SIGINT is as in a terminal's foreground.
//
// The agent's shell has no terminal, and such a shell lets its background commands ignore SIGINT. No shell can undo that
// for a command that it starts later.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words) {
  if (count < 2) {
    fputs("usage: foreground COMMAND...\n", stderr);
    return 64;
  }
  signal(SIGINT, SIG_DFL);
  execvp(words[1], words + 1);
  perror(words[1]);
  return 127;
}
