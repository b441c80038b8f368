// SPDX-License-Identifier: MIT
#include "cc/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "link/layout.h"

// The value of an option written "NAME=VALUE"; NULL if arg is another option.
static const char *value_of(const char *arg, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(arg, name, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

LULL_MUST_USE static struct lull_error *emit_option(const char *value, enum lull_cc_emit *ret)
{
    static const char *const names[] = {"elf", "asm", "ll", "bc"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(value, names[i]) == 0) {
            *ret = (enum lull_cc_emit)i;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "--emit: '%s' is none of elf, asm, ll, bc", value);
}

// Names from a list, apart by commas: a bit each.
LULL_MUST_USE static struct lull_error *record_option(const char *value, unsigned *ret)
{
    static const char *const names[] = {"dispatch", "workgroup", "wave", "lane"};
    for (const char *at = value; at != NULL;) {
        const size_t n = strcspn(at, ",");
        unsigned bit = 0;
        for (unsigned i = 0; i < 4; i++) {
            bit |= strlen(names[i]) == n && memcmp(at, names[i], n) == 0 ? 1u << i : 0;
        }
        if (bit == 0) {
            return lull_error_new(
                LULL_ERR_INVALID,
                "--printf-record: '%.*s' is none of dispatch, workgroup, wave, lane", (int)n, at);
        }
        *ret |= bit;
        at = at[n] == ',' ? at + n + 1 : NULL;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *atomic_option(const char *value, bool *ret_lane)
{
    *ret_lane = strcmp(value, "lane") == 0;
    return *ret_lane || strcmp(value, "wave") == 0
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "--printf-atomic: '%s' is neither wave nor lane",
                                value);
}

// Decimal or 0x...
LULL_MUST_USE static struct lull_error *number(const char *name, const char *value, uint64_t max,
                                               uint64_t *ret)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long n = strtoull(value, &end, 0);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || n > max) {
        return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not a number up to %llu", name, value,
                              (unsigned long long)max);
    }
    *ret = n;
    return NULL;
}

// ID=VALUE
LULL_MUST_USE static struct lull_error *spec_option(const char *value, struct lull_cc_options *o)
{
    char *end = NULL;
    errno = 0;
    const unsigned long id = strtoul(value, &end, 0);
    if (value[0] < '0' || value[0] > '9' || *end != '=' || end[1] == '\0' || errno != 0 ||
        id > UINT32_MAX) {
        return lull_error_new(LULL_ERR_INVALID, "--spec: '%s' is not ID=VALUE", value);
    }
    if (o->nspecs == LULL_CC_MAX_SPECS) {
        return lull_error_new(LULL_ERR_INVALID, "--spec: more than %d", LULL_CC_MAX_SPECS);
    }
    o->specs[o->nspecs++] = (struct lull_cc_spec){.id = (uint32_t)id, .value = end + 1};
    return NULL;
}

// Options with a value, written NAME=VALUE or NAME VALUE.
enum valued {
    OUTPUT,
    CPU,
    ATTRS,
    TRIPLE,
    LAYOUT,
    EMIT,
    STRINGS,
    RECORD,
    ATOMIC,
    SIZE,
    SET,
    BINDING,
    ENTRY,
    SPEC,
    NVALUED,
};

static const char *const valued_names[NVALUED] = {
    [OUTPUT] = "-o",
    [CPU] = "-mcpu",
    [ATTRS] = "-mattr",
    [TRIPLE] = "-mtriple",
    [LAYOUT] = "--layout",
    [EMIT] = "--emit",
    [STRINGS] = "--printf-strings",
    [RECORD] = "--printf-record",
    [ATOMIC] = "--printf-atomic",
    [SIZE] = "--printf-size",
    [SET] = "--printf-set",
    [BINDING] = "--printf-binding",
    [ENTRY] = "--entry",
    [SPEC] = "--spec",
};

