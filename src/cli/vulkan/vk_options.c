// SPDX-License-Identifier: MIT
#include "cli/vulkan/vk_options.h"

#include <stdio.h>
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

bool lull_vk_is_shader(const struct lull_form *form, int argc, char **argv)
{
    struct lull_opt_scan scan = {.form = form, .argc = argc, .argv = argv};
    struct lull_opt_item item = {0};
    while (lull_opt_next(&scan, &item)) {
        const char *name = item.opt != NULL ? item.opt->name : "";
        if (strcmp(name, "--vulkan-device") == 0 || strcmp(name, "--gpu") == 0 ||
            (item.operand && (ends_in(item.word, ".comp") || ends_in(item.word, ".glsl") ||
                              ends_in(item.word, ".spv")))) {
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
        return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not PLACE=...", name, text);
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

LULL_MUST_USE static struct lull_error *groups(void *base, const struct lull_opt *o,
                                               const char *value)
{
    struct lull_vk_options *options = base;
    return triple(o->name, value, 1, options->c.groups);
}

LULL_MUST_USE static struct lull_error *first_group(void *base, const struct lull_opt *o,
                                                    const char *value)
{
    struct lull_vk_options *options = base;
    return triple(o->name, value, 0, options->c.base);
}

LULL_MUST_USE static struct lull_error *content(void *base, const struct lull_opt *o,
                                                const char *value)
{
    struct lull_vk_args *args = &((struct lull_vk_options *)base)->args;
    return strcmp(o->name, "--bind") == 0     ? lull_vk_args_bind(args, value)
           : strcmp(o->name, "--buffer") == 0 ? lull_vk_args_buffer(args, value)
           : strcmp(o->name, "--push") == 0   ? lull_vk_args_push(args, value)
                                              : lull_vk_args_spec(args, value);
}

LULL_MUST_USE static struct lull_error *timeout(void *base, const struct lull_opt *o,
                                                const char *value)
{
    struct lull_vk_options *options = base;
    uint64_t ms = 0;
    struct lull_error *err = lull_opt_number(o->name, value, 1, UINT32_MAX, &ms);
    options->c.timeout_ns = ms * NS_PER_MS;
    return err;
}

LULL_MUST_USE static struct lull_error *push_set(void *base, const struct lull_opt *o,
                                                 const char *value)
{
    struct lull_vk_options *options = base;
    uint64_t set = 0;
    struct lull_error *err = lull_opt_number(o->name, value, 0, 31, &set);
    options->c.push_set = (int)set + 1; // 0: none, until lull_vk_options_load()
    return err;
}

/** -D and -I, as the compiler takes them. */
LULL_MUST_USE static struct lull_error *compiler_flag(void *base, const struct lull_opt *o,
                                                      const char *value)
{
    struct lull_vk_options *options = base;
    const size_t size = strlen(o->name) + strlen(value) + 1;
    if (options->nflags == LULL_VK_MAX_LIST) {
        return lull_error_new(LULL_ERR_INVALID, "%s: more than %d", o->name, LULL_VK_MAX_LIST);
    }
    char *text = lull_arena_calloc(&options->arena, 1, size);
    if (text == NULL) {
        return &lull_enomem;
    }
    snprintf(text, size, "%s%s", o->name, value);
    options->flags[options->nflags++] = text;
    return NULL;
}

struct lull_error *lull_vk_options_out(void *base, const struct lull_opt *o, const char *value)
{
    struct lull_vk_options *options = base;
    return pair(options, o->name, value, options->outs, &options->nouts);
}

LULL_MUST_USE static struct lull_error *expect(void *base, const struct lull_opt *o,
                                               const char *value)
{
    struct lull_vk_options *options = base;
    return pair(options, o->name, value, options->expects, &options->nexpects);
}

LULL_MUST_USE static struct lull_error *tolerance(void *base, const struct lull_opt *o,
                                                  const char *value)
{
    struct lull_vk_options *options = base;
    return options->ntolerances < LULL_VK_MAX_LIST
               ? lull_tolerance_parse(value, &options->tolerances[options->ntolerances++])
               : lull_error_new(LULL_ERR_INVALID, "%s: more than %d", o->name, LULL_VK_MAX_LIST);
}

const struct lull_opt lull_vk_work_opts[] = {
    {"--groups", NULL, "X[,Y[,Z]]", "workgroups", LULL_OPT_CALL, .call = groups},
    {"--bind", NULL, "S.B=CONTENT",
     "a resource at set S, binding B; S.B[I] is an element of an array. CONTENT:\n"
     "  FILE  zeros:BYTES  iota:N:TYPE  rand:SEED:N:TYPE  fill:VALUE:N:TYPE\n"
     "  values:TYPE:V,V...  addr:NAME,...  same:PLACE, its memory   a buffer;\n"
     "      behind it :offset=N :range=N :dynamic=OFFSET\n"
     "  texels:FORMAT:CONTENT   a texel buffer; CONTENT may be same:PLACE\n"
     "  image:WxH[xD]:FORMAT[:CONTENT without N][:mips=N][:layers=N]\n"
     "      [:linear][:cube][:samples=N]\n"
     "      and options of a sampler   an image\n"
     "  sampler[:filter=linear][:mip=linear]\n"
     "      [:wrap=repeat|mirror|clamp|border|mirror-once]\n"
     "      [:border=transparent|black|white][:compare=less...]\n"
     "      [:min-lod=X][:max-lod=X][:bias=X][:aniso=N]\n"
     "      [:unnormalized][:immutable]",
     LULL_OPT_CALL, .call = content, .flags = LULL_OPT_MANY},
    {"--buffer", NULL, "NAME=CONTENT", "a buffer that the shader gets the address of",
     LULL_OPT_CALL, .call = content, .flags = LULL_OPT_MANY},
    {"--push", NULL, "CONTENT",
     "push constants: FILE, TYPE:V[,V...], hex:BYTES or addr:NAME; several with commas",
     LULL_OPT_CALL, .call = content, .flags = LULL_OPT_MANY},
    {0},
};

const struct lull_opt lull_vk_any_opts[] = {
    {"--seed", NULL, "N", "order of waves on lull's GPU; 0: round robin", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct lull_vk_options, seed)},
    {"--timeout", NULL, "MS", "time after which it is a hang", LULL_OPT_CALL, .call = timeout},
    {"--json", NULL, NULL, "results as JSON", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_vk_options, json)},
    {0},
};

const struct lull_opt lull_vk_shader_opts[] = {
    {"--spec", NULL, "ID=VALUE", "specialization constant", LULL_OPT_CALL, .call = content,
     .flags = LULL_OPT_MANY},
    {"--subgroup-size", NULL, "N", "32 or 64 here; the driver's choice if not given",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct lull_vk_options, c.subgroup_size), .max = 128},
    {"--full-subgroups", NULL, NULL, "every subgroup of a workgroup is full", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_vk_options, c.full_subgroups)},
    {"--entry", NULL, "NAME", "entry point, if there are several", LULL_OPT_TEXT,
     LULL_OPT_AT(struct lull_vk_options, c.entry)},
    {"--base", NULL, "X[,Y[,Z]]", "first workgroup", LULL_OPT_CALL, .call = first_group},
    {"--indirect", NULL, NULL, "the number of workgroups lies in a buffer", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_vk_options, c.indirect)},
    {"--push-set", NULL, "S", "set S by push descriptors", LULL_OPT_CALL, .call = push_set},
    {"--async", NULL, NULL, "a queue that only computes", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_vk_options, c.async_queue)},
    {"--repeat", NULL, "N", "N dispatches, a barrier between each two", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct lull_vk_options, c.repeat), .max = MAX_REPEAT},
    {"-D", NULL, "NAME[=VALUE]", "for the GLSL compiler", LULL_OPT_CALL, .call = compiler_flag,
     .flags = LULL_OPT_MANY},
    {"-I", NULL, "DIR", "for the GLSL compiler", LULL_OPT_CALL, .call = compiler_flag,
     .flags = LULL_OPT_MANY},
    {"--shader-name", NULL, "NAME", NULL, LULL_OPT_TEXT, LULL_OPT_AT(struct lull_vk_options, name),
     .flags = LULL_OPT_HIDDEN},
    {"SHADER", .kind = LULL_OPT_IN, LULL_OPT_AT(struct lull_vk_options, path)},
    {0},
};

