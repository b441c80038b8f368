// SPDX-License-Identifier: MIT
#include "tex/descriptor.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "hw/desc11_regs.h"
#include "hw/img11_regs.h"
#include "hw/reg.h"
#include "hw/samp11_regs.h"
#include "tex/tiling.h"

enum {
    VA_BITS = 48,
    FIRST_TYPE = LULL_IMAGE_1D,
    MAX_SAMPLES = 8,
    DWORDS_IMAGE = 8,
    DWORDS_SAMPLER = 4,
};

#define GET(word, NAME) lull_get((word), LULL_##NAME##_MASK)

const char *lull_tex_status_text(enum lull_tex_status status)
{
    switch (status) {
    case LULL_TEX_OK:
        return "no error";
    case LULL_TEX_NULL:
        return "the image descriptor is null";
    case LULL_TEX_FORMAT:
        return "the image's format does not exist or is not supported (BC6, BC7, subsampled, "
               "video)";
    case LULL_TEX_TYPE:
        return "the image descriptor's type is reserved";
    case LULL_TEX_MODE:
        return "the image's swizzle mode is reserved, or not one for its type and format";
    case LULL_TEX_LEVEL:
        return "the image has no such level";
    case LULL_TEX_SIZE:
        return "the image is too big";
    case LULL_TEX_DCC:
        return "the image is compressed: its metadata says more than clears do";
    case LULL_TEX_SAMPLES:
        return "the image's swizzle mode does not have so many samples";
    case LULL_TEX_MEMORY:
        return "the image's memory is not mapped";
    }
    return "?";
}

static uint64_t extend_va(uint64_t va)
{
    const uint64_t sign = UINT64_C(1) << (VA_BITS - 1);
    va &= (sign << 1) - 1;
    return (va ^ sign) - sign;
}

static void parse_slices(const uint32_t *d, struct lull_image_desc *r)
{
    const uint32_t depth = GET(d[4], IMG11_WORD4__DEPTH);
    const uint32_t base = GET(d[4], IMG11_WORD4__BASE_ARRAY);
    r->depth = 1;
    r->first_slice = r->last_slice = base;
    switch (r->type) {
    case LULL_IMAGE_3D:
        r->depth = depth + 1;
        r->first_slice = r->uav3d ? base : 0;
        r->last_slice = depth;
        if (r->uav3d) { // DEPTH counts slices of the level that is bound.
            r->depth <<= r->base_level;
        }
        break;
    case LULL_IMAGE_CUBE:
    case LULL_IMAGE_1D_ARRAY:
    case LULL_IMAGE_2D_ARRAY:
    case LULL_IMAGE_2D_MSAA_ARRAY:
        r->last_slice = depth;
        break;
    default: { // DEPTH is the pitch, if it is more than the width.
        const uint32_t pitch = (depth | GET(d[4], IMG11_WORD4__PITCH_13) << 13) + 1;
        r->pitch = r->sw_mode == 0 && pitch > r->width ? pitch : 0;
        break;
    }
    }
}

static void parse_metadata(const uint32_t *d, struct lull_image_desc *r)
{
    r->compressed = GET(d[6], IMG11_WORD6__COMPRESSION_EN) != 0;
    r->write_compress = GET(d[6], IMG11_WORD6__WRITE_COMPRESS_ENABLE) != 0;
    r->meta_pipe_aligned = GET(d[6], IMG11_WORD6__META_PIPE_ALIGNED) != 0;
    r->alpha_is_on_msb = GET(d[6], IMG11_WORD6__ALPHA_IS_ON_MSB) != 0;
    r->iterate_256 = GET(d[6], IMG11_WORD6__ITERATE_256) != 0;
    const uint32_t low = GET(d[6], IMG11_WORD6__META_DATA_ADDRESS_LO);
    r->metadata = r->compressed ? extend_va((uint64_t)d[7] << 16 | (uint64_t)low << 8) : 0;
}

