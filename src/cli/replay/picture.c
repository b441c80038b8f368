// SPDX-License-Identifier: MIT
#include "cli/replay/picture.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "cli/opt/opt.h"
#include "file/png.h"
#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "hw/adreno_regs.h"
#include "model/adreno/draw/surface.h"

enum {
    MOST_SIZE = 16384,
    PITCH_UNIT = 64,
    MRT_STRIDE = 8, // Registers from one target to the next.
    RGBA = 4,
    FORMATS = 256,
    SCISSOR_BITS = 14,
    GREY_BITS = 16, // Of a picture of depth.
    GREY_MOST = 0xffff,
    UNITS_24 = 0xffffff,
};

/** Number of FMT6_@p name. */
static bool format_of(const char *name, unsigned *ret)
{
    const struct lull_dom_state dom = {.chip = 6};
    for (unsigned i = 0; i < FORMATS; i++) {
        const char *s = lull_dom_enum_name(&lull_dom_adreno, &dom, LULL_ADRENO_ENUM_a6xx_format, i);
        if (s != NULL &&
            (strcmp(s, name) == 0 || (strncmp(s, "FMT6_", 5) == 0 && strcmp(s + 5, name) == 0))) {
            *ret = i;
            return true;
        }
    }
    return false;
}

LULL_MUST_USE static struct lull_error *rest_of(const char *option, const char *rest,
                                                struct lull_replay_picture *p)
{
    while (*rest == ',') {
        char word[32] = "";
        uint64_t pitch = 0;
        const size_t n = strcspn(++rest, ",=");
        (void)snprintf(word, sizeof word, "%.*s", (int)n, rest);
        rest += n;
        if (strcmp(word, "tiled") == 0 || strcmp(word, "tile") == 0) {
            p->tiled = true;
            continue;
        }
        struct lull_error *err = lull_opt_number(option, word, 1, UINT32_MAX, &pitch);
        if (err != NULL) {
            return err;
        }
        p->pitch = (uint32_t)pitch;
    }
    return NULL;
}

struct lull_error *lull_replay_picture_parse(const char *option, const char *text,
                                             struct lull_replay_picture *ret, const char **ret_file)
{
    char address[32] = "", format[64] = "";
    unsigned width = 0, height = 0;
    int n = 0;
    const char *equals = strchr(text, '=');
    struct lull_replay_picture p = {0};
    if (equals == NULL || equals[1] == '\0' ||
        sscanf(text, "%31[^,=],%63[^,=],%5ux%5u%n", address, format, &width, &height, &n) != 4 ||
        (text[n] != ',' && text[n] != '=')) {
        return lull_error_new(LULL_ERR_INVALID,
                              "%s: '%s' is not ADDR,FORMAT,WxH[,PITCH][,tiled]=FILE.png", option,
                              text);
    }
    if (width == 0 || height == 0 || width > MOST_SIZE || height > MOST_SIZE) {
        return lull_error_new(LULL_ERR_INVALID, "%s: %ux%u is not a size up to %d", option, width,
                              height, MOST_SIZE);
    }
    if (!format_of(format, &p.format)) {
        return lull_error_new(LULL_ERR_INVALID, "%s: no format '%s', such as 8_8_8_8_UNORM", option,
                              format);
    }
    p.width = width;
    p.height = height;
    struct lull_error *err = lull_opt_number(option, address, 0, UINT64_MAX, &p.address);
    err = err != NULL ? err : rest_of(option, text + n, &p);
    if (err == NULL) {
        *ret = p;
        *ret_file = equals + 1;
    }
    return err;
}

struct reader {
    const struct lull_replay *r;
    uint64_t missing; // The first address that is nowhere; 0: none.
};

static uint8_t *at(void *ctx, uint64_t address, unsigned bytes, bool write)
{
    struct reader *m = ctx;
    uint64_t left = 0;
    const uint8_t *p = lull_rp_device_memory(m->r->device, address, &left);
    if (p == NULL || left < bytes || write) {
        m->missing = m->missing != 0 ? m->missing : address;
        return NULL;
    }
    return (uint8_t *)(uintptr_t)p;
}

static uint8_t shade(const struct lull_asurface *s, uint32_t bits)
{
    float f = 0;
    if (lull_format_is_integer(s->format)) {
        return (uint8_t)bits;
    }
    memcpy(&f, &bits, sizeof f);
    return f > 0 ? (uint8_t)lrintf((f < 1 ? f : 1) * 255) : 0; // not a number is 0
}

