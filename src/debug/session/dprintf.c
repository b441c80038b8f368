// SPDX-License-Identifier: MIT
/* dprintf: text of a format and values of the lanes that came there. */
#include "debug/session/dprintf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/session/engine.h"

void lull_dprintf_free(struct lull_dprintf *p)
{
    for (unsigned i = 0; p != NULL && i < p->nargs; i++) {
        lull_expr_free(p->args[i]);
        free(p->texts[i]);
    }
    if (p != NULL) {
        free(p->format);
        free(p);
    }
}

/** The character behind a backslash; 0: not one that formats have. */
static char escaped(char c)
{
    static const char from[] = "nt\\\"abfrv", to[] = "\n\t\\\"\a\b\f\r\v";
    const char *at = c != '\0' ? strchr(from, c) : NULL;
    return at != NULL ? to[at - from] : '\0';
}

/** The string at *@p at, which is moved behind its quote. */
LULL_MUST_USE static struct lull_error *parse_string(const char **at, struct lull_dprintf *p)
{
    const char *c = *at;
    if (*c++ != '"') {
        return lull_error_new(LULL_ERR_INVALID, "a format in quotes belongs behind the place");
    }
    p->format = malloc(strlen(c) + 1);
    if (p->format == NULL) {
        return &lull_enomem;
    }
    for (; *c != '"'; c++) {
        const bool escape = *c == '\\';
        if (c[escape] == '\0') {
            return lull_error_new(LULL_ERR_INVALID, "the format does not end");
        }
        const char one = escape ? escaped(c[1]) : *c;
        if (one == '\0') {
            return lull_error_new(LULL_ERR_INVALID, "the format has '\\%c'", c[1]);
        }
        c += escape;
        p->format[p->size++] = one;
    }
    *at = c + 1;
    return NULL;
}

/** How many values the format takes. LULL_ERR_INVALID: it is not a format. */
LULL_MUST_USE static struct lull_error *count_values(struct lull_dprintf *p, unsigned *ret)
{
    struct lull_printf_conv conv = {0};
    struct lull_printf_diag diag = {0};
    size_t at = 0;
    int more = 0;
    *ret = 0;
    while ((more = lull_printf_next(p->format, p->size, &at, &conv, &diag)) > 0) {
        if (conv.vector > 1) {
            return lull_error_new(LULL_ERR_INVALID,
                                  "'%.*s' does not work here: print each component", (int)conv.size,
                                  p->format + conv.offset);
        }
        p->nstrings += conv.conversion == 's';
        *ret += conv.conversion != '%';
    }
    return more < 0 ? lull_error_new(LULL_ERR_INVALID, "the format: %s", diag.message) : NULL;
}

LULL_MUST_USE static struct lull_error *parse(struct lull_debug *d, const char *text,
                                              struct lull_dprintf *p)
{
    unsigned wanted = 0;
    struct lull_error *err = parse_string(&text, p);
    err = err != NULL ? err : count_values(p, &wanted);
    for (; err == NULL && *text == ','; text++) {
        const char *end = ++text;
        if (p->nargs == LULL_DPRINTF_ARGS) {
            return lull_error_new(LULL_ERR_INVALID, "more than %d values", LULL_DPRINTF_ARGS);
        }
        err = lull_debug_parse_part(d, text, &end, &p->args[p->nargs]);
        if (err == NULL) {
            p->texts[p->nargs] = strndup(text, (size_t)(end - text));
            err = p->texts[p->nargs++] == NULL ? &lull_enomem : NULL;
        }
        text = end - 1;
    }
    if (err == NULL && *text != '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "'%s' stands where ',' or the end belongs", text);
    }
    if (err == NULL && p->nargs != wanted) {
        err = lull_error_new(LULL_ERR_INVALID, "the format takes %u values, and there are %u",
                             wanted, p->nargs);
    }
    return err;
}

struct lull_error *lull_dprintf_parse(struct lull_debug *d, const char *text,
                                      struct lull_dprintf **ret)
{
    struct lull_dprintf *p = calloc(1, sizeof *p);
    struct lull_error *err = p == NULL ? &lull_enomem : parse(d, text, p);
    if (err != NULL) {
        lull_dprintf_free(p);
        return err;
    }
    *ret = p;
    return NULL;
}

