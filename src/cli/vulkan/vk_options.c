// SPDX-License-Identifier: MIT
#include "cli/vulkan/vk_options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/opt/args.h"
#include "cli/opt/options.h"
#include "compile/glsl.h"

enum {
    DEFAULT_TIMEOUT_MS = 60000,
    NS_PER_MS = 1000000,
    MAX_REPEAT = 1000000,
    MAX_GROUPS = 1 << 30
};

static bool ends_in(const char *path, const char *suffix)
{
    const size_t n = strlen(path), m = strlen(suffix);
    return n > m && strcmp(path + n - m, suffix) == 0;
}

bool lull_vk_is_shader(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const bool value = i > 0 && argv[i - 1][0] == '-' && argv[i - 1][1] == '-';
        if (strcmp(argv[i], "--vulkan-device") == 0 ||
            (!value && (ends_in(argv[i], ".comp") || ends_in(argv[i], ".glsl") ||
                        ends_in(argv[i], ".spv")))) {
            return true;
        }
    }
    return false;
}

/** "X[,Y[,Z]]" with zeros allowed; what is not given is @p fill. */
LULL_MUST_USE static struct lull_error *triple(const char *name, const char *text, uint32_t fill,
                                               uint32_t ret[3])
{
    const char *at = text;
    unsigned n = 0;
    ret[0] = ret[1] = ret[2] = fill;
    for (; at != NULL && n < 3; n++) {
        char *end = NULL;
        const unsigned long v = strtoul(at, &end, 0);
        if (end == at || *at == '-' || v > MAX_GROUPS || (*end != '\0' && *end != ',')) {
            break;
        }
        ret[n] = (uint32_t)v;
        at = *end == ',' ? end + 1 : NULL;
    }
    return at == NULL ? NULL
                      : lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not X,Y,Z", name, text);
}

LULL_MUST_USE static struct lull_error *pair(struct lull_vk_options *o, const char *name,
                                             const char *text, struct lull_vk_pair *list, size_t *n)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "%s %s: want PLACE=...", name, text);
    }
    if (*n == LULL_VK_MAX_LIST) {
        return lull_error_new(LULL_ERR_INVALID, "%s: more than %d", name, LULL_VK_MAX_LIST);
    }
    char *place = lull_arena_calloc(&o->arena, 1, (size_t)(equals - text) + 1);
    if (place == NULL) {
        return &lull_enomem;
    }
    memcpy(place, text, (size_t)(equals - text));
    list[(*n)++] = (struct lull_vk_pair){place, equals + 1};
    return NULL;
}

/** Options without a value. */
static bool flag(struct lull_vk_options *o, const char *name)
{
    const struct {
        const char *name;
        bool *where;
    } flags[] = {
        {"--json", &o->json},
        {"--indirect", &o->c.indirect},
        {"--async", &o->c.async_queue},
        {"--full-subgroups", &o->c.full_subgroups},
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(flags[i].name, name) == 0) {
            *flags[i].where = true;
            return true;
        }
    }
    if (name[0] == '-' && (name[1] == 'D' || name[1] == 'I') && o->nflags < LULL_VK_MAX_LIST) {
        o->flags[o->nflags++] = name;
        return true;
    }
    return false;
}

static const char **text_option(struct lull_vk_options *o, const char *name)
{
    return strcmp(name, "--vulkan-device") == 0 ? &o->device
           : strcmp(name, "--against") == 0     ? &o->against
           : strcmp(name, "--entry") == 0       ? &o->c.entry
           : strcmp(name, "--out-dir") == 0     ? &o->out_dir
           : strcmp(name, "--check") == 0       ? &o->check
           : strcmp(name, "--shader-name") == 0 ? &o->name // by lull_vk_cli_self()
                                                : NULL;
}

