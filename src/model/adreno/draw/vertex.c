// SPDX-License-Identifier: MIT
// Vertices: numbers from the draw or its indices, attributes by fixed function (VFD), a wave of the
// vertex shader, and what it leaves in registers as slots of VPC.
//
// Attributes that reach beyond their buffer are zeros, with W as the format has it.
#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "hw/adreno_regs.h"
#include "model/adreno/draw/front.h"
#include "model/adreno/exec/texel.h"

enum { BYTES = 16 }; // Of the largest attribute.

/** Bytes of memory, in the largest pieces that are surely on one page; false: nothing is there. */
static bool read_bytes(const struct lull_ir3_memory *m, uint64_t address, uint8_t *ret, unsigned n)
{
    const unsigned step = address % 4 == 0 && n % 4 == 0 ? 4 : 1;
    for (unsigned i = 0; i < n; i += step) {
        const uint8_t *at = m->at(m->ctx, address + i, step, false);
        if (at == NULL) {
            return false;
        }
        memcpy(ret + i, at, step);
    }
    return true;
}

/** A format of vertices as one, or as three of one component. */
struct format {
    const struct lull_format_info *of;
    unsigned n; ///< Of `of`, side by side.
};

/** Formats of three small components have no texels, so no rows in a6xx.fmt. */
static struct format format_of(unsigned code)
{
    static const struct {
        uint8_t three, one;
    } rows[] = {
        {LULL_FMT6_8_8_8_UNORM, LULL_FMT6_8_UNORM},
        {LULL_FMT6_8_8_8_SNORM, LULL_FMT6_8_SNORM},
        {LULL_FMT6_8_8_8_UINT, LULL_FMT6_8_UINT},
        {LULL_FMT6_8_8_8_SINT, LULL_FMT6_8_SINT},
        {LULL_FMT6_16_16_16_UNORM, LULL_FMT6_16_UNORM},
        {LULL_FMT6_16_16_16_SNORM, LULL_FMT6_16_SNORM},
        {LULL_FMT6_16_16_16_FLOAT, LULL_FMT6_16_FLOAT},
        {LULL_FMT6_16_16_16_UINT, LULL_FMT6_16_UINT},
        {LULL_FMT6_16_16_16_SINT, LULL_FMT6_16_SINT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].three == code) {
            return (struct format){lull_afmt(rows[i].one), 3};
        }
    }
    return (struct format){lull_afmt(code), 1};
}

/** Integers as floats: USCALED, SSCALED. */
static uint32_t scaled(const struct lull_format_info *f, uint32_t v)
{
    const float x = f->kind == LULL_FORMAT_SINT ? (float)(int32_t)v : (float)v;
    memcpy(&v, &x, sizeof v);
    return v;
}

/** X Y Z W of the bytes of an attribute. */
static void unpack(const struct format *f, uint32_t instr, const uint8_t *bytes, uint32_t rgba[4])
{
    const bool floats = lull_a6xx_vfd_decode_instr__float(instr) != 0;
    const unsigned there = f->n * f->of->components;
    for (unsigned k = 0; k < f->n; k++) {
        uint32_t part[4] = {0};
        lull_format_unpack(f->of, bytes + (size_t)k * f->of->bytes, part);
        memcpy(rgba + k, part, f->n == 1 ? sizeof part : sizeof part[0]);
    }
    for (unsigned c = 0; c < there && c < 4 && floats && lull_format_is_integer(f->of); c++) {
        rgba[c] = scaled(f->of, rgba[c]);
    }
    for (unsigned c = there; c < 4; c++) {
        rgba[c] = c < 3 ? 0 : floats ? UINT32_C(0x3f800000) : 1;
    }
    lull_ir3_swapped(lull_a6xx_vfd_decode_instr__swap(instr), false, rgba);
}

/** A vertex attribute, or one of instances. */
struct attribute {
    uint32_t instr, step, dest, size, stride, base_vertex, base_instance;
    uint64_t address;
    struct format format;
};

static struct attribute attribute(const struct lull_adraw *d, unsigned n)
{
    const uint32_t decode = n * LULL_A6XX_VFD_DECODE__STRIDE;
    const uint32_t instr = lull_adraw_reg(d, LULL_A6XX_VFD_DECODE_INSTR + decode);
    const uint32_t fetch = lull_a6xx_vfd_decode_instr__idx(instr) * LULL_A6XX_VFD_FETCH__STRIDE;
    return (struct attribute){
        .instr = instr,
        .step = lull_adraw_reg(d, LULL_A6XX_VFD_DECODE_STEP_RATE + decode),
        .dest =
            lull_adraw_reg(d, LULL_A6XX_VFD_DEST_CNTL_INSTR + n * LULL_A6XX_VFD_DEST_CNTL__STRIDE),
        .size = lull_adraw_reg(d, LULL_A6XX_VFD_FETCH_SIZE + fetch),
        .stride = lull_adraw_reg(d, LULL_A6XX_VFD_FETCH_STRIDE + fetch) & 0xfff,
        .base_vertex = lull_adraw_reg(d, LULL_A6XX_VFD_INDEX_OFFSET),
        .base_instance = lull_adraw_reg(d, LULL_A6XX_VFD_INSTANCE_START_OFFSET),
        .address = lull_astage_reg64(&d->source.shaders, LULL_A6XX_VFD_FETCH_BASE + fetch),
        .format = format_of(lull_a6xx_vfd_decode_instr__format(instr)),
    };
}

