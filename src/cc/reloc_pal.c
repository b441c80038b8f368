// SPDX-License-Identifier: MIT
// PAL metadata of the shaders, in the fields of version 3.
#include <string.h>

#include "base/cur.h"
#include "base/str.h"
#include "cc/ir.h"
#include "cc/reloc_priv.h"
#include "file/msgpack_write.h"

enum {
    MAJOR = 3,
    TO_ZERO_32 = 0x03,   // of FLOAT_MODE: rounding of single precision
    TO_ZERO_64 = 0x0c,   // ... of double and half
    DENORMALS_32 = 0x30, // of FLOAT_MODE: single precision, in and out
    DENORMALS_64 = 0xc0, // double and half
};

static const char node_name[] = "amdgpu.pal.metadata.msgpack";
static const char pipelines[] = "amdpal.pipelines", version[] = "amdpal.version";

/** The metadata that are there: "" if there are none. */
static struct lull_cur existing(LLVMModuleRef m, LLVMValueRef *ret_node)
{
    LLVMValueRef node = NULL, text = NULL;
    unsigned size = 0;
    *ret_node = NULL;
    if (LLVMGetNamedMetadataNumOperands(m, node_name) == 0) {
        return lull_cur_of("", 0);
    }
    LLVMGetNamedMetadataOperands(m, node_name, &node); // one: LLVM looks at no other
    *ret_node = node;
    if (LLVMGetMDNodeNumOperands(node) == 1) {
        LLVMGetMDNodeOperands(node, &text);
    }
    const char *bytes = text != NULL && LLVMIsAMDString(text) ? LLVMGetMDString(text, &size) : "";
    return lull_cur_of(bytes, size);
}

/** Entries of the root map that are not about pipelines, into @p to; how many. */
LULL_MUST_USE static struct lull_error *others(const struct lull_rl *rl, struct lull_cur c,
                                               struct lull_str *to, size_t *ret)
{
    struct lull_msgpack m = {0};
    bool bad =
        lull_cur_left(&c) != 0 && (lull_msgpack_next(&c, &m) <= 0 || m.kind != LULL_MSGPACK_MAP);
    *ret = 0;
    for (size_t i = 0; !bad && i < m.size; i++) {
        struct lull_cur before = c;
        struct lull_msgpack key = {0};
        bad = lull_msgpack_next(&c, &key) <= 0 || lull_msgpack_skip_rest(&c, &key) < 0 ||
              lull_msgpack_skip(&c) < 0;
        if (!bad && !lull_msgpack_is(&key, pipelines) && !lull_msgpack_is(&key, version)) {
            bad = lull_msgpack_copy(&before, to) < 0 || lull_msgpack_copy(&before, to) < 0;
            ++*ret;
        }
    }
    return bad ? lull_error_new(LULL_ERR_BAD_DATA, "%s: !%s is not a MessagePack map",
                                rl->cc->options->input, node_name)
               : NULL;
}

bool lull_rl_has_pipelines(LLVMModuleRef module)
{
    LLVMValueRef node = NULL;
    struct lull_cur c = existing(module, &node);
    struct lull_msgpack m = {0};
    bool ok = lull_msgpack_next(&c, &m) > 0 && m.kind == LULL_MSGPACK_MAP;
    for (size_t i = 0; ok && i < m.size; i++) {
        struct lull_msgpack key = {0};
        ok = lull_msgpack_next(&c, &key) > 0 && lull_msgpack_skip_rest(&c, &key) >= 0;
        if (ok && lull_msgpack_is(&key, pipelines)) {
            return true;
        }
        ok = ok && lull_msgpack_skip(&c) >= 0;
    }
    return false;
}

static void put(struct lull_str *s, const char *key, uint64_t value)
{
    lull_msgpack_put_text(s, key);
    lull_msgpack_put_uint(s, value);
}

static void put_bool(struct lull_str *s, const char *key, bool value)
{
    lull_msgpack_put_text(s, key);
    lull_msgpack_put_bool(s, value);
}

static void put_hash(struct lull_str *s, const char *key, uint64_t hash)
{
    lull_msgpack_put_text(s, key);
    lull_msgpack_put_array(s, 2);
    lull_msgpack_put_uint(s, hash);
    lull_msgpack_put_uint(s, 0);
}

/** Does the function's @p attribute flush denormals? LLVM's default keeps them. */
static bool keeps(LLVMValueRef fn, const char *attribute, const char *or_else)
{
    const char *text = lull_ir_attribute(fn, attribute);
    text = text != NULL ? text : or_else != NULL ? lull_ir_attribute(fn, or_else) : NULL;
    return text == NULL || strncmp(text, "ieee", 4) == 0 || strncmp(text, "dynamic", 7) == 0;
}

