// SPDX-License-Identifier: MIT
/** @file
 * What test_jit_a64.c and a64_runner.c share: a file that both map at one address, so that pointers
 * in it are the same for the machine that makes code and the one that runs it.
 */
#ifndef LULL_TESTS_JIT_A64_IMAGE_H
#define LULL_TESTS_JIT_A64_IMAGE_H

#include <stdint.h>

#define A64_IMAGE_AT 0x200000000000u
#define A64_IMAGE_BYTES (96u << 20)

enum { A64_JOBS = 4096 };

/** A region, with what it is run on. */
struct a64_job {
    uint64_t code, wave, area, consts; ///< Addresses.
    uint64_t redo; ///< Address of where the area says what strips in doubt call,
    uint64_t make; ///< and what makes sources with DPP, which is done already.
    uint64_t fpcr;
    uint64_t doubt; ///< Bit n: strip n was in doubt. Written by the runner.
    uint64_t done;  ///< 1: it was run.
};

struct a64_image {
    uint64_t njobs;
    struct a64_job job[A64_JOBS];
};

#endif
