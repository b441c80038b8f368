// SPDX-License-Identifier: MIT
// Colour targets: what registers say of them, and what pixel shaders export as their texels.
//
// Sources: gfx11.json; Mesa 22.3.6 radv_translate_colorswap() (order of components),
// radv_compact_spi_shader_col_format() (exports are numbered without those that CB_SHADER_MASK
// has not).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/reg.h"
#include "model/amd/gfx/gfx_output.h"

enum {
    RGBA = LULL_GFX_RGBA,
    ALPHA = 3,
    PIXELS = 4, // Of a quad.
    LOGIC_COPY = 0xc,
    NIBBLE = 4,
    NIBBLE_MASK = 15,
    SINGLE_BYTES = 4,
    MAX_TEXEL = LULL_GFX_MAX_TEXEL,
};

#define FIELD(word, NAME) lull_get((word), LULL_DRAW11_##NAME##_MASK)
/** Offset of register CB_NAME of target n. */
#define OF(NAME, n) (LULL_DRAW11_CB_##NAME + (n)*LULL_DRAW11_CB_##NAME##__STRIDE)

static uint32_t single(float f)
{
    uint32_t u = 0;
    memcpy(&u, &f, sizeof(u));
    return u;
}

static float number(uint32_t u)
{
    float f = 0;
    memcpy(&f, &u, sizeof(f));
    return f;
}

// Opening.

/** Name of a field's value in draw11.reg: "8_8_8_8". */
static const char *value_name(const char *reg, const char *field, uint32_t v)
{
    const struct lull_reg_entry *e = lull_reg_named(&lull_regs_draw11, 0, reg);
    const struct lull_field *f =
        e == NULL ? NULL : lull_reg_field(lull_reg_of(&lull_regs_draw11, e), field);
    return f == NULL ? NULL : lull_field_value_name(f, v);
}

static const struct lull_format_info *target_format(uint32_t info)
{
    const char *bits = value_name("CB_COLOR0_INFO", "FORMAT", FIELD(info, CB_COLOR_INFO__FORMAT));
    const char *kind =
        value_name("CB_COLOR0_INFO", "NUMBER_TYPE", FIELD(info, CB_COLOR_INFO__NUMBER_TYPE));
    char name[64] = "";
    if (bits == NULL || kind == NULL) {
        return NULL;
    }
    snprintf(name, sizeof(name), "%s_%s", bits, kind);
    const struct lull_format_info *f = lull_format_by_name(name);
    return f != NULL && lull_format_writable(f) ? f : NULL;
}

/** Which of R G B A goes to components X Y Z W. */
static void swap_components(unsigned components, unsigned swap, uint8_t from[RGBA])
{
    enum { R, G, B, A };
    static const uint8_t orders[4][4][RGBA] = {
        {{R}, {G}, {B}, {A}},
        {{R, G}, {R, A}, {G, R}, {A, R}},
        {{R, G, B}, {R, G, A}, {B, G, R}, {A, G, R}},
        {{R, G, B, A}, {B, G, R, A}, {A, B, G, R}, {A, R, G, B}},
    };
    memcpy(from, orders[components - 1][swap], RGBA);
}

const char *lull_gfx_open_surface(const struct lull_image_desc *d, unsigned level, uint32_t first,
                                  uint32_t last, struct lull_gfx_surface *ret)
{
    struct lull_gfx_surface s = {.slice = first, .slice_max = last};
    const enum lull_tex_status status = lull_tiling_prepare(d, level, &s.tiling);
    if (status != LULL_TEX_OK) {
        return lull_tex_status_text(status);
    }
    lull_tiling_steps_make(&s.tiling, &s.steps);
    lull_meta_prepare(d, level, &s.tiling, &s.meta);
    const uint64_t zero = lull_tiling_offset(&s.tiling, 0, 0, 0, 0);
    if (s.tiling.pattern == NULL) {
        s.right = s.tiling.bytes;
        s.down = (uint32_t)s.tiling.row;
    } else {
        s.right = (uint32_t)(zero ^ lull_tiling_offset(&s.tiling, 1, 0, 0, 0));
        s.down = (uint32_t)(zero ^ lull_tiling_offset(&s.tiling, 0, 1, 0, 0));
    }
    for (unsigned i = 1; i < d->samples; i++) {
        s.sample[i] = (uint32_t)(zero ^ lull_tiling_offset(&s.tiling, 0, 0, 0, i));
    }
    *ret = s;
    return NULL;
}