/** Attribute @p a of all lanes. */
static void fetch(struct lull_adraw *d, const struct attribute *a)
{
    const unsigned bytes = a->format.of->bytes * a->format.n;
    const unsigned mask = lull_a6xx_vfd_dest_cntl_instr__writemask(a->dest),
                   reg = lull_a6xx_vfd_dest_cntl_instr__regid(a->dest);
    for (unsigned i = 0; i < d->nlanes; i++) {
        const struct lull_adraw_lane *l = &d->lanes[i];
        const uint32_t element = lull_a6xx_vfd_decode_instr__instanced(a->instr) == 0
                                     ? l->index + a->base_vertex
                                 : a->step != 0 ? l->instance / a->step + a->base_instance
                                                : a->base_instance;
        const uint64_t at =
            (uint64_t)element * a->stride + lull_a6xx_vfd_decode_instr__offset(a->instr);
        uint8_t texel[BYTES] = {0};
        uint32_t rgba[4] = {0};
        if (at + bytes <= a->size) {
            (void)read_bytes(&d->source.shaders.memory, a->address + at, texel, bytes);
        }
        unpack(&a->format, a->instr, texel, rgba);
        for (unsigned c = 0; c < 4; c++) {
            if ((mask >> c & 1) != 0) {
                lull_ir3_set(&d->wave, reg + c, false, i, rgba[c]);
            }
        }
    }
}

static void fetch_all(struct lull_adraw *d)
{
    const uint32_t control = lull_adraw_reg(d, LULL_A6XX_VFD_CONTROL_0);
    for (unsigned n = 0; n < lull_a6xx_vfd_control_0__decode_cnt(control); n++) {
        const struct attribute a = attribute(d, n);
        if (a.format.of == NULL) {
            lull_ir3_wrong(&d->wave, "vertex attribute %u has format %u", n,
                           lull_a6xx_vfd_decode_instr__format(a.instr));
            return;
        }
        fetch(d, &a);
    }
}

/** Index @p n of the draw; false: it is the one that cuts strips. */
static bool index_of(const struct lull_adraw *d, uint32_t n, uint32_t *ret)
{
    const struct lull_adraw_call *c = &d->call;
    uint8_t bytes[4] = {0};
    *ret = n;
    if (c->index_bytes == 0) {
        return true;
    }
    const uint64_t at = (uint64_t)c->first_index + n;
    if (at < c->most) {
        (void)read_bytes(&d->source.shaders.memory, c->index + at * c->index_bytes, bytes,
                         c->index_bytes);
    }
    *ret = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    return !d->restarts || *ret != d->restart;
}

/** Numbers of the next vertices. */
static void gather(struct lull_adraw *d)
{
    d->nlanes = 0;
    if (d->call.vertices == 0) {
        d->instance = d->call.instances; // Of which there may be many.
    }
    while (d->nlanes < LULL_ADRAW_WAVE && d->instance < d->call.instances) {
        uint32_t index = 0;
        if (d->next == d->call.vertices) {
            d->instance++;
            d->next = 0;
            d->cut = d->begin = true;
        } else if (!index_of(d, d->next++, &index)) {
            d->cut = true;
        } else {
            d->lanes[d->nlanes++] = (struct lull_adraw_lane){index, d->instance, d->cut, d->begin};
            d->cut = d->begin = false;
        }
    }
}