static void parse_sel(uint32_t word, uint8_t sel[4])
{
    for (unsigned i = 0; i < 4; i++) {
        sel[i] = (uint8_t)(word >> 3 * i & 7);
    }
}

void lull_image_desc_parse(const uint32_t dword[8], struct lull_image_desc *ret)
{
    struct lull_image_desc r = {0};
    const uint32_t *d = dword;
    memcpy(r.dword, dword, sizeof(r.dword));
    r.base = extend_va(((uint64_t)GET(d[1], IMG11_WORD1__BASE_ADDRESS_HI) << 32 | d[0]) << 8);
    r.type = (uint8_t)GET(d[3], IMG11_WORD3__TYPE);
    r.format_code = (uint16_t)GET(d[1], IMG11_WORD1__FORMAT);
    r.format = lull_format_by_code(r.format_code);
    r.sw_mode = (uint8_t)GET(d[3], IMG11_WORD3__SW_MODE);
    r.width = (GET(d[2], IMG11_WORD2__WIDTH_HI) << 2 | GET(d[1], IMG11_WORD1__WIDTH_LO)) + 1;
    r.height = GET(d[2], IMG11_WORD2__HEIGHT) + 1;
    if (r.type == LULL_IMAGE_1D || r.type == LULL_IMAGE_1D_ARRAY) {
        r.height = 1;
    }
    r.base_level = (uint8_t)GET(d[3], IMG11_WORD3__BASE_LEVEL);
    r.last_level = (uint8_t)GET(d[3], IMG11_WORD3__LAST_LEVEL);
    r.max_mip = (uint8_t)GET(d[1], IMG11_WORD1__MAX_MIP);
    r.samples = 1;
    if (lull_image_is_msaa(&r)) { // Levels are not levels there.
        r.samples = (uint8_t)(1u << (r.last_level & 3));
        r.base_level = 0;
    }
    parse_sel(d[3], r.dst_sel);
    r.bc_swizzle = (uint8_t)GET(d[3], IMG11_WORD3__BC_SWIZZLE);
    r.uav3d = (GET(d[5], IMG11_WORD5__ARRAY_PITCH) & 1) != 0 && r.type == LULL_IMAGE_3D;
    r.corner_samples = GET(d[5], IMG11_WORD5__CORNER_SAMPLES) != 0;
    r.prt_default = GET(d[5], IMG11_WORD5__PRT_DEFAULT) != 0;
    const uint32_t lod =
        GET(d[6], IMG11_WORD6__MIN_LOD_HI) << 5 | GET(d[5], IMG11_WORD5__MIN_LOD_LO);
    r.min_lod = (float)lod / 256.0f;
    parse_slices(d, &r);
    parse_metadata(d, &r);
    *ret = r;
}

enum lull_tex_status lull_image_check(const struct lull_image_desc *d)
{
    if (d->type == LULL_IMG11_WORD3__TYPE__BUFFER) {
        return LULL_TEX_NULL;
    }
    if (d->type < FIRST_TYPE) {
        return LULL_TEX_TYPE;
    }
    return d->format != NULL && lull_format_readable(d->format) ? LULL_TEX_OK : LULL_TEX_FORMAT;
}

bool lull_image_is_array(const struct lull_image_desc *d)
{
    return d->type == LULL_IMAGE_1D_ARRAY || d->type == LULL_IMAGE_2D_ARRAY ||
           d->type == LULL_IMAGE_2D_MSAA_ARRAY;
}

bool lull_image_is_msaa(const struct lull_image_desc *d)
{
    return d->type == LULL_IMAGE_2D_MSAA || d->type == LULL_IMAGE_2D_MSAA_ARRAY;
}

static uint32_t minify(uint32_t v, unsigned level)
{
    const uint32_t r = level < 32 ? v >> level : 0;
    return r == 0 ? 1 : r;
}