void lull_gfx_quad_offsets(const struct lull_gfx_surface *s, const struct lull_raster_quad *q,
                           uint64_t corner, uint64_t ret[4])
{
    const uint64_t at = lull_tiling_step(&s->tiling, &s->steps, corner, q->x, q->y);
    const bool tiled = s->tiling.pattern != NULL;
    ret[0] = at;
    ret[1] = tiled ? at ^ s->right : at + s->right;
    ret[2] = tiled ? at ^ s->down : at + s->down;
    ret[3] = tiled ? at ^ s->right ^ s->down : at + s->right + s->down;
}

/** The view of target @p n as an image. */
static void describe(const struct lull_gpu *g, unsigned n, const struct lull_format_info *f,
                     struct lull_image_desc *d)
{
    const uint32_t attrib = lull_gfx_reg(g, OF(COLOR_ATTRIB, n));
    const uint32_t attrib2 = lull_gfx_reg(g, OF(COLOR_ATTRIB2, n));
    const uint32_t attrib3 = lull_gfx_reg(g, OF(COLOR_ATTRIB3, n));
    const uint64_t high = lull_gfx_reg(g, OF(COLOR_BASE_EXT, n)) & UINT8_MAX;
    const uint64_t va = (high << 32 | lull_gfx_reg(g, OF(COLOR_BASE, n))) << 8;
    static const uint8_t types[4] = {LULL_IMAGE_1D_ARRAY, LULL_IMAGE_2D_ARRAY, LULL_IMAGE_3D, 0};
    *d = (struct lull_image_desc){
        .base = (uint64_t)((int64_t)(va << 16) >> 16),
        .format = f,
        .format_code = f->code,
        .type = types[FIELD(attrib3, CB_COLOR_ATTRIB3__RESOURCE_TYPE)],
        .sw_mode = (uint8_t)FIELD(attrib3, CB_COLOR_ATTRIB3__COLOR_SW_MODE),
        .width = FIELD(attrib2, CB_COLOR_ATTRIB2__MIP0_WIDTH) + 1,
        .height = FIELD(attrib2, CB_COLOR_ATTRIB2__MIP0_HEIGHT) + 1,
        .depth = 1,
        .last_slice = FIELD(attrib3, CB_COLOR_ATTRIB3__MIP0_DEPTH),
        .max_mip = (uint8_t)FIELD(attrib2, CB_COLOR_ATTRIB2__MAX_MIP),
        .samples = (uint8_t)(1u << FIELD(attrib, CB_COLOR_ATTRIB__NUM_FRAGMENTS)),
    };
    if (d->type == LULL_IMAGE_3D) {
        d->depth = d->last_slice + 1;
    }
    if (d->samples > 1) {
        d->max_mip = 0;
    }
    d->compressed =
        FIELD(lull_gfx_reg(g, OF(COLOR_FDCC_CONTROL, n)), CB_COLOR_FDCC_CONTROL__FDCC_ENABLE) != 0;
    if (d->compressed) {
        const uint64_t top = lull_gfx_reg(g, OF(COLOR_DCC_BASE_EXT, n)) & UINT8_MAX;
        const uint64_t keys = (top << 32 | lull_gfx_reg(g, OF(COLOR_DCC_BASE, n))) << 8;
        d->metadata = (uint64_t)((int64_t)(keys << 16) >> 16);
        d->meta_pipe_aligned = FIELD(attrib3, CB_COLOR_ATTRIB3__DCC_PIPE_ALIGNED) != 0;
    }
}

static bool of_second_source(unsigned factor)
{
    return factor >= LULL_RASTER_F_SRC1 && factor <= LULL_RASTER_F_ONE_MINUS_SRC1_ALPHA;
}

