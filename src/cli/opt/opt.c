// SPDX-License-Identifier: MIT
// Command lines by the rows of their commands.
#include "cli/opt/opt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/str.h"

struct lull_error *lull_opt_number(const char *what, const char *text, uint64_t min, uint64_t max,
                                   uint64_t *ret)
{
    char *end = NULL;
    const char *shown = text != NULL ? text : "";
    const bool hex = shown[0] == '0' && (shown[1] == 'x' || shown[1] == 'X');
    errno = 0;
    const unsigned long long v =
        shown[0] >= '0' && shown[0] <= '9' ? strtoull(shown, &end, hex ? 16 : 10) : 0;
    if (end != NULL && *end == '\0' && errno == 0 && v >= min && v <= max) {
        *ret = v;
        return NULL;
    }
    if (min != 0) {
        return lull_error_new(LULL_ERR_INVALID,
                              "%s: '%s' is not a number from %" PRIu64 " to %" PRIu64, what, shown,
                              min, max);
    }
    return max == UINT64_MAX
               ? lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not a number", what, shown)
               : lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not a number up to %" PRIu64, what,
                                shown, max);
}

static bool is_option(const struct lull_opt *o)
{
    return o->name[0] == '-';
}

static bool same(const char *name, const char *text, size_t n)
{
    return name != NULL && strlen(name) == n && memcmp(name, text, n) == 0;
}

/** The option called by the first @p n bytes of @p text; NULL: none. */
static const struct lull_opt *find(const struct lull_form *f, const char *text, size_t n,
                                   const struct lull_opt_group **ret)
{
    const struct lull_opt *begins = NULL;
    bool several = false;
    for (const struct lull_opt_group *g = f->groups; g->opts != NULL; g++) {
        for (const struct lull_opt *o = g->opts; o->name != NULL; o++) {
            if (!is_option(o)) {
                continue;
            }
            if (same(o->name, text, n) || same(o->other, text, n)) {
                *ret = g;
                return o;
            }
            if (n > 2 && text[1] == '-' &&
                (strncmp(o->name, text, n) == 0 ||
                 (o->other != NULL && !strncmp(o->other, text, n)))) {
                several = several || begins != NULL;
                begins = o;
                *ret = g;
            }
        }
    }
    return (f->flags & LULL_FORM_SHORTENED) != 0 && !several ? begins : NULL;
}

/** The value of an option that needs one: @p joined, or the next word. */
static void take_value(struct lull_opt_scan *s, const char *joined, struct lull_opt_item *ret)
{
    s->letters = NULL;
    ret->value = joined;
    if (joined == NULL && s->at < s->argc) {
        ret->value = s->argv[s->at];
        ret->last = s->at++;
    }
}

/** The next of the letters of a word, such as "-sa" or "-j4". */
static void take_letter(struct lull_opt_scan *s, struct lull_opt_item *ret)
{
    const char name[2] = {'-', *s->letters++};
    const char *rest = *s->letters != '\0' ? s->letters : NULL;
    ret->opt = find(s->form, name, sizeof name, &ret->group);
    s->letters = rest;
    if (ret->opt == NULL) {
        s->letters = NULL;
    } else if (ret->opt->value != NULL) {
        take_value(s, rest, ret);
    }
}

static void take_option(struct lull_opt_scan *s, struct lull_opt_item *ret)
{
    const char *equals = strchr(ret->word, '=');
    const size_t n = equals != NULL ? (size_t)(equals - ret->word) : strlen(ret->word);
    ret->opt = find(s->form, ret->word, n, &ret->group);
    if (ret->opt == NULL && ret->word[1] != '-') {
        s->letters = ret->word + 1;
        take_letter(s, ret);
    } else if (ret->opt != NULL && ret->opt->value != NULL) {
        take_value(s, equals != NULL ? equals + 1 : NULL, ret);
    } else {
        ret->extra = ret->opt != NULL && equals != NULL;
    }
}

/** Does the word look like an option of @p form? */
static bool looks(const struct lull_form *form, const char *word)
{
    const struct lull_opt_group *group = NULL;
    const bool two = word[0] == '-' && word[1] == '-' && word[2] != '\0';
    const char c = (char)(word[word[0] == '-' ? 1 + two : 0] | 0x20);
    if (word[0] != '-' || word[1] == '\0') {
        return false;
    }
    if ((form->flags & LULL_FORM_DASHES) == 0) {
        return true;
    }
    const bool letter = c >= 'a' && c <= 'z';
    if (two) {
        return letter; // else as "--%d", a text
    }
    return letter && find(form, word, strcspn(word, "="), &group) != NULL;
}