LULL_MUST_USE static struct lull_error *set(struct lull_cc_options *o, enum valued which,
                                            const char *v)
{
    switch (which) {
    case OUTPUT:
        o->output = v;
        break;
    case CPU:
        o->cpu = v;
        break;
    case ATTRS:
        o->attrs = v;
        break;
    case TRIPLE:
        o->triple = v;
        break;
    case LAYOUT:
        o->layout = v;
        break;
    case EMIT:
        return emit_option(v, &o->emit);
    case STRINGS:
        o->printf_strings = v;
        break;
    case RECORD:
        return record_option(v, &o->printf_records);
    case ATOMIC:
        return atomic_option(v, &o->printf_lane);
    case SIZE:
        return number(valued_names[which], v, UINT64_MAX, &o->printf_size);
    case SET:
        return number(valued_names[which], v, UINT32_MAX, &o->printf_set);
    case BINDING:
        return number(valued_names[which], v, UINT32_MAX, &o->printf_binding);
    case ENTRY:
        o->entry = v;
        break;
    case SPEC:
        return spec_option(v, o);
    case NVALUED:
        break;
    }
    return NULL;
}

// Options that are one word.
static bool flag(struct lull_cc_options *o, const char *arg)
{
    if (strcmp(arg, "--printf") == 0) {
        o->printf = true;
    } else if (strcmp(arg, "-g") == 0) {
        o->debug = true;
    } else if (strcmp(arg, "--relocatable") == 0) {
        o->relocatable = true;
    } else if (strcmp(arg, "--primitive-id") == 0) {
        o->primitive_id = true;
    } else if (strcmp(arg, "--multiview") == 0) {
        o->multiview = true;
    } else if (strcmp(arg, "--emit-ir") == 0) {
        o->emit = LULL_CC_IR;
    } else if (strcmp(arg, "-Og") == 0) {
        o->opt_level = LULL_COMPILE_OG;
    } else if (arg[0] == '-' && arg[1] == 'O' && arg[2] >= '0' && arg[2] <= '3' && arg[3] == '\0') {
        o->opt_level = (unsigned)(arg[2] - '0');
    } else {
        return false;
    }
    return true;
}

LULL_MUST_USE static struct lull_error *one(struct lull_cc_options *o, int argc, char **argv,
                                            int *i)
{
    const char *arg = argv[*i];
    if (flag(o, arg)) {
        return NULL;
    }
    for (unsigned which = 0; which < NVALUED; which++) {
        const char *value = value_of(arg, valued_names[which]);
        if (value == NULL && strcmp(arg, valued_names[which]) == 0) {
            if (*i + 1 == argc) {
                return lull_error_new(LULL_ERR_INVALID, "%s needs a value", arg);
            }
            value = argv[++*i];
        }
        if (value != NULL) {
            return set(o, (enum valued)which, value);
        }
    }
    if (arg[0] == '-' && arg[1] != '\0') {
        return lull_error_new(LULL_ERR_INVALID, "no option '%s'", arg);
    }
    if (o->nbefore == LULL_CC_MAX_BEFORE) {
        return lull_error_new(LULL_ERR_INVALID, "up to %d files at a time: '%s' is one more",
                              LULL_CC_MAX_BEFORE + 1, arg);
    }
    if (o->input != NULL) {
        o->before[o->nbefore++] = o->input;
    }
    o->input = arg;
    return NULL;
}

struct lull_error *lull_cc_options(int argc, char **argv, struct lull_cc_options *ret)
{
    *ret = (struct lull_cc_options){
        .opt_level = 2,
        .printf_set = LULL_LAYOUT_PRINTF_SET,
        .printf_binding = LULL_LAYOUT_PRINTF_BINDING,
    };
    struct lull_error *err = NULL;
    for (int i = 0; err == NULL && i < argc; i++) {
        err = one(ret, argc, argv, &i);
    }
    if (err == NULL && ret->input == NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "no file given");
    }
    if (err == NULL && ret->nbefore != 0 && (ret->nspecs != 0 || ret->entry != NULL)) {
        err = lull_error_new(LULL_ERR_INVALID,
                             "--spec and --entry are for one file, not for several");
    }
    if (err == NULL && ret->layout != NULL && ret->relocatable) {
        err = lull_error_new(LULL_ERR_INVALID, "--relocatable is without a layout; --layout alone "
                                               "compiles for one");
    }
    return err;
}
