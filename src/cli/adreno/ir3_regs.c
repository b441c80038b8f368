// SPDX-License-Identifier: MIT
#include "cli/adreno/ir3_regs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt/series.h"

enum { GPRS = 48, SHARED_END = 56, HALVES = 96, MOST_LOCAL = 1024 };

static const char components[] = "xyzw";

/** A register on the command line. */
struct named {
    bool constant, half;
    unsigned reg;
    int invocation; ///< Negative: all.
    const char *values;
};

/** A number, whole digits only; false: none, or more than @p most. */
static bool digits(const char **at, unsigned long most, unsigned long *ret)
{
    char *end = NULL;
    if (**at < '0' || **at > '9') {
        return false;
    }
    *ret = strtoul(*at, &end, 10);
    *at = end;
    return *ret <= most;
}

/** "hr2.w[3]=" and the like. */
static bool read_name(const char *at, struct named *n)
{
    unsigned long number = 0, invocation = 0;
    n->half = *at == 'h';
    at += n->half;
    n->constant = *at == 'c' && !n->half;
    if (*at != 'c' && *at != 'r') {
        return false;
    }
    at++;
    const unsigned long most = n->constant ? LULL_ADRENO_CONSTS / 4 - 1
                               : n->half   ? HALVES - 1
                                           : SHARED_END - 1;
    const char *component = NULL;
    if (!digits(&at, most, &number) || *at != '.' || at[1] == '\0' ||
        (component = strchr(components, at[1])) == NULL) {
        return false;
    }
    n->reg = 4 * (unsigned)number + (unsigned)(component - components);
    n->invocation = -1;
    at += 2;
    if (*at == '[') {
        at++;
        const bool each = !n->constant && (n->half || number < GPRS);
        if (!each || !digits(&at, MOST_LOCAL - 1, &invocation) || *at++ != ']') {
            return false;
        }
        n->invocation = (int)invocation;
    }
    n->values = at + 1;
    return *at == '=' && at[1] != '\0';
}

/** A float if it has a point, else a whole number. */
static bool read_value(const char **at, bool half, uint32_t *ret)
{
    char *end = NULL;
    const size_t size = strcspn(*at, ",");
    const bool hex = strncmp(*at, "0x", 2) == 0;
    if (!hex && memchr(*at, '.', size) != NULL) {
        const float f = strtof(*at, &end);
        memcpy(ret, &f, sizeof f);
        *ret = half ? lull_type_half((double)f) : *ret;
    } else {
        const long long v = strtoll(*at, &end, 0);
        *ret = (uint32_t)v;
        if (v > (half ? UINT16_MAX : UINT32_MAX) || v < (half ? INT16_MIN : INT32_MIN)) {
            return false;
        }
    }
    const bool ok = end != *at && end == *at + size;
    *at += size + ((*at)[size] == ',');
    return ok;
}

struct lull_error *lull_ir3_regs_set(struct lull_ir3_regs *r, const char *text,
                                     struct lull_adreno_kernel *k)
{
    struct named n = {0};
    if (!read_name(text, &n)) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--set: '%s' is not rN.x=V[,V...], rN.x[INVOCATION]=V, hrN.x=V or "
                              "cN.x=V",
                              text);
    }
    struct lull_error *err = NULL;
    const unsigned end = n.constant ? LULL_ADRENO_CONSTS : 4 * (n.half ? HALVES : SHARED_END);
    for (const char *at = n.values; err == NULL && *at != '\0'; n.reg++) {
        uint32_t value = 0;
        if (!read_value(&at, n.half, &value)) {
            err = lull_error_new(LULL_ERR_INVALID, "--set: '%s': a value is not a number that fits",
                                 text);
        } else if (n.reg == end) {
            err = lull_error_new(LULL_ERR_INVALID, "--set: '%s': there are fewer registers", text);
        } else if (n.constant) {
            err = lull_adreno_kernel_const(k, n.reg, &value, 1);
        } else if (!lull_adreno_wrap_set(&r->wrap, (struct lull_adreno_reg){n.reg, n.half},
                                         n.invocation, value)) {
            err = lull_error_new(LULL_ERR_INVALID, "--set: more than %d values", LULL_ADRENO_SETS);
        }
    }
    return err;
}