/** Where a pixel of @p surface is, and who reads it. */
struct spot {
    const struct lull_asurface *surface;
    const struct lull_ir3_memory *memory;
    uint32_t x, y;
};

static void sample(const struct spot *p, unsigned n, uint32_t values[RGBA])
{
    uint8_t texel[LULL_ASURFACE_TEXEL] = {0};
    (void)lull_asurface_load(p->surface, p->memory, lull_asurface_at(p->surface, p->x, p->y, 0, n),
                             texel);
    lull_asurface_unpack(p->surface, texel, values);
}

static void colour(const struct spot *p, uint8_t rgba[RGBA])
{
    const struct lull_asurface *s = p->surface;
    unsigned sum[RGBA] = {0};
    for (unsigned n = 0; n < s->samples; n++) {
        uint32_t values[RGBA] = {0};
        sample(p, n, values);
        for (unsigned c = 0; c < RGBA; c++) {
            sum[c] +=
                c == RGBA - 1 && lull_format_is_integer(s->format) ? 255 : shade(s, values[c]);
        }
    }
    for (unsigned c = 0; c < RGBA; c++) {
        rgba[c] = (uint8_t)((sum[c] + s->samples / 2) / s->samples);
    }
}

/** Depth in units of the picture; what is not a number is 0. */
static uint16_t depth(const struct spot *p)
{
    uint32_t v[RGBA] = {0};
    sample(p, 0, v);
    float f = 0;
    memcpy(&f, v, sizeof f);
    const double z = lull_format_is_integer(p->surface->format)
                         ? (double)(v[0] | v[1] << 8 | v[2] << 16) / UNITS_24
                         : f;
    return z > 0 ? (uint16_t)lrint((z < 1 ? z : 1) * GREY_MOST) : 0;
}

/** Alone, or above 24 bits of depth. */
static uint8_t stencil(const struct spot *p)
{
    uint32_t v[RGBA] = {0};
    sample(p, 0, v);
    return (uint8_t)v[p->surface->bytes == 1 ? 0 : RGBA - 1];
}

static size_t pixel_bytes(const struct lull_replay_picture *p)
{
    return p->target == LULL_REPLAY_DEPTH     ? sizeof(uint16_t)
           : p->target == LULL_REPLAY_STENCIL ? 1
                                              : RGBA;
}

static void pixel(const struct lull_replay_picture *p, const struct spot *at, uint8_t *ret)
{
    if (p->target == LULL_REPLAY_DEPTH) {
        const uint16_t z = depth(at);
        memcpy(ret, &z, sizeof z);
    } else if (p->target == LULL_REPLAY_STENCIL) {
        *ret = stencil(at);
    } else {
        colour(at, ret);
    }
}

LULL_MUST_USE static struct lull_error *write_png(const struct lull_replay_picture *p,
                                                  const char *file, const uint8_t *pixels)
{
    if (p->target == LULL_REPLAY_DEPTH || p->target == LULL_REPLAY_STENCIL) {
        const unsigned bits = p->target == LULL_REPLAY_DEPTH ? GREY_BITS : GREY_BITS / 2;
        return lull_png_write_grey(file, p->width, p->height, bits, pixels);
    }
    return lull_png_write(file, p->width, p->height, pixels);
}

struct lull_error *lull_replay_picture_write(const struct lull_replay_picture *p,
                                             const struct lull_replay *r, const char *file)
{
    struct lull_asurface s = {0};
    struct reader from = {.r = r};
    const struct lull_ir3_memory m = {.ctx = &from, .at = at};
    if (r->chip == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: images are shown of the model's memory",
                              file);
    }
    const bool tiled = p->tiled || (p->target >= LULL_REPLAY_DEPTH && r->chip->gen == 6);
    const struct lull_asurface_is is = {.name = "the image",
                                        .format = p->format,
                                        .tile = tiled ? LULL_TILE6_3 : LULL_TILE6_LINEAR,
                                        .swap = p->swap,
                                        .samples = p->samples};
    const size_t each = pixel_bytes(p);
    struct lull_error *err = lull_asurface_open(r->chip, &is, &s);
    uint8_t *pixels = err == NULL ? calloc((size_t)p->width * p->height, each) : NULL;
    if (pixels == NULL) {
        return err != NULL ? lull_error_in(err, "%s", file) : &lull_enomem;
    }
    const uint32_t row = p->width * s.bytes * s.samples;
    s.base = p->address;
    s.pitch = p->pitch != 0 ? p->pitch : (row + PITCH_UNIT - 1) / PITCH_UNIT * PITCH_UNIT;
    for (uint32_t y = 0; from.missing == 0 && y < p->height; y++) {
        for (uint32_t x = 0; x < p->width; x++) {
            const struct spot spot = {&s, &m, x, y};
            pixel(p, &spot, pixels + ((size_t)y * p->width + x) * each);
        }
    }
    if (from.missing != 0) {
        err = lull_error_fault(from.missing, "%s: nothing is at 0x%" PRIx64 " in the last submit",
                               file, from.missing);
    } else {
        err = write_png(p, file, pixels);
    }
    free(pixels);
    return err;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/** Size and samples of @p ret, whose layers have @p layer bytes, as registers @p v have them. */
