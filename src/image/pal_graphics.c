// SPDX-License-Identifier: MIT
// PAL metadata of a pipeline that draws.
#include "image/pal_graphics.h"

#include <string.h>

#include "base/arena.h"
#include "file/msgtree.h"
#include "hw/draw11_regs.h"
#include "hw/field.h"
#include "hw/pal_regs.h"
#include "hw/userdata_regs.h"
#include "image/pal_priv.h"

enum {
    DWORD = 4,
    CONTEXT = 0xa000, // registers that are neither of a shader nor of old GPUs, in dwords
    CONTEXT_END = 0x10000,
    VGPR_GRANULE = 8, // of RSRC1.VGPRS in wave32; half of it in wave64
    LDS_GRANULE = 512,
    MSB = 32, // SGPRs, whose number needs USER_SGPR_MSB
    NO_SPILL = 0xffff,
    MAX_POSITIONS = 5,
    MAX_INPUTS = 32,
    KEY = 64,
};

/** A stage, and where its registers stand. RSRC1 and 2 of both have the fields used here alike. */
struct stage {
    const char *key;
    struct lull_pal_stage *s;
    char *name;
    uint32_t rsrc1, user; // of .registers
    bool there, has_rsrc1, wave;
    uint32_t vgprs;
};

struct reading {
    struct lull_pal_graphics *g;
    struct stage gs, ps, hs;
};

bool lull_pal_register(const struct lull_pal_graphics *g, uint32_t offset, uint32_t *ret)
{
    for (unsigned i = 0; i < g->nregisters; i++) {
        if (g->registers[i].offset == offset) {
            *ret = g->registers[i].value;
            return true;
        }
    }
    return false;
}

/** Set field @p mask of a register; the whole of it with all ones. */
LULL_MUST_USE static struct lull_error *put(struct lull_pal_graphics *g, uint32_t offset,
                                            uint32_t mask, uint32_t value)
{
    unsigned i = 0;
    while (i < g->nregisters && g->registers[i].offset != offset) {
        i++;
    }
    if (i == LULL_PAL_REGISTERS) {
        return lull_error_new(LULL_ERR_BAD_DATA, "more than %d registers", LULL_PAL_REGISTERS);
    }
    if (i == g->nregisters) {
        g->registers[g->nregisters++] = (struct lull_pal_register){.offset = offset};
    }
    g->registers[i].value = lull_set(g->registers[i].value, mask, value);
    return NULL;
}

/** A number or a truth value. */
static bool number(const struct lull_msgtree *t, uint32_t *ret)
{
    const bool ok = t != NULL &&
                    (t->m.kind == LULL_MSGPACK_UINT || t->m.kind == LULL_MSGPACK_BOOL) &&
                    t->m.u <= UINT32_MAX;
    *ret = ok ? (uint32_t)t->m.u : 0;
    return ok;
}

/** The number at @p key of map @p t; LULL_ERR_BAD_DATA if it is there and not a number. */
LULL_MUST_USE static struct lull_error *get(const struct lull_msgtree *t, const char *key,
                                            uint32_t *ret)
{
    const struct lull_msgtree *v = lull_msgtree_get(t, key);
    return v == NULL || number(v, ret)
               ? NULL
               : lull_error_new(LULL_ERR_BAD_DATA, "'%s' is not a number of 32 bits", key);
}

/** A string as C's; false if it is not one, or too long. */
static bool text(const struct lull_msgtree *t, char *to, size_t room)
{
    if (t == NULL || t->m.kind != LULL_MSGPACK_STR || t->m.size >= room) {
        return false;
    }
    memcpy(to, t->m.data, t->m.size);
    to[t->m.size] = '\0';
    return true;
}

LULL_MUST_USE static struct lull_error *user_data(struct stage *st, const struct lull_msgtree *map)
{
    unsigned i = 0;
    if (map == NULL) {
        return NULL;
    }
    for (const struct lull_msgtree *v = map->first; v != NULL; v = v->next, i++) {
        if (map->m.kind != LULL_MSGPACK_ARRAY || i == LULL_PAL_STAGE_SGPRS ||
            !number(v, &st->s->user_data[i])) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "'.user_data_reg_map' is not a list of up to %d numbers",
                                  LULL_PAL_STAGE_SGPRS);
        }
    }
    return NULL;
}

