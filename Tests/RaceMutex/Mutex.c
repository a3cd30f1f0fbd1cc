// SPDX-License-Identifier: Apache-2.0

// The slow paths of Swift's Mutex, where ThreadSanitizer sees them. Those of the library take the lock with futexes in
// code that is not instrumented, so that all that a contended lock orders would be reported as a race. The fast paths
// are in the caller's code: the word is 0 when free, else the owner's thread number.
//
// These definitions go before the library's, because they are in the program itself.
#include "Mutex.h"

#include <sched.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

SWIFT void lock_slow(uint32_t owner, SELF uint32_t *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void unlock_slow(SELF uint32_t *word) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void lock_slow(uint32_t owner, SELF uint32_t *word) {
  uint32_t free = 0;
  while (!__atomic_compare_exchange_n(word, &free, owner, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    free = 0;
    sched_yield();
  }
}

// The fast path failed, so the word is not the owner's number alone; here no thread marks that it waits.
SWIFT void unlock_slow(SELF uint32_t *word) { __atomic_store_n(word, 0, __ATOMIC_RELEASE); }
