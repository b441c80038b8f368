// SPDX-License-Identifier: MIT
// Names of relocation symbols and their numbers. Source: LLPC, lgc/elfLinker/RelocHandler.cpp.
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hw/amdmach_regs.h"
#include "hw/amdreloc_regs.h"
#include "link/link_priv.h"

enum kind {
    DOFF,
    DUSESPILL,
    DSTRIDE,
    COMPACTBUFFER,
    DESCSET,
    PUSHCONST,
    DEVICE_INDEX,
    NUM_SAMPLES,
    SAMPLE_PATTERN,
    PATCH_POINTS,
    SHADOW_ENABLED,
    SHADOW_TABLE,
    NKINDS,
};

struct row {
    const char *prefix;
    uint8_t numbers; // set, or set and binding
    bool letter;     // may end in _<type>
    const char *meaning;
};

static const struct row rows[NKINDS] = {
    [DOFF] = {"doff_", 2, true, "byte offset of the descriptor in its table"},
    [DUSESPILL] = {"dusespill_", 2, true, "1 if the descriptor is in the root table, else 0"},
    [DSTRIDE] = {"dstride_", 2, true, "bytes from one descriptor of the array to the next"},
    [COMPACTBUFFER] = {"compactbuffer_", 2, true, "1 if the buffer is an address only, else 0"},
    [DESCSET] = {"descset_", 1, false, "byte offset of the table's pointer in the spill table"},
    [PUSHCONST] = {"pushconst", 0, false, "byte offset of the push constants in the spill table"},
    [DEVICE_INDEX] = {"$deviceIdx", 0, false, "index of the device"},
    [NUM_SAMPLES] = {"$numsamples", 0, false, "samples of a pixel"},
    [SAMPLE_PATTERN] = {"$samplePatternIdx", 0, false, "index of the sample pattern"},
    [PATCH_POINTS] = {"$patchControlPoints", 0, false, "vertices of a patch that comes in"},
    [SHADOW_ENABLED] = {"$shadowenabled", 0, false,
                        "1 if there is a shadow descriptor table, else 0"},
    [SHADOW_TABLE] = {"$shadowdesctable", 0, false, "high half of the shadow table's address"},
};

struct letter {
    char letter;
    enum lull_layout_type type;
    const char *word;
};

static const struct letter letters[] = {
    {'s', LULL_LAYOUT_SAMPLER, "sampler"}, {'r', LULL_LAYOUT_RESOURCE, "resource"},
    {'b', LULL_LAYOUT_BUFFER, "buffer"},   {'t', LULL_LAYOUT_TEXEL_BUFFER, "texel buffer"},
    {'f', LULL_LAYOUT_FMASK, "fmask"},     {'x', LULL_LAYOUT_ANY, "descriptor"},
};

struct name {
    enum kind kind;
    uint32_t set, binding;
    enum lull_layout_type type;
    const char *word; // of the type
};

// Decimal number of 32 bits at the start of *text.
static bool take_number(const char **text, uint32_t *ret)
{
    uint64_t v = 0;
    const char *p = *text;
    for (; isdigit((unsigned char)*p); p++) {
        v = v * 10 + (uint64_t)(*p - '0');
        if (v > UINT32_MAX) {
            return false;
        }
    }
    const bool ok = p != *text;
    *text = p;
    *ret = (uint32_t)v;
    return ok;
}

static bool take_letter(const char *text, struct name *ret)
{
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        if (text[0] == letters[i].letter && text[1] == '\0') {
            ret->type = letters[i].type;
            ret->word = letters[i].word;
            return true;
        }
    }
    return false;
}

enum parsed { NOT_OURS, MALFORMED, OURS };

static enum parsed parse(const char *text, struct name *ret)
{
    unsigned k = 0;
    while (k < NKINDS && strncmp(text, rows[k].prefix, strlen(rows[k].prefix)) != 0) {
        k++;
    }
    if (k == NKINDS) {
        return NOT_OURS;
    }
    const struct row *row = &rows[k];
    *ret = (struct name){.kind = k, .type = LULL_LAYOUT_ANY, .word = "descriptor"};
    text += strlen(row->prefix);
    if (row->numbers == 0) {
        return *text == '\0' ? OURS : NOT_OURS;
    }
    if (!take_number(&text, &ret->set)) {
        return MALFORMED;
    }
    if (row->numbers == 2 && (*text++ != '_' || !take_number(&text, &ret->binding))) {
        return MALFORMED;
    }
    if (*text == '\0') {
        return OURS;
    }
    return row->letter && *text == '_' && take_letter(text + 1, ret) ? OURS : MALFORMED;
}

