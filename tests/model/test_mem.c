// SPDX-License-Identifier: MIT
// Memory instructions against plain copies: random addresses, random EXEC, all widths and spaces.
#include <stdint.h>

#include "mem_rows.h"
#include "wave_fixture.h"

enum how {
    GLOBAL_V,
    GLOBAL_S,
    FLAT,
    SCRATCH_V,
    SCRATCH_S,
    SCRATCH_VS,
    SCRATCH_NONE,
    DS,
    BUFFER,
    BUFFER_INDEX
};

enum { STORE = 1, SIGNED = 2, LOW = 4, HIGH = 8, DST = 8, ADDRESS = 2, OFFSET_SCALAR = 0x40 };
enum { PATTERNS = 9, ROUNDS = 8 * PATTERNS };
enum { AROUND = 1024 }; // Bytes that lanes are at most apart in the last of them.

// Data is in v8 on, the address in v2 (v[2:3]), scalars in s[4:5], resources in s[8:11].
static const struct row {
    const char *text;
    enum how how;
    unsigned bytes, flags;
    int offset;
} rows[] = {
    {ASM("global_load_u8 v8, v[2:3], off offset:-5"), GLOBAL_V, 1, 0, -5},
    {ASM("global_load_i8 v8, v[2:3], off"), GLOBAL_V, 1, SIGNED, 0},
    {ASM("global_load_u16 v8, v[2:3], off"), GLOBAL_V, 2, 0, 0},
    {ASM("global_load_i16 v8, v2, s[4:5] offset:4095"), GLOBAL_S, 2, SIGNED, 4095},
    {ASM("global_load_b32 v8, v[2:3], off offset:-4096"), GLOBAL_V, 4, 0, -4096},
    {ASM("global_load_b32 v8, v2, s[4:5] offset:16"), GLOBAL_S, 4, 0, 16},
    {ASM("global_load_b64 v[8:9], v[2:3], off"), GLOBAL_V, 8, 0, 0},
    {ASM("global_load_b96 v[8:10], v[2:3], off"), GLOBAL_V, 12, 0, 0},
    {ASM("global_load_b128 v[8:11], v2, s[4:5]"), GLOBAL_S, 16, 0, 0},
    {ASM("global_load_d16_u8 v8, v[2:3], off"), GLOBAL_V, 1, LOW, 0},
    {ASM("global_load_d16_i8 v8, v[2:3], off"), GLOBAL_V, 1, SIGNED | LOW, 0},
    {ASM("global_load_d16_b16 v8, v[2:3], off"), GLOBAL_V, 2, LOW, 0},
    {ASM("global_load_d16_hi_u8 v8, v[2:3], off"), GLOBAL_V, 1, HIGH, 0},
    {ASM("global_load_d16_hi_i8 v8, v[2:3], off"), GLOBAL_V, 1, SIGNED | HIGH, 0},
    {ASM("global_load_d16_hi_b16 v8, v2, s[4:5]"), GLOBAL_S, 2, HIGH, 0},
    {ASM("global_store_b8 v[2:3], v8, off"), GLOBAL_V, 1, STORE, 0},
    {ASM("global_store_b16 v[2:3], v8, off offset:7"), GLOBAL_V, 2, STORE, 7},
    {ASM("global_store_b32 v[2:3], v8, off"), GLOBAL_V, 4, STORE, 0},
    {ASM("global_store_b32 v2, v8, s[4:5] offset:-16"), GLOBAL_S, 4, STORE, -16},
    {ASM("global_store_b64 v[2:3], v[8:9], off"), GLOBAL_V, 8, STORE, 0},
    {ASM("global_store_b96 v2, v[8:10], s[4:5]"), GLOBAL_S, 12, STORE, 0},
    {ASM("global_store_b128 v[2:3], v[8:11], off"), GLOBAL_V, 16, STORE, 0},
    {ASM("global_store_b128 v2, v[8:11], s[4:5] offset:48"), GLOBAL_S, 16, STORE, 48},
    {ASM("global_store_d16_hi_b8 v[2:3], v8, off"), GLOBAL_V, 1, STORE | HIGH, 0},
    {ASM("global_store_d16_hi_b16 v[2:3], v8, off"), GLOBAL_V, 2, STORE | HIGH, 0},
    {ASM("flat_load_u8 v8, v[2:3] offset:9"), FLAT, 1, 0, 9},
    {ASM("flat_load_i16 v8, v[2:3]"), FLAT, 2, SIGNED, 0},
    {ASM("flat_load_b32 v8, v[2:3]"), FLAT, 4, 0, 0},
    {ASM("flat_load_b96 v[8:10], v[2:3] offset:20"), FLAT, 12, 0, 20},
    {ASM("flat_load_b128 v[8:11], v[2:3]"), FLAT, 16, 0, 0},
    {ASM("flat_load_d16_hi_b16 v8, v[2:3]"), FLAT, 2, HIGH, 0},
    {ASM("flat_store_b8 v[2:3], v8"), FLAT, 1, STORE, 0},
    {ASM("flat_store_b32 v[2:3], v8 offset:3"), FLAT, 4, STORE, 3},
    {ASM("flat_store_b128 v[2:3], v[8:11]"), FLAT, 16, STORE, 0},
    {ASM("flat_store_d16_hi_b16 v[2:3], v8"), FLAT, 2, STORE | HIGH, 0},
    {ASM("scratch_load_u8 v8, v2, off offset:3"), SCRATCH_V, 1, 0, 3},
    {ASM("scratch_load_i8 v8, off, s4 offset:2"), SCRATCH_S, 1, SIGNED, 2},
    {ASM("scratch_load_b32 v8, off, off offset:64"), SCRATCH_NONE, 4, 0, 64},
    {ASM("scratch_load_b32 v8, off, s4"), SCRATCH_S, 4, 0, 0},
    {ASM("scratch_load_b64 v[8:9], v2, s4 offset:-8"), SCRATCH_VS, 8, 0, -8},
    {ASM("scratch_load_b128 v[8:11], off, s4 offset:16"), SCRATCH_S, 16, 0, 16},
    {ASM("scratch_load_d16_hi_i8 v8, v2, off"), SCRATCH_V, 1, SIGNED | HIGH, 0},
    {ASM("scratch_store_b8 v2, v8, off"), SCRATCH_V, 1, STORE, 0},
    {ASM("scratch_store_b16 off, v8, s4 offset:2"), SCRATCH_S, 2, STORE, 2},
    {ASM("scratch_store_b32 off, v8, off offset:12"), SCRATCH_NONE, 4, STORE, 12},
    {ASM("scratch_store_b32 v2, v8, s4 offset:4"), SCRATCH_VS, 4, STORE, 4},
    {ASM("scratch_store_b96 off, v[8:10], s4"), SCRATCH_S, 12, STORE, 0},
    {ASM("scratch_store_b128 v2, v[8:11], off offset:32"), SCRATCH_V, 16, STORE, 32},
    {ASM("scratch_store_d16_hi_b16 v2, v8, off"), SCRATCH_V, 2, STORE | HIGH, 0},
    {ASM("ds_load_u8 v8, v2 offset:17"), DS, 1, 0, 17},
    {ASM("ds_load_i8 v8, v2"), DS, 1, SIGNED, 0},
    {ASM("ds_load_u16 v8, v2"), DS, 2, 0, 0},
    {ASM("ds_load_i16 v8, v2"), DS, 2, SIGNED, 0},
    {ASM("ds_load_b32 v8, v2 offset:8"), DS, 4, 0, 8},
    {ASM("ds_load_b64 v[8:9], v2"), DS, 8, 0, 0},
    {ASM("ds_load_b96 v[8:10], v2"), DS, 12, 0, 0},
    {ASM("ds_load_b128 v[8:11], v2 offset:1024"), DS, 16, 0, 1024},
    {ASM("ds_load_u8_d16 v8, v2"), DS, 1, LOW, 0},
    {ASM("ds_load_i8_d16_hi v8, v2"), DS, 1, SIGNED | HIGH, 0},
    {ASM("ds_load_u16_d16_hi v8, v2"), DS, 2, HIGH, 0},
    {ASM("ds_store_b8 v2, v8"), DS, 1, STORE, 0},
    {ASM("ds_store_b16 v2, v8 offset:2"), DS, 2, STORE, 2},
    {ASM("ds_store_b32 v2, v8"), DS, 4, STORE, 0},
    {ASM("ds_store_b64 v2, v[8:9] offset:512"), DS, 8, STORE, 512},
    {ASM("ds_store_b96 v2, v[8:10]"), DS, 12, STORE, 0},
    {ASM("ds_store_b128 v2, v[8:11]"), DS, 16, STORE, 0},
    {ASM("ds_store_b8_d16_hi v2, v8"), DS, 1, STORE | HIGH, 0},
    {ASM("ds_store_b16_d16_hi v2, v8"), DS, 2, STORE | HIGH, 0},
    {ASM("buffer_load_u8 v8, v2, s[8:11], s6 offen offset:5"), BUFFER, 1, 0, 5},
    {ASM("buffer_load_i16 v8, v2, s[8:11], s6 offen"), BUFFER, 2, SIGNED, 0},
    {ASM("buffer_load_b32 v8, v2, s[8:11], s6 offen offset:4095"), BUFFER, 4, 0, 4095},
    {ASM("buffer_load_b96 v[8:10], v2, s[8:11], s6 offen"), BUFFER, 12, 0, 0},
    {ASM("buffer_load_b128 v[8:11], v[2:3], s[8:11], s6 idxen offen offset:4"), BUFFER_INDEX, 16, 0,
     4},
    {ASM("buffer_load_d16_hi_u8 v8, v2, s[8:11], s6 offen"), BUFFER, 1, HIGH, 0},
    {ASM("buffer_store_b8 v8, v2, s[8:11], s6 offen"), BUFFER, 1, STORE, 0},
    {ASM("buffer_store_b32 v8, v2, s[8:11], s6 offen"), BUFFER, 4, STORE, 0},
    {ASM("buffer_store_b64 v[8:9], v[2:3], s[8:11], s6 idxen offen"), BUFFER_INDEX, 8, STORE, 0},
    {ASM("buffer_store_d16_hi_b16 v8, v2, s[8:11], s6 offen"), BUFFER, 2, STORE | HIGH, 0},
};

