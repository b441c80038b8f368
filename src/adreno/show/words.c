// SPDX-License-Identifier: MIT
#include "adreno/show/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/show/walk.h"
#include "isa/ir3/ir3.h"

enum { MOST_PARAMS = 1 << 16 };

static void add(struct lull_str *out, const char *text)
{
    lull_str_add(out, text, strlen(text));
}

void lull_cap_name(const struct lull_dom_hit *hit, uint32_t reg, struct lull_str *out)
{
    if (hit->reg == NULL) {
        lull_str_prefixed(out, reg);
    } else {
        lull_dom_name(hit, out);
    }
}

void lull_cap_where(struct lull_cap *c, uint64_t address, struct lull_str *out)
{
    if (address == 0) {
        return;
    }
    const struct lull_cap_buffer *b = lull_cap_buffer_at(c, address);
    if (b == NULL) {
        add(out, " [in no buffer]");
        return;
    }
    add(out, " [buffer 0x");
    lull_str_hex(out, b->address, 1);
    add(out, "+0x");
    lull_str_hex(out, address - b->address, 1);
    add(out, "]");
}

static bool is_address(const struct lull_dom_reg *r)
{
    return r->kind == LULL_DOM_ADDRESS || r->kind == LULL_DOM_WADDRESS;
}

void lull_cap_value(struct lull_cap *c, const struct lull_dom_hit *hit, uint64_t value, bool where,
                    struct lull_str *out)
{
    if (hit->reg == NULL) {
        add(out, "0x");
        lull_str_hex(out, value, 1);
        return;
    }
    if (hit->reg->kind == LULL_DOM_NONE) {
        add(out, "0x");
        lull_str_hex(out, value, 1);
    } else {
        lull_dom_show(&lull_dom_adreno, &c->dom, hit->reg, value, out);
    }
    if (where && is_address(hit->reg)) {
        lull_cap_where(c, value, out);
    }
}

/** Field of @p reg whose name is @p name, or @p name up to @p n with @p end. */
static const struct lull_dom_field *field_of(struct lull_cap *c, const struct lull_dom_reg *reg,
                                             const char *name, size_t n, const char *end)
{
    const struct lull_dom_field *f = NULL;
    const unsigned nf = reg != NULL ? lull_dom_fields(&lull_dom_adreno, reg, &f) : 0;
    for (unsigned i = 0; i < nf; i++) {
        if (lull_dom_holds(&lull_dom_adreno, &c->dom, f[i].cond) &&
            strncmp(f[i].name, name, n) == 0 && strcmp(f[i].name + n, end) == 0) {
            return &f[i];
        }
    }
    return NULL;
}

static uint64_t field_value(const struct lull_dom_field *f, uint32_t word)
{
    const uint32_t mask = f->hi - f->lo >= 31 ? UINT32_MAX : (1u << (f->hi - f->lo + 1)) - 1;
    return (uint64_t)(word >> f->lo & mask) << f->shr;
}

/** An address in two fields, X_LO or X here and X_HI in the next dword: "X = 0x1000". @p ret_only:
 * neither dword has other fields. @return False: there is none. */
static bool pair(struct lull_cap *c, const struct lull_dom *d, struct lull_cap_words w, uint32_t i,
                 bool *ret_only, struct lull_str *out)
{
    const struct lull_dom_hit low = lull_dom_at(&lull_dom_adreno, &c->dom, d, i);
    const struct lull_dom_hit high = lull_dom_at(&lull_dom_adreno, &c->dom, d, i + 1);
    const struct lull_dom_field *f = NULL, *other = NULL;
    const unsigned n = low.reg != NULL ? lull_dom_fields(&lull_dom_adreno, low.reg, &f) : 0;
    if (high.reg == NULL || low.reg == high.reg || i + 1 >= w.n) {
        return false;
    }
    for (unsigned k = 0; k < n; k++) {
        size_t size = strlen(f[k].name);
        size -= size > 3 && strcmp(f[k].name + size - 3, "_LO") == 0 ? 3 : 0;
        const struct lull_dom_field *up = field_of(c, high.reg, f[k].name, size, "_HI");
        if (up == NULL) {
            continue;
        }
        const uint64_t value = field_value(&f[k], w.words[i]) | field_value(up, w.words[i + 1])
                                                                    << 32;
        lull_str_add(out, f[k].name, size);
        add(out, " = 0x");
        lull_str_hex(out, value, 1);
        lull_cap_where(c, value, out);
        *ret_only = n == 1 && lull_dom_fields(&lull_dom_adreno, high.reg, &other) == 1;
        return true;
    }
    return false;
}