/** Fields of a hardware stage that are fields of its registers. */
LULL_MUST_USE static struct lull_error *stage_fields(struct stage *st, const struct lull_msgtree *t)
{
    static const struct {
        const char *key;
        uint32_t mask;
        bool second, not_ps;
    } fields[] = {
        {".float_mode", LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__FLOAT_MODE_MASK, false, false},
        {".ieee_mode", LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__IEEE_MODE_MASK, false, false},
        {".wgp_mode", LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__WGP_MODE_MASK, false, true},
        {".user_sgprs", LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS__USER_SGPR_MASK, true, false},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        uint32_t v = 0;
        struct lull_error *err = get(t, fields[i].key, &v);
        if (err != NULL) {
            return err;
        }
        if (fields[i].second && v > LULL_PAL_STAGE_SGPRS) {
            return lull_error_new(LULL_ERR_BAD_DATA, "'%s' is %u, there are %d", fields[i].key, v,
                                  LULL_PAL_STAGE_SGPRS);
        }
        uint32_t *const word = fields[i].second ? &st->s->rsrc2 : &st->s->rsrc1;
        if (fields[i].second) {
            st->s->nuser_data = v;
        } else if (!fields[i].not_ps || strcmp(st->key, ".ps") != 0) {
            *word = lull_set(*word, fields[i].mask, v);
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_stage(struct stage *st, const struct lull_msgtree *t)
{
    if (t == NULL) {
        return NULL;
    }
    const struct lull_msgtree *entry = lull_msgtree_get(t, ".entry_point");
    entry = entry != NULL ? entry : lull_msgtree_get(t, ".entry_point_symbol");
    st->there = true;
    if (entry != NULL && !text(entry, st->name, LULL_PAL_NAME_MAX + 1)) {
        return lull_error_new(LULL_ERR_BAD_DATA, "'.entry_point' is not a name");
    }
    uint32_t wave = 0;
    struct lull_error *err = get(t, ".wavefront_size", &wave);
    err = err != NULL ? err : get(t, ".scratch_memory_size", &st->s->scratch_bytes);
    err = err != NULL ? err : get(t, ".lds_size", &st->s->lds_bytes);
    err = err != NULL ? err : get(t, ".vgpr_count", &st->vgprs);
    err = err != NULL ? err : stage_fields(st, t);
    err = err != NULL ? err : user_data(st, lull_msgtree_get(t, ".user_data_reg_map"));
    if (err == NULL && wave != 0 && wave != 32 && wave != 64) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "'.wavefront_size' is %u", wave);
    }
    st->wave = wave != 0;
    st->s->wave32 = wave == 32;
    return err;
}

LULL_MUST_USE static struct lull_error *read_stages(struct reading *r, const struct lull_msgtree *t)
{
    static const char *const others[] = {".ls", ".es", ".vs", ".cs"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (lull_msgtree_get(t, others[i]) != NULL) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "hardware stage '%s': draws have '.hs', '.gs' and '.ps'",
                                  others[i]);
        }
    }
    struct stage *const all[] = {&r->gs, &r->ps, &r->hs};
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct lull_error *err = read_stage(all[i], lull_msgtree_get(t, all[i]->key));
        if (err != NULL) {
            return lull_error_in(err, "hardware stage '%s'", all[i]->key);
        }
    }
    return NULL;
}

/** Is there nothing in it that would change a draw: 0, false, nothing? */
static bool is_zero(const struct lull_msgtree *t)
{
    uint32_t v = 0;
    if (t->m.kind != LULL_MSGPACK_MAP && t->m.kind != LULL_MSGPACK_ARRAY) {
        return number(t, &v) && v == 0;
    }
    for (const struct lull_msgtree *i = t->first; i != NULL; i = i->next) {
        if (i->first != NULL || !is_zero(i)) {
            return false;
        }
    }
    return true;
}