/** What lane l reaches: n bytes there, one by one. */
struct target {
    enum { T_AREA, T_LDS, T_SCRATCH } kind;
    uint32_t at;
};

static uint8_t *byte_of(struct fixture *f, struct target t, unsigned l, unsigned i)
{
    return t.kind == T_AREA  ? fix_at(f, t.at + i)
           : t.kind == T_LDS ? f->lds + t.at + i
                             : fix_scratch(f, l, t.at + i);
}

/** A place for a lane; all of them in a run, or anywhere; eight of them at one place or in a run
 * or a dword apart, all but lane 21 or all; all of them around one place. */
static uint32_t pick(struct fixture *f, unsigned pattern, unsigned l, unsigned bytes, uint32_t size,
                     uint32_t low)
{
    static uint32_t strip, step;
    const uint32_t room = size - low - 64 * 16;
    if (pattern == 8) {
        strip = l == 0 ? (uint32_t)(fix_random(f) % (room - AROUND)) : strip;
        return low + strip + (uint32_t)(fix_random(f) % AROUND);
    }
    if (pattern >= 4) {
        strip = l % 8 == 0 ? (uint32_t)(fix_random(f) % room) : strip;
        step = l != 0 ? step : bytes < 4 && fix_random(f) % 2 != 0 ? bytes : 4;
        return low + strip + (pattern % 2 != 0 ? l % 8 * step : 0) +
               (pattern >= 6 && l == 21 ? 4 : 0);
    }
    if (pattern == 0) {
        return low + (uint32_t)(fix_random(f) % room);
    }
    if (pattern == 1) {
        return low + (uint32_t)(fix_random(f) % room) / 16 * 16;
    }
    return low + (pattern == 2 ? 0 : room / 2 / 16 * 16) + l * bytes;
}

