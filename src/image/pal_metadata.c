// SPDX-License-Identifier: MIT
// PAL metadata of a compute shader.
#include <string.h>

#include "file/msgpack.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"
#include "hw/pal_regs.h"
#include "hw/userdata_regs.h"
#include "image/pal_priv.h"

enum {
    LDS_GRANULE = 512, // of RSRC2.LDS_SIZE, bytes
    VGPR_GRANULE = 8,  // of RSRC1.VGPRS in wave32; half of it in wave64
    NO_SPILL = 0xffff, // or all ones, in older pipelines
    MAP_ENTRIES = 32,  // of user_data_reg_map
    NDIMENSIONS = 3,
};

static const char default_entry[] = "_amdgpu_cs_main";

/** What was read, before it is put together. */
struct reading {
    struct lull_pal_compute *c;
    char *name;
    bool pipeline, stage, rsrc1, rsrc2, map, wave;
    uint32_t vgprs, map_entries[MAP_ENTRIES], nmap;
    uint32_t registers[LULL_PAL_USER_SGPRS];
    bool has_register[LULL_PAL_USER_SGPRS];
    bool bad; ///< A value of the wrong kind.
};

/** Takes the value of @p key from @p c: 1; 0 to have it skipped; -1 if it is malformed. */
typedef int pair_fn(struct reading *r, const struct lull_msgpack *key, struct lull_cur *c);

static int pairs(struct reading *r, struct lull_cur *c, pair_fn *take)
{
    struct lull_msgpack head = {0};
    if (lull_msgpack_next(c, &head) <= 0 || head.kind != LULL_MSGPACK_MAP) {
        r->bad = true;
        return -1;
    }
    for (size_t i = 0; i < head.size; i++) {
        struct lull_msgpack key = {0};
        if (lull_msgpack_next(c, &key) <= 0 || lull_msgpack_skip_rest(c, &key) < 0) {
            return -1;
        }
        const int taken = take(r, &key, c);
        if (taken < 0 || (taken == 0 && lull_msgpack_skip(c) < 0)) {
            return -1;
        }
    }
    return 1;
}

/** A number or a truth value. */
static int number(struct lull_cur *c, uint64_t *ret)
{
    struct lull_msgpack m = {0};
    if (lull_msgpack_next(c, &m) <= 0 ||
        (m.kind != LULL_MSGPACK_UINT && m.kind != LULL_MSGPACK_BOOL)) {
        return -1;
    }
    *ret = m.u;
    return 1;
}

static int number32(struct lull_cur *c, uint32_t *ret)
{
    uint64_t v = 0;
    const int got = number(c, &v);
    *ret = v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
    return got;
}

/** Up to @p room numbers; how many, or -1. */
static int numbers(struct lull_cur *c, uint32_t *ret, unsigned room)
{
    struct lull_msgpack head = {0};
    if (lull_msgpack_next(c, &head) <= 0 || head.kind != LULL_MSGPACK_ARRAY || head.size > room) {
        return -1;
    }
    for (size_t i = 0; i < head.size; i++) {
        if (number32(c, &ret[i]) < 0) {
            return -1;
        }
    }
    return (int)head.size;
}

/** Metadata fields that are fields of the RSRC registers. */
static const struct {
    const char *key;
    unsigned word; ///< RSRC1, 2, 3.
    uint32_t mask;
} fields[] = {
    {".float_mode", 1, LULL_GC11_COMPUTE_PGM_RSRC1__FLOAT_MODE_MASK},
    {".ieee_mode", 1, LULL_GC11_COMPUTE_PGM_RSRC1__IEEE_MODE_MASK},
    {".fp16_overflow", 1, LULL_GC11_COMPUTE_PGM_RSRC1__FP16_OVFL_MASK},
    {".wgp_mode", 1, LULL_GC11_COMPUTE_PGM_RSRC1__WGP_MODE_MASK},
    {".mem_ordered", 1, LULL_GC11_COMPUTE_PGM_RSRC1__MEM_ORDERED_MASK},
    {".forward_progress", 1, LULL_GC11_COMPUTE_PGM_RSRC1__FWD_PROGRESS_MASK},
    {".user_sgprs", 2, LULL_GC11_COMPUTE_PGM_RSRC2__USER_SGPR_MASK},
    {".excp_en", 2, LULL_GC11_COMPUTE_PGM_RSRC2__EXCP_EN_MASK},
    {".tgid_x_en", 2, LULL_GC11_COMPUTE_PGM_RSRC2__TGID_X_EN_MASK},
    {".tgid_y_en", 2, LULL_GC11_COMPUTE_PGM_RSRC2__TGID_Y_EN_MASK},
    {".tgid_z_en", 2, LULL_GC11_COMPUTE_PGM_RSRC2__TGID_Z_EN_MASK},
    {".tg_size_en", 2, LULL_GC11_COMPUTE_PGM_RSRC2__TG_SIZE_EN_MASK},
    {".tidig_comp_cnt", 2, LULL_GC11_COMPUTE_PGM_RSRC2__TIDIG_COMP_CNT_MASK},
    {".image_op", 3, LULL_GC11_COMPUTE_PGM_RSRC3__IMAGE_OP_MASK},
};

