// SPDX-License-Identifier: MIT
// User data: what shaders want in SGPRs, and what they read from memory.
#include <stdlib.h>
#include <string.h>

#include "cc/ir.h"
#include "cc/reloc_priv.h"
#include "link/stages.h"
#include "link/vkformat.h"

enum { LAST_SET = 255, LAST_PUSH = 255, PADDED = 16, ROOT_END = 128 };

static void from_memory(struct lull_rl_entry *e, uint32_t dword)
{
    e->spill = true;
    e->spill_threshold = dword < e->spill_threshold ? dword : e->spill_threshold;
}

/** @p value is wanted in an SGPR. What finds no room is read from the spill table. */
static void want(struct lull_rl_entry *e, uint32_t value)
{
    unsigned at = 0;
    if (value >= ROOT_END && value < LULL_UD_GLOBAL_TABLE) {
        from_memory(e, value); // PAL gives registers no dword so far behind
        return;
    }
    while (at < e->nitems && e->item[at] < value) {
        at++;
    }
    if ((at < e->nitems && e->item[at] == value) || e->nitems == LULL_RL_NITEMS) {
        return;
    }
    memmove(&e->item[at + 1], &e->item[at], (e->nitems - at) * sizeof e->item[0]);
    e->item[at] = value;
    e->nitems++;
}

static void reach(struct lull_rl_entry *e, const struct lull_layout_node *root)
{
    const uint32_t end = root->offset + root->size;
    e->user_data_limit = e->user_data_limit > end ? e->user_data_limit : end;
}

/** One place for what a call wants; what it is, is the call's. */
static bool place_for(const struct lull_layout *l, const struct lull_rl_call *c, bool push,
                      uint32_t stages, struct lull_layout_place *ret)
{
    if (!push && c->row->op == LULL_RL_TABLE) {
        ret->root = ret->node = lull_layout_table(l, stages, c->value[0]);
        return ret->root != NULL;
    }
    return push ? lull_layout_first(l, stages, LULL_LAYOUT_PUSH_CONSTANTS, ret)
                : lull_layout_find(l, stages, c->row->wants, c->value[0], c->value[1], ret);
}

/** Hardware stages run several kinds of shaders: those that see a node must see the same. */
LULL_MUST_USE static struct lull_error *find(const struct lull_rl *rl,
                                             const struct lull_rl_entry *e,
                                             const struct lull_rl_call *c, bool push,
                                             bool *ret_found, struct lull_layout_place *ret)
{
    const uint32_t stages = lull_stage_bits(e->stage);
    *ret_found = false;
    if (!lull_layout_by_stage(rl->layout)) {
        *ret_found = place_for(rl->layout, c, push, 0, ret);
        return NULL;
    }
    for (uint32_t bit = 1; bit <= stages; bit <<= 1) {
        struct lull_layout_place at = {0};
        if ((stages & bit) == 0 || !place_for(rl->layout, c, push, bit, &at)) {
            continue;
        }
        if (*ret_found && at.node != ret->node) {
            return lull_ir_error(rl->cc, c->inst,
                                 "%s: %s for one stage, and %s for another; amdgpu_%s may be "
                                 "either",
                                 c->row->name, ret->node->path, at.node->path, e->stage);
        }
        *ret_found = true;
        *ret = at;
    }
    return NULL;
}

struct lull_error *lull_rl_place(const struct lull_rl *rl, const struct lull_rl_entry *e,
                                 const struct lull_rl_call *c, struct lull_layout_place *ret)
{
    const uint32_t set = c->value[0], binding = c->value[1];
    bool found = false;
    struct lull_error *err = find(rl, e, c, false, &found, ret);
    if (err != NULL) {
        return err;
    }
    if (c->row->op == LULL_RL_TABLE) {
        return found ? NULL
                     : lull_ir_error(rl->cc, c->inst,
                                     "%s: the layout has no table for "
                                     "set %u",
                                     c->row->name, set);
    }
    if (!found) {
        return lull_ir_error(rl->cc, c->inst, "%s: the layout has no %s at set %u, binding %u",
                             c->row->name, lull_layout_type_name(c->row->wants), set, binding);
    }
    if (ret->node->ycbcr || ret->node->type == LULL_LAYOUT_INLINE_BUFFER) {
        return lull_ir_error(rl->cc, c->inst, "%s: %s, set %u, binding %u: %s", c->row->name,
                             ret->node->path, set, binding,
                             ret->node->ycbcr ? "a sampler that converts colours"
                                              : "an inline buffer has no descriptor");
    }
    return NULL;
}