void lull_cap_fields(struct lull_cap *c, const struct lull_dom *d, struct lull_cap_words w,
                     void (*each)(void *ctx, const struct lull_dom_hit *hit, const char *text),
                     void *ctx)
{
    struct lull_str s = {0};
    // What an earlier packet chose means nothing here. (In Mesa it lasts.)
    memset(c->dom.has_chosen, 0, sizeof c->dom.has_chosen);
    for (uint32_t i = 0; i < w.n; i++) {
        struct lull_dom_hit hit = lull_dom_at(&lull_dom_adreno, &c->dom, d, i);
        uint64_t value = w.words[i];
        bool only = false;
        if (hit.reg == NULL) {
            continue;
        }
        s.size = 0;
        if (hit.reg->nfields != 0 && pair(c, d, w, i, &only, &s)) {
            each(ctx, &hit, lull_str_text(&s));
            i += only;
            if (only) {
                continue;
            }
        }
        if (hit.reg->width == 64 && hit.dword == 0 && i + 1 < w.n) {
            value |= (uint64_t)w.words[++i] << 32;
        }
        s.size = 0;
        if (hit.reg->kind != LULL_DOM_FIELDS && hit.reg->kind != LULL_DOM_BITSET &&
            hit.reg->name[0] > '9') { // a number is no name
            add(&s, hit.reg->name);
            add(&s, " = ");
        }
        lull_cap_value(c, &hit, value, true, &s);
        each(ctx, &hit, lull_str_text(&s));
    }
    lull_str_free(&s);
}

struct line {
    struct lull_str *out;
    bool more;
};

/** "{ A = 1 }" of one field is "A = 1". */
static void put_entry(void *ctx, const struct lull_dom_hit *hit, const char *text)
{
    struct line *l = ctx;
    size_t n = strlen(text);
    const bool one = n > 4 && text[0] == '{' && text[n - 1] == '}' && strstr(text, " | ") == NULL;
    (void)hit;
    if (strcmp(text, "{ 0 }") == 0) {
        text = "0";
        n = 1;
    } else if (one) {
        text += 2;
        n -= 4;
    }
    add(l->out, l->more ? ", " : "");
    lull_str_add(l->out, text, n);
    l->more = true;
}

void lull_cap_fields_line(struct lull_cap *c, const struct lull_dom *d, struct lull_cap_words w,
                          struct lull_str *out)
{
    struct line l = {.out = out};
    lull_cap_fields(c, d, w, put_entry, &l);
}

void lull_cap_float(uint32_t word, struct lull_str *out)
{
    float f = 0;
    memcpy(&f, &word, sizeof f);
    if (word == 0) {
        add(out, "0");
    } else if ((word & 0x7f800000) == 0 && word >> 31 == 0) { // no float that anybody wrote
        add(out, "#");
        lull_str_dec(out, word);
    } else if (f >= -1e6F && f <= 1e6F && f == (float)(int32_t)f) {
        const int32_t i = (int32_t)f;
        add(out, i < 0 ? "-" : "");
        lull_str_dec(out, (uint64_t)(i < 0 ? -(int64_t)i : i));
    } else {
        char text[32] = "";
        (void)snprintf(text, sizeof text, "%.6g", (double)f);
        if (strtof(text, NULL) != f) {
            (void)snprintf(text, sizeof text, "%.9g", (double)f);
        }
        add(out, text);
    }
}

void lull_cap_modes(unsigned mask, struct lull_str *out)
{
    const char *between = "";
    for (unsigned m = LULL_AS_BINNING; m <= LULL_AS_SYSMEM; m <<= 1) {
        if ((mask & m) != 0) {
            add(out, between);
            add(out, lull_cap_mode_name(m));
            between = "|";
        }
    }
    add(out, mask == 0 ? "no mode" : "");
}

const char *lull_cap_draw_kind(enum lull_cap_draw_kind kind)
{
    static const char *const names[] = {"draw", "dispatch", "blit", "event"};
    return names[kind];
}

static void plural(struct lull_str *out, uint32_t n, const char *one, const char *many)
{
    lull_str_dec(out, n);
    add(out, n == 1 ? one : many);
}

static void at(struct lull_str *out, const char *what, uint64_t address)
{
    add(out, what);
    lull_str_hex(out, address, 1);
}

static void indirect_size(const struct lull_cap_draw *d, struct lull_str *out)
{
    if (d->draws != 1 || d->count_address != 0) {
        add(out, "up to ");
        plural(out, d->draws, " draw, ", " draws, ");
    }
    at(out, "parameters at 0x", d->indirect);
    if (d->count_address != 0) {
        at(out, ", count at 0x", d->count_address);
    }
}

static void sizes(struct lull_str *out, const uint32_t v[3])
{
    for (unsigned i = 0; i < 3; i++) {
        add(out, i != 0 ? "x" : "");
        lull_str_dec(out, v[i]);
    }
}

