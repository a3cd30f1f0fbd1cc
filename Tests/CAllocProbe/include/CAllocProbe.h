// SPDX-License-Identifier: Apache-2.0

#ifndef IMULOG_CALLOCPROBE_H
#define IMULOG_CALLOCPROBE_H

#include <stdbool.h>
#include <stdint.h>

/// What the calling thread did between `alloc_probe_begin` and `alloc_probe_end`.
struct alloc_probe_counts {
  /// malloc, calloc, realloc and the aligned ones.
  uint64_t allocations;
  /// free of something.
  uint64_t frees;
  /// pthread_mutex_lock, pthread_rwlock_rdlock and pthread_rwlock_wrlock.
  uint64_t locks;
  /// swift_retain and swift_bridgeObjectRetain.
  uint64_t retains;
  /// swift_release and swift_bridgeObjectRelease.
  uint64_t releases;
  /// swift_allocObject.
  uint64_t objects;
};

/// Whether this build can count: not under a sanitizer, which interposes the same functions.
bool alloc_probe_is_available(void);

/// Begins to count on the calling thread, from zero.
void alloc_probe_begin(void);

/// Ends it, and gives the counts.
struct alloc_probe_counts alloc_probe_end(void);

/// Locks and unlocks a mutex: a violation for the probe to find.
void alloc_probe_seed_lock(void);

#endif