struct lull_error *lull_rl_attribute(const struct lull_rl *rl, const struct lull_rl_call *c,
                                     const struct lull_layout_attribute **ret_attribute,
                                     const struct lull_layout_binding **ret_binding)
{
    LLVMTypeRef one = NULL;
    const unsigned n = lull_rl_components(LLVMTypeOf(c->inst), &one);
    if (!rl->layout->has_vertex_input) {
        return lull_ir_error(rl->cc, c->inst, "%s: the layout has no vertex_input", c->row->name);
    }
    *ret_attribute = lull_layout_attribute_at(rl->layout, c->value[0], ret_binding);
    if (*ret_attribute == NULL) {
        return lull_ir_error(rl->cc, c->inst,
                             "%s: the layout has no vertex attribute at location %u", c->row->name,
                             c->value[0]);
    }
    const bool wide = (*ret_attribute)->format->wide;
    const unsigned most = wide ? LULL_RL_WIDE : LULL_RL_COMPONENTS;
    if (c->value[1] >= most || n > most - c->value[1]) {
        return lull_ir_error(rl->cc, c->inst,
                             "%s: %u components from component %u on: there are %u", c->row->name,
                             n, c->value[1], most);
    }
    if (wide && (LLVMGetTypeKind(one) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(one) != 32)) {
        return lull_ir_error(
            rl->cc, c->inst,
            "%s: location %u has components of 64 bits, which come as two i32 each", c->row->name,
            c->value[0]);
    }
    return NULL;
}

struct lull_error *lull_rl_push_node(const struct lull_rl *rl, const struct lull_rl_entry *e,
                                     const struct lull_rl_call *c, struct lull_layout_place *ret)
{
    bool found = false;
    struct lull_error *err = find(rl, e, c, true, &found, ret);
    if (err == NULL && !found) {
        return lull_ir_error(rl->cc, c->inst, "%s: the layout has no push constants", c->row->name);
    }
    return err;
}

/** Is the operand @p i the constant @p value? */
static bool is_constant(const struct lull_rl_call *c, unsigned i, uint64_t value)
{
    LLVMValueRef v = LLVMGetOperand(c->inst, i);
    return LLVMIsAConstantInt(v) != NULL && LLVMConstIntGetZExtValue(v) == value;
}

bool lull_rl_in_sgprs(const struct lull_rl_call *c, const struct lull_layout_place *p)
{
    return p->root == p->node && c->row->letter == 'b' && is_constant(c, 2, 0) &&
           p->node->binding == c->value[1];
}

/** A descriptor or a table, with a layout. */
LULL_MUST_USE static struct lull_error *want_known(const struct lull_rl *rl,
                                                   struct lull_rl_entry *e,
                                                   const struct lull_rl_call *c)
{
    struct lull_layout_place p = {0};
    struct lull_error *err = lull_rl_place(rl, e, c, &p);
    if (err != NULL) {
        return err;
    }
    reach(e, p.root);
    if (c->row->op == LULL_RL_TABLE || p.root != p.node) {
        want(e, p.root->offset);
        return NULL;
    }
    if (!lull_rl_in_sgprs(c, &p)) {
        from_memory(e, p.node->offset);
        return NULL;
    }
    for (uint32_t i = 0; i < lull_layout_type_size(p.node->type); i++) {
        want(e, p.node->offset + i);
    }
    return NULL;
}

static void want_unknown(struct lull_rl_entry *e, const struct lull_rl_call *c)
{
    e->spill = e->spill || c->row->letter == 'b' || c->value[0] > LAST_SET;
    if (c->value[0] <= LAST_SET) {
        want(e, LULL_UD_SET + c->value[0]);
    }
}

LULL_MUST_USE static struct lull_error *want_push(const struct lull_rl *rl, struct lull_rl_entry *e,
                                                  const struct lull_rl_call *c)
{
    const bool known = c->row->op == LULL_RL_PUSH && LLVMIsAConstantInt(LLVMGetOperand(c->inst, 0));
    const uint32_t dword = c->value[0] / 4;
    if (rl->layout == NULL) {
        e->spill = e->spill || !known || dword > LAST_PUSH;
        if (known && dword <= LAST_PUSH) {
            want(e, LULL_UD_PUSH + dword);
        }
        return NULL;
    }
    struct lull_layout_place p = {0};
    struct lull_error *err = lull_rl_push_node(rl, e, c, &p);
    if (err != NULL) {
        return err;
    }
    const struct lull_layout_node *node = p.node;
    reach(e, p.root);
    if (known && dword >= node->size) {
        return lull_ir_error(rl->cc, c->inst,
                             "%s: offset %u, and the layout has %u bytes of push "
                             "constants",
                             c->row->name, c->value[0], node->size * 4);
    }
    if (p.root != node) {
        want(e, p.root->offset); // the pointer
    } else if (known) {
        want(e, node->offset + dword);
    } else {
        from_memory(e, node->offset);
    }
    return NULL;
}

