// SPDX-License-Identifier: MIT
// Waves that are watched: what observers are told of each kind of memory instruction, and that
// nothing comes out differently. Addresses by the RDNA3 ISA guide, chapters 8 to 12.
#include <stdint.h>

#include "observed_rows.h"

#include "wave_fixture.h"

#include "img_fixture.h"

#define LDS (0x2000ull << 48)
#define SCRATCH (0x1000ull << 48)
#define EXEC UINT32_C(0x80000101) // Lanes 0, 8 and 31.

enum {
    LANES = 3,
    RECORDS = 64, // Bytes of the buffer: lanes 8 and 31 are beyond.
    M0 = 16,
    DATA = 3,
};

struct row {
    const char *text;
    unsigned n; ///< Accesses.
    bool store;
    unsigned bytes;
    uint64_t first, last; ///< Addresses.
    enum lull_exec_result result;
};

// v2: 8 * lane. v[6:7], v[14:15], v[16:17]: the same in memory, LDS, scratch. s[4:5]: memory.
// s[8:11]: a raw buffer. s[12:13], v[20:21]: nothing is there.
static const struct row rows[] = {
    {ASM("global_load_b64 v[12:13], v2, s[4:5] offset:8"), LANES, false, 8, FIX_VA + 8,
     FIX_VA + 8 + 248, LULL_EXEC_NEXT},
    {ASM("global_load_b64 v[6:7], v[6:7], off"), LANES, false, 8, FIX_VA, FIX_VA + 248,
     LULL_EXEC_NEXT},
    {ASM("global_load_u8 v2, v2, s[4:5]"), LANES, false, 1, FIX_VA, FIX_VA + 248, LULL_EXEC_NEXT},
    {ASM("global_store_b32 v2, v3, s[4:5]"), LANES, true, 4, FIX_VA, FIX_VA + 248, LULL_EXEC_NEXT},
    {ASM("global_atomic_add_u32 v12, v2, v3, s[4:5] glc"), LANES, true, 4, FIX_VA, FIX_VA + 248,
     LULL_EXEC_NEXT},
    {ASM("global_load_addtid_b32 v12, s[4:5] offset:16"), LANES, false, 4, FIX_VA + 16,
     FIX_VA + 16 + 124, LULL_EXEC_NEXT},
    {ASM("flat_load_b32 v12, v[6:7]"), LANES, false, 4, FIX_VA, FIX_VA + 248, LULL_EXEC_NEXT},
    {ASM("flat_store_b32 v[14:15], v3 offset:4"), LANES, true, 4, LDS + 4, LDS + 4 + 248,
     LULL_EXEC_NEXT},
    {ASM("flat_atomic_add_u32 v[16:17], v3"), LANES, true, 4, SCRATCH, SCRATCH + 248,
     LULL_EXEC_NEXT},
    {ASM("scratch_load_b32 v12, v2, off offset:4"), LANES, false, 4, SCRATCH + 4, SCRATCH + 4 + 248,
     LULL_EXEC_NEXT},
    {ASM("scratch_store_b64 off, v[18:19], off offset:24"), LANES, true, 8, SCRATCH + 24,
     SCRATCH + 24, LULL_EXEC_NEXT},
    {ASM("ds_load_b32 v2, v2 offset:4"), LANES, false, 4, LDS + 4, LDS + 4 + 248, LULL_EXEC_NEXT},
    {ASM("ds_load_2addr_b32 v[12:13], v2 offset0:1 offset1:3"), 2 * LANES, false, 4, LDS + 4,
     LDS + 12 + 248, LULL_EXEC_NEXT},
    {ASM("ds_store_2addr_stride64_b64 v2, v[18:19], v[18:19] offset1:1"), 2 * LANES, true, 8, LDS,
     LDS + 512 + 248, LULL_EXEC_NEXT},
    {ASM("ds_add_rtn_u32 v2, v2, v3"), LANES, true, 4, LDS, LDS + 248, LULL_EXEC_NEXT},
    {ASM("ds_storexchg_2addr_rtn_b32 v[12:13], v2, v3, v18 offset1:1"), 2 * LANES, true, 4, LDS,
     LDS + 4 + 248, LULL_EXEC_NEXT},
    {ASM("ds_append v12 offset:8"), 1, true, 4, LDS + M0 + 8, LDS + M0 + 8, LULL_EXEC_NEXT},
    {ASM("ds_load_addtid_b32 v12 offset:4"), LANES, false, 4, LDS + M0 + 4, LDS + M0 + 4 + 124,
     LULL_EXEC_NEXT},
    {ASM("ds_bpermute_b32 v12, v2, v3"), 0, false, 0, 0, 0, LULL_EXEC_NEXT},
    {ASM("ds_swizzle_b32 v12, v3 offset:swizzle(BROADCAST,32,1)"), 0, false, 0, 0, 0,
     LULL_EXEC_NEXT},
    {ASM("buffer_load_b32 v12, v2, s[8:11], 0 offen"), 1, false, 4, FIX_VA, FIX_VA, LULL_EXEC_NEXT},
    {ASM("buffer_store_b64 v[18:19], v2, s[8:11], 0 offen offset:8"), 1, true, 8, FIX_VA + 8,
     FIX_VA + 8, LULL_EXEC_NEXT},
    {ASM("buffer_atomic_add_u32 v3, v2, s[8:11], 0 offen"), 1, true, 4, FIX_VA, FIX_VA,
     LULL_EXEC_NEXT},
    {ASM("buffer_load_format_x v12, v2, s[8:11], 0 offen"), 1, false, 4, FIX_VA, FIX_VA,
     LULL_EXEC_NEXT},
    {ASM("tbuffer_store_format_xy v[18:19], v2, s[8:11], 0 format:[BUF_FMT_32_32_UINT] offen"), 1,
     true, 8, FIX_VA, FIX_VA, LULL_EXEC_NEXT},
    {ASM("s_load_b64 s[4:5], s[4:5], 0x8"), 2, false, 4, FIX_VA + 8, FIX_VA + 12, LULL_EXEC_NEXT},
    {ASM("s_buffer_load_b512 s[24:39], s[8:11], 0x20"), (RECORDS - 0x20) / 4, false, 4,
     FIX_VA + 0x20, FIX_VA + RECORDS - 4, LULL_EXEC_NEXT},
    {ASM("buffer_gl0_inv"), 0, false, 0, 0, 0, LULL_EXEC_NEXT},
    // Refused, and illegal: there are 24 VGPRs.
    {ASM("global_load_b32 v12, v[20:21], off"), LANES, false, 4, 0, 0, LULL_EXEC_MEMORY},
    {ASM("s_load_b32 s20, s[12:13], 0x0"), 0, false, 0, 0, 0, LULL_EXEC_MEMORY},
    {ASM("global_load_b64 v[23:24], v2, s[4:5]"), 0, false, 0, 0, 0, LULL_EXEC_ILLEGAL},
    {ASM("ds_store_b32 v24, v3"), 0, false, 0, 0, 0, LULL_EXEC_ILLEGAL},
    {ASM("scratch_load_b32 v12, v24, off"), 0, false, 0, 0, 0, LULL_EXEC_ILLEGAL},
};