/** A field of a register; the register's own number, if there is one, wins. */
static int field(struct reading *r, const struct lull_msgpack *key, struct lull_cur *c)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (!lull_msgpack_is(key, fields[i].key)) {
            continue;
        }
        uint64_t v = 0;
        uint32_t *const word = fields[i].word == 1   ? &r->c->rsrc1
                               : fields[i].word == 2 ? &r->c->rsrc2
                                                     : &r->c->rsrc3;
        const bool fixed = (fields[i].word == 1 && r->rsrc1) || (fields[i].word == 2 && r->rsrc2);
        const int got = number(c, &v);
        if (got > 0 && !fixed) {
            *word = lull_set(*word, fields[i].mask, (uint32_t)v);
        }
        return got;
    }
    return 0;
}

static int entry_name(struct reading *r, struct lull_cur *c)
{
    struct lull_msgpack m = {0};
    if (lull_msgpack_next(c, &m) <= 0 || m.kind != LULL_MSGPACK_STR || m.size > LULL_PAL_NAME_MAX) {
        return -1;
    }
    memcpy(r->name, m.data, m.size);
    r->name[m.size] = '\0';
    return 1;
}

/** Of the hardware stage .cs. */
static int stage_pair(struct reading *r, const struct lull_msgpack *key, struct lull_cur *c)
{
    const struct {
        const char *key;
        uint32_t *where;
    } plain[] = {
        {".scratch_memory_size", &r->c->scratch_bytes},
        {".lds_size", &r->c->lds_bytes},
        {".vgpr_count", &r->vgprs},
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (lull_msgpack_is(key, plain[i].key)) {
            return number32(c, plain[i].where);
        }
    }
    if (lull_msgpack_is(key, ".wavefront_size")) {
        uint32_t v = 0;
        const int got = number32(c, &v);
        r->wave = true;
        r->c->wave32 = v == 32;
        return got > 0 && (v == 32 || v == 64) ? 1 : -1;
    }
    if (lull_msgpack_is(key, ".threadgroup_dimensions")) {
        return numbers(c, r->c->block, NDIMENSIONS) == NDIMENSIONS ? 1 : -1;
    }
    if (lull_msgpack_is(key, ".user_data_reg_map")) {
        const int n = numbers(c, r->map_entries, MAP_ENTRIES);
        r->map = true;
        r->nmap = n > 0 ? (uint32_t)n : 0;
        return n < 0 ? -1 : 1;
    }
    if (lull_msgpack_is(key, ".entry_point") || lull_msgpack_is(key, ".entry_point_symbol")) {
        return entry_name(r, c);
    }
    return field(r, key, c);
}

static int stages_pair(struct reading *r, const struct lull_msgpack *key, struct lull_cur *c)
{
    if (!lull_msgpack_is(key, ".cs")) {
        return 0;
    }
    r->stage = true;
    return pairs(r, c, stage_pair);
}

/** Of .registers: number of a register, its value. */
static int register_pair(struct reading *r, const struct lull_msgpack *key, struct lull_cur *c)
{
    uint32_t v = 0;
    if (key->kind != LULL_MSGPACK_UINT) {
        return 0;
    }
    const uint64_t k = key->u;
    if (k == LULL_PAL_COMPUTE_PGM_RSRC1) {
        r->rsrc1 = true;
        return number32(c, &r->c->rsrc1);
    }
    if (k == LULL_PAL_COMPUTE_PGM_RSRC2) {
        r->rsrc2 = true;
        return number32(c, &r->c->rsrc2);
    }
    if (k == LULL_PAL_COMPUTE_PGM_RSRC3) {
        return number32(c, &r->c->rsrc3);
    }
    if (k == LULL_PAL_COMPUTE_DISPATCH_INITIATOR) {
        r->wave = true;
        const int got = number32(c, &v);
        r->c->wave32 = (v & LULL_GC11_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN_MASK) != 0;
        return got;
    }
    if (k >= LULL_PAL_COMPUTE_NUM_THREAD_X && k < LULL_PAL_COMPUTE_NUM_THREAD_X + NDIMENSIONS) {
        const int got = number32(c, &v);
        r->c->block[k - LULL_PAL_COMPUTE_NUM_THREAD_X] =
            lull_get(v, LULL_GC11_COMPUTE_NUM_THREAD_X__NUM_THREAD_FULL_MASK);
        return got;
    }
    if (k >= LULL_PAL_COMPUTE_USER_DATA_0 &&
        k < LULL_PAL_COMPUTE_USER_DATA_0 + LULL_PAL_USER_SGPRS) {
        r->has_register[k - LULL_PAL_COMPUTE_USER_DATA_0] = true;
        return number32(c, &r->registers[k - LULL_PAL_COMPUTE_USER_DATA_0]);
    }
    return 0;
}

