// SPDX-License-Identifier: Apache-2.0

#include "CRing.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

// The program's ring, step by step as in Sources/RingBuffer: positions run through 0 ..< 2 * capacity, each end
// keeps its own position and loads the other's, with acquire and release and nothing stronger.

struct header {
  _Atomic int64_t head;
  _Atomic int64_t tail;
};

struct end {
  struct header *header;
  struct c_record *slots;
  int64_t capacity;
  int64_t position;
};

static inline int64_t distance(const struct end *end, int64_t head, int64_t tail) {
  int64_t distance = tail - head;
  return distance < 0 ? distance + 2 * end->capacity : distance;
}

static inline int64_t slot(const struct end *end) {
  return end->position >= end->capacity ? end->position - end->capacity : end->position;
}

static inline void advance(struct end *end) {
  int64_t next = end->position + 1;
  end->position = next >= 2 * end->capacity ? next - 2 * end->capacity : next;
}

static inline bool push(struct end *end, struct c_record record) {
  int64_t head = atomic_load_explicit(&end->header->head, memory_order_acquire);
  if (distance(end, head, end->position) >= end->capacity) return false;
  end->slots[slot(end)] = record;
  advance(end);
  atomic_store_explicit(&end->header->tail, end->position, memory_order_release);
  return true;
}

static inline bool pop(struct end *end, struct c_record *record) {
  int64_t tail = atomic_load_explicit(&end->header->tail, memory_order_acquire);
  if (end->position == tail) return false;
  *record = end->slots[slot(end)];
  advance(end);
  atomic_store_explicit(&end->header->head, end->position, memory_order_release);
  return true;
}

static inline uint64_t sum(const struct c_record *record) {
  uint64_t sum = record->tick + (uint64_t)record->time + record->count;
  sum += (uint64_t)(int64_t)record->code + record->lateness + record->kind + record->detail;
  for (int axis = 0; axis < 7; axis++) sum += (uint64_t)(int64_t)record->axes[axis];
  return sum;
}

static __attribute__((noinline)) uint64_t run(uint64_t pairs, struct end *producer, struct end *consumer) {
  uint64_t total = 0;
  for (uint64_t tick = 0; tick < pairs; tick++) {
    struct c_record record = {.tick = tick, .time = (int64_t)(tick * 1000), .count = 1};
    for (int axis = 0; axis < 7; axis++) record.axes[axis] = (int16_t)tick;
    if (!push(producer, record)) return 0;
    struct c_record popped;
    if (!pop(consumer, &popped)) return 0;
    total += sum(&popped);
  }
  return total;
}

uint64_t c_ring_run(uint64_t pairs, int64_t capacity) {
  struct header *header = calloc(1, sizeof *header);
  struct c_record *slots = calloc((size_t)capacity, sizeof *slots);
  uint64_t total = 0;
  if (header && slots) {
    struct end producer = {header, slots, capacity, 0};
    struct end consumer = producer;
    total = run(pairs, &producer, &consumer);
  }
  free(slots);
  free(header);
  return total;
}