static bool sized(const uint32_t *v, uint32_t layer, struct lull_replay_picture *ret)
{
    const struct lull_format_info *f = lull_afmt(ret->format);
    const uint32_t scissor = v[LULL_A6XX_GRAS_SC_WINDOW_SCISSOR_BR];
    const uint32_t mask = (1u << SCISSOR_BITS) - 1;
    if (f == NULL || ret->pitch == 0) {
        return false;
    }
    ret->samples = v[LULL_A6XX_RB_RAS_MSAA_CNTL] & 3;
    ret->width = least((scissor & mask) + 1, ret->pitch / f->bytes >> ret->samples);
    ret->height = least((scissor >> 16 & mask) + 1, layer != 0 ? layer / ret->pitch : MOST_SIZE);
    return ret->width != 0 && ret->height != 0;
}

/** Colour target @p n as registers @p v have it. False: the draw does not write it. */
static bool colour_target(const uint32_t *v, unsigned n, struct lull_replay_picture *ret)
{
    const uint32_t i = n * MRT_STRIDE;
    const uint32_t info = v[LULL_A6XX_RB_MRT_BUF_INFO + i];
    const uint32_t shader = v[LULL_A6XX_RB_RENDER_COMPONENTS] >> 4 * n & 0xf;
    if ((lull_a6xx_rb_mrt_control__component_enable(v[LULL_A6XX_RB_MRT_CONTROL + i]) & shader) ==
        0) {
        return false;
    }
    *ret = (struct lull_replay_picture){
        .address = v[LULL_A6XX_RB_MRT_BASE + i] | (uint64_t)v[LULL_A6XX_RB_MRT_BASE + i + 1] << 32,
        .format = lull_a6xx_rb_mrt_buf_info__color_format(info),
        .swap = lull_a6xx_rb_mrt_buf_info__color_swap(info),
        .tiled = lull_a6xx_rb_mrt_buf_info__color_tile_mode(info) == LULL_TILE6_3,
        .pitch = v[LULL_A6XX_RB_MRT_PITCH + i] << 6};
    return sized(v, v[LULL_A6XX_RB_MRT_ARRAY_PITCH + i] << 6, ret);
}

/** The plane of depth, which has stencil, too, in @p target; false: there is none. */
static bool depth_plane(const uint32_t *v, unsigned target, struct lull_replay_picture *ret)
{
    static const unsigned formats[] = {[LULL_DEPTH6_16] = LULL_FMT6_16_UNORM,
                                       [LULL_DEPTH6_24_8] = LULL_FMT6_8_8_8_8_UINT,
                                       [LULL_DEPTH6_32] = LULL_FMT6_32_FLOAT};
    const uint32_t info = v[LULL_A6XX_RB_DEPTH_BUFFER_INFO];
    const uint32_t format = lull_a6xx_rb_depth_buffer_info__depth_format(info);
    if (format >= sizeof formats / sizeof formats[0] || formats[format] == 0) {
        return false;
    }
    *ret = (struct lull_replay_picture){
        .target = target,
        .address = v[LULL_A6XX_RB_DEPTH_BUFFER_BASE] |
                   (uint64_t)v[LULL_A6XX_RB_DEPTH_BUFFER_BASE + 1] << 32,
        .format = formats[format],
        .tiled = lull_a6xx_rb_depth_buffer_info__tilemode(info) == LULL_TILE6_3,
        .pitch = v[LULL_A6XX_RB_DEPTH_BUFFER_PITCH] << 6};
    return sized(v, v[LULL_A6XX_RB_DEPTH_BUFFER_ARRAY_PITCH] << 6, ret);
}

/** False: the draw does not test depth. */
static bool depth_target(const uint32_t *v, struct lull_replay_picture *ret)
{
    const uint32_t control = v[LULL_A6XX_RB_DEPTH_CNTL];
    return (lull_a6xx_rb_depth_cntl__z_test_enable(control) != 0 ||
            lull_a6xx_rb_depth_cntl__z_bounds_enable(control) != 0) &&
           depth_plane(v, LULL_REPLAY_DEPTH, ret);
}