struct lull_extent lull_image_extent(const struct lull_image_desc *d, unsigned level)
{
    struct lull_extent e = {minify(d->width, level), minify(d->height, level), 1};
    if (d->type == LULL_IMAGE_3D) {
        e.depth = minify(d->depth, level);
    } else if (d->last_slice >= d->first_slice) {
        e.depth = d->last_slice - d->first_slice + 1;
    }
    return e;
}

void lull_dst_select(const struct lull_format_info *f, const uint8_t dst_sel[4],
                     const uint32_t rgba[4], uint32_t ret[4])
{
    for (unsigned i = 0; i < 4; i++) {
        const uint8_t s = dst_sel[i];
        ret[i] = s >= LULL_DST_SEL_X ? rgba[s & 3] : s == LULL_DST_SEL_1 ? lull_format_one(f) : 0;
    }
}

void lull_dst_unselect(const uint8_t dst_sel[4], const uint32_t value[4], uint32_t rgba[4])
{
    memset(rgba, 0, 4 * sizeof(rgba[0]));
    for (unsigned i = 4; i-- > 0;) {
        if (dst_sel[i] >= LULL_DST_SEL_X) {
            rgba[dst_sel[i] & 3] = value[i];
        }
    }
}

void lull_sampler_desc_parse(const uint32_t dword[4], struct lull_sampler_desc *ret)
{
    struct lull_sampler_desc r = {0};
    const uint32_t *d = dword;
    memcpy(r.dword, dword, sizeof(r.dword));
    r.clamp[0] = (uint8_t)GET(d[0], SAMP11_WORD0__CLAMP_X);
    r.clamp[1] = (uint8_t)GET(d[0], SAMP11_WORD0__CLAMP_Y);
    r.clamp[2] = (uint8_t)GET(d[0], SAMP11_WORD0__CLAMP_Z);
    r.max_aniso = (uint8_t)GET(d[0], SAMP11_WORD0__MAX_ANISO_RATIO);
    r.compare = (uint8_t)GET(d[0], SAMP11_WORD0__DEPTH_COMPARE_FUNC);
    r.filter_mode = (uint8_t)GET(d[0], SAMP11_WORD0__FILTER_MODE);
    r.unnormalized = GET(d[0], SAMP11_WORD0__FORCE_UNNORMALIZED) != 0;
    r.trunc_coord = GET(d[0], SAMP11_WORD0__TRUNC_COORD) != 0;
    r.disable_cube_wrap = GET(d[0], SAMP11_WORD0__DISABLE_CUBE_WRAP) != 0;
    r.skip_degamma = GET(d[0], SAMP11_WORD0__SKIP_DEGAMMA) != 0;
    r.force_degamma = GET(d[0], SAMP11_WORD0__FORCE_DEGAMMA) != 0;
    r.min_lod = (float)GET(d[1], SAMP11_WORD1__MIN_LOD) / 256.0f;
    r.max_lod = (float)GET(d[1], SAMP11_WORD1__MAX_LOD) / 256.0f;
    const int32_t bias = (int32_t)(GET(d[2], SAMP11_WORD2__LOD_BIAS) << 18) >> 18;
    r.lod_bias = (float)bias / 256.0f;
    r.mag_filter = (uint8_t)GET(d[2], SAMP11_WORD2__XY_MAG_FILTER);
    r.min_filter = (uint8_t)GET(d[2], SAMP11_WORD2__XY_MIN_FILTER);
    r.z_filter = (uint8_t)GET(d[2], SAMP11_WORD2__Z_FILTER);
    r.mip_filter = (uint8_t)GET(d[2], SAMP11_WORD2__MIP_FILTER);
    r.border_type = (uint8_t)GET(d[3], SAMP11_WORD3__BORDER_COLOR_TYPE);
    r.border_index = (uint16_t)GET(d[3], SAMP11_WORD3__BORDER_COLOR_PTR);
    *ret = r;
}