/** How target @p n is blended. The numbers of factors and operations are those of output.h. */
static const char *open_blend(const struct lull_gpu *g, unsigned n, struct lull_gfx_color *t)
{
    const uint32_t control = lull_gfx_reg(g, OF(BLEND_CONTROL, n));
    const uint32_t rop3 =
        FIELD(lull_gfx_reg(g, LULL_DRAW11_CB_COLOR_CONTROL), CB_COLOR_CONTROL__ROP3);
    const unsigned kind = t->format->kind;
    const bool fixed = kind == LULL_FORMAT_UNORM || kind == LULL_FORMAT_SNORM;
    const bool separate = FIELD(control, CB_BLEND_CONTROL__SEPARATE_ALPHA_BLEND) != 0;
    struct lull_raster_blend *b = &t->blend;
    t->logic = LOGIC_COPY;
    if (FIELD(control, CB_BLEND_CONTROL__DISABLE_ROP3) == 0 &&
        (fixed || lull_format_is_integer(t->format))) {
        if (rop3 >> NIBBLE != (rop3 & NIBBLE_MASK)) {
            return "with a raster operation of three operands";
        }
        t->logic = (uint8_t)(rop3 & NIBBLE_MASK);
    }
    b->src[0] = (uint8_t)FIELD(control, CB_BLEND_CONTROL__COLOR_SRCBLEND);
    b->op[0] = (uint8_t)FIELD(control, CB_BLEND_CONTROL__COLOR_COMB_FCN);
    b->dst[0] = (uint8_t)FIELD(control, CB_BLEND_CONTROL__COLOR_DESTBLEND);
    b->src[1] = separate ? (uint8_t)FIELD(control, CB_BLEND_CONTROL__ALPHA_SRCBLEND) : b->src[0];
    b->op[1] = separate ? (uint8_t)FIELD(control, CB_BLEND_CONTROL__ALPHA_COMB_FCN) : b->op[0];
    b->dst[1] = separate ? (uint8_t)FIELD(control, CB_BLEND_CONTROL__ALPHA_DESTBLEND) : b->dst[0];
    b->range = kind == LULL_FORMAT_SNORM                               ? LULL_RASTER_SNORM
               : kind == LULL_FORMAT_UNORM || kind == LULL_FORMAT_SRGB ? LULL_RASTER_UNORM
                                                                       : LULL_RASTER_ANY;
    for (unsigned c = 0; c < RGBA; c++) {
        b->constant[c] = number(lull_gfx_reg(g, LULL_DRAW11_CB_BLEND_RED + 4 * c));
    }
    b->on = FIELD(control, CB_BLEND_CONTROL__ENABLE) != 0 && t->logic == LOGIC_COPY &&
            !lull_format_is_integer(t->format);
    for (unsigned i = 0; b->on && i < 2; i++) {
        if (b->src[i] > LULL_RASTER_F_ONE_MINUS_CONSTANT_ALPHA ||
            b->dst[i] > LULL_RASTER_F_ONE_MINUS_CONSTANT_ALPHA ||
            b->op[i] > LULL_RASTER_REVERSE_SUBTRACT) {
            return "with blending that does not exist";
        }
        t->dual = t->dual || of_second_source(b->src[i]) || of_second_source(b->dst[i]);
    }
    t->blends = b->on;
    return NULL;
}

/** Which bits of its texels stay as they are, as @p mask of R G B A says. */
static const char *open_mask(uint32_t mask, struct lull_gfx_color *t)
{
    const struct lull_format_info *f = t->format;
    bool some = false;
    for (unsigned i = 0; i < f->components; i++) {
        const struct lull_format_component *c = &f->component[i];
        if ((mask >> t->from[i] & 1) == 0) {
            const uint32_t bits = c->bits >= 32 ? UINT32_MAX : (1u << c->bits) - 1;
            t->keep[c->lo / 32] |= bits << c->lo % 32;
            some = true;
        }
    }
    if (some && f->kind == LULL_FORMAT_SHARED_EXP) {
        return "to some components that share an exponent";
    }
    t->reads = t->blends || t->logic != LOGIC_COPY || some;
    return NULL;
}

static bool is_quick_factor(unsigned factor)
{
    return factor == LULL_RASTER_F_ZERO || factor == LULL_RASTER_F_ONE ||
           factor == LULL_RASTER_F_SRC_ALPHA || factor == LULL_RASTER_F_ONE_MINUS_SRC_ALPHA;
}

static enum lull_gfx_path choose_path(const struct lull_gfx_color *t)
{
    const struct lull_raster_blend *b = &t->blend;
    if (strcmp(t->format->name, "8_8_8_8_UNORM") != 0 || t->logic != LOGIC_COPY || t->opaque ||
        t->export_format[0] != LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__FP16_ABGR) {
        return LULL_GFX_GENERAL;
    }
    if (!t->blends) {
        return t->reads ? LULL_GFX_GENERAL : LULL_GFX_COPY_8888;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (b->op[i] != LULL_RASTER_ADD || !is_quick_factor(b->src[i]) ||
            !is_quick_factor(b->dst[i])) {
            return LULL_GFX_GENERAL;
        }
    }
    return LULL_GFX_BLEND_8888;
}

/** Number of the nibbles of CB_SHADER_MASK below target @p n that have something. */
static unsigned exports_before(uint32_t shader_mask, unsigned n)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++) {
        count += (shader_mask >> NIBBLE * i & NIBBLE_MASK) != 0;
    }
    return count;
}

