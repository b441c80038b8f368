// SPDX-License-Identifier: MIT
#include "cli/instrument/choose.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "arch/arch.h"
#include "base/cleanup.h"

static const char *const stages[] = {NULL, "cs", "hs", "gs", "ps"};
static const char *const kinds[] = {"salu", "valu", "smem", "vmem", "lds", "flow", "export"};
enum { SALU, VALU, SMEM, VMEM, LDS, FLOW, EXPORT, NKINDS };

LULL_MUST_USE static struct lull_error *parse_kinds(void *base, const struct lull_opt *o,
                                                    const char *value)
{
    struct lull_choose *c = base;
    for (c->kinds = 0; *value != '\0';) {
        const size_t size = strcspn(value, ",");
        unsigned i = 0;
        while (i < NKINDS && (strlen(kinds[i]) != size || memcmp(kinds[i], value, size) != 0)) {
            i++;
        }
        if (i == NKINDS) {
            return lull_error_new(LULL_ERR_INVALID,
                                  "%s: '%s' is not of salu, valu, smem, vmem, lds, flow and export",
                                  o->name, value);
        }
        c->kinds |= 1u << i;
        value += size + (value[size] == ',');
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *parse_offsets(void *base, const struct lull_opt *o,
                                                      const char *value)
{
    struct lull_choose *c = base;
    char *end = NULL;
    const bool digit = *value >= '0' && *value <= '9';
    const unsigned long long a = strtoull(value, &end, 0);
    unsigned long long b = a;
    if (*end == '-' && end[1] >= '0' && end[1] <= '9') {
        b = strtoull(end + 1, &end, 0);
    }
    c->first = (uint32_t)a;
    c->last = (uint32_t)b + 1;
    return digit && *end == '\0' && a <= b && b < UINT32_MAX
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not A or A-B", o->name, value);
}

const struct lull_opt lull_choose_opts[] = {
    {"--shader", NULL, "S",
     "the shader of which this is the start of the symbol (cs_01ab...) or of the hash, as "
     "`catch dispatch` of lull debug shows them; all if not given",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_choose, shader)},
    {"--stage", NULL, "cs|hs|gs|ps", "shaders of this stage alone", LULL_OPT_CHOICE,
     LULL_OPT_AT(struct lull_choose, stage), .min = 1},
    {"--regex", NULL, "PATTERN", "instructions whose text has this (PCRE2); all if not given",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_choose, regex)},
    {"--kind", NULL, "KINDS",
     "instructions of these kinds, apart by commas: salu, valu, smem, vmem, lds, flow, export",
     LULL_OPT_CALL, .call = parse_kinds},
    {"--offsets", NULL, "A[-B]", "instructions that begin at these bytes of the shader, from 0",
     LULL_OPT_CALL, .call = parse_offsets},
    {0},
};

struct lull_error *lull_choose_start(struct lull_choose *c)
{
    int code = 0;
    PCRE2_SIZE at = 0;
    if (c->regex == NULL) {
        return NULL;
    }
    c->compiled = pcre2_compile((PCRE2_SPTR)c->regex, PCRE2_ZERO_TERMINATED, 0, &code, &at, NULL);
    if (c->compiled == NULL) {
        PCRE2_UCHAR why[128] = "";
        (void)pcre2_get_error_message(code, why, sizeof why);
        return lull_error_new(LULL_ERR_INVALID, "--regex: column %zu: %s", (size_t)at + 1,
                              (const char *)why);
    }
    return NULL;
}

void lull_choose_done(struct lull_choose *c)
{
    pcre2_code_free(c->compiled);
    c->compiled = NULL;
}

static unsigned kind_of(const struct lull_rdna_step *s)
{
    static const uint8_t by_enc[] = {
        [LULL_RDNA_SOP1] = SALU,    [LULL_RDNA_SOP2] = SALU,    [LULL_RDNA_SOPK] = SALU,
        [LULL_RDNA_SOPC] = SALU,    [LULL_RDNA_SOPP] = FLOW,    [LULL_RDNA_SMEM] = SMEM,
        [LULL_RDNA_VOP1] = VALU,    [LULL_RDNA_VOP2] = VALU,    [LULL_RDNA_VOPC] = VALU,
        [LULL_RDNA_VOP3] = VALU,    [LULL_RDNA_VOP3SD] = VALU,  [LULL_RDNA_VOP3P] = VALU,
        [LULL_RDNA_VOPD] = VALU,    [LULL_RDNA_VINTERP] = VALU, [LULL_RDNA_LDSDIR] = LDS,
        [LULL_RDNA_DS] = LDS,       [LULL_RDNA_FLAT] = VMEM,    [LULL_RDNA_GLOBAL] = VMEM,
        [LULL_RDNA_SCRATCH] = VMEM, [LULL_RDNA_MUBUF] = VMEM,   [LULL_RDNA_MTBUF] = VMEM,
        [LULL_RDNA_MIMG] = VMEM,    [LULL_RDNA_EXP] = EXPORT,
    };
    return s->flow != LULL_FLOW_NEXT ? FLOW : by_enc[s->in.enc];
}

/** Is the shader one that is meant? */
static bool is_meant(const struct lull_choose *c, const struct lull_patch *p)
{
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, p->hash);
    const bool named = c->shader == NULL || strncmp(p->symbol, c->shader, strlen(c->shader)) == 0 ||
                       strncmp(hash, c->shader, strlen(c->shader)) == 0;
    return named && (c->stage == 0 || strcmp(stages[c->stage], p->code.kind) == 0);
}

/** Does the text of @p s have what --regex wants? */
LULL_MUST_USE static struct lull_error *matches(const struct lull_choose *c,
                                                pcre2_match_data *found, unsigned lanes,
                                                const struct lull_rdna_step *s, bool *ret)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    const struct lull_rdna_print how = {.wave_size = lanes};
    lull_rdna_show(&s->in, &how, &text);
    const int n =
        pcre2_match(c->compiled, (PCRE2_SPTR)lull_str_text(&text), text.size, 0, 0, found, NULL);
    *ret = n >= 0;
    if (text.err == NULL && n < PCRE2_ERROR_NOMATCH) {
        return lull_error_new(LULL_ERR_INVALID, "--regex: it takes too long on '%s'",
                              lull_str_text(&text));
    }
    return text.err;
}

struct lull_error *lull_choose_insns(void *ctx, const struct lull_patch *p,
                                     const struct lull_rdna_shader *s,
                                     struct lull_patch_choice *ret)
{
    const struct lull_choose *c = ctx;
    struct lull_error *err = NULL;
    if (!is_meant(c, p)) {
        return NULL;
    }
    pcre2_match_data *found =
        c->compiled != NULL ? pcre2_match_data_create_from_pattern(c->compiled, NULL) : NULL;
    for (size_t i = 0; err == NULL && i < s->n; i++) {
        const struct lull_rdna_step *step = &s->steps[i];
        ret->chosen[i] = (c->kinds == 0 || (c->kinds >> kind_of(step) & 1) != 0) &&
                         step->at >= c->first && (c->last == 0 || step->at < c->last);
        if (ret->chosen[i] && c->compiled != NULL) {
            err = matches(c, found, s->lanes, step, &ret->chosen[i]);
        }
        ret->n += ret->chosen[i];
    }
    pcre2_match_data_free(found);
    return err;
}