void lull_buffer_desc_parse(const uint32_t dword[4], struct lull_buffer_desc *ret)
{
    struct lull_buffer_desc r = {0};
    const uint32_t *d = dword;
    memcpy(r.dword, dword, sizeof(r.dword));
    const uint32_t swizzle = GET(d[1], DESC11_BUF_WORD1__SWIZZLE_ENABLE);
    r.base = extend_va((uint64_t)GET(d[1], DESC11_BUF_WORD1__BASE_ADDRESS_HI) << 32 | d[0]);
    r.stride = GET(d[1], DESC11_BUF_WORD1__STRIDE);
    r.records = d[2];
    r.format_code = (uint16_t)GET(d[3], DESC11_BUF_WORD3__FORMAT);
    r.format = lull_format_by_code(r.format_code);
    parse_sel(d[3], r.dst_sel);
    r.oob = (uint8_t)GET(d[3], DESC11_BUF_WORD3__OOB_SELECT);
    r.swizzle_bytes = swizzle == 0 ? 0 : 2u << swizzle;
    r.index_stride = 8u << GET(d[3], DESC11_BUF_WORD3__INDEX_STRIDE);
    r.add_tid = GET(d[3], DESC11_BUF_WORD3__ADD_TID_ENABLE) != 0;
    r.type = (uint8_t)GET(d[3], DESC11_BUF_WORD3__TYPE);
    *ret = r;
}

uint64_t lull_buffer_size(const struct lull_buffer_desc *d)
{
    const bool bytes = d->stride == 0 || d->oob == LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW;
    return bytes ? d->records : (uint64_t)d->records * d->stride;
}

// Printing.

/** Name of value @p v of @p field of register @p reg; "?" if it has none. */
static const char *value_name(const struct lull_reg_db *db, const char *reg, const char *field,
                              uint64_t v)
{
    const struct lull_reg_entry *e = lull_reg_named(db, 0, reg);
    const struct lull_field *f = e == NULL ? NULL : lull_reg_field(lull_reg_of(db, e), field);
    const char *name = f == NULL ? NULL : lull_field_value_name(f, v);
    return name == NULL ? "?" : name;
}

static void show_format(const struct lull_format_info *f, unsigned code, struct lull_str *s)
{
    if (f != NULL) {
        lull_str_addf(s, " %s", f->name);
    } else {
        lull_str_addf(s, " format %u (unknown)", code);
    }
}

static void show_sel(const uint8_t sel[4], struct lull_str *s)
{
    const char *letters = "01??XYZW";
    if (sel[0] != 4 || sel[1] != 5 || sel[2] != 6 || sel[3] != 7) {
        lull_str_addf(s, " sel %c%c%c%c", letters[sel[0]], letters[sel[1]], letters[sel[2]],
                      letters[sel[3]]);
    }
}

static void show_levels(const struct lull_image_desc *d, struct lull_str *s)
{
    if (d->samples > 1) {
        lull_str_addf(s, " %u samples", d->samples);
    } else if (d->max_mip > 0) {
        lull_str_addf(s, " levels %u-%u of %u", d->base_level, d->last_level, d->max_mip + 1u);
    }
    if (lull_image_is_array(d) || d->type == LULL_IMAGE_CUBE || d->uav3d) {
        lull_str_addf(s, " slices %" PRIu32 "-%" PRIu32, d->first_slice, d->last_slice);
    }
    if (d->min_lod > 0) {
        lull_str_addf(s, " min_lod %g", (double)d->min_lod);
    }
}

