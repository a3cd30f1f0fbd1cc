// SPDX-License-Identifier: Apache-2.0

#ifndef CLINUXIO_TEMPORARY_H
#define CLINUXIO_TEMPORARY_H

/// Deletes `path`, a file or a directory of files, when SIGHUP, SIGINT, SIGQUIT or SIGTERM ends the process, until it is
/// given back (signal(7); SIGKILL allows nothing). A signal that is ignored stays so; one that other code handles is
/// passed on. Relative paths are those of the present working directory. Returns a number to give back, -EBUSY when
/// eight are held, or -ENAMETOOLONG.
int clinuxio_temporary_hold(const char *path);
void clinuxio_temporary_release(int number);

#endif