/** Does the function's @p attribute, of lull's own, round toward zero? */
static bool cuts(LLVMValueRef fn, const char *attribute)
{
    const char *text = lull_ir_attribute(fn, attribute);
    return text != NULL && strcmp(text, "towardzero") == 0;
}

static void put_stage(struct lull_str *s, const struct lull_rl_entry *e)
{
    const uint64_t mode =
        (keeps(e->fn, "denormal-fp-math-f32", "denormal-fp-math") ? DENORMALS_32 : 0) |
        (keeps(e->fn, "denormal-fp-math", NULL) ? DENORMALS_64 : 0) |
        (cuts(e->fn, "lull-fp-round-f32") ? TO_ZERO_32 : 0) |
        (cuts(e->fn, "lull-fp-round-f16-f64") ? TO_ZERO_64 : 0);
    char key[] = ".xx";
    memcpy(key + 1, e->stage, 2);
    lull_msgpack_put_text(s, key);
    const bool evaluates = lull_ir_attribute(e->fn, "lull-tessellation") != NULL;
    lull_msgpack_put_map(s, e->compute || evaluates ? 5 : 4);
    if (evaluates) {
        put_bool(s, ".offchip_lds_en", true);
    }
    put(s, ".float_mode", mode);
    put(s, ".wavefront_size", e->wave_size);
    put(s, ".user_sgprs", e->nmap);
    if (e->compute) {
        lull_msgpack_put_text(s, ".threadgroup_dimensions");
        lull_msgpack_put_array(s, 3);
        for (unsigned i = 0; i < 3; i++) {
            lull_msgpack_put_uint(s, e->block[i]);
        }
    }
    lull_msgpack_put_text(s, ".user_data_reg_map");
    lull_msgpack_put_array(s, LULL_UD_MAX);
    for (unsigned i = 0; i < LULL_UD_MAX; i++) {
        lull_msgpack_put_uint(s, i < e->nmap ? e->map[i] : LULL_UD_NONE);
    }
}

/** The API's names of the shaders that run in a hardware stage; how many. */
static unsigned shaders_of(const struct lull_rl_entry *e, const char *ret[2])
{
    const bool mesh = lull_ir_attribute(e->fn, "lull-mesh") != NULL;
    const bool geometry = lull_ir_attribute(e->fn, "lull-geometry") != NULL;
    const bool evaluates = lull_ir_attribute(e->fn, "lull-tessellation") != NULL;
    const bool hull = lull_ir_attribute(e->fn, "lull-hull") != NULL;
    const bool known = lull_ir_attribute(e->fn, "lull-parameters") != NULL;
    unsigned n = 0;
    if (strcmp(e->stage, "gs") == 0) {
        if (mesh) {
            ret[n++] = ".mesh";
        } else if (evaluates || known || geometry) {
            ret[n++] = evaluates ? ".domain" : ".vertex";
        }
        if (geometry || n == 0) {
            ret[n++] = ".geometry";
        }
        return n;
    }
    if (strcmp(e->stage, "vs") == 0 && geometry) {
        return 0; // it copies what the geometry shader emits, and is named with that
    }
    if (hull) {
        ret[n++] = ".vertex";
    }
    ret[n++] = strcmp(e->stage, "cs") == 0   ? ".compute"
               : strcmp(e->stage, "ps") == 0 ? ".pixel"
               : strcmp(e->stage, "hs") == 0 ? ".hull"
                                             : ".vertex";
    return n;
}

/** Is there a copy shader in the hardware's vertex stage? */
static bool has_copy(const struct lull_rl *rl)
{
    bool found = false;
    for (size_t i = 0; i < rl->nentries; i++) {
        found |= strcmp(rl->entries[i].stage, "vs") == 0 &&
                 lull_ir_attribute(rl->entries[i].fn, "lull-geometry") != NULL;
    }
    return found;
}

static void put_shaders(struct lull_str *s, const struct lull_rl *rl)
{
    size_t total = 0;
    const char *names[2] = {NULL};
    for (size_t i = 0; i < rl->nentries; i++) {
        total += shaders_of(&rl->entries[i], names);
    }
    lull_msgpack_put_text(s, ".shaders");
    lull_msgpack_put_map(s, total);
    for (size_t i = 0; i < rl->nentries; i++) {
        char stage[] = ".xx";
        memcpy(stage + 1, rl->entries[i].stage, 2);
        const unsigned n = shaders_of(&rl->entries[i], names);
        for (unsigned k = 0; k < n; k++) {
            lull_msgpack_put_text(s, names[k]);
            lull_msgpack_put_map(s, 2);
            put_hash(s, ".api_shader_hash", rl->hash);
            const bool two = strcmp(names[k], ".geometry") == 0 && has_copy(rl);
            lull_msgpack_put_text(s, ".hardware_mapping");
            lull_msgpack_put_array(s, two ? 2 : 1);
            lull_msgpack_put_text(s, stage);
            if (two) {
                lull_msgpack_put_text(s, ".vs");
            }
        }
    }
}

