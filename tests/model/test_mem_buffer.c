// SPDX-License-Identifier: MIT
// MUBUF with random descriptors and addresses, against bounds and addresses computed here from the
// text of the ISA guide, lane by lane and byte by byte.
#include <stdint.h>

#include "mem_buffer_rows.h"
#include "wave_fixture.h"

enum { RECORDS_AT = 4096, ROUNDS = 400, DATA = 8, IMM = 4 };

/** One instruction: data in v8 and up, addresses in v2 and up, s[8:11], s12 as soffset. */
static const struct row {
    const char *text;
    unsigned bytes; // Of a lane.
    bool idxen, offen, store;
    bool sign, d16, hi; // Sub-dwords: sign-extended; into half a register; the upper half.
} rows[] = {
    // clang-format off
    {ASM("buffer_load_b32 v8, off, s[8:11], s12 offset:4"), 4, false, false, false, false, false, false},
    {ASM("buffer_load_b32 v8, v2, s[8:11], s12 offen offset:4"), 4, false, true, false, false, false, false},
    {ASM("buffer_load_b32 v8, v2, s[8:11], s12 idxen offset:4"), 4, true, false, false, false, false, false},
    {ASM("buffer_load_b32 v8, v[2:3], s[8:11], s12 idxen offen offset:4"), 4, true, true, false, false, false, false},
    {ASM("buffer_load_u8 v8, v2, s[8:11], s12 offen offset:4"), 1, false, true, false, false, false, false},
    {ASM("buffer_load_i8 v8, v2, s[8:11], s12 idxen offset:4"), 1, true, false, false, true, false, false},
    {ASM("buffer_load_u16 v8, v2, s[8:11], s12 idxen offset:4"), 2, true, false, false, false, false, false},
    {ASM("buffer_load_i16 v8, v2, s[8:11], s12 offen offset:4"), 2, false, true, false, true, false, false},
    {ASM("buffer_load_d16_b16 v8, v2, s[8:11], s12 offen offset:4"), 2, false, true, false, false, true, false},
    {ASM("buffer_load_d16_hi_u8 v8, v2, s[8:11], s12 idxen offset:4"), 1, true, false, false, false, true, true},
    {ASM("buffer_load_b64 v[8:9], v2, s[8:11], s12 offen offset:4"), 8, false, true, false, false, false, false},
    {ASM("buffer_load_b96 v[8:10], v2, s[8:11], s12 idxen offset:4"), 12, true, false, false, false, false, false},
    {ASM("buffer_load_b128 v[8:11], v2, s[8:11], s12 offen offset:4"), 16, false, true, false, false, false, false},
    {ASM("buffer_store_b32 v8, v2, s[8:11], s12 offen offset:4"), 4, false, true, true, false, false, false},
    {ASM("buffer_store_b32 v8, v2, s[8:11], s12 idxen offset:4"), 4, true, false, true, false, false, false},
    {ASM("buffer_store_b8 v8, v2, s[8:11], s12 offen offset:4"), 1, false, true, true, false, false, false},
    {ASM("buffer_store_b16 v8, v2, s[8:11], s12 idxen offset:4"), 2, true, false, true, false, false, false},
    {ASM("buffer_store_d16_hi_b16 v8, v2, s[8:11], s12 offen offset:4"), 2, false, true, true, false, true, true},
    {ASM("buffer_store_b128 v[8:11], v[2:3], s[8:11], s12 idxen offen offset:4"), 16, true, true, true, false, false, false},
    // clang-format on
};

/** A descriptor as its fields. */
struct desc {
    uint32_t stride, records, oob, swizzle, index_stride, soffset;
    bool add_tid, unbound;
};

/** RDNA3 ISA guide 9.1.5: element size 4 and 16 for SWIZZLE_ENABLE 1 and 3. Without an index there
 * is nothing to swizzle: see lull_buffer_of(). */
static uint64_t address(const struct desc *d, uint64_t index, uint64_t offset)
{
    static const uint32_t elements[] = {0, 4, 8, 16};
    const uint64_t lanes = 8u << d->index_stride, e = elements[d->swizzle];
    if (d->swizzle == 0) {
        return index * d->stride + offset + d->soffset;
    }
    return (index / lanes * d->stride + offset / e * e) * lanes + index % lanes * e + offset % e +
           d->soffset;
}