static const char *open_color(const struct lull_gpu *g, unsigned n, struct lull_gfx_color *t)
{
    const uint32_t shader_mask = lull_gfx_reg(g, LULL_DRAW11_CB_SHADER_MASK);
    const uint32_t mask =
        (lull_gfx_reg(g, LULL_DRAW11_CB_TARGET_MASK) & shader_mask) >> NIBBLE * n & NIBBLE_MASK;
    const uint32_t formats = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_COL_FORMAT);
    const uint32_t info = lull_gfx_reg(g, OF(COLOR_INFO, n));
    const uint32_t view = lull_gfx_reg(g, OF(COLOR_VIEW, n));
    if (mask == 0 ||
        FIELD(info, CB_COLOR_INFO__FORMAT) == LULL_DRAW11_CB_COLOR0_INFO__FORMAT__INVALID) {
        return NULL;
    }
    t->format = target_format(info);
    if (t->format == NULL) {
        return "to a format that it does not know";
    }
    swap_components(t->format->components, FIELD(info, CB_COLOR_INFO__COMP_SWAP), t->from);
    t->exported = (uint8_t)exports_before(shader_mask, n);
    t->export_format[0] = formats >> NIBBLE * t->exported & NIBBLE_MASK;
    t->export_format[1] = formats >> NIBBLE & NIBBLE_MASK;
    t->opaque =
        FIELD(lull_gfx_reg(g, OF(COLOR_ATTRIB, n)), CB_COLOR_ATTRIB__FORCE_DST_ALPHA_1) != 0;
    const char *why = open_blend(g, n, t);
    why = why != NULL ? why : open_mask(mask, t);
    if (why != NULL) {
        return why;
    }
    t->path = (uint8_t)choose_path(t);
    struct lull_image_desc d = {0};
    describe(g, n, t->format, &d);
    if (d.samples != 1u << lull_gfx_log2_samples(g)) {
        return "with another number of samples than its target has";
    }
    why = lull_gfx_open_surface(&d, FIELD(view, CB_COLOR_VIEW__MIP_LEVEL),
                                FIELD(view, CB_COLOR_VIEW__SLICE_START),
                                FIELD(view, CB_COLOR_VIEW__SLICE_MAX), &t->at);
    t->any = why == NULL;
    return why;
}

static const char *open_colors(const struct lull_gpu *g, struct lull_gfx_output *o)
{
    const uint32_t mode =
        FIELD(lull_gfx_reg(g, LULL_DRAW11_CB_COLOR_CONTROL), CB_COLOR_CONTROL__MODE);
    const char *why = NULL;
    bool writes = false;
    switch (mode) {
    case LULL_DRAW11_CB_COLOR_CONTROL__MODE__DISABLE:
        return NULL;
    case LULL_DRAW11_CB_COLOR_CONTROL__MODE__NORMAL:
        writes = true;
        break;
    case LULL_DRAW11_CB_COLOR_CONTROL__MODE__ELIMINATE_FAST_CLEAR:
    case LULL_DRAW11_CB_COLOR_CONTROL__MODE__DCC_DECOMPRESS:
        break; // its targets are made plain, and stay what they are
    default:
        return "in a mode of CB_COLOR_CONTROL that does not exist";
    }
    for (unsigned n = 0; why == NULL && n < LULL_GFX_TARGETS; n++) {
        why = open_color(g, n, &o->color[n]);
        o->color[n].any = o->color[n].any && writes;
    }
    return why;
}

const char *lull_gfx_open_output(struct lull_gpu *g)
{
    free(g->output);
    g->output = calloc(1, sizeof(*g->output));
    if (g->output == NULL) {
        return "without memory of the host";
    }
    const char *why = open_colors(g, g->output);
    why = why != NULL ? why : lull_gfx_open_depth(g, &g->output->zs);
    return why != NULL ? why : lull_gfx_open_meta(g, g->output);
}

struct lull_gfx_output *lull_gfx_output_of(struct lull_gpu *g)
{
    if (g->output == NULL) { // restored: what opened once opens again
        (void)lull_gfx_open_output(g);
    }
    return g->output;
}

// What was exported.

/** Component @p c of an export with 16 bits for each. */
static uint32_t half_component(unsigned format, const uint32_t color[RGBA][LULL_GFX_LANES],
                               unsigned lane, unsigned c)
{
    const uint16_t v = (uint16_t)(color[c / 2][lane] >> 16 * (c % 2));
    const float s = (float)(int16_t)v / INT16_MAX;
    switch (format) {
    case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__FP16_ABGR:
        return single(lull_format_from_half(v));
    case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__UNORM16_ABGR:
        return single((float)v / UINT16_MAX);
    case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__SNORM16_ABGR:
        return single(s < -1 ? -1 : s);
    case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__SINT16_ABGR:
        return (uint32_t)(int32_t)(int16_t)v;
    default: // UINT16_ABGR
        return v;
    }
}