/** As printf of shaders has the type: values of fewer than 32 bits are extended. */
static struct lull_printf_type type_of(const struct lull_value *v)
{
    const unsigned bits = lull_ctype_bits(v->type);
    const bool is_float = lull_ctype_is_float(v->type);
    return (struct lull_printf_type){
        .scalar = v->type.stars != 0 ? LULL_PRINTF_POINTER
                  : is_float         ? (bits == 64   ? LULL_PRINTF_DOUBLE
                                        : bits == 16 ? LULL_PRINTF_HALF
                                                     : LULL_PRINTF_FLOAT)
                  : bits == 64       ? LULL_PRINTF_I64
                                     : LULL_PRINTF_I32,
        .sign = lull_ctype_is_signed(v->type) ? LULL_PRINTF_SIGNED : LULL_PRINTF_UNSIGNED,
        .count = 1,
    };
}

void lull_dprintf_text(const struct lull_dprintf *p, const struct lull_value *values, unsigned lane,
                       struct lull_str *out)
{
    const struct lull_ctype wide = {.kind = LULL_CTYPE_SIGNED, .bits = 64};
    uint32_t dwords[2 * LULL_DPRINTF_ARGS];
    struct lull_printf_type types[LULL_DPRINTF_ARGS];
    struct lull_printf_diags diags = {0};
    size_t n = 0;
    for (unsigned i = 0; i < p->nargs; i++) {
        const struct lull_value *v = &values[i];
        uint64_t bits = v->v[v->lanes > 1 ? lane : 0];
        types[i] = type_of(v);
        bits = lull_ctype_is_signed(v->type) ? lull_value_convert(v->type, bits, wide) : bits;
        dwords[n++] = (uint32_t)bits;
        if (lull_printf_scalar_dwords(types[i].scalar) == 2) {
            dwords[n++] = (uint32_t)(bits >> 32);
        }
    }
    const struct lull_printf_payload payload = {
        .dwords = dwords, .ndwords = n, .types = types, .ntypes = p->nargs};
    (void)lull_printf_text(p->format, p->size, &payload, out, &diags); // It was checked.
}

/** Who prints: workgroup and thread or wave; of a draw, wave and lane. */
static void put_where(const struct lull_debug_wave *w, bool lanes, unsigned lane,
                      struct lull_str *out)
{
    const struct lull_wave_info *i = &w->info;
    if (i->of_draw) {
        lull_str_addf(out, "draw %" PRIu64 " wave %u", i->draw, w->number);
    } else {
        lull_str_addf(out, "workgroup %u,%u,%u %s %u", i->workgroup[0], i->workgroup[1],
                      i->workgroup[2], lanes ? "thread" : "wave",
                      lanes ? i->wave_in_group * i->lanes + lane : i->wave_in_group);
    }
    if (lanes && i->of_draw) {
        lull_str_addf(out, " lane %u", lane);
    }
}

LULL_MUST_USE static struct lull_error *print(struct lull_debug *d, const struct lull_breakpoint *b,
                                              const struct lull_debug_wave *w,
                                              const struct lull_value *values)
{
    const struct lull_dprintf *what = lull_debug_print_at(b, w->info.pc);
    lull_cleanup(lull_str_free) struct lull_str where = {0};
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    bool per_lane = w->lanes != 0;
    for (unsigned i = 0; i < what->nargs; i++) {
        per_lane = per_lane || values[i].lanes > 1;
    }
    uint64_t left = !per_lane ? 1 : w->lanes != 0 ? w->lanes : w->info.exec;
    for (; left != 0 && text.err == NULL && where.err == NULL; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        text.size = where.size = 0;
        put_where(w, per_lane, lane, &where);
        lull_dprintf_text(what, values, lane, &text);
        if (text.err == NULL && where.err == NULL) {
            d->printed(d->run_ctx, b->number, lull_str_text(&where), lull_str_text(&text));
        }
    }
    return text.err != NULL ? text.err : where.err;
}

struct lull_error *lull_dprintf_print(struct lull_debug *d, const struct lull_breakpoint *b,
                                      const struct lull_debug_wave *w)
{
    const unsigned focus = d->focus;
    const bool had = d->has_focus;
    struct lull_value *values = calloc(LULL_DPRINTF_ARGS, sizeof *values);
    struct lull_error *err = values == NULL ? &lull_enomem : NULL;
    const struct lull_dprintf *what = lull_debug_print_at(b, w->info.pc);
    d->focus = w->number;
    d->has_focus = true;
    for (unsigned i = 0; err == NULL && i < what->nargs; i++) {
        err = lull_debug_value(d, what->args[i], &values[i]);
    }
    d->focus = focus;
    d->has_focus = had;
    if (err == NULL && d->printed != NULL) {
        err = print(d, b, w, values);
    }
    free(values);
    return lull_error_in(err, "dprintf %u", b->number);
}
