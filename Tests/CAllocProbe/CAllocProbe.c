// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CAllocProbe.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

static _Thread_local bool counting;
static _Thread_local struct alloc_probe_counts counts;

void alloc_probe_seed_lock(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

#ifdef SANITIZED

bool alloc_probe_is_available(void) { return false; }
void alloc_probe_begin(void) {}
struct alloc_probe_counts alloc_probe_end(void) { return counts; }

#else

// The C library's allocator: a program that defines malloc and its relatives has them called by everybody,
// the Swift runtime and the C library's other parts included.

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

#define COUNT(what) \
  do {              \
    if (counting)   \
      counts.what++; \
  } while (0)

void *malloc(size_t size) {
  COUNT(allocations);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  COUNT(allocations);
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  COUNT(allocations);
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  COUNT(allocations);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  COUNT(allocations);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  COUNT(allocations);
  void *made = __libc_memalign(alignment, size);
  if (made == NULL)
    return ENOMEM;
  *block = made;
  return 0;
}

void free(void *block) {
  if (block != NULL)
    COUNT(frees);
  __libc_free(block);
}

// Locks: the real functions are the next ones of that name.

typedef int lock_function(void *);

static int lock_next(lock_function **cache, const char *name, void *lock) {
  COUNT(locks);
  if (*cache == NULL)
    *cache = (lock_function *)dlsym(RTLD_NEXT, name);
  return (*cache)(lock);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static lock_function *next;
  return lock_next(&next, "pthread_mutex_lock", mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  static lock_function *next;
  return lock_next(&next, "pthread_rwlock_rdlock", lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  static lock_function *next;
  return lock_next(&next, "pthread_rwlock_wrlock", lock);
}

// The Swift runtime: calls from the program's own code come here, which is where the drivers and the loop are,
// specialised. Weak, so that a program with the runtime linked in statically links too; there the runtime's
// own definitions win and nothing is counted, and a seeded violation is not found.
//
// The runtime's own hook pointers, made for Instruments, are no alternative: with them set, Swift 6.3 passes
// on the pattern of a small string as if it were an object.

#define FORWARD(name) (next_##name != NULL ? next_##name : (next_##name = dlsym(RTLD_NEXT, #name)))

// Only calls with an object: on nothing they do nothing.
#define COUNTED(what, name, parameters, arguments)    \
  void *name parameters;                              \
  __attribute__((weak)) void *name parameters {       \
    static void *(*next_##name)parameters;            \
    if (object != NULL)                               \
      COUNT(what);                                    \
    return FORWARD(name) arguments;                   \
  }

COUNTED(objects, swift_allocObject, (const void *object, size_t size, size_t mask), (object, size, mask))
COUNTED(retains, swift_retain, (void *object), (object))
COUNTED(retains, swift_retain_n, (void *object, uint32_t number), (object, number))
COUNTED(retains, swift_bridgeObjectRetain, (void *object), (object))
COUNTED(retains, swift_bridgeObjectRetain_n, (void *object, int number), (object, number))
COUNTED(releases, swift_release, (void *object), (object))
COUNTED(releases, swift_release_n, (void *object, uint32_t number), (object, number))
COUNTED(releases, swift_bridgeObjectRelease, (void *object), (object))
COUNTED(releases, swift_bridgeObjectRelease_n, (void *object, int number), (object, number))

bool alloc_probe_is_available(void) { return true; }

void alloc_probe_begin(void) {
  counts = (struct alloc_probe_counts){0};
  counting = true;
}

struct alloc_probe_counts alloc_probe_end(void) {
  counting = false;
  return counts;
}

#endif