bool lull_adraw_fetch(struct lull_adraw *d)
{
    const uint32_t ids = lull_adraw_reg(d, LULL_A6XX_VFD_CONTROL_1);
    const uint32_t add = lull_adraw_reg(d, LULL_A6XX_VFD_ADD_OFFSET);
    const uint32_t vertex = lull_a6xx_vfd_add_offset__vertex(add) != 0
                                ? lull_adraw_reg(d, LULL_A6XX_VFD_INDEX_OFFSET)
                                : 0;
    const uint32_t instance = lull_a6xx_vfd_add_offset__instance(add) != 0
                                  ? lull_adraw_reg(d, LULL_A6XX_VFD_INSTANCE_START_OFFSET)
                                  : 0;
    gather(d);
    if (d->nlanes == 0) {
        return false;
    }
    const struct lull_ir3_mask live = {{UINT64_MAX >> (LULL_ADRAW_WAVE - d->nlanes), 0}};
    lull_ir3_wave_start(&d->wave, LULL_ADRAW_WAVE, &live);
    lull_ir3_wave_assume(&d->wave, &d->env[LULL_ASTAGE_VS].assume);
    fetch_all(d);
    for (unsigned i = 0; i < d->nlanes; i++) {
        const struct lull_adraw_lane *l = &d->lanes[i];
        lull_ir3_set(&d->wave, lull_a6xx_vfd_control_1__regid4vtx(ids), false, i,
                     l->index + vertex);
        lull_ir3_set(&d->wave, lull_a6xx_vfd_control_1__regid4inst(ids), false, i,
                     l->instance + instance);
        lull_ir3_set(&d->wave, lull_a6xx_vfd_control_1__regid4viewid(ids), false, i, 0);
    }
    lull_adraw_count(d, LULL_ADRAW_VERTICES, d->nlanes);
    lull_adraw_count(d, LULL_ADRAW_VS, d->nlanes);
    return true;
}

void lull_adraw_read_outputs(struct lull_adraw *d)
{
    const uint32_t pack = lull_adraw_reg(d, LULL_A6XX_VPC_VS_PACK);
    const uint32_t clip = lull_adraw_reg(d, LULL_A6XX_VPC_VS_CLIP_CNTL);
    const uint32_t layer = lull_adraw_reg(d, LULL_A6XX_VPC_VS_LAYER_CNTL);
    const uint32_t writes = lull_adraw_reg(d, LULL_A6XX_GRAS_VS_LAYER_CNTL);
    const unsigned n =
        lull_a6xx_sp_xs_prim_cntl__out(lull_adraw_reg(d, LULL_A6XX_SP_VS_PRIMITIVE_CNTL));
    d->noutputs = n < LULL_ADRAW_OUTPUTS ? n : LULL_ADRAW_OUTPUTS;
    for (unsigned i = 0; i < d->noutputs; i++) {
        const uint32_t out =
            lull_adraw_reg(d, LULL_A6XX_SP_VS_OUT_REG + i / 2 * LULL_A6XX_SP_VS_OUT__STRIDE);
        const uint32_t dst = lull_adraw_reg(d, LULL_A6XX_SP_VS_VPC_DST_REG +
                                                   i / 4 * LULL_A6XX_SP_VS_VPC_DST__STRIDE);
        d->outputs[i] = (struct lull_adraw_output){
            (uint8_t)(i % 2 == 0 ? lull_a6xx_sp_vs_out_reg__a_regid(out)
                                 : lull_a6xx_sp_vs_out_reg__b_regid(out)),
            (uint8_t)(i % 2 == 0 ? lull_a6xx_sp_vs_out_reg__a_compmask(out)
                                 : lull_a6xx_sp_vs_out_reg__b_compmask(out)),
            (uint8_t)(dst >> 8 * (i % 4))};
    }
    d->places = (struct lull_adraw_places){
        .position = (uint8_t)lull_a6xx_vpc_xs_pack__positionloc(pack),
        .size = (uint8_t)lull_a6xx_vpc_xs_pack__psizeloc(pack),
        .layer = lull_a6xx_gras_layer_cntl__writes_layer(writes) != 0
                     ? (uint8_t)lull_a6xx_vpc_xs_layer_cntl__layerloc(layer)
                     : LULL_ADRAW_NO_SLOT,
        .view = lull_a6xx_gras_layer_cntl__writes_view(writes) != 0
                    ? (uint8_t)lull_a6xx_vpc_xs_layer_cntl__viewloc(layer)
                    : LULL_ADRAW_NO_SLOT,
        .distance = {(uint8_t)lull_a6xx_vpc_xs_clip_cntl__clip_dist_03_loc(clip),
                     (uint8_t)lull_a6xx_vpc_xs_clip_cntl__clip_dist_47_loc(clip)}};
}

void lull_adraw_keep(struct lull_adraw *d)
{
    for (unsigned i = 0; i < d->nlanes; i++) {
        struct lull_adraw_vertex *v = &d->vertices[LULL_ADRAW_CARRIED + i];
        memset(v, 0, sizeof *v);
        for (unsigned k = 0; k < d->noutputs; k++) {
            const struct lull_adraw_output *o = &d->outputs[k];
            for (unsigned c = 0; c < 4; c++) {
                if ((o->mask >> c & 1) != 0 && o->slot + c < LULL_ADRAW_SLOTS) {
                    v->slot[o->slot + c] = lull_ir3_get(&d->wave, o->reg + c, false, i);
                }
            }
        }
    }
}