static void put_compute(struct lull_str *s, const struct lull_rl_entry *e)
{
    lull_msgpack_put_text(s, ".compute_registers");
    lull_msgpack_put_map(s, 4);
    put_bool(s, ".tgid_x_en", e->group[0] || e->ttmp_group[0]);
    put_bool(s, ".tgid_y_en", e->group[1] || e->ttmp_group[1]);
    put_bool(s, ".tgid_z_en", e->group[2] || e->ttmp_group[2]);
    put(s, ".tidig_comp_cnt", e->local[2] ? 2 : e->local[1] ? 1 : 0);
}

static void put_pipeline(struct lull_str *s, const struct lull_rl *rl)
{
    struct lull_str unlinked = {0};
    const size_t nunlinked = lull_rl_put_unlinked(&unlinked, rl);
    if (rl->entries[0].glue != LULL_RL_SHADER) { // the rest is the shader's
        lull_msgpack_put_map(s, rl->entries[0].glue == LULL_RL_EXPORT);
        if (rl->entries[0].glue == LULL_RL_EXPORT) {
            lull_rl_put_graphics(s, rl);
        }
        return;
    }
    uint32_t threshold = LULL_RL_NO_SPILL, limit = 0;
    struct lull_str interface = {0};
    const size_t lists = lull_rl_put_interface(&interface, rl);
    const struct lull_rl_entry *compute = NULL;
    bool graphics = false;
    for (size_t i = 0; i < rl->nentries; i++) {
        const struct lull_rl_entry *e = &rl->entries[i];
        threshold = e->spill_threshold < threshold ? e->spill_threshold : threshold;
        limit = e->user_data_limit > limit ? e->user_data_limit : limit;
        compute = e->compute ? e : compute;
        graphics |= !e->compute && e->gfx >= 9;
    }
    lull_msgpack_put_map(s, lists + nunlinked + (compute != NULL ? 7 : graphics ? 6 : 5));
    lull_str_add(s, lull_str_text(&interface), interface.size);
    s->err = s->err != NULL ? s->err : interface.err;
    lull_str_free(&interface);
    lull_str_add(s, lull_str_text(&unlinked), unlinked.size);
    s->err = s->err != NULL ? s->err : unlinked.err;
    lull_str_free(&unlinked);
    put_hash(s, ".internal_pipeline_hash", rl->hash);
    put(s, ".spill_threshold", threshold);
    put(s, ".user_data_limit", limit);
    if (compute != NULL) {
        lull_msgpack_put_text(s, ".type");
        lull_msgpack_put_text(s, "Cs");
        put_compute(s, compute);
    }
    if (compute == NULL && graphics) {
        lull_rl_put_graphics(s, rl);
    }
    lull_msgpack_put_text(s, ".hardware_stages");
    lull_msgpack_put_map(s, rl->nentries);
    for (size_t i = 0; i < rl->nentries; i++) {
        put_stage(s, &rl->entries[i]);
    }
    put_shaders(s, rl);
}

struct lull_error *lull_rl_metadata(struct lull_rl *rl)
{
    struct lull_str kept = {0}, all = {0};
    LLVMValueRef node = NULL;
    size_t nkept = 0;
    struct lull_error *err = others(rl, existing(rl->cc->module, &node), &kept, &nkept);
    err = err != NULL ? err : kept.err;
    if (err == NULL) {
        lull_msgpack_put_map(&all, nkept + 2);
        lull_str_add(&all, lull_str_text(&kept), kept.size);
        lull_msgpack_put_text(&all, version);
        lull_msgpack_put_array(&all, 2);
        lull_msgpack_put_uint(&all, MAJOR);
        lull_msgpack_put_uint(&all, 0);
        lull_msgpack_put_text(&all, pipelines);
        lull_msgpack_put_array(&all, 1);
        put_pipeline(&all, rl);
        err = all.err;
    }
    if (err == NULL) {
        LLVMContextRef c = rl->cc->context;
        LLVMMetadataRef text = LLVMMDStringInContext2(c, lull_str_text(&all), all.size);
        LLVMMetadataRef fresh = LLVMMDNodeInContext2(c, &text, 1);
        if (node != NULL) {
            LLVMReplaceMDNodeOperandWith(node, 0, text);
        } else {
            LLVMAddNamedMetadataOperand(rl->cc->module, node_name, LLVMMetadataAsValue(c, fresh));
        }
    }
    lull_str_free(&kept);
    lull_str_free(&all);
    return err;
}