void lull_image_desc_show(const struct lull_image_desc *d, struct lull_str *s)
{
    if (d->type == LULL_IMG11_WORD3__TYPE__BUFFER) {
        lull_str_addf(s, "null image");
        return;
    }
    const char *type = value_name(&lull_regs_img11, "WORD3", "TYPE", d->type);
    lull_str_addf(s, "image %s %" PRIu32, type, d->width);
    if (d->type != LULL_IMAGE_1D && d->type != LULL_IMAGE_1D_ARRAY) {
        lull_str_addf(s, "x%" PRIu32, d->height);
    }
    if (d->type == LULL_IMAGE_3D) {
        lull_str_addf(s, "x%" PRIu32, d->depth);
    }
    show_format(d->format, d->format_code, s);
    lull_str_addf(s, " at 0x%012" PRIx64 " %s", d->base & ((UINT64_C(1) << VA_BITS) - 1),
                  lull_sw_mode_name(d->sw_mode));
    show_levels(d, s);
    show_sel(d->dst_sel, s);
    if (d->pitch != 0) {
        lull_str_addf(s, " pitch %" PRIu32, d->pitch);
    }
    if (d->compressed) {
        lull_str_addf(s, " DCC at 0x%012" PRIx64, d->metadata & ((UINT64_C(1) << VA_BITS) - 1));
    }
}

void lull_sampler_desc_show(const struct lull_sampler_desc *d, struct lull_str *s)
{
    const struct lull_reg_db *db = &lull_regs_samp11;
    lull_str_addf(s, "sampler mag %s min %s mip %s wrap %s %s %s",
                  value_name(db, "WORD2", "XY_MAG_FILTER", d->mag_filter),
                  value_name(db, "WORD2", "XY_MIN_FILTER", d->min_filter),
                  value_name(db, "WORD2", "MIP_FILTER", d->mip_filter),
                  value_name(db, "WORD0", "CLAMP_X", d->clamp[0]),
                  value_name(db, "WORD0", "CLAMP_Y", d->clamp[1]),
                  value_name(db, "WORD0", "CLAMP_Z", d->clamp[2]));
    lull_str_addf(s, " lod %g-%g", (double)d->min_lod, (double)d->max_lod);
    if (d->lod_bias < 0 || d->lod_bias > 0) {
        lull_str_addf(s, " bias %g", (double)d->lod_bias);
    }
    if (d->compare != 0) {
        lull_str_addf(s, " compare %s", value_name(db, "WORD0", "DEPTH_COMPARE_FUNC", d->compare));
    }
    if (d->max_aniso != 0) {
        lull_str_addf(s, " aniso %u", 1u << d->max_aniso);
    }
    if (d->filter_mode != 0) {
        lull_str_addf(s, " %s", value_name(db, "WORD0", "FILTER_MODE", d->filter_mode));
    }
    lull_str_addf(s, " border %s", value_name(db, "WORD3", "BORDER_COLOR_TYPE", d->border_type));
    if (d->border_type == LULL_SAMP11_WORD3__BORDER_COLOR_TYPE__REGISTER) {
        lull_str_addf(s, " %u", d->border_index);
    }
    lull_str_addf(s, "%s%s", d->unnormalized ? " unnormalized" : "",
                  d->trunc_coord ? " trunc_coord" : "");
}

void lull_buffer_desc_show(const struct lull_buffer_desc *d, struct lull_str *s)
{
    const uint64_t mask = (UINT64_C(1) << VA_BITS) - 1;
    lull_str_addf(s, "buffer %" PRIu64 " bytes at 0x%012" PRIx64, lull_buffer_size(d),
                  d->base & mask);
    if (d->stride != 0) {
        lull_str_addf(s, " stride %" PRIu32, d->stride);
    }
    show_format(d->format, d->format_code, s);
    show_sel(d->dst_sel, s);
    lull_str_addf(s, " oob %s", value_name(&lull_regs_desc11, "BUF_WORD3", "OOB_SELECT", d->oob));
    if (d->swizzle_bytes != 0) {
        lull_str_addf(s, " swizzled by %" PRIu32 " bytes, %" PRIu32 " lanes", d->swizzle_bytes,
                      d->index_stride);
    }
    if (d->add_tid) {
        lull_str_addf(s, " add_tid");
    }
}