bool lull_opt_next(struct lull_opt_scan *s, struct lull_opt_item *ret)
{
    *ret = (struct lull_opt_item){0};
    if (s->letters != NULL) {
        ret->first = ret->last = s->at - 1;
        ret->word = s->argv[ret->first];
        take_letter(s, ret);
        return true;
    }
    if (!s->operands && s->at < s->argc && strcmp(s->argv[s->at], "--") == 0) {
        s->operands = true;
        s->at++;
    }
    if (s->at >= s->argc) {
        return false;
    }
    ret->first = ret->last = s->at++;
    ret->word = s->argv[ret->first];
    ret->operand = s->operands || !looks(s->form, ret->word);
    if (!ret->operand) {
        take_option(s, ret);
        return true;
    }
    ret->value = ret->word;
    s->operands = s->operands || (s->form->flags & LULL_FORM_PROGRAM) != 0;
    return true;
}

/** Number of a row in its form. */
static unsigned row_number(const struct lull_form *f, const struct lull_opt *opt)
{
    unsigned n = 0;
    for (const struct lull_opt_group *g = f->groups; g->opts != NULL; g++) {
        for (const struct lull_opt *o = g->opts; o->name != NULL; o++, n++) {
            if (o == opt) {
                return n;
            }
        }
    }
    return LULL_OPT_MOST - 1; // of no form
}

LULL_MUST_USE static struct lull_error *choice(const struct lull_opt *o, const char *value,
                                               uint64_t *ret)
{
    *ret = 0;
    for (const char *at = o->value; *at != '\0'; ++*ret) {
        const size_t n = strcspn(at, "|");
        if (same(value, at, n)) {
            return NULL;
        }
        at += n + (at[n] == '|');
    }
    struct lull_str words = {0};
    for (const char *at = o->value; *at != '\0';) {
        const size_t n = strcspn(at, "|");
        lull_str_addf(&words, "%s%.*s", at == o->value ? "" : " or ", (int)n, at);
        at += n + (at[n] == '|');
    }
    struct lull_error *err = lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not %s", o->name, value,
                                            lull_str_text(&words));
    lull_str_free(&words);
    return err;
}

static void put(const struct lull_opt *o, char *base, const void *from)
{
    memcpy(base + o->at, from, o->size); // of integers the low bytes: this machine's order
}

/** Store what option or operand @p o says; @p base is the struct of its group. */
LULL_MUST_USE static struct lull_error *store(const struct lull_opt *o, char *base,
                                              const char *value)
{
    uint64_t n = 0;
    struct lull_error *err = NULL;
    switch (o->kind) {
    case LULL_OPT_FLAG:
    case LULL_OPT_OFF:
        put(o, base, &(bool){o->kind == LULL_OPT_FLAG});
        break;
    case LULL_OPT_SET:
        put(o, base, &o->min);
        break;
    case LULL_OPT_TEXT:
    case LULL_OPT_IN:
    case LULL_OPT_OUT:
        put(o, base, &value);
        break;
    case LULL_OPT_NUMBER:
    case LULL_OPT_CHOICE:
        err = o->kind == LULL_OPT_CHOICE
                  ? choice(o, value, &n)
                  : lull_opt_number(o->name, value, o->min, o->max != 0 ? o->max : UINT64_MAX, &n);
        n += o->kind == LULL_OPT_CHOICE ? o->min : 0;
        if (err == NULL && o->call == NULL) {
            put(o, base, &n);
        }
        return err != NULL || o->call == NULL ? err : o->call(base, o, value);
    case LULL_OPT_CALL:
        return o->call(base, o, value);
    case LULL_OPT_PASS:
    case LULL_OPT_REST:
        break;
    }
    return NULL;
}

/** What is being parsed. */
struct parse {
    struct lull_opts *o;
    struct lull_opt_scan scan;
    struct lull_files files;
    unsigned nwords; ///< At the front of argv, of LULL_OPT_MANY.
};

static void note_file(struct parse *p, const struct lull_opt *o, const char *value)
{
    if (o->kind == LULL_OPT_IN) {
        lull_files_in(&p->files, value);
    } else if (o->kind == LULL_OPT_OUT) {
        lull_files_out(&p->files, value);
    }
}

