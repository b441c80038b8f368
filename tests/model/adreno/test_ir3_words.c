// SPDX-License-Identifier: MIT
// Words that fibers load and store, of shared and global memory, in rows, at random, at one place,
// behind the end, by some fibers and by all, over the register with the address: what each fiber by
// itself would get: test_ir3_words [SEED].
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/adreno/exec/wave.h"
#include "test.h"

#include "ir3_values.h"

enum { BYTES = 1024, REGISTERS = 12, ROUNDS = 4000, BASE = 0x10000 };

struct memory {
    uint8_t bytes[BYTES];
    bool pieces;
};

static uint8_t *at(void *ctx, uint64_t address, unsigned bytes, bool write)
{
    struct memory *m = ctx;
    (void)write;
    return address - BASE < BYTES && address - BASE + bytes <= BYTES ? m->bytes + (address - BASE)
                                                                     : NULL;
}

static uint8_t *piece(void *ctx, uint64_t address, bool write, uint64_t *bytes)
{
    struct memory *m = ctx;
    (void)write;
    *bytes = address - BASE < BYTES ? BYTES - (address - BASE) : 0;
    return m->pieces && *bytes != 0 ? m->bytes + (address - BASE) : NULL;
}

/** An instruction, and what it works on. */
struct round {
    struct lull_ir3_insn in;
    bool store, local;
    unsigned address, value, n; ///< Registers, words.
    int32_t offset;
};

static struct round random_round(uint64_t *seed)
{
    const uint64_t v = ir3_next(seed);
    struct round r = {.store = v & 1, .local = v >> 1 & 1, .n = 1 + (v >> 2 & 3)};
    const struct lull_ir3_operand reg = {.kind = LULL_IR3_K_GPR};
    r.address = (unsigned)(ir3_next(seed) % (REGISTERS - 2));
    r.value = (unsigned)(ir3_next(seed) % (REGISTERS - 4));
    r.offset = (v >> 4 & 3) == 0 ? (int32_t)(v >> 6 & 255) - 128 : 0;
    r.in = (struct lull_ir3_insn){.category = 6, .ndst = !r.store, .nsrc = 1 + r.store};
    r.in.op = r.local   ? r.store ? LULL_IR3_OP_STL : LULL_IR3_OP_LDL
              : r.store ? LULL_IR3_OP_STG
                        : LULL_IR3_OP_LDG;
    r.in.dst[0] = r.in.src[0] = r.in.src[1] = reg;
    r.in.src[0].value = (int32_t)r.address;
    r.in.dst[0].value = r.in.src[1].value = (int32_t)r.value;
    r.in.m.type = LULL_IR3_TYPE_U32;
    r.in.m.size = (int32_t)r.n;
    r.in.m.offset = r.offset;
    return r;
}

static void fill(struct lull_ir3_wave *w, const struct round *r, uint64_t *seed)
{
    const unsigned fibers = ir3_next(seed) % 2 == 0 ? 64 : 128, how = ir3_next(seed) % 4;
    struct lull_ir3_mask on = {{UINT64_MAX, fibers == 128 ? UINT64_MAX : 0}};
    for (unsigned i = 0; ir3_next(seed) % 2 == 0 && i < fibers / 64; i++) {
        on.w[i] = ir3_next(seed) << 24 ^ ir3_next(seed);
    }
    lull_ir3_wave_start(w, fibers, &on);
    const uint32_t first = (uint32_t)(ir3_next(seed) % BYTES) & ~3u;
    for (unsigned i = 0; i < fibers; i++) {
        const uint32_t byte = how == 0   ? first
                              : how == 1 ? (first + 4 * i) % BYTES
                              : how == 2 ? (uint32_t)(ir3_next(seed) % 900) & ~3u
                                         : (uint32_t)(ir3_next(seed) % (BYTES + 64)) & ~3u;
        for (unsigned k = 0; k < REGISTERS; k++) {
            w->r[k][i] = (uint32_t)ir3_next(seed);
        }
        w->r[r->address][i] = r->local ? byte : BASE + byte;
        w->r[r->address + 1][i] = r->local ? w->r[r->address + 1][i] : 0;
    }
}

/** Each fiber by itself, in their order. */
static void alone(struct lull_ir3_wave *w, struct memory *m, const struct round *r)
{
    uint64_t address[LULL_IR3_FIBERS];
    for (unsigned i = 0; i < w->fibers; i++) {
        const uint64_t low = w->r[r->address][i], high = w->r[r->address + 1][i];
        address[i] = r->local ? (uint32_t)(low + (uint32_t)r->offset)
                              : (high << 32 | low) + (uint64_t)(int64_t)r->offset - BASE;
    }
    for (unsigned i = 0; i < w->fibers; i++) {
        for (unsigned k = 0; lull_ir3_on(&w->exec, i) && k < r->n; k++) {
            const uint64_t a = address[i] + 4 * (uint64_t)k;
            uint32_t *v = &w->r[r->value + k][i];
            if (a > BYTES - 4) {
                *v = r->store ? *v : 0;
            } else if (r->store) {
                memcpy(&m->bytes[a], v, 4);
            } else {
                memcpy(v, &m->bytes[a], 4);
            }
        }
    }
}

static struct lull_ir3_wave got, want;

static bool same(uint64_t first, struct round *r)
{
    struct memory local, global, alike;
    uint64_t seed = first;
    *r = random_round(&seed);
    for (unsigned i = 0; i < BYTES; i++) {
        local.bytes[i] = global.bytes[i] = (uint8_t)ir3_next(&seed);
    }
    local.pieces = global.pieces = ir3_next(&seed) % 8 != 0;
    fill(&got, r, &seed);
    want = got;
    alike = r->local ? local : global;
    struct lull_ir3_env env = {
        .memory = {&global, at, piece}, .local = local.bytes, .local_bytes = BYTES};
    alone(&want, &alike, r);
    return lull_ir3_do_memory(&got, &env, &r->in) && memcmp(got.r, want.r, sizeof got.r) == 0 &&
           memcmp(r->local ? local.bytes : global.bytes, alike.bytes, BYTES) == 0;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    struct round r = {.n = 0};
    uint64_t i = 0;
    bool good = true;
    for (; good && i < ROUNDS; i++) {
        good = same(seed + i, &r);
    }
    test_case(good, "words",
              "seed %" PRIu64 ": %s of %u words, address in %u, value in %u, offset %d",
              seed + i - 1, lull_ir3_op_names[r.in.op], r.n, r.address, r.value, r.offset);
    return test_end();
}