/** R G B A of one lane, as singles or integers. */
static void exported(unsigned format, const uint32_t color[RGBA][LULL_GFX_LANES], unsigned lane,
                     uint32_t rgba[RGBA])
{
    for (unsigned c = 0; c < RGBA; c++) {
        switch (format) {
        case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__ZERO:
            rgba[c] = 0;
            break;
        case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__32_R:
        case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__32_GR:
        case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__32_ABGR:
            rgba[c] = color[c][lane];
            break;
        case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__32_AR:
            rgba[c] = c == 0 ? color[0][lane] : c == ALPHA ? color[1][lane] : 0;
            break;
        default:
            rgba[c] = half_component(format, color, lane, c);
            break;
        }
    }
}

float lull_gfx_exported_alpha(unsigned format, const struct lull_gfx_exports *x, unsigned lane)
{
    uint32_t rgba[RGBA];
    exported(format, x->color[0], lane, rgba);
    return number(rgba[ALPHA]);
}

// The general way: any format.

/** What target @p t has where its texel is @p texel, as R G B A. */
static void present(const struct lull_gfx_color *t, const uint8_t *texel, float rgba[RGBA])
{
    uint32_t xyzw[RGBA] = {0};
    lull_format_unpack(t->format, texel, xyzw);
    rgba[0] = rgba[1] = rgba[2] = 0;
    rgba[ALPHA] = 1;
    for (unsigned c = 0; c < t->format->components; c++) {
        rgba[t->from[c]] = number(xyzw[c]);
    }
    if (t->opaque) {
        rgba[ALPHA] = 1;
    }
}

static void pack(const struct lull_gfx_color *t, const uint32_t rgba[RGBA], uint8_t *texel)
{
    uint32_t xyzw[RGBA] = {0};
    for (unsigned c = 0; c < t->format->components; c++) {
        xyzw[c] = rgba[t->from[c]];
    }
    lull_format_pack(t->format, xyzw, texel);
}

/** The colours of a pixel. */
struct pixel {
    uint32_t rgba[RGBA], second[RGBA];
};

/** Make of what @p texel was what it is to be. */
static void put(const struct lull_gfx_color *t, const struct pixel *p, uint8_t *texel)
{
    const struct pixel *from = p;
    struct pixel mixed = {{0}, {0}};
    uint32_t was[MAX_TEXEL / SINGLE_BYTES] = {0};
    uint32_t now[MAX_TEXEL / SINGLE_BYTES] = {0};
    memcpy(was, texel, t->at.tiling.bytes);
    if (t->blends) {
        float src[RGBA] = {0};
        float second[RGBA] = {0};
        float dst[RGBA] = {0};
        float ret[RGBA] = {0};
        memcpy(src, p->rgba, sizeof(src));
        memcpy(second, p->second, sizeof(second));
        present(t, texel, dst);
        lull_raster_blend(&t->blend, src, second, dst, ret);
        memcpy(mixed.rgba, ret, sizeof(ret));
        from = &mixed;
    }
    pack(t, from->rgba, (uint8_t *)now);
    for (unsigned i = 0; i < MAX_TEXEL / SINGLE_BYTES; i++) {
        const uint32_t to =
            t->logic == LOGIC_COPY ? now[i] : lull_raster_logic(t->logic, now[i], was[i]);
        now[i] = (to & ~t->keep[i]) | (was[i] & t->keep[i]);
    }
    memcpy(texel, now, t->at.tiling.bytes);
}

// Quicker: 8_8_8_8_UNORM of halves. The same numbers, rounded in the same places.

static float half(uint32_t bits)
{
    enum { SIGN = 0x8000, EXPONENT = 0x7c00, ONE = 0x3c00 };
    if ((bits & SIGN) != 0 || (bits & EXPONENT) == 0) {
        return (bits & SIGN) != 0 ? 0 : (float)bits * 0x1p-24f; // clamped; a denormal
    }
    if (bits > ONE) {
        return bits > EXPONENT ? 0 : 1; // not a number; clamped
    }
    return number((bits << 13) + (112u << 23));
}

static uint32_t byte_of(float v)
{
    return (uint32_t)((double)v * UINT8_MAX + 0.5);
}

/** Byte @p to of all texels from one component, which stands @p shift bits up in @p row: half()
 * and byte_of() without a jump. All is exact: a half has 11 bits, its product with 255 19. */
