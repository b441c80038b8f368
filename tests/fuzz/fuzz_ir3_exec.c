// SPDX-License-Identifier: MIT
// Any words as a shader of Adreno on a wave, with registers, constants and descriptors filled from
// them: no crash, no access outside of its memory, an end within its steps; with bit 4 of the first
// byte under the checks for hazards.
// Seeds: tests/fuzz/corpus/ir3_exec/.
#include <stdlib.h>
#include <string.h>

#include "check/ir3/ir3.h"
#include "fuzz.h"
#include "model/adreno/exec/texture.h"

#define BASE 0x100000000ull

enum { SIZE = 4 * 4096, WORDS = 64, STEPS = 600, LOCAL = 1024, DESCRIPTORS = 4096 };

struct machine {
    uint8_t mem[SIZE], local[LOCAL];
    uint32_t consts[LULL_IR3_CONSTS], shared[64];
    struct lull_ir3_wave w;
    struct lull_ir3_env env;
    bool preamble;
};

static uint8_t *at(void *ctx, uint64_t address, unsigned bytes, bool write)
{
    struct machine *m = ctx;
    (void)write;
    return address >= BASE && address - BASE + bytes <= SIZE ? m->mem + (address - BASE) : NULL;
}

/** Two-dimensional textures and samplers in turns, changed by @p data. */
static void describe(struct machine *m, const uint8_t *data, size_t size)
{
    static const uint32_t texture[16] = {74u << 22 | 1u << 7 | 2u << 10 | 3u << 13 | 2u << 16,
                                         16 | 16u << 15,
                                         64u << 7 | 1u << 29,
                                         1,
                                         0,
                                         1 | 2u << 17};
    static const uint32_t sampler[16] = {1 << 1 | 1 << 3 | 3 << 8, 0xfff00, 1 << 7};
    for (unsigned i = 0; i < DESCRIPTORS / 64; i++) {
        memcpy(m->mem + DESCRIPTORS + 64 * (size_t)i, i % 2 == 0 ? texture : sampler, 64);
    }
    for (size_t i = 0; i < size && i < DESCRIPTORS; i++) {
        m->mem[DESCRIPTORS + 64 + i] ^= data[i];
    }
}

static void set_up(struct machine *m, unsigned seed)
{
    static const uint32_t interesting[] = {0, 1,          0x3f000000, 0xffffffff,
                                           7, 0x7fc00000, 64,         0x80000000};
    const unsigned fibers = (seed & 4) != 0 ? 128 : 64;
    const struct lull_ir3_mask live = {
        {(seed & 8) != 0 ? 0x5 : UINT64_MAX, fibers == 128 ? UINT64_MAX : 0}};
    lull_ir3_wave_start(&m->w, fibers, &live);
    for (unsigned r = 0; r < LULL_IR3_GPRS; r++) {
        for (unsigned i = 0; i < fibers; i++) {
            m->w.r[r][i] = interesting[(r + seed) % 8] + (r % 3 == 0 ? i : 0);
        }
    }
    for (unsigned i = 0; i < LULL_IR3_CONSTS; i++) {
        m->consts[i] = interesting[i % 8];
    }
    m->w.a1 = (uint16_t)(seed * 3);
    m->env = (struct lull_ir3_env){.memory = {.ctx = m, .at = at},
                                   .consts = m->consts,
                                   .nconsts = 256,
                                   .shared_consts = m->shared,
                                   .local = m->local,
                                   .local_bytes = LOCAL,
                                   .ibo = BASE + DESCRIPTORS,
                                   .tex = BASE + DESCRIPTORS,
                                   .samp = BASE + DESCRIPTORS + 64,
                                   .border = BASE,
                                   .preamble_done = &m->preamble};
    for (unsigned i = 0; i < LULL_IR3_BASES; i++) {
        m->env.bindless[i] = (BASE + DESCRIPTORS) | 3;
    }
    m->env.priv = (struct lull_ir3_private){.address = BASE, .fiber_bytes = 512, .sp_bytes = 65536};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned gens[] = {630, 660, 740, 730};
    if (size < 1) {
        return 0;
    }
    const unsigned seed = data[0];
    const uint32_t n = (uint32_t)(size - 1 < 8 * WORDS ? (size - 1) / 8 : WORDS);
    uint64_t words[WORDS] = {0};
    struct lull_ir3_program p = {.n = 0};
    struct machine *m = calloc(1, sizeof *m);
    memcpy(words, data + 1, 8 * (size_t)n);
    struct lull_error *err = lull_ir3_program_new(words, n, gens[seed & 3], &p);
    if (m == NULL || err != NULL) {
        abort();
    }
    set_up(m, seed);
    describe(m, data + 1 + 8 * (size_t)n, size - 1 - 8 * (size_t)n);
    m->env.program = &p;
    struct lull_hazards *checks = NULL;
    if ((seed & 16) != 0 && lull_hazards_new(&lull_hazard_rules_ir3, &checks) != NULL) {
        abort();
    }
    m->env.observers = checks != NULL ? lull_hazards_observer(checks) : NULL;
    for (unsigned i = 0; i < STEPS; i++) {
        lull_ir3_wave_step(&m->w, &m->env);
        if (m->w.status == LULL_IR3_FAULT && memchr(m->w.wrong, 0, sizeof m->w.wrong) == NULL) {
            abort();
        }
        if (m->w.status == LULL_IR3_ENDED || m->w.pc >= n) {
            break;
        }
        if (m->w.status != LULL_IR3_RUNS) {
            m->w.pc++; // So that one bad word does not hide the rest.
            m->w.status = LULL_IR3_RUNS;
        }
    }
    lull_hazards_free(checks);
    lull_ir3_program_done(&p);
    free(m);
    return 0;
}
