// SPDX-License-Identifier: MIT
#include "cc/options.h"

#include <stddef.h>
#include <string.h>

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

// Options of the form NAME=VALUE.
LULL_MUST_USE static struct lull_error *valued(struct lull_cc_options *o, const char *arg,
                                               bool *used)
{
    const char *v = NULL;
    *used = true;
    if ((v = value_of(arg, "-mcpu")) != NULL) {
        o->cpu = v;
    } else if ((v = value_of(arg, "-mattr")) != NULL) {
        o->attrs = v;
    } else if ((v = value_of(arg, "-mtriple")) != NULL) {
        o->triple = v;
    } else if ((v = value_of(arg, "--layout")) != NULL) {
        o->layout = v;
    } else if ((v = value_of(arg, "--emit")) != NULL) {
        return emit_option(v, &o->emit);
    } else {
        *used = false;
    }
    return NULL;
}

// Options that are one word.
static bool flag(struct lull_cc_options *o, const char *arg)
{
    if (strcmp(arg, "--printf") == 0) {
        o->printf = true;
    } else if (strcmp(arg, "--relocatable") == 0) {
        o->relocatable = true;
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
    bool used = flag(o, arg);
    if (used) {
        return NULL;
    }
    const bool layout = strcmp(arg, "--layout") == 0;
    if (layout || strcmp(arg, "-o") == 0) {
        if (*i + 1 == argc) {
            return lull_error_new(LULL_ERR_INVALID, "%s needs a file", arg);
        }
        *(layout ? &o->layout : &o->output) = argv[++*i];
        return NULL;
    }
    struct lull_error *err = valued(o, arg, &used);
    if (err != NULL || used) {
        return err;
    }
    if (arg[0] == '-' && arg[1] != '\0') {
        return lull_error_new(LULL_ERR_INVALID, "no option '%s'", arg);
    }
    if (o->input != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "one file at a time: '%s' and '%s'", o->input, arg);
    }
    o->input = arg;
    return NULL;
}

struct lull_error *lull_cc_options(int argc, char **argv, struct lull_cc_options *ret)
{
    *ret = (struct lull_cc_options){.opt_level = 2};
    struct lull_error *err = NULL;
    for (int i = 0; err == NULL && i < argc; i++) {
        err = one(ret, argc, argv, &i);
    }
    if (err == NULL && ret->input == NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "no file given");
    }
    if (err == NULL && ret->layout != NULL && ret->relocatable) {
        err = lull_error_new(LULL_ERR_INVALID, "--relocatable is without a layout; --layout alone "
                                               "compiles for one");
    }
    return err;
}
