// SPDX-License-Identifier: MIT
// Constants and shaders in the packets of a2xx (and constants of a3xx, a4xx).
#include <inttypes.h>

#include "adreno/cffdump/walk.h"
#include "hw/adreno_pkts.h"
#include "isa/a2xx/a2xx.h"

enum { SHADER_CONSTANTS = 0x78, REGISTERS = 0x2000, MOST = 64 };

static const char *or_null(const char *name)
{
    return name != NULL ? name : "(null)";
}

static const char *format(struct lull_cff *c, uint32_t value)
{
    return or_null(lull_cff_enum(c, LULL_ADRENO_ENUM_a2xx_sq_surfaceformat, value));
}

static void texture(struct lull_cff *c, struct lull_cff_words w, uint32_t number, unsigned level)
{
    static const char *const clamps[] = {"wrap", "mirror", "clamp-last-texel", "(null)"};
    static const char *const filters[] = {"point", "bilinear", "bicubic", "(null)"};
    static const char swizzles[] = "xyzw01??";
    const char *tabs = lull_cff_tabs(level + 1);
    uint32_t d[6] = {0};
    for (uint32_t i = 0; i < 6; i++) {
        d[i] = lull_cff_word(c, w, i);
    }
    const struct lull_apkt_args p = {.words = d, .n = 6, .there = 6, .gen = c->gen};
    lull_cff_say(c, 0, "%sset texture const %04x\n", lull_cff_tabs(level), number);
    lull_cff_say(c, 0, "%sclamp x/y/z: %s/%s/%s\n", tabs, clamps[lull_mesa_cp_texture__clamp_x(&p)],
                 clamps[lull_mesa_cp_texture__clamp_y(&p)],
                 clamps[lull_mesa_cp_texture__clamp_z(&p)]);
    lull_cff_say(c, 0, "%sfilter min/mag: %s/%s\n", tabs, filters[lull_mesa_cp_texture__min(&p)],
                 filters[lull_mesa_cp_texture__mag(&p)]);
    lull_cff_say(c, 0, "%sswizzle: %c%c%c%c\n", tabs, swizzles[lull_mesa_cp_texture__swiz_x(&p)],
                 swizzles[lull_mesa_cp_texture__swiz_y(&p)],
                 swizzles[lull_mesa_cp_texture__swiz_z(&p)],
                 swizzles[lull_mesa_cp_texture__swiz_w(&p)]);
    lull_cff_say(c, 0, "%saddr=%08x (flags=%03x), size=%ux%u, pitch=%u, format=%s\n", tabs,
                 lull_mesa_cp_texture__address(&p), lull_mesa_cp_texture__flags(&p),
                 lull_mesa_cp_texture__width(&p) + 1, lull_mesa_cp_texture__height(&p) + 1,
                 lull_mesa_cp_texture__pitch(&p), format(c, lull_mesa_cp_texture__format(&p)));
    lull_cff_say(c, 0, "%smipaddr=%08x (flags=%03x)\n", tabs, lull_mesa_cp_texture__mip_address(&p),
                 lull_mesa_cp_texture__mip_flags(&p));
}

/** Addresses and sizes of vertices, and what is there. */
static void vertices(struct lull_cff *c, struct lull_cff_words w, uint32_t number, unsigned level)
{
    const char *tabs = lull_cff_tabs(level + 1);
    const struct lull_apkt_args p = {.words = w.words, .n = w.n, .there = w.n, .gen = c->gen};
    char more[32] = "";
    (void)snprintf(more, sizeof more, "%s\t\t...\n", tabs);
    lull_cff_say(c, 0, "%sset shader const %04x\n", lull_cff_tabs(level), number);
    for (uint32_t i = 0; i < w.n;) {
        const uint32_t address = lull_mesa_cp_vertices__address(&p, i);
        const uint32_t kind = lull_mesa_cp_vertices__format(&p, i++);
        if (lull_cff_memory(c, address, 1).words == NULL) {
            continue; // Mesa takes the next dword for an address
        }
        const uint32_t bytes = lull_cff_word(c, w, i++), n = (bytes + 3) / 4;
        const struct lull_cff_words m = lull_cff_memory(c, address, n < MOST ? n : MOST);
        lull_cff_say(c, 0, "%saddr=%08x, size=%d, format=%s\n", tabs, address, (int)bytes,
                     format(c, kind));
        lull_cff_hex(c, m, level + 1);
        lull_cff_say(c, 0, "%s", n > MOST ? more : "");
        lull_cff_floats(c, 0, m, level + 1);
        lull_cff_say(c, 0, "%s", n > MOST ? more : "");
    }
}