static void set_lane(struct fixture *f, const struct row *r, unsigned pattern, unsigned l,
                     struct target *t)
{
    const uint32_t low = r->offset > 0 ? (uint32_t)r->offset + OFFSET_SCALAR : OFFSET_SCALAR;
    uint64_t v = 0;
    *t = (struct target){T_AREA, 0};
    switch (r->how) {
    case GLOBAL_V:
        t->at = pick(f, pattern, l, r->bytes, FIX_AREA, low);
        v = FIX_VA + t->at - (uint64_t)(int64_t)r->offset;
        break;
    case GLOBAL_S: // s[4:5] is 0x40 - offset above the area's start.
        t->at = pick(f, pattern, l, r->bytes, FIX_AREA, low);
        v = t->at - OFFSET_SCALAR;
        break;
    case FLAT:
        t->kind = pattern >= 2 ? T_AREA
                               : (fix_random(f) % 3 == 0 ? T_LDS
                                  : fix_random(f) % 2    ? T_SCRATCH
                                                         : T_AREA);
        t->at = t->kind == T_AREA  ? pick(f, pattern, l, r->bytes, FIX_AREA, low)
                : t->kind == T_LDS ? low + (uint32_t)(fix_random(f) % (FIX_LDS - low - 16))
                                   : low + (uint32_t)(fix_random(f) % (FIX_LANE - low - 16));
        v = t->at - (uint64_t)(int64_t)r->offset +
            (t->kind == T_AREA  ? FIX_VA
             : t->kind == T_LDS ? 0x2000ull << 48
                                : 0x1000ull << 48);
        break;
    case SCRATCH_V:
    case SCRATCH_VS:
        *t = (struct target){T_SCRATCH, low + (uint32_t)(fix_random(f) % (FIX_LANE - low - 16))};
        v = t->at - (uint32_t)r->offset - (r->how == SCRATCH_VS ? OFFSET_SCALAR : 0);
        break;
    case SCRATCH_S:
    case SCRATCH_NONE:
        *t = (struct target){T_SCRATCH,
                             (uint32_t)r->offset + (r->how == SCRATCH_S ? OFFSET_SCALAR : 0)};
        break;
    case DS:
        *t = (struct target){T_LDS, pick(f, pattern, l, r->bytes, FIX_LDS, (uint32_t)r->offset)};
        v = t->at - (uint32_t)r->offset;
        break;
    case BUFFER: // s6 is 0x40.
        t->at = pick(f, pattern, l, r->bytes, FIX_AREA, low);
        v = t->at - OFFSET_SCALAR - (uint32_t)r->offset;
        break;
    case BUFFER_INDEX: // Stride 24.
        t->at = pick(f, pattern, l, r->bytes, FIX_AREA, low);
        v = (t->at - OFFSET_SCALAR - (uint32_t)r->offset) / 24;
        v |= (uint64_t)((t->at - OFFSET_SCALAR - (uint32_t)r->offset) % 24) << 32;
        break;
    }
    fix_v(f, ADDRESS)[l] = (uint32_t)v;
    fix_v(f, ADDRESS + 1)[l] = (uint32_t)(v >> 32);
}

