// SPDX-License-Identifier: Apache-2.0

#ifndef CLINUXIO_CHECKSUMS_H
#define CLINUXIO_CHECKSUMS_H

#include <stddef.h>
#include <stdint.h>

// Checksums whose processor instructions Swift has no intrinsics for. LogFormat uses the CRC-32C, Export the CRC-32,
// Remote the SHA-256. Each function gives the same result as its portable twin, which is the fallback and the yardstick
// in tests.

/// CRC-32C (Castagnoli): polynomial 0x1edc6f41, bits reflected, initial value and final complement ffffffff.
/// The check value, of the nine characters "123456789", is e3069283.
///
/// `previous` is 0, or the CRC of the bytes before these: crc(crc(0, a), b) is the CRC of a followed by b.
/// `bytes` may be null when `count` is 0. Uses SSE4.2 or ARMv8 CRC where the processor has it.
uint32_t imulog_crc32c(uint32_t previous, const void *_Nullable bytes, size_t count);

/// The same by table on any processor.
uint32_t imulog_crc32c_portable(uint32_t previous, const void *_Nullable bytes, size_t count);

/// CRC-32 (ISO-HDLC), that of zlib, PNG, ZIP and MCAP: polynomial 0x104c11db7, else as CRC-32C. The check value, of the
/// nine characters "123456789", is cbf43926. Uses PCLMULQDQ or ARMv8 CRC where the processor has it.
uint32_t imulog_crc32(uint32_t previous, const void *_Nullable bytes, size_t count);

/// The same by table on any processor.
uint32_t imulog_crc32_portable(uint32_t previous, const void *_Nullable bytes, size_t count);

/// The compression function of SHA-256 (FIPS 180-4): `count` blocks of 64 bytes into the eight words of the state. The
/// caller pads, and orders the digest's bytes. Uses the SHA extensions of x86-64 or the ARMv8 cryptography of the
/// Raspberry Pi 5; the Pi 4 has none.
void imulog_sha256_blocks(uint32_t *_Nonnull state, const void *_Nonnull bytes, size_t count);

/// The same on any processor.
void imulog_sha256_blocks_portable(
    uint32_t *_Nonnull state, const void *_Nonnull bytes, size_t count);

#endif
