// SPDX-License-Identifier: Apache-2.0

#include "Checksums.h"

#include <stdint.h>
#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
static const uint32_t constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
  0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
  0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
  0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
  0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
  0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
  0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
  0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
};

static uint32_t rotated(uint32_t word, int count) { return word >> count | word << (32 - count); }

static uint32_t big_endian(const unsigned char *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* One round, FIPS 180-4, 6.2.2. Instead of moving the eight variables on, their names move: `h` becomes the next
   round's `a`, and `d` its `e`. */
#define ROUND(a, b, c, d, e, f, g, h, word, constant) \
  h += (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + (g ^ (e & (f ^ g))) + (constant) + (word); \
  d += h; \
  h += (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) | (c & (a | b)))

#define EIGHT_ROUNDS(k, w) \
  ROUND(a, b, c, d, e, f, g, h, (w)[0], (k)[0]); \
  ROUND(h, a, b, c, d, e, f, g, (w)[1], (k)[1]); \
  ROUND(g, h, a, b, c, d, e, f, (w)[2], (k)[2]); \
  ROUND(f, g, h, a, b, c, d, e, (w)[3], (k)[3]); \
  ROUND(e, f, g, h, a, b, c, d, (w)[4], (k)[4]); \
  ROUND(d, e, f, g, h, a, b, c, (w)[5], (k)[5]); \
  ROUND(c, d, e, f, g, h, a, b, (w)[6], (k)[6]); \
  ROUND(b, c, d, e, f, g, h, a, (w)[7], (k)[7])

void imulog_sha256_blocks_portable(uint32_t *state, const void *bytes, size_t count) {
  const unsigned char *at = bytes;
  for (; count != 0; count--, at += 64) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++) w[i] = big_endian(at + 4 * i);
    for (int i = 16; i < 64; i++) {
      uint32_t x = w[i - 15], y = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (rotated(x, 7) ^ rotated(x, 18) ^ x >> 3)
             + (rotated(y, 17) ^ rotated(y, 19) ^ y >> 10);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i += 8) {
      EIGHT_ROUNDS(constants + i, w + i);
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
  }
}

#if defined(__x86_64__)

#include <immintrin.h>

/* The instructions take the state as two vectors, ABEF and CDGH, highest word first; sha256rnds2 does two rounds
   (Intel, "Intel SHA Extensions", 2013). */
__attribute__((target("sha,sse4.1"))) static void with_instructions(
    uint32_t *state, const void *bytes, size_t count) {
  const unsigned char *at = bytes;
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  __m128i dcba = _mm_loadu_si128((const __m128i *)state);
  __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
  __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  for (; count != 0; count--, at += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (int i = 0; i < 4; i++)
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(at + 16 * i)), swap);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
      __m128i sum = _mm_add_epi32(
          w[i & 3], _mm_loadu_si128((const __m128i *)(constants + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
      if (i >= 12) continue;
      /* The four words sixteen further on take the place of these. */
      __m128i next = _mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]);
      next = _mm_add_epi32(next, _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4));
      w[i & 3] = _mm_sha256msg2_epu32(next, w[(i + 3) & 3]);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

/* CPUID leaf 7, bit 29 of EBX. Asked once: the instruction that asks is slow in a virtual machine. */
static int has_instructions(void) {
  static int answer = -1;
  int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
  if (known >= 0) return known;
  unsigned eax = 7, ebx, ecx = 0, edx;
  __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
  known = (ebx >> 29 & 1) != 0 && __builtin_cpu_supports("sse4.1") != 0;
  __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
  return known;
}

#elif defined(__aarch64__) && !defined(__AARCH64EB__)

#include <arm_neon.h>
#include <sys/auxv.h>

/* Written with assembly for the four instructions, because gcc and clang name the target attribute of the intrinsics
   differently. */
#define WITH_CRYPTO ".arch_extension sha2\n\t"

static void with_instructions(uint32_t *state, const void *bytes, size_t count) {
  const unsigned char *at = bytes;
  uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);
  for (; count != 0; count--, at += 64) {
    const uint32x4_t abcd_before = abcd, efgh_before = efgh;
    uint32x4_t w[4];
    for (int i = 0; i < 4; i++)
      w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(at + 16 * i)));
    for (int i = 0; i < 16; i++) {
      uint32x4_t sum = vaddq_u32(w[i & 3], vld1q_u32(constants + 4 * i)), before = abcd;
      __asm__(WITH_CRYPTO "sha256h %q0, %q1, %2.4s" : "+w"(abcd) : "w"(efgh), "w"(sum));
      __asm__(WITH_CRYPTO "sha256h2 %q0, %q1, %2.4s" : "+w"(efgh) : "w"(before), "w"(sum));
      if (i >= 12) continue;
      __asm__(WITH_CRYPTO "sha256su0 %0.4s, %1.4s" : "+w"(w[i & 3]) : "w"(w[(i + 1) & 3]));
      __asm__(WITH_CRYPTO "sha256su1 %0.4s, %1.4s, %2.4s"
              : "+w"(w[i & 3]) : "w"(w[(i + 2) & 3]), "w"(w[(i + 3) & 3]));
    }
    abcd = vaddq_u32(abcd, abcd_before);
    efgh = vaddq_u32(efgh, efgh_before);
  }
  vst1q_u32(state, abcd);
  vst1q_u32(state + 4, efgh);
}

/* HWCAP_SHA2 of <asm/hwcap.h>, spelt out so that no kernel header is needed. */
static int has_instructions(void) { return (getauxval(AT_HWCAP) & (1UL << 6)) != 0; }

#else

static void with_instructions(uint32_t *state, const void *bytes, size_t count) {
  imulog_sha256_blocks_portable(state, bytes, count);
}

static int has_instructions(void) { return 0; }

#endif

void imulog_sha256_blocks(uint32_t *state, const void *bytes, size_t count) {
  if (has_instructions()) {
    with_instructions(state, bytes, count);
  } else {
    imulog_sha256_blocks_portable(state, bytes, count);
  }
}