static void add_bytes(const uint32_t *restrict row, unsigned shift, unsigned to,
                      uint32_t *restrict texel)
{
    enum { EXPONENT = 0x7c00, ONE = 0x3c00, REBIAS = 112 << 23 };
    for (unsigned l = 0; l < LULL_GFX_LANES; l++) {
        const int32_t h = (int32_t)(row[l] >> shift & UINT16_MAX);
        const int32_t over = -(h > ONE), none = -(h > EXPONENT); // below 0, or NaN: 0
        const int32_t in = (h & ~over) | (ONE & over & ~none);
        const float v = number(((uint32_t)in << 13) + REBIAS); // a denormal is as good as 0
        texel[l] |= (uint32_t)(int32_t)(v * UINT8_MAX + 0.5f) << to;
    }
}

/** Texels of all lanes: what pack_8888() makes of clamped_halves(). */
static void pack_wave(const struct lull_gfx_color *t, const uint32_t color[RGBA][LULL_GFX_LANES],
                      uint32_t texel[LULL_GFX_LANES])
{
    memset(texel, 0, LULL_GFX_LANES * sizeof(*texel));
    for (unsigned i = 0; i < RGBA; i++) {
        const unsigned c = t->from[i];
        add_bytes(color[c / 2], 16 * (c % 2), 8 * i, texel);
    }
}

/** R G B A of lane @p l, within 0 and 1. */
static void clamped_halves(const uint32_t color[RGBA][LULL_GFX_LANES], unsigned l, float rgba[RGBA])
{
    for (unsigned c = 0; c < RGBA; c++) {
        rgba[c] = half(color[c / 2][l] >> 16 * (c % 2) & UINT16_MAX);
    }
}

static uint32_t pack_8888(const struct lull_gfx_color *t, const float rgba[RGBA])
{
    uint32_t v = 0;
    for (unsigned i = 0; i < RGBA; i++) {
        v |= byte_of(rgba[t->from[i]]) << 8 * i;
    }
    return v;
}

static float quick_factor(unsigned factor, float alpha)
{
    switch (factor) {
    case LULL_RASTER_F_ZERO:
        return 0;
    case LULL_RASTER_F_ONE:
        return 1;
    case LULL_RASTER_F_SRC_ALPHA:
        return alpha;
    default:
        return 1 - alpha;
    }
}

static uint32_t blend_8888(const struct lull_gfx_color *t, const float src[RGBA], uint32_t was)
{
    float mixed[RGBA] = {0};
    for (unsigned i = 0; i < RGBA; i++) {
        const unsigned c = t->from[i];
        const unsigned part = c == ALPHA;
        const float dst = (float)(was >> 8 * i & UINT8_MAX) / UINT8_MAX;
        const float from = src[c] * quick_factor(t->blend.src[part], src[ALPHA]);
        const float to = dst * quick_factor(t->blend.dst[part], src[ALPHA]);
        const float sum = from + to;
        mixed[c] = sum > 1 ? 1 : sum;
    }
    return (pack_8888(t, mixed) & ~t->keep[0]) | (was & t->keep[0]);
}

// Writing.

/** A wave's exports on their way into a target. */
struct writer {
    struct lull_gpu *g;
    struct lull_vm *vm;
    const struct lull_gfx_color *t;
    const struct lull_gfx_exports *x;
    const struct lull_gfx_batch *b;
    unsigned target; ///< Its number.
};

/** Host address of a texel, at @p offset. NULL: memory refused.
 * The one place that all texels go through: a target's metadata is to be made plain here. */
static uint8_t *texel_at(const struct writer *w, uint64_t offset)
{
    const uint32_t access = w->t->reads ? LULL_ACCESS_READ | LULL_ACCESS_WRITE : LULL_ACCESS_WRITE;
    return lull_vm_host(w->vm, w->t->at.tiling.base + offset, access);
}

/** The texels of @p samples of lane @p l. */
static bool write_general(const struct writer *w, unsigned l, unsigned samples, uint64_t offset)
{
    const struct lull_gfx_color *t = w->t;
    struct pixel p = {{0}, {0}};
    uint8_t texel[MAX_TEXEL] = {0};
    exported(t->export_format[0], w->x->color[t->exported], l, p.rgba);
    if (t->dual) {
        exported(t->export_format[1], w->x->color[1], l, p.second);
    }
    if (!t->reads) {
        pack(t, p.rgba, texel);
    }
    for (; samples != 0; samples &= samples - 1) {
        uint8_t *at = texel_at(w, offset ^ t->at.sample[__builtin_ctz(samples)]);
        if (at == NULL) {
            return false;
        }
        if (t->reads) {
            put(t, &p, at);
        } else {
            memcpy(at, texel, t->at.tiling.bytes);
        }
    }
    return true;
}