static void set_scalars(struct fixture *f, const struct row *r)
{
    const bool scratch = r->how >= SCRATCH_V && r->how <= SCRATCH_NONE;
    const uint64_t base =
        scratch ? OFFSET_SCALAR : FIX_VA + OFFSET_SCALAR - (uint64_t)(int64_t)r->offset;
    f->w.sgpr[4] = (uint32_t)base;
    f->w.sgpr[5] = (uint32_t)(base >> 32);
    f->w.sgpr[6] = OFFSET_SCALAR;
    f->w.sgpr[8] = (uint32_t)FIX_VA; // Base 47:0, stride, no swizzle.
    f->w.sgpr[9] = (uint32_t)(FIX_VA >> 32 & 0xffff) | (r->how == BUFFER_INDEX ? 24u << 16 : 0);
    f->w.sgpr[10] = FIX_AREA;
    f->w.sgpr[11] = 3u << 28 | FIX_FORMAT; // Raw bounds.
}

static uint32_t reference_value(const struct row *r, const uint8_t *b, unsigned d, uint32_t old)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < 4 && 4 * d + i < r->bytes; i++) {
        v |= (uint32_t)b[4 * d + i] << 8 * i;
    }
    if ((r->flags & SIGNED) != 0) {
        v = r->bytes == 1 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
    }
    if ((r->flags & LOW) != 0) {
        return (old & 0xffff0000) | (v & 0xffff);
    }
    return (r->flags & HIGH) != 0 ? (old & 0xffff) | v << 16 : v;
}

