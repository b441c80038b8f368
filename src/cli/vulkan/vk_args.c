// SPDX-License-Identifier: MIT
#include "cli/vulkan/vk_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/opt/args.h"
#include "cli/opt/series.h"
#include "compile/run.h"

enum { MAX_BYTES = 1 << 30, MAX_OPTIONS = 32, MAX_INDEX = 65535, MAX_EXTENT = 16384 };

LULL_MUST_USE static struct lull_error *copy_of(struct lull_arena *a, const char *text, char **ret)
{
    const size_t size = strlen(text) + 1;
    *ret = lull_arena_calloc(a, 1, size);
    if (*ret == NULL) {
        return &lull_enomem;
    }
    memcpy(*ret, text, size);
    return NULL;
}

/** Make room for one more of @p size bytes in a list. */
LULL_MUST_USE static struct lull_error *grow(void **list, size_t n, size_t *room, size_t size)
{
    if (n < *room) {
        return NULL;
    }
    const size_t more = *room != 0 ? 2 * *room : 8;
    void *p = realloc(*list, more * size);
    if (p == NULL) {
        return &lull_enomem;
    }
    *list = p;
    *room = more;
    return NULL;
}

LULL_MUST_USE static struct lull_error *type_of(const char *name, const char *or_else,
                                                const struct lull_type **ret)
{
    *ret = lull_type_find(name != NULL ? name : or_else);
    return *ret != NULL ? NULL
                        : lull_error_new(LULL_ERR_INVALID, "type '%s' is not known",
                                         name != NULL ? name : "");
}

/** V,V,... of one type, after the bytes that are there already. */
LULL_MUST_USE static struct lull_error *add_values(const struct lull_type *t, char *list,
                                                   uint8_t **bytes, size_t *size)
{
    for (char *v = list; v != NULL;) {
        char *comma = strchr(v, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        uint8_t *more = realloc(*bytes, *size + t->size);
        if (more == NULL) {
            return &lull_enomem;
        }
        *bytes = more;
        struct lull_error *err = lull_type_parse(t, v, more + *size);
        if (err != NULL) {
            return err;
        }
        *size += t->size;
        v = comma != NULL ? comma + 1 : NULL;
    }
    return NULL;
}

/** iota, rand, fill: what stands after the kind. */
LULL_MUST_USE static struct lull_error *series(const char *kind, char *rest, const char *or_else,
                                               size_t want, uint8_t **ret, size_t *ret_size)
{
    struct lull_error *err = NULL;
    const bool fill = strcmp(kind, "fill") == 0, random = strcmp(kind, "rand") == 0;
    uint64_t seed = 0, count = 0;
    const char *value = fill ? lull_next_part(&rest) : NULL;
    const struct lull_type *t = NULL;
    if (random) {
        err = lull_args_number("seed", lull_next_part(&rest), UINT64_MAX, &seed);
    }
    if (err == NULL && want == 0) {
        err = lull_args_number("elements", lull_next_part(&rest), MAX_BYTES / 8, &count);
    }
    if (err == NULL) {
        err = type_of(lull_next_part(&rest), or_else, &t);
    }
    if (err == NULL && rest != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "'%s' is too much", rest);
    }
    if (err != NULL) {
        return err;
    }
    count = want != 0 ? want / t->size : count;
    const size_t size = want != 0 ? want : count * t->size;
    uint8_t *bytes = size != 0 ? calloc(1, size) : NULL;
    if (bytes == NULL) {
        return size != 0 ? &lull_enomem : lull_error_new(LULL_ERR_INVALID, "no elements");
    }
    uint8_t one[8] = {0};
    if (fill) {
        err = lull_type_parse(t, value != NULL ? value : "", one);
        for (uint64_t i = 0; i < count; i++) {
            memcpy(bytes + i * t->size, one, t->size);
        }
    } else {
        lull_series_fill(t, random ? &seed : NULL, count, bytes);
    }
    if (err != NULL) {
        free(bytes);
        return err;
    }
    *ret = bytes;
    *ret_size = size;
    return NULL;
}

