// SPDX-License-Identifier: MIT
/** @file
 * What test_jit_a64.c and a64_runner.c share: a file that both map at one address, so that pointers
 * in it are the same for the machine that makes code and the one that runs it. They wait for each
 * other by bytes in two pipes: A64_GO to the runner runs the job, or ends a call; each byte from it
 * says that there is a call, or that the job is done.
 */
#ifndef LULL_TESTS_JIT_A64_IMAGE_H
#define LULL_TESTS_JIT_A64_IMAGE_H

#include <stdint.h>

#define A64_IMAGE_AT 0x200000000000u
#define A64_IMAGE_BYTES (32u << 20)

enum { A64_GO = 'g', A64_FILE = 3 }; // The file's descriptor in the runner.

/** What code calls, which the machine that made it does. */
enum a64_call { A64_DONE, A64_REDO, A64_MAKE_SHUFFLED, A64_CALL };

struct a64_image {
    uint64_t code, wave, area, consts, exit, fpcr; ///< The job. Addresses.
    uint64_t redo, make_shuffled, function;        ///< Where the area says what is called.
    uint64_t call, arg[3], ret;                    ///< enum a64_call.
};

#endif