/** SGPRs that a value takes. */
static unsigned registers_of(uint32_t value)
{
    return value == LULL_UD_WORKGROUPS || value == LULL_UD_CULLING ? 2
           : value == LULL_UD_MESH_DIMENSIONS                      ? 3
                                                                   : 1;
}

/** A value that the driver gives. */
LULL_MUST_USE static struct lull_error *want_special(const struct lull_rl *rl,
                                                     struct lull_rl_entry *e,
                                                     const struct lull_rl_call *c, uint32_t value)
{
    const unsigned n = registers_of(value);
    if (value == LULL_UD_SPILL) {
        from_memory(e, 0); // who knows what is read
        return NULL;
    }
    if (value == LULL_UD_GLOBAL_TABLE) {
        return NULL;
    }
    if ((value >= LULL_UD_SET || value < LULL_UD_GLOBAL_TABLE) && rl->layout == NULL) {
        return lull_ir_error(rl->cc, c->inst,
                             "%s: %#x is a place in the root table, which only a "
                             "layout knows",
                             c->row->name, value);
    }
    for (unsigned i = 0; i < e->nspecial; i++) {
        if (e->special[i] == value) {
            return NULL;
        }
    }
    if (e->nspecial + n > LULL_UD_MAX) {
        return lull_ir_error(rl->cc, c->inst, "%s: more user data than SGPRs", c->row->name);
    }
    for (unsigned i = 0; i < n; i++) {
        e->special[e->nspecial++] = i == 0 ? value : LULL_UD_NONE; // goes with the one before
    }
    return NULL;
}

/** Slots of the attribute ring: as many wherever it is asked for. */
LULL_MUST_USE static struct lull_error *want_attributes(const struct lull_rl *rl,
                                                        struct lull_rl_entry *e,
                                                        const struct lull_rl_call *c)
{
    if (e->attributes != 0 && e->attributes != c->value[0]) {
        return lull_ir_error(rl->cc, c->inst, "%s: %u slots, and %u elsewhere", c->row->name,
                             c->value[0], e->attributes);
    }
    e->attributes = c->value[0];
    return NULL;
}