/** 9.4.1; 9.3: without a format there is no buffer. */
static bool inside(const struct desc *d, uint64_t index, uint64_t offset, unsigned bytes)
{
    if (d->unbound && !d->add_tid) {
        return false;
    }
    switch (d->oob) {
    case 0:
        return index < d->records && offset + bytes <= d->stride;
    case 1:
        return index < d->records;
    case 2:
        return d->records != 0;
    default:
        break;
    }
    return d->swizzle != 0 && d->stride != 0
               ? index < d->records && offset + bytes <= d->stride
               : index * d->stride + offset + bytes + d->soffset <= d->records;
}

static struct desc random_desc(struct fixture *f)
{
    static const uint32_t strides[] = {0, 4, 16, 20};
    struct desc d = {
        .stride = strides[fix_random(f) % 4],
        .records = (uint32_t)(fix_random(f) % 80),
        .oob = (uint32_t)(fix_random(f) % 4),
        .soffset = (uint32_t)(fix_random(f) % 4 * 4),
        .swizzle = fix_random(f) % 4 == 0 ? (uint32_t)(fix_random(f) & 1) * 2 + 1 : 0,
        .index_stride = (uint32_t)(fix_random(f) % 3),
        .add_tid = fix_random(f) % 8 == 0,
        .unbound = fix_random(f) % 8 == 0,
    };
    d.records = d.oob == 3 ? d.records * 8 : d.records;
    f->w.sgpr[8] = (uint32_t)(FIX_VA + RECORDS_AT);
    f->w.sgpr[9] =
        (uint32_t)((FIX_VA + RECORDS_AT) >> 32 & 0xffff) | d.stride << 16 | d.swizzle << 30;
    f->w.sgpr[10] = d.records;
    f->w.sgpr[11] = d.index_stride << 21 | (uint32_t)d.add_tid << 23 | d.oob << 28 |
                    (d.unbound ? 0 : FIX_FORMAT);
    f->w.sgpr[12] = d.soffset;
    return d;
}

/**
 * Indices and offsets: mostly one after the other, sometimes anywhere, and then less than 0 until
 * IMM is added: LLVM's splitBufferOffsets() and ACO's optimizer (vaddr_prevent_overflow: only for
 * swizzled ones before gfx9) rely on a sum of 32 bits.
 */
static void random_addresses(struct fixture *f, const struct row *r)
{
    const bool anywhere = fix_random(f) % 2 == 0;
    const unsigned step = r->bytes < 4 ? (unsigned)r->bytes : r->bytes;
    for (unsigned l = 0; l < f->w.lanes; l++) {
        const uint32_t any = (uint32_t)(fix_random(f) % 72), less = anywhere ? IMM : 0;
        fix_v(f, 2)[l] = r->idxen ? (anywhere ? any : l) : (anywhere ? any : l) * step - less;
        fix_v(f, 3)[l] = any % 4 * 4 - less;
    }
    for (unsigned v = DATA; v < DATA + 4; v++) {
        for (unsigned l = 0; l < f->w.lanes; l++) {
            fix_v(f, v)[l] = (uint32_t)fix_random(f);
        }
    }
    const bool all = fix_random(f) % 2 == 0;
    f->w.sgpr[LULL_RDNA_EXEC] = all ? UINT32_MAX : (uint32_t)fix_random(f);
    f->w.sgpr[LULL_RDNA_EXEC + 1] = all ? UINT32_MAX : (uint32_t)fix_random(f);
}

/** What register @p dst was, and what it must be. */
static uint32_t merge(const struct row *r, uint32_t before, uint32_t v)
{
    v = r->sign && r->bytes == 1 ? (uint32_t)(int8_t)v : v;
    v = r->sign && r->bytes == 2 ? (uint32_t)(int16_t)v : v;
    if (!r->d16) {
        return v;
    }
    return r->hi ? (before & 0xffff) | v << 16 : (before & 0xffff0000) | (v & 0xffff);
}

