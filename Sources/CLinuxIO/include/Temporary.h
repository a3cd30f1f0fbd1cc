// SPDX-License-Identifier: Apache-2.0

#ifndef CLINUXIO_TEMPORARY_H
#define CLINUXIO_TEMPORARY_H

/// Deletes `path`, a file or a directory of files, when a signal ends the process (SIGHUP, SIGINT, SIGTERM and the like;
/// SIGKILL allows nothing, see signal(7)), until it is given back. A signal that is ignored stays so; one that other code
/// handles is passed on, but for the language's report of SIGQUIT, which would not end the process. Relative paths are those
/// of the present working directory. Returns a number to give back, -EBUSY when eight are held, or -ENAMETOOLONG.
int clinuxio_temporary_hold(const char *path);
void clinuxio_temporary_release(int number);

#endif
