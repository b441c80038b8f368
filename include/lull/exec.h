// SPDX-License-Identifier: MIT
/** @file
 * Run bare gfx1100 machine code on lull's model GPU, in this process: for test suites.
 *
 * One context holds one GPU with its memory and may be used for any number of calls, by one thread
 * at a time; different contexts are independent. Code enters as on amdhsa hardware:
 * s[0:1] is the address of a table of 64-bit buffer addresses, the workgroup's ids follow the user
 * SGPRs as rsrc2 enables them, v0 holds the work-item's ids (x 9:0, y 19:10, z 29:20).
 */
#ifndef LULL_EXEC_H
#define LULL_EXEC_H

#include <stddef.h>
#include <stdint.h>

#include <lull/error.h>

struct lull_exec;

enum lull_exec_buffer_flags {
    LULL_EXEC_NO_COPY_IN = 1,  ///< What the code finds in it is of no interest (not cleared).
    LULL_EXEC_NO_COPY_OUT = 2, ///< What the code leaves in it is of no interest.
};

/** Memory of the caller that the code reads and writes: copied in before, out after the run. */
struct lull_exec_buffer {
    void *data;
    size_t size;    ///< Bytes, at least 1. Behind it, rounded up to 4 KiB, nothing is mapped.
    unsigned flags; ///< enum lull_exec_buffer_flags.
};

/** Zero-initialise, then set code, groups, block and what else is wanted. */
struct lull_exec_params {
    const void *code;   ///< Copied to a 256-byte boundary; the first instruction is at its start.
    size_t code_size;   ///< Bytes, a multiple of 4.
    uint32_t groups[3]; ///< Workgroups, each at least 1.
    uint32_t block[3];  ///< Work-items in a workgroup, at most 1024 in all.
    uint32_t wave_size; ///< 32 or 64; 0: 32.
    /** COMPUTE_PGM_RSRC1; 0: all VGPRs, else as an assembler's .amdhsa_* directives: IEEE mode,
     * denormals of f32 flushed, those of f16 and f64 kept. */
    uint32_t rsrc1;
    uint32_t rsrc2;     ///< COMPUTE_PGM_RSRC2; 0: 2 user SGPRs, 3 workgroup ids, 3 work-item ids.
    uint32_t lds_bytes; ///< Local memory of a workgroup; RSRC2.LDS_SIZE counts if more.
    uint32_t scratch_bytes; ///< Scratch memory of a lane.
    uint32_t timeout_ms;    ///< GPU time, 100,000 cycles to 1 ms; 0: 1000.
    const struct lull_exec_buffer *buffers;
    size_t nbuffers;
};

/** New context. @p seed: order of waves; 0: one workgroup after the other, others where one waits
 * long. Free with lull_exec_free(). */
LULL_API struct lull_error *lull_exec_new(uint64_t seed, struct lull_exec **ret) LULL_MUST_USE;
LULL_API void lull_exec_free(struct lull_exec *x);

/**
 * Run, and wait for the end.
 *
 * @return NULL; LULL_ERR_INVALID for parameters that no hardware takes; LULL_ERR_FAULT with the
 * page's address for a memory fault (of a buffer if it is one of them, see the message);
 * LULL_ERR_BAD_DATA for an illegal instruction or another exception, with its offset in the code;
 * LULL_ERR_OS with ETIME if time is up. Buffers are copied out only on success.
 * After an error the context can be used again.
 */
LULL_API struct lull_error *lull_exec_raw(struct lull_exec *x,
                                          const struct lull_exec_params *p) LULL_MUST_USE;

#endif
