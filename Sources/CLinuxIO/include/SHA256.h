#ifndef CLINUXIO_SHA256_H
#define CLINUXIO_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* SHA-256 (FIPS 180-4), the part that is worth a processor's instructions: blocks into the eight words of the
   state. Padding and the order of the digest's bytes are the caller's.

   `bytes` holds `count` blocks of 64 bytes. Both functions give the same result for all arguments. */

/* With the CPU's instructions where there are some (SHA extensions of x86-64, the Raspberry Pi 5's ARMv8
   cryptography; the Pi 4 has none): Swift has no intrinsics for them. */
void imulog_sha256_blocks(uint32_t *_Nonnull state, const void *_Nonnull bytes, size_t count);

/* On any CPU; the other one's fallback and yardstick. */
void imulog_sha256_blocks_portable(
    uint32_t *_Nonnull state, const void *_Nonnull bytes, size_t count);

#endif