LULL_MUST_USE static struct lull_error *zeros(char *rest, size_t want, uint8_t **ret,
                                              size_t *ret_size)
{
    uint64_t size = want;
    struct lull_error *err = want == 0 ? lull_args_number("size", rest, MAX_BYTES, &size) : NULL;
    if (err == NULL && size == 0) {
        err = lull_error_new(LULL_ERR_INVALID, "size 0");
    }
    uint8_t *bytes = err == NULL ? calloc(1, size) : NULL;
    if (bytes == NULL) {
        return err != NULL ? err : &lull_enomem;
    }
    *ret = bytes;
    *ret_size = size;
    return NULL;
}

LULL_MUST_USE static struct lull_error *from_file(const char *path, size_t want, uint8_t **ret,
                                                  size_t *ret_size)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    struct lull_error *err = lull_run_read(path, &bytes, &size);
    if (err == NULL && (size == 0 || (want != 0 && size != want))) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "%s: %zu bytes, not %s%zu", path, size,
                             want != 0 ? "" : "more than ", want);
    }
    if (err != NULL) {
        free(bytes);
        return err;
    }
    *ret = bytes;
    *ret_size = size;
    return NULL;
}

const char *lull_vk_content_file(const char *text)
{
    static const char *const others[] = {"zeros", "iota", "rand", "fill", "values", "addr"};
    const size_t n = strcspn(text, ":");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strlen(others[i]) == n && strncmp(text, others[i], n) == 0) {
            return NULL;
        }
    }
    return strncmp(text, "file:", 5) == 0 ? text + 5 : text;
}

struct lull_error *lull_vk_content(const char *text, const char *default_type, size_t want,
                                   uint8_t **ret, size_t *ret_size)
{
    lull_cleanup(lull_freep) char *copy = strdup(text);
    if (copy == NULL) {
        return &lull_enomem;
    }
    char *rest = copy;
    const char *kind = lull_next_part(&rest);
    if (strcmp(kind, "zeros") == 0) {
        return zeros(rest, want, ret, ret_size);
    }
    if (strcmp(kind, "iota") == 0 || strcmp(kind, "rand") == 0 || strcmp(kind, "fill") == 0) {
        return series(kind, rest, default_type, want, ret, ret_size);
    }
    if (strcmp(kind, "values") == 0) {
        const struct lull_type *t = NULL;
        struct lull_error *err = type_of(lull_next_part(&rest), NULL, &t);
        uint8_t *bytes = NULL;
        size_t size = 0;
        if (err == NULL && rest == NULL) {
            err = lull_error_new(LULL_ERR_INVALID, "no values");
        }
        if (err == NULL) {
            err = add_values(t, rest, &bytes, &size);
        }
        if (err == NULL && want != 0 && size != want) {
            err = lull_error_new(LULL_ERR_INVALID, "values of %zu bytes, not %zu", size, want);
        }
        if (err != NULL) {
            free(bytes);
            return err;
        }
        *ret = bytes;
        *ret_size = size;
        return NULL;
    }
    const char *file = lull_vk_content_file(text);
    return from_file(file != NULL ? file : text, want, ret, ret_size);
}

/** "0.1" or "0.1[2]". */
LULL_MUST_USE static struct lull_error *place(const char *text, struct lull_vk_resource *r)
{
    char *end = NULL;
    const unsigned long set = strtoul(text, &end, 10);
    unsigned long binding = 0, element = 0;
    bool ok = end != text && *end == '.';
    if (ok) {
        const char *at = end + 1;
        binding = strtoul(at, &end, 10);
        ok = end != at && *at != '-';
    }
    if (ok && *end == '[') {
        const char *at = end + 1;
        element = strtoul(at, &end, 10);
        ok = end != at && *end == ']';
        end += ok;
    }
    if (!ok || *end != '\0' || text[0] == '-' || set > UINT32_MAX || binding > MAX_INDEX ||
        element > MAX_INDEX) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not SET.BINDING or SET.BINDING[INDEX]",
                              text);
    }
    r->set = (uint32_t)set;
    r->binding = (uint32_t)binding;
    r->element = (uint32_t)element;
    return NULL;
}