/** Memory and registers as they must be, from those that are. */
static void expect(struct fixture *f, const struct row *r, const struct desc *desc, uint8_t *memory,
                   uint32_t *regs)
{
    struct desc linear = *desc, *d = &linear;
    d->swizzle = r->idxen || d->add_tid ? d->swizzle : 0;
    for (unsigned l = 0; l < f->w.lanes; l++) {
        const uint64_t index = (r->idxen ? fix_v(f, 2)[l] : 0) + (d->add_tid ? l : 0u);
        const uint32_t v = r->offen ? fix_v(f, 2 + r->idxen)[l] : 0, offset = v + IMM;
        for (unsigned b = 0; b < r->bytes && fix_active(f, l); b += 4) {
            const unsigned n = r->bytes < 4 ? r->bytes : 4;
            const bool ok = inside(d, index, (uint64_t)offset + b, n);
            uint32_t *reg = regs + (b / 4) * f->w.lanes + l, data = 0;
            const uint32_t out = *reg >> (r->hi ? 16 : 0);
            for (unsigned i = 0; i < n && ok; i++) {
                uint8_t *at = memory + address(d, index, offset + b + i);
                *at = (uint8_t)(r->store ? out >> (8 * i) : *at);
                data |= (uint32_t)*at << (8 * i);
            }
            *reg = r->store ? *reg : merge(r, *reg, data);
        }
    }
}

static void check(const struct row *r, unsigned lanes)
{
    static uint8_t memory[FIX_AREA - RECORDS_AT];
    uint32_t regs[4 * 64] = {0};
    struct fixture *f = fix_new(lanes, 7 + lanes);
    unsigned bad = 0, first = 0;
    for (unsigned n = 0; n < ROUNDS; n++) {
        const struct desc d = random_desc(f);
        random_addresses(f, r);
        for (unsigned i = 0; i < sizeof memory; i++) {
            memory[i] = *fix_at(f, RECORDS_AT + i) = (uint8_t)(i * 37 + n);
        }
        memcpy(regs, fix_v(f, DATA), 4 * 4 * lanes);
        expect(f, r, &d, memory, regs);
        bool ok = fix_run(f, r->text) == LULL_EXEC_NEXT &&
                  memcmp(regs, fix_v(f, DATA), 4 * 4 * lanes) == 0;
        for (unsigned i = 0; i < sizeof memory && ok; i += 4096) {
            ok = memcmp(memory + i, fix_at(f, RECORDS_AT + i), 4096) == 0;
        }
        first = ok || bad != 0 ? first : n;
        bad += !ok;
    }
    test_case(bad == 0, r->text, "wave%u: %u of %u rounds wrong, first %u", lanes, bad,
              (unsigned)ROUNDS, first);
    fix_free(f);
}

/** TFE adds a dword behind the data, also when lanes are out of bounds. */
static void test_tfe(void)
{
    struct fixture *f = fix_new(32, 3);
    for (unsigned v = 8; v < 12; v++) {
        memset(fix_v(f, v), 0xff, 32 * 4);
    }
    f->w.sgpr[8] = (uint32_t)FIX_VA;
    f->w.sgpr[9] = (uint32_t)(FIX_VA >> 32 & 0xffff);
    f->w.sgpr[10] = 64;
    f->w.sgpr[11] = 3u << 28 | FIX_FORMAT;
    f->w.sgpr[LULL_RDNA_EXEC] = 5;
    const bool ok =
        fix_run(f, ASM("buffer_load_b32 v[8:9], off, s[8:11], 0 tfe")) == LULL_EXEC_NEXT;
    test_case(ok && fix_v(f, 8)[0] == 0 && fix_v(f, 9)[0] == 0 && fix_v(f, 9)[2] == 0 &&
                  fix_v(f, 9)[1] == UINT32_MAX && fix_v(f, 10)[0] == UINT32_MAX,
              "tfe", "%x %x", fix_v(f, 8)[0], fix_v(f, 9)[0]);
    fix_free(f);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        check(&rows[i], 32);
        check(&rows[i], 64);
    }
    test_tfe();
    return test_end();
}