static void registers(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const struct lull_apkt_args p = lull_cff_args(c, body);
    const uint32_t reg = lull_mesa_cp_set_constant__number(&p) + REGISTERS;
    if (lull_mesa_cp_set_constant__indirect(&p) == 0) { // the values themselves
        const struct lull_cff_words w = lull_cff_part(body, 1, UINT32_MAX);
        lull_cff_write(c, reg, w.words, w.n, level + 1);
        return;
    }
    const uint32_t from = lull_mesa_cp_set_constant__reg(&p) % LULL_CFF_REGS;
    const uint32_t add = lull_mesa_cp_set_constant__add(&p), sum = c->vals[from] + add;
    const struct lull_dom_hit to_hit = lull_dom_lookup(c->index, reg);
    const struct lull_dom_hit from_hit = lull_dom_lookup(c->index, from);
    struct lull_str text = {0};
    lull_cff_name(c->dom.colors, &to_hit, reg, &text);
    lull_str_addf(&text, " = %08x + ", add);
    lull_cff_name(c->dom.colors, &from_hit, from, &text);
    lull_cff_say(c, 0, "%s%s (%08x)\n", lull_cff_tabs(level), lull_str_text(&text), c->vals[from]);
    lull_str_free(&text);
    lull_cff_write(c, reg, &sum, 1, level + 1);
}

void lull_cff_set_constant(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    enum { ALU, FETCH, BOOL, LOOP, REGISTER };
    const struct lull_apkt_args p = lull_cff_args(c, body);
    const uint32_t number = lull_mesa_cp_set_constant__number(&p);
    const struct lull_cff_words w = lull_cff_part(body, 1, UINT32_MAX);
    switch (lull_mesa_cp_set_constant__type(&p)) {
    case ALU:
        lull_cff_floats(c, 0, w, level + 1);
        break;
    case FETCH:
        if (number < SHADER_CONSTANTS) {
            texture(c, w, number, level);
        } else {
            vertices(c, w, number, level);
        }
        break;
    case BOOL:
        lull_cff_say(c, 0, "%sset bool const %04x\n", lull_cff_tabs(level), number);
        break;
    case LOOP:
        lull_cff_say(c, 0, "%sset loop const %04x\n", lull_cff_tabs(level), number);
        break;
    case REGISTER:
        registers(c, body, level);
        break;
    default:
        break;
    }
}

void lull_cff_im_load(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    static const struct {
        const char *name, *ext;
    } types[] = {{"vertex", "vo"}, {"fragment", "fo"}, {"<unknown>", NULL}};
    const struct lull_apkt_args p = lull_cff_args(c, body);
    const uint32_t what = lull_mesa_cp_im_load_immediate__type(&p);
    const unsigned type = what < 2 ? what : 2;
    const struct lull_cff_words w = lull_cff_part(body, 2, UINT32_MAX);
    lull_cff_say(c, 0, "%s%s shader, start=%04x, size=%04x\n", lull_cff_tabs(level),
                 types[type].name, lull_mesa_cp_im_load_immediate__start(&p),
                 lull_mesa_cp_im_load_immediate__size(&p));
    // A shader may go beyond its packet, in Mesa as here.
    const struct lull_cff_words m = w.nowhere ? w : lull_cff_memory(c, w.address, UINT32_MAX);
    struct lull_str text = {0};
    lull_a2xx_disasm(m.words, m.n, what == 1 ? LULL_A2XX_FRAGMENT : LULL_A2XX_VERTEX,
                     lull_cff_tabs(level + 2), &text);
    lull_cff_text(c, 0, lull_str_text(&text), text.size);
    lull_str_free(&text);
    lull_cff_shader_file(c, w, types[type].ext);
}