/** The table of vertex buffers, and what the attribute's buffer is counted from. */
LULL_MUST_USE static struct lull_error *want_vertex_input(const struct lull_rl *rl,
                                                          struct lull_rl_entry *e,
                                                          const struct lull_rl_call *c)
{
    const struct lull_layout_attribute *a = NULL;
    const struct lull_layout_binding *b = NULL;
    struct lull_error *err = rl->layout != NULL ? lull_rl_attribute(rl, c, &a, &b) : NULL;
    err = err != NULL ? err : want_special(rl, e, c, LULL_UD_VERTEX_BUFFERS);
    if (err == NULL && (b == NULL || !b->instance)) {
        err = want_special(rl, e, c, LULL_UD_BASE_VERTEX);
    }
    if (err == NULL && (b == NULL || b->instance)) {
        err = want_special(rl, e, c, LULL_UD_BASE_INSTANCE);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *want_call(const struct lull_rl *rl, struct lull_rl_entry *e,
                                                  const struct lull_rl_call *c)
{
    switch (c->row->op) {
    case LULL_RL_DESC:
    case LULL_RL_TABLE:
        if (rl->layout != NULL) {
            return want_known(rl, e, c);
        }
        want_unknown(e, c);
        return NULL;
    case LULL_RL_PUSH:
    case LULL_RL_PUSH_POINTER:
        return want_push(rl, e, c);
    case LULL_RL_USER_DATA:
        return want_special(rl, e, c, c->value[0]);
    case LULL_RL_NUM_WORKGROUPS:
        return want_special(rl, e, c, e->compute ? LULL_UD_WORKGROUPS : LULL_UD_MESH_DIMENSIONS);
    case LULL_RL_WORKGROUP_ID:
        (e->gfx < 12 ? e->group : e->ttmp_group)[c->value[0]] = true;
        return NULL;
    case LULL_RL_LOCAL_ID:
        e->local[c->value[0]] = true;
        return NULL;
    case LULL_RL_VERTEX_BUFFER:
        return want_special(rl, e, c, LULL_UD_VERTEX_BUFFERS);
    case LULL_RL_ATTRIBUTE_RING:
        return want_attributes(rl, e, c);
    case LULL_RL_VERTEX_INPUT:
        return want_vertex_input(rl, e, c);
    case LULL_RL_GLOBAL_DESC: // the table's pointer is always there
    case LULL_RL_COLOR_EXPORT:
    case LULL_RL_NUMBER:
    default:
        return NULL;
    }
}

/** Shaders read the root table from memory: all of it has to be there. */
static void finish_limit(const struct lull_rl *rl, struct lull_rl_entry *e)
{
    if (e->spill) {
        for (uint32_t i = 0; i < rl->layout->nnodes; i++) {
            const struct lull_layout_node *n = &rl->layout->nodes[i];
            if (n->type != LULL_LAYOUT_INDIRECT_USER_DATA &&
                n->type != LULL_LAYOUT_STREAM_OUT_TABLE) {
                reach(e, n);
            }
        }
    }
    if (e->user_data_limit == 0 && rl->layout->nnodes != 0) {
        e->user_data_limit = 1;
    }
}

/** Give out SGPRs: global table, special ones, items as far as there is room, spill table. */
LULL_MUST_USE static struct lull_error *give(const struct lull_rl *rl, struct lull_rl_entry *e)
{
    const unsigned limit = e->compute || e->gfx <= 8 ? 16 : 32;
    e->map[e->nmap++] = LULL_UD_GLOBAL_TABLE;
    if (e->nmap + e->nspecial + 1 > limit) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: function '%s': more user data than SGPRs",
                              rl->cc->options->input, e->name);
    }
    memcpy(&e->map[e->nmap], e->special, e->nspecial * sizeof e->special[0]);
    e->nmap += e->nspecial;
    e->spill = e->spill || e->nitems > limit - e->nmap;
    const unsigned room = limit - e->nmap - e->spill;
    for (unsigned i = 0; i < e->nitems; i++) {
        if (i < room) {
            e->map[e->nmap++] = e->item[i];
        } else if (rl->layout != NULL) {
            from_memory(e, e->item[i]);
        }
    }
    if (e->spill) {
        e->map[e->nmap++] = LULL_UD_SPILL;
    }
    const bool padded =
        e->gfx == 11 && e->wave_size == 32 && (e->compute || strcmp(e->stage, "ps") == 0);
    while (padded && e->nmap < PADDED) {
        e->map[e->nmap++] = LULL_UD_NONE;
    }
    return NULL;
}

/** User data of glue: what the shader has that it belongs to, in an attribute. */
LULL_MUST_USE static struct lull_error *take_map(const struct lull_rl *rl, struct lull_rl_entry *e)
{
    const char *text = lull_ir_attribute(e->fn, "lull-user-data");
    while (text != NULL && *text != '\0' && e->nmap < LULL_UD_MAX) {
        char *end = NULL;
        e->map[e->nmap++] = (uint32_t)strtoul(text, &end, 0);
        text = *end == ',' ? end + 1 : end;
        if (*end != ',' && *end != '\0') {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "%s: function '%s': lull-user-data: not numbers",
                                  rl->cc->options->input, e->name);
        }
    }
    return NULL;
}

struct lull_error *lull_rl_assign(struct lull_rl *rl, struct lull_rl_entry *e)
{
    struct lull_error *err = NULL;
    if (e->glue != LULL_RL_SHADER) {
        return take_map(rl, e);
    }
    if (rl->layout == NULL) {
        err = lull_rl_pass(rl, e);
    }
    for (size_t i = 0; err == NULL && i < e->ncalls; i++) {
        err = want_call(rl, e, &e->calls[i]);
    }
    if (err == NULL) {
        err = give(rl, e);
    }
    if (err == NULL && rl->layout != NULL) {
        finish_limit(rl, e);
    }
    if (rl->layout == NULL) {
        e->spill_threshold = LULL_RL_NO_SPILL; // relocations tell the linker
    }
    return err;
}

int lull_rl_slot(const struct lull_rl_entry *e, uint32_t value)
{
    for (unsigned i = 0; i < e->nmap; i++) {
        if (e->map[i] == value) {
            return (int)i;
        }
    }
    return -1;
}