static bool write_8888(const struct writer *w, unsigned l, unsigned samples, uint64_t offset)
{
    const struct lull_gfx_color *t = w->t;
    float rgba[RGBA] = {0};
    clamped_halves(w->x->color[t->exported], l, rgba);
    uint32_t texel = t->path == LULL_GFX_COPY_8888 ? pack_8888(t, rgba) : 0;
    for (; samples != 0; samples &= samples - 1) {
        uint8_t *at = texel_at(w, offset ^ t->at.sample[__builtin_ctz(samples)]);
        if (at == NULL) {
            return false;
        }
        if (t->path == LULL_GFX_BLEND_8888) {
            memcpy(&texel, at, sizeof(texel));
            texel = blend_8888(t, rgba, texel);
        }
        memcpy(at, &texel, sizeof(texel));
    }
    return true;
}

/** What the samples @p samples of a pixel are in the target. */
static void peek(const struct writer *w, unsigned samples, uint64_t offset,
                 float ret[LULL_RASTER_SAMPLES][RGBA])
{
    for (; samples != 0; samples &= samples - 1) {
        const unsigned s = (unsigned)__builtin_ctz(samples);
        const uint8_t *at = lull_vm_host(
            w->vm, w->t->at.tiling.base + (offset ^ w->t->at.sample[s]), LULL_ACCESS_READ);
        if (at != NULL) {
            present(w->t, at, ret[s]);
        }
    }
}

/** The texels of lane @p l, and what is to be told of the pixel that is watched. */
static bool write_watched(const struct writer *w, const struct lull_gfx_quad *q, unsigned l,
                          unsigned samples, uint64_t offset)
{
    float before[LULL_RASTER_SAMPLES][RGBA] = {{0}};
    float after[LULL_RASTER_SAMPLES][RGBA] = {{0}};
    uint32_t rgba[RGBA] = {0};
    peek(w, samples, offset, before);
    if (!write_general(w, l, samples, offset)) {
        return false;
    }
    peek(w, samples, offset, after);
    exported(w->t->export_format[0], w->x->color[w->t->exported], l, rgba);
    for (unsigned m = samples; m != 0; m &= m - 1) {
        const unsigned k = (unsigned)__builtin_ctz(m);
        struct lull_gpu_color c = {{0}, {0}, {0}};
        memcpy(c.shader, rgba, sizeof(c.shader));
        memcpy(c.before, before[k], sizeof(c.before));
        memcpy(c.after, after[k], sizeof(c.after));
        lull_gfx_saw_color(w->g, &w->b->parts[q->part], k, w->target, &c);
    }
    return true;
}

/** Texels of a quad at @p offset from the plane's base; @p lanes: bits of those that are written.
 */
static bool copy_quad(const struct writer *w, const uint64_t offset[PIXELS], unsigned lanes,
                      const uint32_t texel[PIXELS])
{
    const uint64_t base = w->t->at.tiling.base;
    uint8_t *page = NULL;
    uint64_t number = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const unsigned n = (unsigned)__builtin_ctz(lanes);
        const uint64_t va = base + offset[n], in = va % LULL_PAGE_SIZE;
        if (page == NULL || va >> LULL_PAGE_SHIFT != number) {
            uint8_t *at = lull_vm_host(w->vm, va, LULL_ACCESS_WRITE);
            if (at == NULL) {
                return false;
            }
            page = at - in;
            number = va >> LULL_PAGE_SHIFT;
        }
        memcpy(page + in, &texel[n], sizeof(*texel));
    }
    return true;
}

/** Which of the lanes from @p first on, the pixels of @p q, are written. */
static unsigned written_lanes(const struct writer *w, const struct lull_gfx_quad *q, unsigned first,
                              const uint8_t samples[LULL_GFX_LANES])
{
    const struct lull_tiling *t = &w->t->at.tiling;
    const uint8_t *four = &samples[first];
    const uint32_t mask =
        four[0] | (uint32_t)four[1] << 8 | (uint32_t)four[2] << 16 | (uint32_t)four[3] << 24;
    unsigned lanes = lull_gfx_pixels(mask) & (unsigned)(w->x->written[w->t->exported] >> first);
    if (q->q.x + 1u < t->width && q->q.y + 1u < t->height) {
        return lanes;
    }
    for (unsigned n = 0; n < PIXELS; n++) {
        if (q->q.x + (n & 1u) >= t->width || q->q.y + (n >> 1) >= t->height) {
            lanes &= ~(1u << n);
        }
    }
    return lanes;
}