/** Options whose value is a number. */
LULL_MUST_USE static struct lull_error *number(struct lull_vk_options *o, const char *name,
                                               const char *value, bool *used)
{
    static const struct {
        const char *name;
        uint64_t max;
    } numbers[] = {{"--subgroup-size", 128},
                   {"--repeat", MAX_REPEAT},
                   {"--timeout", UINT32_MAX},
                   {"--push-set", 31},
                   {"--seed", UINT64_MAX}};
    struct lull_error *err = NULL;
    uint64_t v = 0;
    *used = false;
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(name, numbers[i].name) != 0) {
            continue;
        }
        *used = true;
        err = lull_args_number(name, value, numbers[i].max, &v);
        if (err != NULL) {
            break;
        }
        switch (i) {
        case 0:
            o->c.subgroup_size = (unsigned)v;
            break;
        case 1:
            o->c.repeat = (unsigned)v;
            break;
        case 2:
            o->c.timeout_ns = v * NS_PER_MS;
            break;
        case 4:
            o->seed = v;
            break;
        default:
            o->c.push_set = (int)v + 1; // 0: none, until lull_vk_options_load()
            break;
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *valued(struct lull_vk_options *o, const char *name,
                                               const char *value, bool *used)
{
    const char **text = text_option(o, name);
    *used = true;
    if (text != NULL) {
        *text = value;
        return NULL;
    }
    if (strcmp(name, "--groups") == 0) {
        return triple(name, value, 1, o->c.groups);
    }
    if (strcmp(name, "--base") == 0) {
        return triple(name, value, 0, o->c.base);
    }
    if (strcmp(name, "--bind") == 0) {
        return lull_vk_args_bind(&o->args, value);
    }
    if (strcmp(name, "--buffer") == 0) {
        return lull_vk_args_buffer(&o->args, value);
    }
    if (strcmp(name, "--push") == 0) {
        return lull_vk_args_push(&o->args, value);
    }
    if (strcmp(name, "--spec") == 0) {
        return lull_vk_args_spec(&o->args, value);
    }
    if (strcmp(name, "--out") == 0 || strcmp(name, "--dump") == 0) {
        return pair(o, name, value, o->outs, &o->nouts);
    }
    if (strcmp(name, "--expect") == 0) {
        return pair(o, name, value, o->expects, &o->nexpects);
    }
    if (strcmp(name, "--tolerance") == 0) {
        return o->ntolerances < LULL_VK_MAX_LIST
                   ? lull_tolerance_parse(value, &o->tolerances[o->ntolerances++])
                   : lull_error_new(LULL_ERR_INVALID, "--tolerance: too many");
    }
    return number(o, name, value, used);
}

struct lull_error *lull_vk_options_parse(struct lull_vk_options *o, int argc, char **argv, int *i,
                                         bool *ret_used)
{
    const char *name = argv[*i];
    *ret_used = true;
    if (flag(o, name)) {
        return NULL;
    }
    if (name[0] != '-') {
        if (o->path != NULL) {
            return lull_error_new(LULL_ERR_INVALID, "two programs: '%s' and '%s'", o->path, name);
        }
        o->path = name;
        return NULL;
    }
    // Words that are no options must not need a value.
    struct lull_error *err = valued(o, name, *i + 1 < argc ? argv[*i + 1] : "", ret_used);
    if (*ret_used) {
        if (*i + 1 >= argc) {
            lull_error_free(err);
            return lull_error_new(LULL_ERR_INVALID, "%s: nothing after it", name);
        }
        ++*i;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *check_entry(struct lull_vk_options *o)
{
    const struct lull_vk_module *m = o->module;
    if (m->nentries == 0) {
        return lull_error_new(LULL_ERR_INVALID, "%s: no compute entry point", o->name);
    }
    if (o->c.entry == NULL && m->nentries > 1) {
        return lull_error_new(LULL_ERR_INVALID, "%s: %zu entry points: say which with --entry",
                              o->name, m->nentries);
    }
    if (o->c.entry == NULL) {
        o->c.entry = m->entries[0];
    }
    for (size_t i = 0; i < m->nentries; i++) {
        if (strcmp(m->entries[i], o->c.entry) == 0) {
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "%s: no entry point '%s'; there is '%s'", o->name,
                          o->c.entry, m->entries[0]);
}

struct lull_error *lull_vk_options_places(const struct lull_vk_options *o)
{
    const struct {
        const char *name;
        const struct lull_vk_pair *list;
        size_t n;
    } lists[] = {{"--out", o->outs, o->nouts}, {"--expect", o->expects, o->nexpects}};
    for (unsigned l = 0; l < 2; l++) {
        for (size_t i = 0; i < lists[l].n; i++) {
            const struct lull_vk_resource *r = lull_vk_args_find(&o->args, lists[l].list[i].place);
            if (r == NULL || r->kind == LULL_VK_SAMPLER) {
                return lull_error_new(LULL_ERR_INVALID, "%s %s: there is no such buffer or image",
                                      lists[l].name, lists[l].list[i].place);
            }
        }
    }
    for (size_t i = 0; i < o->ntolerances; i++) {
        const char *place = o->tolerances[i].place;
        if (place[0] != '\0' && lull_vk_args_find(&o->args, place) == NULL) {
            return lull_error_new(LULL_ERR_INVALID, "--tolerance %s: there is no such buffer",
                                  place);
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_push(const struct lull_vk_options *o)
{
    // A shader may leave out a part at the end, a host may not.
    if (o->args.push_bytes < o->module->push_bytes ||
        (o->args.push_bytes != 0 && o->module->push_bytes == 0) || o->args.push_bytes % 4 != 0) {
        return lull_error_new(LULL_ERR_INVALID, "--push: %zu bytes, the shader has %llu",
                              o->args.push_bytes, (unsigned long long)o->module->push_bytes);
    }
    return NULL;
}

struct lull_error *lull_vk_options_files(struct lull_vk_options *o)
{
    struct lull_files *f = &o->args.files;
    lull_files_in(f, o->path);
    for (size_t i = 0; i < o->nexpects; i++) {
        const bool hash = strncmp(o->expects[i].text, "sha256:", 7) == 0;
        lull_files_in(f, hash ? NULL : lull_vk_content_file(o->expects[i].text));
    }
    for (size_t i = 0; i < o->nouts; i++) {
        lull_files_out(f, o->outs[i].text);
    }
    for (size_t i = 0; o->out_dir != NULL && i < o->args.n; i++) {
        struct lull_str path = {0};
        if (o->args.resources[i].kind == LULL_VK_SAMPLER) {
            continue;
        }
        lull_str_addf(&path, "%s/%s.bin", o->out_dir, o->args.resources[i].name);
        lull_files_out(f, lull_str_text(&path));
        lull_str_free(&path);
    }
    return lull_files_check(f);
}

struct lull_error *lull_vk_options_load(struct lull_vk_options *o)
{
    if (o->path == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "no shader given");
    }
    o->name = o->name != NULL ? o->name : o->path;
    if (o->c.groups[0] == 0 || o->c.groups[1] == 0 || o->c.groups[2] == 0) {
        return lull_error_new(LULL_ERR_INVALID, "--groups is needed, each at least 1");
    }
    struct lull_error *err =
        lull_compile_glsl(o->path, o->flags, o->nflags, &o->spirv, &o->spirv_bytes);
    if (err == NULL) {
        err = lull_error_in(lull_vk_module_parse(o->spirv, o->spirv_bytes, &o->module), "%s",
                            o->name);
    }
    if (err == NULL) {
        err = check_entry(o);
    }
    if (err == NULL) {
        err = lull_vk_args_resolve(&o->args, o->module);
    }
    if (err == NULL) {
        err = lull_vk_options_places(o);
    }
    if (err == NULL) {
        err = lull_vk_options_files(o);
    }
    if (err == NULL) {
        err = check_push(o);
    }
    o->c.spirv = o->spirv;
    o->c.spirv_bytes = o->spirv_bytes;
    o->c.module = o->module;
    o->c.push_set--;
    o->c.timeout_ns =
        o->c.timeout_ns != 0 ? o->c.timeout_ns : (uint64_t)DEFAULT_TIMEOUT_MS * NS_PER_MS;
    o->c.push = o->args.push;
    o->c.push_bytes = o->args.push_bytes;
    o->c.specs = o->args.specs;
    o->c.nspecs = o->args.nspecs;
    o->c.resources = o->args.resources;
    o->c.nresources = o->args.n;
    o->c.addresses = o->args.addresses;
    o->c.naddresses = o->args.naddresses;
    return err;
}

struct lull_tolerance lull_vk_options_tolerance(const struct lull_vk_options *o,
                                                const struct lull_vk_resource *r)
{
    struct lull_tolerance t = {0};
    for (size_t i = 0; i < o->ntolerances; i++) { // the last that fits
        if (o->tolerances[i].place[0] == '\0' || strcmp(o->tolerances[i].place, r->name) == 0) {
            t = o->tolerances[i];
        }
    }
    const char *type = r->format != NULL && r->format->type[0] != '\0' ? r->format->type : "u32";
    const size_t nvars = o->module != NULL ? o->module->nvars : 0; // none of a pipeline
    for (size_t i = 0; r->bound && r->format == NULL && i < nvars; i++) {
        const struct lull_vk_var *v = &o->module->vars[i];
        if (v->set == r->set && v->binding == r->binding) {
            type = v->element;
        }
    }
    t.type = t.type != NULL ? t.type : lull_type_find(type);
    return t;
}

void lull_vk_options_done(struct lull_vk_options *o)
{
    lull_vk_args_done(&o->args);
    lull_vk_module_free(o->module);
    free(o->spirv);
    lull_arena_done(&o->arena);
    *o = (struct lull_vk_options){0};
}