struct lull_error *lull_ir3_regs_outputs(struct lull_ir3_regs *r, const struct lull_ir3_shader *s)
{
    enum { MASK_BITS = 4 };
    struct lull_adreno_wrap *w = &r->wrap;
    for (size_t i = 0; i < s->nheaders; i++) {
        const struct lull_ir3_header *h = &s->headers[i];
        const uint32_t mask = h->nvalues > 0 ? h->values[0] : 1;
        if (strcmp(h->name, "out") != 0 || h->kind != LULL_IR3_GPR) {
            continue;
        }
        if (h->reg + MASK_BITS > 4 * (h->half ? HALVES : GPRS)) {
            continue; // r63.x: an output that is not written.
        }
        if (r->noutputs == LULL_IR3_OUTPUTS) {
            return lull_error_new(LULL_ERR_INVALID, "line %u: more than %d of @out", h->line,
                                  LULL_IR3_OUTPUTS);
        }
        struct lull_ir3_output *o = &r->outputs[r->noutputs++];
        *o = (struct lull_ir3_output){.first = {h->reg, h->half}};
        while (o->n < MASK_BITS && mask >> o->n != 0) {
            w->outs[w->nouts++] = (struct lull_adreno_reg){h->reg + o->n++, h->half};
        }
    }
    return NULL;
}

_Static_assert(LULL_IR3_OUTPUTS * 4 <= LULL_ADRENO_OUTS, "all outputs fit");

static double number(uint32_t bits, bool half)
{
    uint8_t bytes[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                        (uint8_t)(bits >> 24)};
    return lull_type_float(lull_type_find(half ? "f16" : "f32"), bytes);
}

/** Values of components @p at to @p at + @p n of an invocation. False: it was killed. */
static bool values(const struct lull_ir3_regs *r, unsigned invocation, size_t at, unsigned n,
                   uint32_t *ret)
{
    bool there = true;
    for (unsigned k = 0; k < n; k++) {
        there = lull_adreno_wrap_out(&r->wrap, invocation, at + k, &ret[k]) && there;
    }
    return there;
}

void lull_ir3_regs_print(const struct lull_ir3_regs *r, struct lull_str *out)
{
    size_t at = 0;
    for (unsigned i = 0; i < r->noutputs; i++) {
        const struct lull_ir3_output *o = &r->outputs[i];
        lull_str_addf(out, "%sr%u.%c:\n", o->first.half ? "h" : "", o->first.reg / 4,
                      components[o->first.reg % 4]);
        for (unsigned n = 0; n < r->invocations; n++) {
            uint32_t v[4] = {0};
            lull_str_addf(out, "\t[%u]", n);
            if (!values(r, n, at, o->n, v)) {
                lull_str_addf(out, " killed\n");
                continue;
            }
            for (unsigned k = 0; k < o->n; k++) {
                lull_str_addf(out, " %0*" PRIx32, o->first.half ? 4 : 8, v[k]);
            }
            for (unsigned k = 0; k < o->n; k++) {
                lull_str_addf(out, " %8f", number(v[k], o->first.half));
            }
            lull_str_addf(out, "\n");
        }
        at += o->n;
    }
}

void lull_ir3_regs_json(const struct lull_ir3_regs *r, struct lull_json *j)
{
    size_t at = 0;
    lull_json_open(j, '[');
    for (unsigned i = 0; i < r->noutputs; i++) {
        const struct lull_ir3_output *o = &r->outputs[i];
        char name[16];
        snprintf(name, sizeof name, "%sr%u.%c", o->first.half ? "h" : "", o->first.reg / 4,
                 components[o->first.reg % 4]);
        lull_json_open(j, '{');
        lull_json_put_str(j, "register", name);
        lull_json_key(j, "invocations");
        lull_json_open(j, '[');
        for (unsigned n = 0; n < r->invocations; n++) {
            uint32_t v[4] = {0};
            if (!values(r, n, at, o->n, v)) {
                lull_json_null(j);
                continue;
            }
            lull_json_open(j, '[');
            for (unsigned k = 0; k < o->n; k++) {
                lull_json_u64(j, v[k]);
            }
            lull_json_close(j, ']');
        }
        lull_json_close(j, ']');
        lull_json_close(j, '}');
        at += o->n;
    }
    lull_json_close(j, ']');
}

void lull_ir3_regs_done(struct lull_ir3_regs *r)
{
    lull_adreno_wrap_done(&r->wrap);
}