bool lull_link_describe(const char *name, struct lull_str *out)
{
    struct name n = {0};
    if (parse(name, &n) != OURS) {
        return false;
    }
    lull_str_addf(out, "%s", rows[n.kind].meaning);
    if (rows[n.kind].numbers == 1) {
        lull_str_addf(out, ": set %" PRIu32, n.set);
    } else if (rows[n.kind].numbers == 2) {
        lull_str_addf(out, ": set %" PRIu32 " binding %" PRIu32 ", %s", n.set, n.binding, n.word);
    }
    return true;
}

LULL_PRINTF(2, 3) static void why(struct lull_link_value *v, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(v->why, sizeof v->why, fmt, args);
    va_end(args);
}

LULL_NEW_ERROR static struct lull_error *missing(const struct name *n)
{
    return lull_error_new(LULL_ERR_NOT_FOUND,
                          "the layout has no %s for set %" PRIu32 " binding %" PRIu32, n->word,
                          n->set, n->binding);
}

LULL_MUST_USE static struct lull_error *offset_value(const struct lull_layout *l, uint32_t stages,
                                                     const struct name *n,
                                                     struct lull_link_value *v)
{
    struct lull_layout_place at = {0};
    if (!lull_layout_find(l, stages, n->type, n->set, n->binding, &at)) {
        return missing(n);
    }
    const bool behind =
        n->type == LULL_LAYOUT_SAMPLER && at.node->type == LULL_LAYOUT_COMBINED_TEXTURE;
    // LLPC forgot the elements before the binding; its whole compile did not.
    const uint32_t dword = at.node->offset + (n->binding - at.node->binding) * at.node->stride;
    v->value = 4 * dword;
    if (behind) {
        v->value += 4 * at.node->sampler_offset;
    }
    if (at.node == at.root) {
        v->spill = at.node->offset;
    }
    why(v, "%s is a %s at dword %" PRIu32 " of %s%s", at.node->path,
        lull_layout_type_name(at.node->type), dword,
        at.node == at.root ? "the root table" : "its table",
        behind ? ", and its sampler is behind the resource" : "");
    return NULL;
}

LULL_MUST_USE static struct lull_error *node_value(const struct lull_layout *l, uint32_t stages,
                                                   const struct name *n, struct lull_link_value *v)
{
    struct name want = *n;
    if (n->kind != DSTRIDE) {
        want.type = LULL_LAYOUT_BUFFER;
        want.word = "buffer";
    }
    struct lull_layout_place at = {0};
    if (!lull_layout_find(l, stages, want.type, n->set, n->binding, &at)) {
        return missing(&want);
    }
    const char *type = lull_layout_type_name(at.node->type);
    if (n->kind == DSTRIDE) {
        v->value = 4 * at.node->stride;
        why(v, "%s is a %s, %" PRIu32 " dwords apart", at.node->path, type, at.node->stride);
    } else if (n->kind == DUSESPILL) {
        v->value = at.node == at.root;
        v->spill = v->value != 0 ? 0 : LULL_LINK_NO_SPILL;
        why(v, "%s is in %s", at.node->path, v->value != 0 ? "the root table" : "a table");
    } else {
        v->value = at.node->type == LULL_LAYOUT_BUFFER_COMPACT ||
                   at.node->type == LULL_LAYOUT_CONST_BUFFER_COMPACT;
        why(v, "%s is a %s", at.node->path, type);
    }
    return NULL;
}

// The push area that holds buffers of set `set`.
static const struct lull_layout_node *push_area(const struct lull_layout *l, uint32_t stages,
                                                uint32_t set)
{
    for (uint32_t i = 0; i < l->nnodes; i++) {
        const struct lull_layout_node *n = &l->nodes[i];
        const bool here = n->push_area && lull_layout_visible(n, stages);
        for (uint32_t k = 0; here && k < n->ninner; k++) {
            if (n->inner[k].type != LULL_LAYOUT_PUSH_CONSTANTS && n->inner[k].set == set) {
                return n;
            }
        }
    }
    return NULL;
}