LULL_MUST_USE static struct lull_error *word(const char *name, const char *value,
                                             const char *const *words, size_t n, int *ret)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(words[i], value) == 0) {
            *ret = (int)i;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not known", name, value);
}

LULL_MUST_USE static struct lull_error *float_option(const char *name, const char *value,
                                                     float *ret)
{
    char *end = NULL;
    *ret = strtof(value, &end);
    return end != value && *end == '\0'
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not a number", name, value);
}

/** wrap=W or wrap=U/V/W. */
LULL_MUST_USE static struct lull_error *wrap_option(char *value, struct lull_vk_sampler *s)
{
    static const char *const words[] = {"repeat", "mirror", "clamp", "border", "mirror-once"};
    struct lull_error *err = NULL;
    int w = 0;
    for (unsigned i = 0; err == NULL && i < 3; i++) {
        char *slash = value != NULL ? strchr(value, '/') : NULL;
        if (slash != NULL) {
            *slash = '\0';
        }
        if (value != NULL) {
            err = word("wrap", value, words, sizeof words / sizeof words[0], &w);
        }
        s->wrap[i] = (enum lull_vk_wrap)w;
        value = slash != NULL ? slash + 1 : NULL;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *sampler_option(const char *name, char *value,
                                                       struct lull_vk_sampler *s, bool *used)
{
    static const char *const filters[] = {"nearest", "linear"};
    static const char *const borders[] = {"transparent", "black", "white"};
    // In the order of VkCompareOp.
    static const char *const compares[] = {"never",   "less",      "equal",         "less-equal",
                                           "greater", "not-equal", "greater-equal", "always"};
    struct lull_error *err = NULL;
    int w = 0;
    uint64_t n = 0;
    *used = true;
    if (strcmp(name, "filter") == 0) {
        err = word(name, value, filters, 2, &w);
        s->linear = w == 1;
    } else if (strcmp(name, "mip") == 0) {
        err = word(name, value, filters, 2, &w);
        s->mip_linear = w == 1;
    } else if (strcmp(name, "border") == 0) {
        err = word(name, value, borders, 3, &w);
        s->border = (enum lull_vk_border)w;
    } else if (strcmp(name, "compare") == 0) {
        err = word(name, value, compares, 8, &s->compare);
    } else if (strcmp(name, "wrap") == 0) {
        err = wrap_option(value, s);
    } else if (strcmp(name, "min-lod") == 0) {
        err = float_option(name, value, &s->min_lod);
    } else if (strcmp(name, "max-lod") == 0) {
        err = float_option(name, value, &s->max_lod);
    } else if (strcmp(name, "bias") == 0) {
        err = float_option(name, value, &s->bias);
    } else if (strcmp(name, "aniso") == 0) {
        err = lull_args_number(name, value, 16, &n);
        s->aniso = (unsigned)n;
    } else {
        *used = false;
    }
    return err;
}

/** One option behind a content: NAME=VALUE, or a word; *used false: it is none. */
LULL_MUST_USE static struct lull_error *option(char *text, struct lull_vk_resource *r, bool *used)
{
    const bool image = r->kind == LULL_VK_IMAGE, sampler = image || r->kind == LULL_VK_SAMPLER;
    char *equals = strchr(text, '=');
    struct lull_error *err = NULL;
    uint64_t n = 0;
    *used = true;
    if (image && strcmp(text, "linear") == 0) {
        r->image.linear_tiling = true;
        return NULL;
    }
    if (image && strcmp(text, "cube") == 0) {
        r->image.cube = true;
        return NULL;
    }
    if (sampler && strcmp(text, "unnormalized") == 0) {
        r->sampler.unnormalized = true;
        return NULL;
    }
    if (sampler && strcmp(text, "immutable") == 0) {
        r->sampler.immutable = true;
        return NULL;
    }
    *used = equals != NULL;
    if (equals == NULL) {
        return NULL;
    }
    *equals = '\0';
    char *value = equals + 1;
    if (image && (strcmp(text, "mips") == 0 || strcmp(text, "layers") == 0)) {
        err = lull_args_number(text, value, 4096, &n);
        *(text[0] == 'm' ? &r->image.mips : &r->image.layers) = n != 0 ? (uint32_t)n : 1;
    } else if (image && strcmp(text, "samples") == 0) {
        err = lull_args_number(text, value, 8, &n);
        r->image.samples = (uint32_t)n;
    } else if (!sampler && strcmp(text, "offset") == 0) {
        err = lull_args_number(text, value, MAX_BYTES, &n);
        r->offset = r->dynamic_offset + n;
    } else if (!sampler && strcmp(text, "dynamic") == 0) {
        err = lull_args_number(text, value, MAX_BYTES, &n);
        r->offset += n - r->dynamic_offset;
        r->dynamic_offset = n;
        r->dynamic = true;
    } else if (!sampler && strcmp(text, "range") == 0) {
        err = lull_args_number(text, value, MAX_BYTES, &r->range);
    } else {
        *used = false;
        if (sampler) {
            err = sampler_option(text, value, &r->sampler, used);
        }
    }
    *equals = *used ? '\0' : '=';
    return err;
}

/** Cut options off the end of @p text as long as there are any. */
LULL_MUST_USE static struct lull_error *cut_options(char *text, struct lull_vk_resource *r)
{
    for (unsigned i = 0; i < MAX_OPTIONS; i++) {
        char *colon = strrchr(text, ':');
        bool used = false;
        if (colon == NULL) {
            return NULL;
        }
        struct lull_error *err = option(colon + 1, r, &used);
        if (err != NULL || !used) {
            return err;
        }
        *colon = '\0';
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *format_of(const char *name, struct lull_vk_resource *r)
{
    r->format = name != NULL ? lull_vk_format_find(name) : NULL;
    if (r->format != NULL) {
        return NULL;
    }
    struct lull_str names = {0};
    lull_vk_format_names(&names);
    struct lull_error *err =
        names.err != NULL
            ? names.err
            : lull_error_new(LULL_ERR_INVALID, "format '%s' is not known; there is: %s",
                             name != NULL ? name : "", lull_str_text(&names));
    lull_str_free(&names);
    return err;
}

/** WxHxD. */
LULL_MUST_USE static struct lull_error *extents(const char *text, struct lull_vk_image *i)
{
    uint32_t *const e[] = {&i->width, &i->height, &i->depth};
    i->width = i->height = i->depth = 1;
    const char *at = text;
    for (i->dims = 0; at != NULL && i->dims < 3; i->dims++) {
        char *end = NULL;
        const unsigned long v = strtoul(at, &end, 10);
        if (end == at || *at == '-' || v == 0 || v > MAX_EXTENT || (*end != '\0' && *end != 'x')) {
            break;
        }
        *e[i->dims] = (uint32_t)v;
        at = *end == 'x' ? end + 1 : NULL;
    }
    return at == NULL ? NULL : lull_error_new(LULL_ERR_INVALID, "'%s' is not WxHxD", text);
}

/** The bytes of a resource. */
LULL_MUST_USE static struct lull_error *fill(struct lull_vk_args *a, const char *text, size_t want,
                                             struct lull_vk_resource *r)
{
    const bool typed = want != 0 && r->format->type[0] != '\0';
    lull_files_in(&a->files, lull_vk_content_file(text));
    return lull_vk_content(text,
                           typed       ? r->format->type
                           : want != 0 ? "u32"
                                       : NULL,
                           want, &r->bytes, &r->size);
}

LULL_MUST_USE static struct lull_error *image(struct lull_vk_args *a, char *rest,
                                              struct lull_vk_resource *r)
{
    struct lull_error *err = extents(lull_next_part(&rest), &r->image);
    if (err == NULL) {
        err = format_of(lull_next_part(&rest), r);
    }
    if (err != NULL) {
        return err;
    }
    const uint64_t size = lull_vk_image_bytes(&r->image, r->format);
    if (size > MAX_BYTES) {
        return lull_error_new(LULL_ERR_INVALID, "an image of more than 1 GiB");
    }
    return fill(a, rest != NULL ? rest : "zeros", (size_t)size, r);
}

/** addr:NAME,NAME...: a buffer of addresses. */
LULL_MUST_USE static struct lull_error *addresses(struct lull_vk_args *a, char *names, size_t into,
                                                  uint64_t offset, size_t *ret_n)
{
    *ret_n = 0;
    for (char *name = names; name != NULL; (*ret_n)++) {
        char *comma = strchr(name, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        const size_t n = a->naddresses;
        size_t room = a->address_room;
        void *list = a->addresses, *texts = a->address_names;
        struct lull_error *err = grow(&list, n, &room, sizeof *a->addresses);
        a->addresses = list;
        room = a->address_room;
        err = err != NULL ? err : grow(&texts, n, &room, sizeof *a->address_names);
        a->address_names = texts;
        if (err != NULL) {
            return err;
        }
        a->address_room = room;
        a->addresses[n] =
            (struct lull_vk_address){.into = into, .offset = offset + *ret_n * sizeof(uint64_t)};
        a->address_names[n] = name;
        a->naddresses++;
        name = comma != NULL ? comma + 1 : NULL;
    }
    return NULL;
}

/** same:NAME: the resource that is added next has the memory of NAME. */
LULL_MUST_USE static struct lull_error *same(struct lull_vk_args *a, const char *name)
{
    void *list = a->sames;
    struct lull_error *err = grow(&list, a->nsames, &a->same_room, sizeof *a->sames);
    a->sames = list;
    if (err == NULL) {
        a->sames[a->nsames++] = (struct lull_vk_same){a->n, name};
    }
    return err;
}

LULL_MUST_USE static struct lull_error *content(struct lull_vk_args *a, char *text,
                                                struct lull_vk_resource *r)
{
    if (strcmp(text, "sampler") == 0 || strncmp(text, "sampler:", 8) == 0) {
        r->kind = LULL_VK_SAMPLER;
    } else if (strncmp(text, "image:", 6) == 0) {
        r->kind = LULL_VK_IMAGE;
        r->image.mips = r->image.layers = 1;
    } else if (strncmp(text, "texels:", 7) == 0) {
        r->kind = LULL_VK_TEXELS;
    }
    struct lull_error *err = cut_options(text, r);
    char *rest = strchr(text, ':');
    rest = rest != NULL ? rest + 1 : NULL;
    if (err != NULL) {
        return err;
    }
    if (r->kind == LULL_VK_SAMPLER) {
        return rest == NULL ? NULL
                            : lull_error_new(LULL_ERR_INVALID, "option '%s' is not known", rest);
    }
    if (r->kind == LULL_VK_IMAGE) {
        return image(a, rest, r);
    }
    if (r->kind == LULL_VK_TEXELS) {
        err = format_of(lull_next_part(&rest), r);
        const char *what = rest != NULL ? rest : "";
        const char *of = strncmp(what, "same:", 5) == 0 ? what + 5 : NULL;
        return err != NULL ? err : of != NULL ? same(a, of) : fill(a, what, 0, r);
    }
    if (strncmp(text, "addr:", 5) == 0) {
        size_t n = 0;
        err = addresses(a, rest, a->n, 0, &n);
        r->size = n * sizeof(uint64_t);
        r->bytes = err == NULL ? calloc(n, sizeof(uint64_t)) : NULL;
        return err == NULL && r->bytes == NULL ? &lull_enomem : err;
    }
    return strncmp(text, "same:", 5) == 0 ? same(a, rest) : fill(a, text, 0, r);
}

/** @p kind: what it must be if it is not bound. */
LULL_MUST_USE static struct lull_error *add(struct lull_vk_args *a, const char *text, bool bound,
                                            enum lull_vk_kind kind)
{
    char *copy = NULL;
    void *list = a->resources;
    struct lull_error *err = grow(&list, a->n, &a->room, sizeof *a->resources);
    a->resources = list;
    if (err == NULL) {
        err = copy_of(&a->arena, text, &copy);
    }
    if (err != NULL) {
        return err;
    }
    char *equals = strchr(copy, '=');
    if (equals == NULL || equals == copy || equals[1] == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "it is not %s=CONTENT",
                              bound ? "SET.BINDING" : "NAME");
    }
    *equals = '\0';
    struct lull_vk_resource r = {
        .name = copy, .bound = bound, .sampler = lull_vk_sampler_default()};
    err = bound ? place(copy, &r) : NULL;
    if (err == NULL) {
        err = content(a, equals + 1, &r);
    }
    if (err == NULL && !bound && r.kind != kind) {
        err =
            lull_error_new(LULL_ERR_INVALID, kind == LULL_VK_BUFFER ? "only a buffer has an address"
                                                                    : "it is not an image");
    }
    if (err != NULL) {
        free(r.bytes);
        return err;
    }
    a->resources[a->n++] = r;
    return NULL;
}

struct lull_error *lull_vk_args_bind(struct lull_vk_args *a, const char *text)
{
    return lull_error_in(add(a, text, true, LULL_VK_BUFFER), "--bind %s", text);
}

struct lull_error *lull_vk_args_buffer(struct lull_vk_args *a, const char *text)
{
    return lull_error_in(add(a, text, false, LULL_VK_BUFFER), "--buffer %s", text);
}

struct lull_error *lull_vk_args_own(struct lull_vk_args *a, const char *text,
                                    enum lull_vk_kind kind)
{
    return add(a, text, false, kind);
}

/** A part of --push up to the next comma that starts another KIND:. */
static char *next_push(char **rest)
{
    char *part = *rest;
    *rest = NULL;
    for (char *comma = part; (comma = strchr(comma, ',')) != NULL; comma++) {
        const char *colon = strchr(comma, ':');
        const char *next = strchr(comma + 1, ',');
        if (colon != NULL && (next == NULL || colon < next)) {
            *comma = '\0';
            *rest = comma + 1;
            break;
        }
    }
    return part;
}

static bool is_hex(const char *text)
{
    const size_t n = strlen(text);
    return n != 0 && n % 2 == 0 && strspn(text, "0123456789abcdefABCDEF") == n;
}

/** Bytes as pairs of digits, after those that are there. */
LULL_MUST_USE static struct lull_error *add_hex(const char *text, uint8_t **bytes, size_t *size)
{
    const size_t n = strlen(text);
    if (!is_hex(text)) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not bytes in hexadecimal", text);
    }
    uint8_t *more = realloc(*bytes, *size + n / 2);
    if (more == NULL) {
        return &lull_enomem;
    }
    *bytes = more;
    for (size_t i = 0; i < n; i += 2) {
        const char pair[] = {text[i], text[i + 1], '\0'};
        more[(*size)++] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *push_part(struct lull_vk_args *a, char *part)
{
    char *rest = part;
    const char *kind = lull_next_part(&rest);
    const struct lull_type *t = lull_type_find(kind);
    if (t != NULL && rest != NULL) {
        return add_values(t, rest, &a->push, &a->push_bytes);
    }
    if (strcmp(kind, "addr") == 0 && rest != NULL) {
        size_t n = 0;
        struct lull_error *err = addresses(a, rest, SIZE_MAX, a->push_bytes, &n);
        uint8_t *more = err == NULL ? realloc(a->push, a->push_bytes + n * sizeof(uint64_t)) : NULL;
        if (more == NULL) {
            return err != NULL ? err : &lull_enomem;
        }
        memset(more + a->push_bytes, 0, n * sizeof(uint64_t));
        a->push = more;
        a->push_bytes += n * sizeof(uint64_t);
        return NULL;
    }
    if (strcmp(kind, "hex") == 0 && rest != NULL) {
        return add_hex(rest, &a->push, &a->push_bytes);
    }
    return lull_error_new(LULL_ERR_INVALID, "'%s' is neither a file nor TYPE:VALUE", kind);
}

struct lull_error *lull_vk_args_push(struct lull_vk_args *a, const char *text)
{
    char *copy = NULL;
    struct lull_error *err = copy_of(&a->arena, text, &copy);
    const bool bare = strchr(text, ':') == NULL;
    if (err == NULL && bare && is_hex(text) && access(text, F_OK) != 0) {
        err = add_hex(text, &a->push, &a->push_bytes);
    } else if (err == NULL && bare && a->push == NULL) {
        lull_files_in(&a->files, text);
        err = from_file(text, 0, &a->push, &a->push_bytes);
    } else {
        for (char *rest = copy; err == NULL && rest != NULL;) {
            err = push_part(a, next_push(&rest));
        }
    }
    return lull_error_in(err, "--push %s", text);
}

struct lull_error *lull_vk_args_spec(struct lull_vk_args *a, const char *text)
{
    char *copy = NULL;
    size_t room = a->spec_room;
    void *list = a->specs, *texts = a->spec_texts;
    struct lull_error *err = grow(&list, a->nspecs, &room, sizeof *a->specs);
    a->specs = list;
    room = a->spec_room;
    err = err != NULL ? err : grow(&texts, a->nspecs, &room, sizeof *a->spec_texts);
    a->spec_texts = texts;
    if (err == NULL) {
        a->spec_room = room;
        err = copy_of(&a->arena, text, &copy);
    }
    char *equals = err == NULL ? strchr(copy, '=') : NULL;
    uint64_t id = 0;
    if (err == NULL && equals == NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "it is not ID=VALUE");
    }
    if (err == NULL) {
        *equals = '\0';
        err = lull_args_number("constant", copy, UINT32_MAX, &id);
    }
    if (err == NULL) {
        a->specs[a->nspecs] = (struct lull_vk_spec){.id = (uint32_t)id};
        a->spec_texts[a->nspecs++] = equals + 1;
    }
    return lull_error_in(err, "--spec %s", text);
}

LULL_MUST_USE static struct lull_error *resolve_spec(struct lull_vk_spec *s, const char *text,
                                                     const struct lull_vk_module *module)
{
    for (size_t i = 0; i < module->nconstants; i++) {
        const struct lull_vk_constant *c = &module->constants[i];
        if (c->id != s->id) {
            continue;
        }
        char name[8] = "";
        snprintf(name, sizeof name, "%c%u", c->kind == 'b' ? 'u' : c->kind, 8 * c->size);
        const char *value = text;
        if (c->kind == 'b' && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
            value = text[0] == 't' ? "1" : "0";
        }
        uint8_t bytes[8] = {0};
        const struct lull_type *t = lull_type_find(name);
        struct lull_error *err = t != NULL ? lull_type_parse(t, value, bytes)
                                           : lull_error_new(LULL_ERR_UNSUPPORTED, "type %s", name);
        memcpy(&s->bits, bytes, sizeof s->bits);
        s->size = c->size;
        return err;
    }
    return lull_error_new(LULL_ERR_INVALID, "the shader has no specialization constant %u", s->id);
}

struct lull_error *lull_vk_args_resolve(struct lull_vk_args *a, const struct lull_vk_module *module)
{
    struct lull_error *err = lull_vk_args_share(a);
    for (size_t i = 0; err == NULL && i < a->nspecs; i++) {
        err = lull_error_in(resolve_spec(&a->specs[i], a->spec_texts[i], module), "--spec %u=%s",
                            a->specs[i].id, a->spec_texts[i]);
    }
    for (size_t i = 0; err == NULL && i < a->naddresses; i++) {
        const struct lull_vk_resource *r = lull_vk_args_find(a, a->address_names[i]);
        if (r == NULL || r->kind != LULL_VK_BUFFER) {
            err = lull_error_new(LULL_ERR_INVALID, "addr: no buffer '%s'", a->address_names[i]);
        } else {
            r = r->same != NULL ? r->same : r;
            a->addresses[i].of = (size_t)(r - a->resources);
        }
    }
    return err;
}

void lull_vk_args_done(struct lull_vk_args *a)
{
    for (size_t i = 0; i < a->n; i++) {
        free(a->resources[i].same == NULL ? a->resources[i].bytes : NULL);
    }
    free(a->resources);
    free(a->sames);
    free(a->addresses);
    free(a->address_names);
    free(a->specs);
    free(a->spec_texts);
    free(a->push);
    lull_arena_done(&a->arena);
    lull_files_done(&a->files);
    *a = (struct lull_vk_args){0};
}
