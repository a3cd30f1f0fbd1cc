// SPDX-License-Identifier: Apache-2.0

#ifndef CRING_H
#define CRING_H

#include <stdint.h>

/// A tick record as the program's ring holds it, field by field.
struct c_record {
  uint64_t tick;
  int64_t time;
  uint64_t count;
  int32_t code;
  uint32_t lateness;
  int16_t axes[7];
  uint8_t kind;
  uint8_t detail;
};

/// Pushes and pops `pairs` records, one after the other, on a ring of `capacity` slots, and returns the sum of all
/// fields of the popped records.
uint64_t c_ring_run(uint64_t pairs, int64_t capacity);

#endif