/** The pixels @p lanes of quad @p q, which is lanes @p first and on. */
static bool write_quad(const struct writer *w, const struct lull_gfx_quad *q,
                       const uint64_t offset[PIXELS], unsigned lanes, unsigned first,
                       const uint8_t samples[LULL_GFX_LANES])
{
    for (; lanes != 0; lanes &= lanes - 1) {
        const unsigned n = (unsigned)__builtin_ctz(lanes), l = first + n;
        const bool watched = lull_gfx_watches(w->g, &q->q, n);
        const bool ok = watched ? write_watched(w, q, l, samples[l], offset[n])
                        : w->t->path == LULL_GFX_GENERAL
                            ? write_general(w, l, samples[l], offset[n])
                            : write_8888(w, l, samples[l], offset[n]);
        if (!ok) {
            return false;
        }
    }
    return true;
}

/** A quad's texels have been written. */
static void log_quad(const struct writer *w, const struct lull_gfx_quad *q,
                     const uint64_t offset[PIXELS], unsigned lanes, unsigned first,
                     const uint8_t samples[LULL_GFX_LANES])
{
    const uint32_t slice = w->t->at.slice + w->b->parts[q->part].layer;
    const struct lull_writer by = {.kind = LULL_WRITER_COLOR,
                                   .launch = w->g->draw_id,
                                   .pc = w->x->pc,
                                   .place = w->x->place,
                                   .index = w->x->group,
                                   .workgroup = {q->q.x, q->q.y, slice},
                                   .target = w->target | (w->t->blends ? LULL_WRITER_BLENDS : 0)};
    for (; lanes != 0; lanes &= lanes - 1) {
        const unsigned n = (unsigned)__builtin_ctz(lanes), l = first + n;
        for (unsigned m = samples[l]; m != 0; m &= m - 1) {
            const uint64_t at = offset[n] ^ w->t->at.sample[__builtin_ctz(m)];
            lull_gpu_wrote_pixel(w->g, w->vm->vmid, w->t->at.tiling.base + at,
                                 w->t->at.tiling.bytes, l, &by);
        }
    }
}

/** All quads of a wave. */
static bool write_wave(const struct writer *w, const struct lull_gfx_batch *b, unsigned from,
                       unsigned end, const uint8_t samples[LULL_GFX_LANES])
{
    const struct lull_gfx_surface *s = &w->t->at;
    const bool copies =
        w->t->path == LULL_GFX_COPY_8888 && s->tiling.samples == 1 && !w->g->pixel_watched;
    uint32_t texel[LULL_GFX_LANES];
    uint64_t offset[PIXELS] = {0}, corner = 0;
    uint32_t corner_of = UINT32_MAX; // no slice
    if (copies) {
        pack_wave(w->t, w->x->color[w->t->exported], texel);
    }
    for (unsigned i = from; i < end; i++) {
        const struct lull_gfx_quad *q = &b->quads[i];
        const uint32_t layer = b->parts[q->part].layer, slice = s->slice + layer;
        const unsigned first = (i - from) * PIXELS;
        const unsigned lanes = written_lanes(w, q, first, samples);
        if (lanes == 0 || slice < layer || slice > s->slice_max || slice >= s->tiling.depth) {
            continue;
        }
        if (slice != corner_of) {
            corner = lull_tiling_offset(&s->tiling, 0, 0, slice, 0);
            corner_of = slice;
        }
        lull_gfx_quad_offsets(s, &q->q, corner, offset);
        if (!(copies ? copy_quad(w, offset, lanes, &texel[first])
                     : write_quad(w, q, offset, lanes, first, samples))) {
            return false;
        }
        if (lull_gpu_logs(w->g)) {
            log_quad(w, q, offset, lanes, first, samples);
        }
    }
    return true;
}

bool lull_gfx_color_write(struct lull_gpu *g, struct lull_vm *vm, const struct lull_gfx_batch *b,
                          unsigned wave, const uint8_t samples[LULL_GFX_LANES])
{
    struct lull_gfx_output *o = lull_gfx_output_of(g);
    const unsigned from = wave * b->wave_quads;
    const unsigned end = from + b->wave_quads < b->nquads ? from + b->wave_quads : b->nquads;
    for (unsigned n = 0; o != NULL && n < LULL_GFX_TARGETS; n++) {
        const struct writer w = {
            .g = g, .vm = vm, .t = &o->color[n], .x = &b->out[wave], .b = b, .target = n};
        if (w.t->any && !write_wave(&w, b, from, end, samples)) {
            o->refused = LULL_GFX_REFUSED_COLOR + n;
            return false;
        }
    }
    return true;
}