const struct lull_layout_node *lull_link_set_table(const struct lull_layout *l, uint32_t stages,
                                                   uint32_t n)
{
    struct lull_layout_place at = {0};
    if (l->scheme == LULL_LAYOUT_COMPACT) {
        const struct lull_layout_node *table = lull_layout_table(l, stages, n);
        return table != NULL ? table : push_area(l, stages, n);
    }
    if (n > 0) {
        return lull_layout_table(l, stages, n - 1);
    }
    const bool found = lull_layout_first(l, stages, LULL_LAYOUT_PUSH_CONSTANTS, &at);
    return found && at.root->type == LULL_LAYOUT_TABLE ? at.root : NULL;
}

static void set_value(const struct lull_layout *l, uint32_t stages, const struct name *n,
                      struct lull_link_value *v)
{
    const struct lull_layout_node *table = lull_link_set_table(l, stages, n->set);
    if (table == NULL) {
        why(v, "the layout has no table for it, so it is never used");
        v->warning = "the layout has no table for this set";
        for (uint32_t i = 0; i < l->nnodes; i++) {
            if (l->nodes[i].type != LULL_LAYOUT_TABLE && l->nodes[i].set == n->set &&
                lull_layout_visible(&l->nodes[i], stages) &&
                lull_layout_type_size(l->nodes[i].type) > 1) {
                v->warning = NULL; // all of the set is in the root table
            }
        }
        return;
    }
    v->value = 4 * table->offset;
    v->spill = table->offset;
    why(v, "%s is at dword %" PRIu32 " of the root table", table->path, table->offset);
}

LULL_MUST_USE static struct lull_error *push_value(const struct lull_layout *l, uint32_t stages,
                                                   struct lull_link_value *v)
{
    struct lull_layout_place at = {0};
    if (!lull_layout_first(l, stages, LULL_LAYOUT_PUSH_CONSTANTS, &at)) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "the layout has no push constants");
    }
    if (at.root->push_area && l->scheme == LULL_LAYOUT_COMPACT) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "the push constants are in a push area (%s), which relocatable "
                              "shaders do not reach; compile with --layout",
                              at.root->path);
    }
    v->value = 4 * at.node->offset;
    v->spill = at.root->offset;
    why(v, "%s is at dword %" PRIu32 " of %s", at.node->path, at.node->offset,
        at.node == at.root ? "the root table" : "its table");
    return NULL;
}

static void option_value(const struct lull_layout *l, enum kind kind, struct lull_link_value *v)
{
    v->value = kind == DEVICE_INDEX     ? l->device_index
               : kind == NUM_SAMPLES    ? l->num_samples
               : kind == SAMPLE_PATTERN ? l->sample_pattern_index
               : kind == PATCH_POINTS   ? l->patch_control_points
               : kind == SHADOW_ENABLED ? l->has_shadow_table
                                        : l->shadow_table;
    why(v, "%s", rows[kind].meaning);
}

// With what these stages see.
LULL_MUST_USE static struct lull_error *value_for(const struct lull_layout *layout, uint32_t stages,
                                                  const struct name *n, struct lull_link_value *ret)
{
    struct lull_error *err = NULL;
    *ret = (struct lull_link_value){.known = true, .spill = LULL_LINK_NO_SPILL};
    if (n->kind == DOFF) {
        err = offset_value(layout, stages, n, ret);
    } else if (n->kind < DESCSET) {
        err = node_value(layout, stages, n, ret);
    } else if (n->kind == DESCSET) {
        set_value(layout, stages, n, ret);
    } else if (n->kind == PUSHCONST) {
        err = push_value(layout, stages, ret);
    } else if (n->kind == PATCH_POINTS && layout->patch_control_points == 0) {
        err = lull_error_new(LULL_ERR_NOT_FOUND, "the layout has no patch_control_points");
    } else {
        option_value(layout, n->kind, ret);
    }
    return err;
}