const struct lull_opt lull_vk_result_opts[] = {
    {"--out", "--dump", "PLACE=FILE", "write S.B, S.B[I] or a named buffer when done",
     LULL_OPT_CALL, .call = lull_vk_options_out, .flags = LULL_OPT_MANY},
    {"--out-dir", NULL, "DIR", "write all of them, each into PLACE.bin", LULL_OPT_TEXT,
     LULL_OPT_AT(struct lull_vk_options, out_dir)},
    {0},
};

const struct lull_opt lull_vk_expect_opts[] = {
    {"--expect", NULL, "PLACE=CONTENT",
     "compare with CONTENT, or sha256:HEX; exit status 1 if it differs", LULL_OPT_CALL,
     .call = expect, .flags = LULL_OPT_MANY},
    {0},
};

const struct lull_opt lull_vk_tolerance_opts[] = {
    {"--tolerance", NULL, "TOLERANCE",
     "how: [PLACE=][TYPE:]ulp:N, abs:X, rel:X or exact; TYPE is the shader's if not given",
     LULL_OPT_CALL, .call = tolerance, .flags = LULL_OPT_MANY},
    {0},
};

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
                return lull_error_new(LULL_ERR_INVALID, "%s %s: no buffer or image is bound there",
                                      lists[l].name, lists[l].list[i].place);
            }
        }
    }
    for (size_t i = 0; i < o->ntolerances; i++) {
        const char *place = o->tolerances[i].place;
        if (place[0] != '\0' && lull_vk_args_find(&o->args, place) == NULL) {
            return lull_error_new(LULL_ERR_INVALID, "--tolerance %s: no buffer is bound there",
                                  place);
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_push(const struct lull_vk_options *o)
{
    // A shader may leave out a part at the end, a host may not.
    if (o->args.push_bytes % 4 != 0) {
        return lull_error_new(LULL_ERR_INVALID, "--push: %zu bytes, Vulkan takes multiples of 4",
                              o->args.push_bytes);
    }
    if (o->args.push_bytes < o->module->push_bytes ||
        (o->args.push_bytes != 0 && o->module->push_bytes == 0)) {
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