/** One number of .graphics_registers; @p step: what to add to the register, of lists. */
LULL_MUST_USE static struct lull_error *one(struct reading *r, const char *key, const char *field,
                                            uint32_t step, const struct lull_msgtree *t)
{
    struct lull_pal_field f = {0};
    uint32_t v = 0;
    const char *const dot = field != NULL ? field : "";
    if (!lull_pal_field(key, field, &f)) {
        return is_zero(t) ? NULL
                          : lull_error_new(LULL_ERR_UNSUPPORTED, "'%s%s' is not known", key, dot);
    }
    if (f.mask == 0) {
        return NULL;
    }
    if (!number(t, &v) || v > f.mask >> __builtin_ctz(f.mask)) {
        return lull_error_new(LULL_ERR_BAD_DATA, "'%s%s' is not a number of %d bits", key, dot,
                              __builtin_popcount(f.mask));
    }
    if (f.reg == LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS) {
        r->g->ps.rsrc1 = lull_set(r->g->ps.rsrc1, f.mask, v);
        return NULL;
    }
    return put(r->g, f.reg + step, f.mask, v);
}

/** Fields of one register. */
LULL_MUST_USE static struct lull_error *fields_of(struct reading *r, const char *key, uint32_t step,
                                                  const struct lull_msgtree *map)
{
    struct lull_error *err = NULL;
    for (const struct lull_msgtree *i = map->first; err == NULL && i != NULL; i = i->next) {
        char field[KEY] = "";
        err = text(i->key, field, sizeof field)
                  ? one(r, key, field, step, i)
                  : lull_error_new(LULL_ERR_BAD_DATA, "'%s' has a key that is not a name", key);
    }
    return err;
}

/** .vgt_gs_out_prim_type: a name in a map. */
LULL_MUST_USE static struct lull_error *out_prim(struct reading *r, const struct lull_msgtree *map)
{
    static const struct {
        const char *name;
        uint32_t value;
    } types[] = {
        {"PointList", LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__POINTLIST},
        {"LineStrip", LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__LINESTRIP},
        {"TriStrip", LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__TRISTRIP},
        {"Rect2d", LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__RECT_2D},
        {"RectList", LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__RECTLIST},
    };
    char name[KEY] = "";
    const struct lull_msgtree *t = lull_msgtree_get(map, ".outprim_type");
    for (size_t i = 0; text(t, name, sizeof name) && i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return put(r->g, LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE, UINT32_MAX, types[i].value);
        }
    }
    return lull_error_new(LULL_ERR_BAD_DATA,
                          "'.vgt_gs_out_prim_type.outprim_type' is not PointList, "
                          "LineStrip, TriStrip, Rect2d or RectList");
}