// A file may be of several stages, of which not all need see a node; those that do must agree.
LULL_MUST_USE static struct lull_error *value_by_stage(const struct lull_layout *layout,
                                                       uint32_t stages, const struct name *n,
                                                       struct lull_link_value *ret)
{
    struct lull_error *first = NULL;
    bool found = false;
    for (uint32_t bit = 1; bit != 0 && bit <= stages; bit <<= 1) {
        struct lull_link_value v = {0};
        if ((stages & bit) == 0) {
            continue;
        }
        struct lull_error *err = value_for(layout, bit, n, &v);
        const bool missing = err != NULL || v.warning != NULL;
        if (!missing && found && ret->warning == NULL &&
            (v.value != ret->value || v.spill != ret->spill)) {
            lull_error_free(first);
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "%s, and %s for another stage; the file does not say which "
                                  "of the two it is",
                                  ret->why, v.why);
        }
        if (err == NULL && (!found || (!missing && ret->warning != NULL))) {
            *ret = v;
            found = true;
        }
        if (err != NULL && first == NULL) {
            first = err;
        } else {
            lull_error_free(err);
        }
    }
    if (found) {
        lull_error_free(first);
        return NULL;
    }
    return first;
}

struct lull_error *lull_link_resolve(const struct lull_layout *layout, uint32_t stages,
                                     const char *name, struct lull_link_value *ret)
{
    struct name n = {0};
    struct lull_link_value v = {.spill = LULL_LINK_NO_SPILL};
    const enum parsed what = parse(name, &n);
    if (what == MALFORMED) {
        return lull_error_new(
            LULL_ERR_BAD_DATA, "begins with '%s', and the rest is not %s of 32 bits%s",
            rows[n.kind].prefix, rows[n.kind].numbers == 2 ? "a set and a binding" : "a set",
            rows[n.kind].letter ? " and a type (s r b t f x)" : "");
    }
    struct lull_error *err = what != OURS ? NULL
                             : stages == 0 || !lull_layout_by_stage(layout)
                                 ? value_for(layout, 0, &n, &v)
                                 : value_by_stage(layout, stages, &n, &v);
    if (err == NULL) {
        *ret = v;
    }
    return err;
}

const char *lull_link_reloc_name(uint32_t type)
{
    static const struct {
        uint32_t type;
        const char *name;
    } names[] = {
        {LULL_R_AMDGPU_NONE, "R_AMDGPU_NONE"},
        {LULL_R_AMDGPU_ABS32_LO, "R_AMDGPU_ABS32_LO"},
        {LULL_R_AMDGPU_ABS32_HI, "R_AMDGPU_ABS32_HI"},
        {LULL_R_AMDGPU_ABS64, "R_AMDGPU_ABS64"},
        {LULL_R_AMDGPU_REL32, "R_AMDGPU_REL32"},
        {LULL_R_AMDGPU_REL64, "R_AMDGPU_REL64"},
        {LULL_R_AMDGPU_ABS32, "R_AMDGPU_ABS32"},
        {LULL_R_AMDGPU_GOTPCREL, "R_AMDGPU_GOTPCREL"},
        {LULL_R_AMDGPU_GOTPCREL32_LO, "R_AMDGPU_GOTPCREL32_LO"},
        {LULL_R_AMDGPU_GOTPCREL32_HI, "R_AMDGPU_GOTPCREL32_HI"},
        {LULL_R_AMDGPU_REL32_LO, "R_AMDGPU_REL32_LO"},
        {LULL_R_AMDGPU_REL32_HI, "R_AMDGPU_REL32_HI"},
        {LULL_R_AMDGPU_RELATIVE64, "R_AMDGPU_RELATIVE64"},
        {LULL_R_AMDGPU_REL16, "R_AMDGPU_REL16"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].type == type) {
            return names[i].name;
        }
    }
    return NULL;
}

const char *lull_link_gpu(uint32_t elf_flags, char buffer[16])
{
    enum { ROOM = 16 };
    const struct lull_reg_entry *e = lull_reg_at(&lull_regs_amdmach, 0, elf_flags & 0xff);
    (void)snprintf(buffer, ROOM, "%s", e != NULL ? e->name : "");
    for (char *p = buffer; *p != '\0'; p++) {
        *p = (char)tolower((unsigned char)*p);
    }
    return buffer;
}