// v0: lane. s[0:7]: an image of one row of dwords.
static const struct row images[] = {
    {ASM("image_load v12, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"), LANES, false, 4, FIX_VA,
     FIX_VA + 124, LULL_EXEC_NEXT},
    {ASM("image_store v3, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"), LANES, true, 4, FIX_VA,
     FIX_VA + 124, LULL_EXEC_NEXT},
    {ASM("image_atomic_add v3, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), LANES, true, 4,
     FIX_VA, FIX_VA + 124, LULL_EXEC_NEXT},
};

struct seen {
    struct lull_observer o;
    const struct lull_insn *insn;
    unsigned n, wrong; ///< wrong: of another instruction, kind, size or wave.
    uint64_t first, last;
    bool store;
    unsigned bytes;
};

static void see(struct lull_observer *o, const struct lull_observed *at, unsigned lane,
                uint64_t address, size_t size, int store)
{
    struct seen *s = (struct seen *)o;
    s->first = s->n == 0 ? address : s->first;
    s->last = address;
    s->n++;
    s->wrong += at->insn == NULL || (store != 0) != s->store || size != s->bytes ||
                at->lanes != 32 || at->active != EXEC || at->local_bytes != FIX_LDS ||
                at->local_base != LDS || (EXEC >> lane & 1) == 0;
}

static void set64(struct fixture *f, unsigned reg, uint64_t v)
{
    f->w.sgpr[reg] = (uint32_t)v;
    f->w.sgpr[reg + 1] = (uint32_t)(v >> 32);
}

static struct fixture *ready(const struct img *image)
{
    static const struct {
        unsigned reg;
        uint64_t base;
    } pairs[] = {{6, FIX_VA}, {14, LDS}, {16, SCRATCH}, {20, 0}};
    struct fixture *f = fix_new(32, 1);
    for (unsigned i = 0; i < FIX_AREA; i++) {
        *fix_at(f, i) = (uint8_t)fix_random(f);
    }
    set64(f, 4, FIX_VA);
    set64(f, 8, FIX_VA & UINT64_C(0xffffffffffff));
    f->w.sgpr[10] = RECORDS;
    f->w.sgpr[11] = FIX_FORMAT | 3u << 28; // OOB_SELECT: raw.
    f->w.sgpr[LULL_RDNA_M0] = M0;
    if (image != NULL) {
        img_bind(f, image);
    }
    f->w.sgpr[LULL_RDNA_EXEC] = EXEC;
    for (unsigned l = 0; l < 32; l++) {
        fix_v(f, 0)[l] = l;
        fix_v(f, 1)[l] = 0;
        fix_v(f, 2)[l] = 8 * l;
        fix_v(f, 3)[l] = DATA;
        for (unsigned i = 0; i < TEST_ROWS(pairs); i++) {
            const uint64_t va = pairs[i].base + (pairs[i].base != 0 ? 8 * l : 0);
            fix_v(f, pairs[i].reg)[l] = (uint32_t)va;
            fix_v(f, pairs[i].reg + 1)[l] = (uint32_t)(va >> 32);
        }
    }
    return f;
}

static bool same(const struct fixture *a, const struct fixture *b)
{
    bool r = memcmp(a->vgpr, b->vgpr, sizeof a->vgpr) == 0 &&
             memcmp(a->w.sgpr, b->w.sgpr, sizeof a->w.sgpr) == 0 &&
             memcmp(a->lds, b->lds, sizeof a->lds) == 0 && a->nfaults == b->nfaults &&
             memcmp(fix_scratch(a, 0, 0), fix_scratch(b, 0, 0), (size_t)FIX_LANE * 32) == 0;
    for (unsigned i = 0; i < FIX_AREA; i += 4096) {
        r = r && memcmp(fix_at(a, i), fix_at(b, i), 4096) == 0;
    }
    return r;
}

static void check(const struct row *row, const struct img *image)
{
    struct fixture *plain = ready(image), *watched = ready(image);
    struct seen second = {.store = row->store, .bytes = row->bytes, .o = {.access = see}};
    struct seen s = second;
    s.o.next = &second.o;
    lull_wave_observe(&watched->w, &s.o);
    const enum lull_exec_result a = fix_run(plain, row->text), b = fix_run(watched, row->text);
    test_case(a == row->result && b == a, row->text, "result %d, watched %d", (int)a, (int)b);
    test_case(same(plain, watched), row->text, "it does something else when it is watched");
    test_case(s.n == row->n && s.wrong == 0 && s.first == row->first && s.last == row->last,
              row->text, "%u accesses (want %u), %u wrong, 0x%llx to 0x%llx", s.n, row->n, s.wrong,
              (unsigned long long)s.first, (unsigned long long)s.last);
    test_case(second.n == s.n && second.last == s.last, row->text, "the second saw %u", second.n);
    lull_wave_observe(&watched->w, NULL);
    s.n = 0;
    fix_run(watched, row->text);
    test_case(s.n == 0, row->text, "%u accesses told when nobody watches", s.n);
    fix_free(plain);
    fix_free(watched);
}

int main(void)
{
    const struct img line = {.format = F_32_UINT, .type = T_2D, .width = 32, .height = 1};
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        check(&rows[i], NULL);
    }
    for (size_t i = 0; i < TEST_ROWS(images); i++) {
        check(&images[i], &line);
    }
    return test_end();
}