void lull_cap_draw_size(const struct lull_cap_draw *d, struct lull_str *out)
{
    if (d->kind == LULL_CAP_DISPATCH) {
        if (d->indirect != 0) {
            at(out, "groups at 0x", d->indirect);
        } else {
            sizes(out, d->groups);
            add(out, " groups");
        }
        if (d->local[0] != 0) {
            add(out, " of ");
            sizes(out, d->local);
        }
    } else if (d->kind == LULL_CAP_DRAW) {
        if (d->indirect != 0) {
            indirect_size(d, out);
        } else if (d->count_address != 0) {
            at(out, "vertices by the bytes at 0x", d->count_address);
        } else {
            plural(out, d->vertices, " vertex", " vertices");
            add(out, ", ");
            plural(out, d->instances, " instance", " instances");
        }
        if (d->index_bytes != 0) {
            lull_str_addf(out, ", %u-bit indices", d->index_bytes * 8);
            at(out, " at 0x", d->index_address);
        }
        if (d->first != 0) {
            add(out, ", first ");
            lull_str_dec(out, d->first);
        }
    } else if (d->has_rect) {
        const uint32_t *r = d->rect;
        lull_str_addf(out, "%u,%u-%u,%u to %u,%u-%u,%u", r[0], r[1], r[2], r[3], r[4], r[5], r[6],
                      r[7]);
    }
}

const char *lull_cap_load_name(enum lull_load_what what)
{
    static const char *const names[LULL_LOAD_STATES] = {
        [LULL_LOAD_NOTHING] = "unknown state",
        [LULL_LOAD_SHADER] = "program",
        [LULL_LOAD_CONSTANTS] = "constants",
        [LULL_LOAD_SAMPLERS] = "samplers",
        [LULL_LOAD_TEXTURES] = "textures",
        [LULL_LOAD_UBOS] = "UBOs",
        [LULL_LOAD_IBOS] = "IBOs",
        [LULL_LOAD_SSBO_SIZES] = "SSBO sizes",
        [LULL_LOAD_SSBO_ADDRESSES] = "SSBO addresses",
        [LULL_LOAD_PAIRS] = "pairs",
    };
    return what < LULL_LOAD_STATES ? names[what] : "state";
}

const struct lull_dom *lull_cap_load_domain(const struct lull_cap *c, enum lull_load_what what)
{
    const int domain = lull_load_domain(c->gen, what);
    return domain >= 0 ? &lull_dom_adreno.domains[domain] : NULL;
}

uint32_t lull_cap_param_count(struct lull_cap *c, const struct lull_cap_draw *d, bool *ret_counted,
                              uint32_t *ret_said)
{
    const struct lull_cap_words w = d->count_address != 0 && d->indirect != 0
                                        ? lull_cap_memory(c, d->count_address & ~UINT64_C(3), 1)
                                        : (struct lull_cap_words){0};
    uint32_t n = d->draws;
    *ret_counted = w.n == 1;
    *ret_said = w.n == 1 ? w.words[0] : 0;
    if (w.n == 1 && w.words[0] < n) {
        n = w.words[0];
    }
    return n < MOST_PARAMS ? n : MOST_PARAMS;
}

bool lull_cap_param(struct lull_cap *c, const struct lull_cap_draw *d, uint32_t i,
                    struct lull_cap_params *ret)
{
    static const char *const plain[] = {"vertices", "instances", "first vertex", "first instance"};
    static const char *const indexed[] = {"indices", "instances", "first index", "vertex offset",
                                          "first instance"};
    static const char *const compute[] = {"x", "y", "z"};
    const bool dispatch = d->kind == LULL_CAP_DISPATCH, has_index = d->index_bytes != 0;
    const char *const *names = dispatch ? compute : has_index ? indexed : plain;
    const unsigned n = dispatch ? 3 : has_index ? 5 : 4;
    const struct lull_cap_words w =
        lull_cap_memory(c, (d->indirect & ~UINT64_C(3)) + (uint64_t)i * d->stride, n);
    *ret = (struct lull_cap_params){.address = w.address, .n = w.n};
    for (unsigned k = 0; k < w.n; k++) {
        ret->values[k] = w.words[k];
        ret->names[k] = names[k];
    }
    (void)lull_cap_work(c, n);
    return w.n == n;
}

void lull_cap_disasm(const struct lull_cap *c, const struct lull_cap_shader *s, bool words,
                     struct lull_str *out)
{
    const struct lull_ir3_options o = {.gen = c->gen * 100 + 30, .words = words};
    uint64_t *code = s->n != 0 ? malloc(s->n * sizeof *code) : NULL;
    for (uint32_t i = 0; code != NULL && i < s->n; i++) {
        code[i] = s->words[i * 2] | (uint64_t)s->words[i * 2 + 1] << 32;
    }
    if (code != NULL) {
        lull_ir3_disasm(code, s->n, &o, out);
    }
    free(code);
}