/** .registers and .hardware_stages: registers first, whose numbers win. */
static int pipeline_pair(struct reading *r, const struct lull_msgpack *key, struct lull_cur *c)
{
    return lull_msgpack_is(key, ".hardware_stages")     ? pairs(r, c, stages_pair)
           : lull_msgpack_is(key, ".compute_registers") ? pairs(r, c, field)
           : lull_msgpack_is(key, ".spill_threshold")   ? number32(c, &r->c->spill_threshold)
           : lull_msgpack_is(key, ".user_data_limit")   ? number32(c, &r->c->user_data_limit)
                                                        : 0;
}

static int registers_pair(struct reading *r, const struct lull_msgpack *key, struct lull_cur *c)
{
    return lull_msgpack_is(key, ".registers") ? pairs(r, c, register_pair) : 0;
}

static int root_pair(struct reading *r, const struct lull_msgpack *key, struct lull_cur *c)
{
    struct lull_msgpack head = {0};
    if (!lull_msgpack_is(key, "amdpal.pipelines")) {
        return 0;
    }
    if (r->pipeline || lull_msgpack_next(c, &head) <= 0 || head.kind != LULL_MSGPACK_ARRAY ||
        head.size != 1) {
        return -1;
    }
    r->pipeline = true;
    struct lull_cur again = *c;
    return pairs(r, &again, registers_pair) < 0 ? -1 : pairs(r, c, pipeline_pair);
}

/** User data out of the map, or of the registers. */
LULL_MUST_USE static struct lull_error *user_data(struct reading *r)
{
    struct lull_pal_compute *c = r->c;
    const unsigned n = r->map ? r->nmap : LULL_PAL_USER_SGPRS;
    for (unsigned i = 0; i < n; i++) {
        const bool given = r->map ? r->map_entries[i] != LULL_USERDATA_UNUSED : r->has_register[i];
        if (given && i >= LULL_PAL_USER_SGPRS) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "user_data_reg_map: entry %u, a compute shader has %d SGPRs", i,
                                  LULL_PAL_USER_SGPRS);
        }
        if (i < LULL_PAL_USER_SGPRS) {
            const uint32_t v = r->map ? r->map_entries[i] : r->registers[i];
            c->user_data[i] = given ? v : LULL_USERDATA_UNUSED;
            c->nuser_data = given ? i + 1 : c->nuser_data;
        }
    }
    const uint32_t count = lull_get(c->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__USER_SGPR_MASK);
    if (count > LULL_PAL_USER_SGPRS || (count != 0 && count < c->nuser_data)) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%u user SGPRs, and user data for %u", count,
                              c->nuser_data);
    }
    for (; c->nuser_data < count; c->nuser_data++) {
        c->user_data[c->nuser_data] = LULL_USERDATA_UNUSED;
    }
    c->rsrc2 = lull_set(c->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__USER_SGPR_MASK, c->nuser_data);
    return NULL;
}

LULL_MUST_USE static struct lull_error *finish(struct reading *r)
{
    struct lull_pal_compute *c = r->c;
    if (!r->wave && r->rsrc1) {
        c->wave32 = false; // LLVM writes the register only if it is
    }
    if (!r->rsrc1) {
        const uint32_t granule = c->wave32 ? VGPR_GRANULE : VGPR_GRANULE / 2;
        const uint32_t n = r->vgprs != 0 ? (r->vgprs - 1) / granule : 0;
        if (n > LULL_GC11_COMPUTE_PGM_RSRC1__VGPRS_MASK) {
            return lull_error_new(LULL_ERR_BAD_DATA, "%u VGPRS", r->vgprs);
        }
        c->rsrc1 = lull_set(c->rsrc1, LULL_GC11_COMPUTE_PGM_RSRC1__VGPRS_MASK, n) |
                   LULL_GC11_COMPUTE_PGM_RSRC1__DX10_CLAMP_MASK;
    }
    const uint32_t lds =
        lull_get(c->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__LDS_SIZE_MASK) * LDS_GRANULE;
    c->lds_bytes = c->lds_bytes > lds ? c->lds_bytes : lds;
    if (c->spill_threshold > NO_SPILL) {
        c->spill_threshold = NO_SPILL;
    }
    return user_data(r);
}

struct lull_error *lull_pal_metadata(struct lull_cur c, struct lull_pal_compute *ret,
                                     char name[LULL_PAL_NAME_MAX + 1])
{
    struct reading r = {.c = ret, .name = name};
    const uint8_t *start = c.pos;
    *ret = (struct lull_pal_compute){.wave32 = true, .spill_threshold = NO_SPILL};
    memcpy(name, default_entry, sizeof default_entry);
    if (pairs(&r, &c, root_pair) < 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "PAL metadata: malformed at byte %zu%s",
                              (size_t)(c.pos - start), r.bad ? ", a map was expected" : "");
    }
    if (!r.stage && !r.rsrc1) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "PAL metadata: no compute shader; only those run");
    }
    struct lull_error *err = finish(&r);
    return err != NULL ? lull_error_in(err, "PAL metadata") : NULL;
}
