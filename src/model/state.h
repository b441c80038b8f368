// SPDX-License-Identifier: MIT
/** @file
 * A GPU as it was at one time: a snapshot, for whatever GPU.
 *
 * State is what decides what the GPU does next and what can be read from it: registers, waves, LDS,
 * queues, rings, its command processors, dispatcher, scheduler, counters, random numbers, memory.
 * There is no pointer of the host in it. Who watches the GPU, its engine, translations and decoded
 * code are wiring: they stay those of the GPU that a state is restored to.
 *
 * save() and restore() of struct lull_gpu_ops (model/amd/gpu/gpu.h) make and take it. It may
 * outlive its GPU.
 */
#ifndef LULL_MODEL_STATE_H
#define LULL_MODEL_STATE_H

#include <stddef.h>
#include <stdint.h>

struct lull_picture;

struct lull_gpu_state {
    uint8_t *bytes; ///< All but memory and registers, as the GPU lays it out. Owned.
    size_t size;    ///< Of bytes.
    struct lull_picture *memory, *registers; ///< Shared with other states.
};

/** Also of a state that is all zero. */
void lull_gpu_state_done(struct lull_gpu_state *s);

/**
 * Which part of @p a differs from that of @p b, "state", "memory" or "registers", and at which
 * byte; NULL: they are the same.
 */
const char *lull_gpu_state_differs(const struct lull_gpu_state *a, const struct lull_gpu_state *b,
                                   uint64_t *where);

#endif