/** Registers that are lists: of fields, or of formats. */
LULL_MUST_USE static struct lull_error *list_of(struct reading *r, const char *key,
                                                const struct lull_msgtree *list)
{
    const bool inputs = strcmp(key, ".spi_ps_input_cntl") == 0;
    if (!inputs && strcmp(key, ".spi_shader_pos_format") != 0) {
        struct lull_pal_field f = {0};
        return lull_pal_field(key, NULL, &f) || is_zero(list)
                   ? NULL
                   : lull_error_new(LULL_ERR_UNSUPPORTED, "'%s' is not known", key);
    }
    uint32_t n = 0;
    struct lull_error *err = NULL;
    for (const struct lull_msgtree *i = list->first; err == NULL && i != NULL; i = i->next, n++) {
        uint32_t v = 0;
        if (n == (inputs ? MAX_INPUTS : MAX_POSITIONS) ||
            (inputs ? i->m.kind != LULL_MSGPACK_MAP : !number(i, &v) || v > 0xf)) {
            return lull_error_new(LULL_ERR_BAD_DATA, "'%s': item %u", key, n);
        }
        err = !inputs ? put(r->g, LULL_DRAW11_SPI_SHADER_POS_FORMAT, UINT32_C(0xf) << n * 4, v)
                      : put(r->g, LULL_DRAW11_SPI_PS_INPUT_CNTL_0 + n * DWORD, UINT32_MAX, 0);
        err = err == NULL && inputs ? fields_of(r, key, n * DWORD, i) : err;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_fields(struct reading *r, const struct lull_msgtree *t)
{
    struct lull_error *err = NULL;
    for (const struct lull_msgtree *i = t != NULL ? t->first : NULL; err == NULL && i != NULL;
         i = i->next) {
        char key[KEY] = "";
        if (t->m.kind != LULL_MSGPACK_MAP || !text(i->key, key, sizeof key)) {
            err = lull_error_new(LULL_ERR_BAD_DATA, "a key that is not a name");
        } else if (strcmp(key, ".vgt_gs_out_prim_type") == 0) {
            err = out_prim(r, i);
        } else if (i->m.kind == LULL_MSGPACK_ARRAY) {
            err = list_of(r, key, i);
        } else if (i->m.kind == LULL_MSGPACK_MAP) {
            struct lull_pal_field f = {0};
            err = lull_pal_field(key, NULL, &f) && f.mask == 0 ? NULL : fields_of(r, key, 0, i);
        } else {
            err = one(r, key, NULL, 0, i);
        }
    }
    return lull_error_in(err, ".graphics_registers");
}

/** A register of a shader; false if it is none of @p st. */
static bool shader_register(struct stage *st, uint32_t index, uint32_t value)
{
    const uint32_t rsrc1 = st->rsrc1, user = st->user;
    if (index == rsrc1) {
        st->has_rsrc1 = st->there = true;
        st->s->rsrc1 = value;
    } else if (index == rsrc1 + 1) {
        st->s->rsrc2 = value;
        st->s->nuser_data = lull_get(value, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS__USER_SGPR_MASK);
        st->s->nuser_data +=
            lull_get(value, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS__USER_SGPR_MSB_MASK) * MSB;
        if (st->s->nuser_data > LULL_PAL_STAGE_SGPRS) {
            st->s->nuser_data = LULL_PAL_STAGE_SGPRS;
        }
    } else if (index >= user && index < user + LULL_PAL_STAGE_SGPRS) {
        st->s->user_data[index - user] = value;
    } else {
        return false;
    }
    return true;
}

/** Registers by number. */
LULL_MUST_USE static struct lull_error *read_registers(struct reading *r,
                                                       const struct lull_msgtree *t)
{
    struct lull_error *err = NULL;
    for (const struct lull_msgtree *i = t != NULL ? t->first : NULL; err == NULL && i != NULL;
         i = i->next) {
        uint32_t v = 0;
        if (t->m.kind != LULL_MSGPACK_MAP || i->key->m.kind != LULL_MSGPACK_UINT ||
            i->key->m.u >= CONTEXT_END || !number(i, &v)) {
            return lull_error_new(LULL_ERR_BAD_DATA, "'.registers' is not a map of numbers");
        }
        const uint32_t index = (uint32_t)i->key->m.u;
        if (shader_register(&r->gs, index, v) || shader_register(&r->ps, index, v) ||
            shader_register(&r->hs, index, v)) {
            continue;
        }
        if (index == LULL_PAL_VGT_GS_ONCHIP_CNTL) { // of older GPUs; PAL makes GE_CNTL of it
            const uint32_t prims = LULL_PAL_VGT_GS_ONCHIP_CNTL__GS_PRIMS_PER_SUBGRP_MASK;
            const uint32_t vertices = LULL_PAL_VGT_GS_ONCHIP_CNTL__ES_VERTS_PER_SUBGRP_MASK;
            err = put(r->g, LULL_DRAW11_GE_CNTL, LULL_DRAW11_GE_CNTL__PRIMS_PER_SUBGRP_MASK,
                      lull_get(v, prims));
            err = err != NULL
                      ? err
                      : put(r->g, LULL_DRAW11_GE_CNTL, LULL_DRAW11_GE_CNTL__VERTS_PER_SUBGRP_MASK,
                            lull_get(v, vertices));
        } else if (index == LULL_PAL_VGT_GS_OUT_PRIM_TYPE) {
            err = put(r->g, LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE, UINT32_MAX, v);
        } else if (index >= CONTEXT) {
            err = put(r->g, index * DWORD, UINT32_MAX, v);
        }
    }
    return err;
}

/** RSRC1 and 2 of a stage, put together; @p reg and @p w32: where the size of its waves stands. */
LULL_MUST_USE static struct lull_error *finish(struct reading *r, struct stage *st, uint32_t reg,
                                               uint32_t w32)
{
    struct lull_pal_stage *s = st->s;
    uint32_t v = 0;
    if (!st->there) {
        return lull_error_new(LULL_ERR_BAD_DATA, "no hardware stage '%s', which a draw needs",
                              st->key);
    }
    if (!st->wave) {
        s->wave32 = lull_pal_register(r->g, reg, &v) && (v & w32) != 0;
    }
    if (!st->has_rsrc1) {
        const uint32_t granule = s->wave32 ? VGPR_GRANULE : VGPR_GRANULE / 2;
        const uint32_t n = st->vgprs != 0 ? (st->vgprs - 1) / granule : 0;
        if (n > LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__VGPRS_MASK) {
            return lull_error_new(LULL_ERR_BAD_DATA, "hardware stage '%s': %u VGPRs", st->key,
                                  st->vgprs);
        }
        s->rsrc1 = lull_set(s->rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__VGPRS_MASK, n) |
                   LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__DX10_CLAMP_MASK;
    }
    for (unsigned i = 0; i < LULL_PAL_STAGE_SGPRS; i++) {
        if (s->user_data[i] != LULL_USERDATA_UNUSED && i >= s->nuser_data) {
            s->nuser_data = i + 1;
        }
    }
    s->rsrc2 = lull_set(s->rsrc2, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS__USER_SGPR_MASK,
                        s->nuser_data % MSB);
    s->rsrc2 = lull_set(s->rsrc2, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS__USER_SGPR_MSB_MASK,
                        s->nuser_data / MSB);
    return lull_pal_register(r->g, reg, &v) ? put(r->g, reg, w32, s->wave32) : NULL;
}

/** LDS of a merged stage: in bytes, in field @p mask of RSRC2, or both. */
LULL_MUST_USE static struct lull_error *finish_lds(const struct stage *st, uint32_t mask)
{
    struct lull_pal_stage *s = st->s;
    const uint64_t said = ((uint64_t)s->lds_bytes + LDS_GRANULE - 1) / LDS_GRANULE;
    const uint64_t n = said > lull_get(s->rsrc2, mask) ? said : lull_get(s->rsrc2, mask);
    if (n > mask >> __builtin_ctz(mask)) {
        return lull_error_new(LULL_ERR_BAD_DATA, "hardware stage '%s': %u bytes of LDS", st->key,
                              s->lds_bytes);
    }
    s->rsrc2 = lull_set(s->rsrc2, mask, (uint32_t)n);
    s->lds_bytes = (uint32_t)n * LDS_GRANULE;
    return NULL;
}

/** The hull shader, if patches are tessellated. */
LULL_MUST_USE static struct lull_error *finish_hull(struct reading *r)
{
    uint32_t stages = 0;
    (void)lull_pal_register(r->g, LULL_DRAW11_VGT_SHADER_STAGES_EN, &stages);
    const bool said = (stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__HS_EN_MASK) != 0;
    r->g->has_hs = said || r->hs.there;
    if (!r->g->has_hs) {
        return NULL;
    }
    if (!said) {
        return lull_error_new(LULL_ERR_BAD_DATA, "a hardware stage '.hs', and "
                                                 "VGT_SHADER_STAGES_EN says that there is none");
    }
    struct lull_error *err = finish(r, &r->hs, LULL_DRAW11_VGT_SHADER_STAGES_EN,
                                    LULL_DRAW11_VGT_SHADER_STAGES_EN__HS_W32_EN_MASK);
    return err != NULL ? err
                       : finish_lds(&r->hs, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_HS__LDS_SIZE_MASK);
}

LULL_MUST_USE static struct lull_error *read_pipeline(struct reading *r,
                                                      const struct lull_msgtree *p)
{
    struct lull_pal_graphics *g = r->g;
    struct lull_error *err = read_stages(r, lull_msgtree_get(p, ".hardware_stages"));
    err = err != NULL ? err : read_fields(r, lull_msgtree_get(p, ".graphics_registers"));
    err = err != NULL ? err : read_registers(r, lull_msgtree_get(p, ".registers"));
    err = err != NULL ? err : get(p, ".spill_threshold", &g->spill_threshold);
    err = err != NULL ? err : get(p, ".user_data_limit", &g->user_data_limit);
    err = err != NULL ? err
                      : finish(r, &r->gs, LULL_DRAW11_VGT_SHADER_STAGES_EN,
                               LULL_DRAW11_VGT_SHADER_STAGES_EN__GS_W32_EN_MASK);
    err = err != NULL ? err
                      : finish(r, &r->ps, LULL_DRAW11_SPI_PS_IN_CONTROL,
                               LULL_DRAW11_SPI_PS_IN_CONTROL__PS_W32_EN_MASK);
    g->spill_threshold = g->spill_threshold > NO_SPILL ? NO_SPILL : g->spill_threshold;
    err =
        err != NULL ? err : finish_lds(&r->gs, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS__LDS_SIZE_MASK);
    return err != NULL ? err : finish_hull(r);
}

/** The pipeline of a document; NULL if it has not just one. */
static const struct lull_msgtree *pipeline_of(const struct lull_msgtree *root)
{
    const struct lull_msgtree *all = lull_msgtree_get(root, "amdpal.pipelines");
    return all != NULL && all->m.kind == LULL_MSGPACK_ARRAY && all->m.size == 1 ? all->first : NULL;
}

bool lull_pal_draws(struct lull_cur c)
{
    struct lull_arena a = {0};
    struct lull_msgtree *root = NULL;
    struct lull_error *err = lull_msgtree_read(&a, &c, &root);
    const struct lull_msgtree *p = err == NULL ? pipeline_of(root) : NULL;
    const struct lull_msgtree *stages = lull_msgtree_get(p, ".hardware_stages");
    const struct lull_msgtree *registers = lull_msgtree_get(p, ".registers");
    bool draws = stages != NULL && stages->m.kind == LULL_MSGPACK_MAP && stages->first != NULL &&
                 lull_msgtree_get(stages, ".cs") == NULL;
    for (const struct lull_msgtree *i = registers != NULL ? registers->first : NULL; i != NULL;
         i = i->next) {
        const uint64_t k = i->key != NULL && i->key->m.kind == LULL_MSGPACK_UINT ? i->key->m.u : 0;
        draws |= k == LULL_PAL_SPI_SHADER_PGM_RSRC1_PS || k == LULL_PAL_SPI_SHADER_PGM_RSRC1_GS;
    }
    lull_error_free(err);
    lull_arena_done(&a);
    return draws;
}

struct lull_error *lull_pal_graphics_metadata(struct lull_cur c, struct lull_pal_graphics *ret,
                                              struct lull_pal_entries *entries)
{
    static const struct lull_pal_entries standard = {"_amdgpu_gs_main", "_amdgpu_ps_main",
                                                     "_amdgpu_hs_main"};
    struct lull_arena a = {0};
    struct lull_msgtree *root = NULL;
    *ret = (struct lull_pal_graphics){.spill_threshold = NO_SPILL};
    *entries = standard;
    memset(ret->gs.user_data, 0xff, sizeof ret->gs.user_data); // LULL_USERDATA_UNUSED
    memset(ret->ps.user_data, 0xff, sizeof ret->ps.user_data);
    memset(ret->hs.user_data, 0xff, sizeof ret->hs.user_data);
    struct reading r = {
        .g = ret,
        .gs = {.key = ".gs",
               .s = &ret->gs,
               .name = entries->gs,
               .rsrc1 = LULL_PAL_SPI_SHADER_PGM_RSRC1_GS,
               .user = LULL_PAL_SPI_SHADER_USER_DATA_GS_0},
        .ps = {.key = ".ps",
               .s = &ret->ps,
               .name = entries->ps,
               .rsrc1 = LULL_PAL_SPI_SHADER_PGM_RSRC1_PS,
               .user = LULL_PAL_SPI_SHADER_USER_DATA_PS_0},
        .hs = {.key = ".hs",
               .s = &ret->hs,
               .name = entries->hs,
               .rsrc1 = LULL_PAL_SPI_SHADER_PGM_RSRC1_HS,
               .user = LULL_PAL_SPI_SHADER_USER_DATA_HS_0},
    };
    struct lull_error *err = lull_msgtree_read(&a, &c, &root);
    const struct lull_msgtree *p = err == NULL ? pipeline_of(root) : NULL;
    if (err == NULL) {
        err = p != NULL ? read_pipeline(&r, p)
                        : lull_error_new(LULL_ERR_BAD_DATA, "not one pipeline");
    }
    lull_arena_done(&a);
    return lull_error_in(err, "PAL metadata");
}