/** False: the draw does not test stencil. */
static bool stencil_target(const uint32_t *v, struct lull_replay_picture *ret)
{
    const uint32_t info = v[LULL_A6XX_RB_STENCIL_INFO];
    const uint32_t control = v[LULL_A6XX_RB_STENCIL_CONTROL];
    if (lull_a6xx_rb_stencil_control__stencil_enable(control) == 0) {
        return false;
    }
    if (lull_a6xx_rb_stencil_info__separate_stencil(info) == 0) {
        return depth_plane(v, LULL_REPLAY_STENCIL, ret) &&
               lull_a6xx_rb_depth_buffer_info__depth_format(v[LULL_A6XX_RB_DEPTH_BUFFER_INFO]) ==
                   LULL_DEPTH6_24_8;
    }
    *ret = (struct lull_replay_picture){
        .target = LULL_REPLAY_STENCIL,
        .address = v[LULL_A6XX_RB_STENCIL_BUFFER_BASE] |
                   (uint64_t)v[LULL_A6XX_RB_STENCIL_BUFFER_BASE + 1] << 32,
        .format = LULL_FMT6_8_UINT,
        .tiled = lull_a6xx_rb_stencil_info__tilemode(info) == LULL_TILE6_3,
        .pitch = v[LULL_A6XX_RB_STENCIL_BUFFER_PITCH] << 6};
    return sized(v, v[LULL_A6XX_RB_STENCIL_BUFFER_ARRAY_PITCH] << 6, ret);
}

void lull_replay_targets_see(void *ctx, struct lull_astream *s, const struct lull_as_event *e)
{
    struct lull_replay_targets *t = ctx;
    struct lull_replay_targets now = {{0}, {{0}}};
    const uint32_t *v = lull_astream_regs(s)->v;
    bool any = false;
    if (e->what != LULL_AS_DRAWS || e->u.draw->kind != LULL_AS_DRAW) {
        return;
    }
    for (unsigned n = 0; n < LULL_REPLAY_COLOURS; n++) {
        now.any[n] = colour_target(v, n, &now.all[n]);
        any |= now.any[n];
    }
    now.any[LULL_REPLAY_DEPTH] = depth_target(v, &now.all[LULL_REPLAY_DEPTH]);
    now.any[LULL_REPLAY_STENCIL] = stencil_target(v, &now.all[LULL_REPLAY_STENCIL]);
    for (unsigned n = 0; n < LULL_REPLAY_TARGETS; n++) {
        struct lull_replay_picture *p = &now.all[n];
        const struct lull_replay_picture *old = &t->all[n];
        if (now.any[n] && t->any[n] && old->address == p->address && old->pitch == p->pitch) {
            p->width = p->width > old->width ? p->width : old->width; // tiles of one image
            p->height = p->height > old->height ? p->height : old->height;
        }
        if (now.any[n] || (any && n < LULL_REPLAY_COLOURS)) {
            t->any[n] = now.any[n];
            t->all[n] = *p;
        }
    }
}

struct lull_error *lull_replay_targets_write(const struct lull_replay_targets *t,
                                             const struct lull_replay *r, const char *dir)
{
    static const char *const names[LULL_REPLAY_TARGETS] = {"0", "1", "2", "3",      "4",
                                                           "5", "6", "7", "-depth", "-stencil"};
    struct lull_error *err = NULL;
    unsigned n = 0;
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        return lull_error_os(errno, "%s", dir);
    }
    for (unsigned i = 0; err == NULL && i < LULL_REPLAY_TARGETS; i++) {
        struct lull_str path = {0};
        lull_str_addf(&path, "%s/target%s.png", dir, names[i]);
        if (t->any[i] && path.err == NULL) {
            err = lull_replay_picture_write(&t->all[i], r, path.text);
            n += err == NULL;
        }
        if (n != 0 && i >= LULL_REPLAY_DEPTH && err != NULL &&
            lull_error_code(err) == LULL_ERR_FAULT) {
            fprintf(stderr, "note: %s\n",
                    lull_error_message(err)); // Its draw is of a submit before.
            lull_error_free(err);
            err = NULL;
        }
        err = err != NULL ? err : path.err;
        lull_str_free(&path);
    }
    return err == NULL && n == 0
               ? lull_error_new(LULL_ERR_NOT_FOUND,
                                "--targets: no draw writes colours or tests depth or stencil")
               : err;
}