/** The whole state after the instruction, made lane by lane and byte by byte. */
static void reference(struct fixture *f, const struct row *r, const struct target *t)
{
    for (unsigned l = 0; l < f->w.lanes; l++) {
        uint8_t b[16] = {0};
        if (!fix_active(f, l)) {
            continue;
        }
        for (unsigned i = 0; i < r->bytes; i++) {
            if ((r->flags & STORE) != 0) {
                const unsigned at = (r->flags & HIGH) != 0 ? i + 2 : i;
                *byte_of(f, t[l], l, i) = (uint8_t)(fix_v(f, DST + at / 4)[l] >> 8 * (at % 4));
            }
            b[i] = *byte_of(f, t[l], l, i);
        }
        for (unsigned d = 0; (r->flags & STORE) == 0 && 4 * d < r->bytes; d++) {
            fix_v(f, DST + d)[l] = reference_value(r, b, d, fix_v(f, DST + d)[l]);
        }
    }
}

static void scramble(struct fixture *f)
{
    uint8_t *v = f->g->phys.vram;
    for (size_t i = 2 << 20; i < (2 << 20) + FIX_AREA; i += 8) {
        const uint64_t x = fix_random(f) * 257;
        memcpy(v + i, &x, 8);
        memcpy(v + i + (2 << 20), &x, 8);
    }
    for (unsigned i = 0; i < FIX_LDS; i++) {
        f->lds[i] = (uint8_t)fix_random(f);
    }
}

/** What the instructions can reach. */
struct memory {
    uint8_t area[FIX_AREA], scratch[64 * FIX_LANE];
};

static void save(const struct fixture *f, struct memory *m)
{
    memcpy(m->area, f->g->phys.vram + (2 << 20), sizeof(m->area));
    memcpy(m->scratch, f->g->phys.vram + (4 << 20), sizeof(m->scratch));
}

static void restore(struct fixture *f, const struct memory *m)
{
    memcpy(f->g->phys.vram + (2 << 20), m->area, sizeof(m->area));
    memcpy(f->g->phys.vram + (4 << 20), m->scratch, sizeof(m->scratch));
}

/** One row, one pattern. @return Whether everything is as the reference has it. */
static bool try(struct fixture *f, const struct row *r, unsigned round)
{
    static const uint32_t masks[] = {UINT32_MAX, 0x00ffff7f, 0, 0x80000001};
    struct target t[64];
    const unsigned pattern = round % PATTERNS;
    for (unsigned i = 0; i < FIX_NVGPRS * 64; i++) {
        f->vgpr[i] = (uint32_t)fix_random(f);
    }
    for (unsigned h = 0; h < 2; h++) {
        f->w.sgpr[LULL_RDNA_EXEC + h] =
            round / PATTERNS % 2 != 0 ? (uint32_t)fix_random(f) : masks[round / PATTERNS / 2 % 4];
    }
    set_scalars(f, r);
    for (unsigned l = 0; l < f->w.lanes; l++) {
        set_lane(f, r, pattern, l, &t[l]);
    }
    struct memory before, after;
    struct fixture *want = malloc(sizeof(*want));
    if (want == NULL) {
        abort();
    }
    save(f, &before);
    *want = *f;
    reference(want, r, t); // Writes the memory that both share.
    save(f, &after);
    restore(f, &before);
    bool ok = fix_run(f, r->text) == LULL_EXEC_NEXT;
    save(f, &before);
    ok = ok && memcmp(f->vgpr, want->vgpr, sizeof(f->vgpr)) == 0;
    ok = ok && memcmp(f->lds, want->lds, sizeof(f->lds)) == 0 &&
         memcmp(&before, &after, sizeof(after)) == 0;
    free(want);
    return ok;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 20240607;
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        int bad = -1;
        for (unsigned lanes = 32; lanes <= 64 && bad < 0; lanes += 32) {
            struct fixture *f = fix_new(lanes, seed + i);
            scramble(f);
            for (unsigned round = 0; round < ROUNDS && bad < 0; round++) {
                bad = try(f, &rows[i], round) ? -1 : (int)round;
            }
            fix_free(f);
        }
        test_case(bad < 0, rows[i].text, "seed %llu, round %d", (unsigned long long)seed, bad);
    }
    return test_end();
}