LULL_MUST_USE static struct lull_error *take(struct parse *p, const struct lull_opt_item *item)
{
    const struct lull_opt *o = item->opt;
    if (o == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "no option '%s'", item->word);
    }
    if (item->extra) {
        return lull_error_new(LULL_ERR_INVALID, "%s takes no value: '%s'", o->name, item->word);
    }
    const bool file = o->kind == LULL_OPT_IN || o->kind == LULL_OPT_OUT;
    if (o->value != NULL && (item->value == NULL || (file && item->value[0] == '\0'))) {
        return lull_error_new(LULL_ERR_INVALID, "%s needs a value: %s", o->name, o->value);
    }
    uint8_t *seen = &p->o->seen[row_number(p->o->form, o)];
    if (*seen != 0 && o->value != NULL && (o->flags & (LULL_OPT_MANY | LULL_OPT_LAST)) == 0) {
        return lull_error_new(LULL_ERR_INVALID, "%s is given twice", o->name);
    }
    *seen = 1;
    p->o->newest = o;
    note_file(p, o, item->value);
    return store(o, (char *)p->o->base + item->group->at, item->value);
}

/** The row that the next operand is for: behind "--" the rest, if there is such a row; else the
 * first that is still free. NULL: none is left. */
static const struct lull_opt *next_operand(const struct parse *p, const struct lull_opt_group **ret)
{
    const struct lull_opt *found = NULL;
    unsigned n = 0;
    for (const struct lull_opt_group *g = p->o->form->groups; g->opts != NULL; g++) {
        for (const struct lull_opt *o = g->opts; o->name != NULL; o++, n++) {
            const bool rest = o->kind == LULL_OPT_REST;
            const bool free = p->o->seen[n] == 0 || (o->flags & LULL_OPT_MANY) != 0;
            if (!is_option(o) && (rest ? p->scan.operands : found == NULL && free)) {
                found = o;
                *ret = g;
            }
        }
    }
    return found;
}

LULL_MUST_USE static struct lull_error *take_operand(struct parse *p,
                                                     const struct lull_opt_item *item)
{
    const struct lull_opt_group *group = NULL;
    const struct lull_opt *o = next_operand(p, &group);
    if (o == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is one word too many", item->word);
    }
    char *base = (char *)p->o->base + group->at;
    p->o->seen[row_number(p->o->form, o)] = 1;
    if (o->kind == LULL_OPT_REST) {
        char **rest = p->scan.argv + item->first;
        put(o, base, &rest);
        p->scan.at = p->scan.argc;
        return NULL;
    }
    note_file(p, o, item->value);
    if ((o->flags & LULL_OPT_MANY) == 0 || o->kind == LULL_OPT_CALL) {
        return store(o, base, item->value);
    }
    p->scan.argv[p->nwords++] = p->scan.argv[item->first];
    put(o, base, &(struct lull_opt_words){.at = p->scan.argv, .n = p->nwords});
    return NULL;
}

/** Is there all that must be? */
LULL_MUST_USE static struct lull_error *check_needed(const struct lull_opts *opts)
{
    unsigned n = 0;
    for (const struct lull_opt_group *g = opts->form->groups; g->opts != NULL; g++) {
        for (const struct lull_opt *o = g->opts; o->name != NULL; o++, n++) {
            if ((o->flags & LULL_OPT_NEEDED) != 0 && opts->seen[n] == 0) {
                return lull_error_new(LULL_ERR_INVALID, "no %s given", o->name);
            }
        }
    }
    return NULL;
}

struct lull_error *lull_opts_parse(struct lull_opts *o, int argc, char **argv)
{
    struct parse p = {.o = o, .scan = {.form = o->form, .argc = argc, .argv = argv}};
    struct lull_opt_item item = {0};
    struct lull_error *err = NULL;
    while (err == NULL && lull_opt_next(&p.scan, &item)) {
        err = item.operand ? take_operand(&p, &item) : take(&p, &item);
    }
    err = err != NULL ? err : check_needed(o);
    err = err != NULL ? err : lull_files_check(&p.files);
    lull_files_done(&p.files);
    return err;
}

struct lull_error *lull_opt_parse(const struct lull_form *form, void *base, int argc, char **argv)
{
    struct lull_opts o = {.form = form, .base = base};
    return lull_opts_parse(&o, argc, argv);
}

bool lull_opts_given(const struct lull_opts *o, const char *name)
{
    const struct lull_opt_group *group = NULL;
    const struct lull_opt *opt = find(o->form, name, strlen(name), &group);
    return opt != NULL && o->seen[row_number(o->form, opt)] != 0;
}

const char *lull_opts_given_of(const struct lull_opts *o, const struct lull_opt *opts)
{
    for (const struct lull_opt *opt = opts; opt->name != NULL; opt++) {
        if (is_option(opt) && o->seen[row_number(o->form, opt)] != 0) {
            return opt->name;
        }
    }
    return NULL;
}
