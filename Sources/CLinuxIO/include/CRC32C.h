#ifndef CLINUXIO_CRC32C_H
#define CLINUXIO_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli): polynomial 0x1edc6f41, bits reflected, initial value and final complement ffffffff.
   The check value, of the nine characters "123456789", is e3069283.

   `previous` is 0, or the CRC of the bytes before these: crc(crc(0, a), b) is the CRC of a followed by b.
   `bytes` may be null when `count` is 0. Both functions give the same result for all arguments. */

/* With the CPU's instruction where there is one (SSE4.2, ARMv8 CRC): Swift has no intrinsic for it. */
uint32_t imulog_crc32c(uint32_t previous, const void *bytes, size_t count);

/* By table on any CPU; the other one's fallback and yardstick. */
uint32_t imulog_crc32c_portable(uint32_t previous, const void *bytes, size_t count);

#endif
