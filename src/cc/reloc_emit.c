// SPDX-License-Identifier: MIT
// What stands in place of a call of a lull.* intrinsic.
#include <llvm-c/DebugInfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cc/ir.h"
#include "cc/reloc_priv.h"

enum {
    DWORD = 4,
    HIGH_BITS = 16, // of an address, in a buffer descriptor's second dword
    LAST_SET = 255,
    ATTRIBUTE_RING = 11, // descriptor of the global table: LLPC's SiDrvTableOffChipParamCache
    ATTRIBUTE_BYTES = 16,
    STRIDE_SHIFT = 16, // in a buffer descriptor's second dword
};

struct emit {
    struct lull_rl *rl;
    struct lull_rl_entry *e;
    const struct lull_rl_call *c;
    LLVMBuilderRef b;
    LLVMTypeRef i32, i64, pointer;
    LLVMValueRef high; ///< High half of addresses, i32.
};

/** Where a descriptor lies. All i32. */
struct source {
    LLVMValueRef low, high; ///< Address of its table.
    LLVMValueRef offset;    ///< Of the binding, bytes.
    LLVMValueRef stride;    ///< Bytes.
    LLVMValueRef compact;   ///< Not 0: eight bytes, an address. NULL: certainly none.
};

static LLVMValueRef number(const struct emit *m, uint32_t value)
{
    return LLVMConstInt(m->i32, value, false);
}

/** A number that the linker knows. */
LULL_PRINTF(2, 3) static LLVMValueRef symbol(const struct emit *m, const char *fmt, ...)
{
    char name[64] = "";
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    LLVMContextRef c = m->rl->cc->context;
    LLVMMetadataRef text = LLVMMDStringInContext2(c, name, (size_t)n);
    LLVMValueRef arg = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, &text, 1));
    return lull_ir_intrinsic(m->rl->cc, m->b, "llvm.amdgcn.reloc.constant", NULL, 0, &arg, 1);
}

/** high:low + offset as a pointer to constant memory. */
static LLVMValueRef address(const struct emit *m, LLVMValueRef high, LLVMValueRef low,
                            LLVMValueRef offset)
{
    LLVMValueRef h = LLVMBuildShl(m->b, LLVMBuildZExt(m->b, high, m->i64, ""),
                                  LLVMConstInt(m->i64, 32, false), "");
    LLVMValueRef a = LLVMBuildOr(m->b, h, LLVMBuildZExt(m->b, low, m->i64, ""), "");
    LLVMValueRef p = LLVMBuildIntToPtr(m->b, a, m->pointer, "");
    if (offset == NULL) {
        return p;
    }
    LLVMValueRef index = LLVMBuildZExt(m->b, offset, m->i64, "");
    return LLVMBuildGEP2(m->b, LLVMInt8TypeInContext(m->rl->cc->context), p, &index, 1, "");
}

/** Load @p ndwords that do not change while the shader runs. */
static LLVMValueRef load(const struct emit *m, LLVMValueRef pointer, unsigned ndwords)
{
    LLVMContextRef c = m->rl->cc->context;
    LLVMTypeRef type = ndwords == 1 ? m->i32 : LLVMVectorType(m->i32, ndwords);
    LLVMValueRef v = LLVMBuildLoad2(m->b, type, pointer, "");
    LLVMSetAlignment(v, DWORD);
    const unsigned kind = LLVMGetMDKindIDInContext(c, "invariant.load", 14);
    LLVMSetMetadata(v, kind, LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0)));
    return v;
}

static LLVMValueRef extract(const struct emit *m, LLVMValueRef vector, unsigned i)
{
    return LLVMBuildExtractElement(m->b, vector, number(m, i), "");
}

static LLVMValueRef insert(const struct emit *m, LLVMValueRef vector, LLVMValueRef v, unsigned i)
{
    return LLVMBuildInsertElement(m->b, vector, v, number(m, i), "");
}

static LLVMValueRef four(const struct emit *m, LLVMValueRef *v)
{
    LLVMValueRef r = LLVMGetPoison(LLVMVectorType(m->i32, 4));
    for (unsigned i = 0; i < 4; i++) {
        r = insert(m, r, v[i], i);
    }
    return r;
}

static LLVMValueRef first_lane(const struct emit *m, LLVMValueRef v)
{
    LLVMTypeRef type = m->i32;
    return LLVMIsAConstantInt(v) != NULL
               ? v
               : lull_ir_intrinsic(m->rl->cc, m->b, "llvm.amdgcn.readfirstlane", &type, 1, &v, 1);
}

/** The SGPR of a user data value; NULL if it has none. */
static LLVMValueRef sgpr(const struct emit *m, uint32_t value)
{
    const int i = lull_rl_slot(m->e, value);
    return i >= 0 ? m->e->sgpr[i] : NULL;
}

/** @p n dwords of the root table, from dword @p at, which a layout knows. */
static LLVMValueRef root(const struct emit *m, uint32_t at)
{
    LLVMValueRef v = sgpr(m, at);
    return v != NULL
               ? v
               : load(m, address(m, m->high, sgpr(m, LULL_UD_SPILL), number(m, at * DWORD)), 1);
}

/** Low half of the address of set @p set's table. */
static LLVMValueRef table(const struct emit *m, uint32_t set)
{
    LLVMValueRef v = set <= LAST_SET ? sgpr(m, LULL_UD_SET + set) : NULL;
    return v != NULL
               ? v
               : load(m, address(m, m->high, sgpr(m, LULL_UD_SPILL), symbol(m, "descset_%u", set)),
                      1);
}

static LLVMValueRef differs(const struct emit *m, LLVMValueRef v, uint32_t from)
{
    return LLVMBuildICmp(m->b, LLVMIntNE, v, number(m, from), "");
}

/** Where the linker will find it. */
static struct source unknown(const struct emit *m)
{
    const uint32_t set = m->c->value[0], binding = m->c->value[1];
    const char letter = m->c->row->letter;
    struct source s = {.low = table(m, set), .high = m->high};
    if (letter == 'b') {
        LLVMValueRef dynamic = differs(m, symbol(m, "dusespill_%u_%u", set, binding), 0);
        s.low = LLVMBuildSelect(m->b, dynamic, sgpr(m, LULL_UD_SPILL), s.low, "");
        s.compact = symbol(m, "compactbuffer_%u_%u", set, binding);
    }
    if (letter == 'f') {
        LLVMValueRef shadow = differs(m, symbol(m, "$shadowenabled"), 0);
        s.high = LLVMBuildSelect(m->b, shadow, symbol(m, "$shadowdesctable"), s.high, "");
    }
    s.offset = symbol(m, "doff_%u_%u_%c", set, binding, letter);
    return s;
}

/** Where the layout says it is. */
LULL_MUST_USE static struct lull_error *known(const struct emit *m, struct lull_layout_place *p,
                                              struct source *s)
{
    struct lull_error *err = lull_rl_place(m->rl, m->e, m->c, p);
    if (err != NULL) {
        return err;
    }
    const struct lull_layout_node *n = p->node;
    const char letter = m->c->row->letter;
    const struct lull_layout *l = m->rl->layout;
    const bool sampler = letter == 's' && n->type == LULL_LAYOUT_COMBINED_TEXTURE;
    *s = (struct source){.high = m->high, .stride = number(m, n->stride * DWORD)};
    if (letter == 'f' && l->has_shadow_table) {
        s->high = number(m, l->shadow_table);
    }
    s->low = p->root == n ? sgpr(m, LULL_UD_SPILL) : root(m, p->root->offset);
    s->offset = number(m, n->offset * DWORD + (m->c->value[1] - n->binding) * n->stride * DWORD +
                              (sampler ? n->sampler_offset * DWORD : 0));
    if (n->type == LULL_LAYOUT_BUFFER_COMPACT || n->type == LULL_LAYOUT_CONST_BUFFER_COMPACT) {
        s->compact = number(m, 1);
    }
    return NULL;
}

/** Dword 3 of the descriptor of all that an address reaches, by generation of GPU. */
static uint32_t word3(unsigned gfx)
{
    // LLPC, DescBuilder.cpp at b29aa1cd5, gfx12 at 40cb8d95a: channels X Y Z W, a 32-bit format,
    // range not checked; gfx12 lets the memory be compressed.
    return gfx < 10 ? 0x24fac : gfx == 10 ? 0x21014fac : gfx == 11 ? 0x20014fac : 0x22014fac;
}

/** A full descriptor out of the address @p w0, @p w1. */
static void expand(const struct emit *m, LLVMValueRef w0, LLVMValueRef w1, LLVMValueRef ret[4])
{
    ret[0] = w0;
    ret[1] = LLVMBuildAnd(m->b, w1, number(m, (1u << HIGH_BITS) - 1), "");
    ret[2] = number(m, UINT32_MAX);
    ret[3] = number(m, word3(m->e->gfx));
}

/**
 * A buffer that may be compact or not: its second half is read from the first if it has none.
 *
 * Without selects: LLVM makes VALU instructions of those.
 */
static LLVMValueRef either(const struct emit *m, const struct source *s, LLVMValueRef low)
{
    LLVMValueRef mask = LLVMBuildNeg(m->b, s->compact, ""); // compact is 0 or 1
    LLVMValueRef not = LLVMBuildNot(m->b, mask, "");
    LLVMValueRef more = LLVMBuildAnd(m->b, not, number(m, 2 * DWORD), "");
    LLVMValueRef a = load(m, address(m, s->high, low, s->offset), 2);
    LLVMValueRef b = load(m, address(m, s->high, LLVMBuildAdd(m->b, low, more, ""), s->offset), 2);
    LLVMValueRef v[4] = {extract(m, a, 0), extract(m, a, 1), extract(m, b, 0), extract(m, b, 1)};
    LLVMValueRef c[4] = {0};
    expand(m, v[0], v[1], c);
    LLVMValueRef high = LLVMBuildShl(m->b, mask, number(m, HIGH_BITS), "");
    v[1] = LLVMBuildAnd(m->b, v[1], LLVMBuildNot(m->b, high, ""), "");
    v[2] = LLVMBuildOr(m->b, v[2], mask, "");
    v[3] = LLVMBuildOr(m->b, LLVMBuildAnd(m->b, v[3], not, ""), LLVMBuildAnd(m->b, c[3], mask, ""),
                       "");
    return four(m, v);
}

/** Low half of the address of the table's element that the call asks for. */
static LLVMValueRef element(const struct emit *m, struct source *s)
{
    LLVMValueRef index = LLVMGetOperand(m->c->inst, 2);
    if (LLVMIsAConstantInt(index) != NULL && LLVMConstIntGetZExtValue(index) == 0) {
        return s->low;
    }
    if (s->stride == NULL) {
        s->stride = symbol(m, "dstride_%u_%u", m->c->value[0], m->c->value[1]);
    }
    index = m->c->divergent ? index : first_lane(m, index);
    return LLVMBuildAdd(m->b, s->low, LLVMBuildMul(m->b, index, s->stride, ""), "");
}

/** A buffer descriptor that the root table holds, out of SGPRs. */
static LLVMValueRef from_root(const struct emit *m, const struct lull_layout_node *n)
{
    LLVMValueRef v[4] = {0};
    const unsigned size = lull_layout_type_size(n->type);
    for (unsigned i = 0; i < size; i++) {
        v[i] = root(m, n->offset + i);
    }
    if (size == 2) {
        expand(m, v[0], v[1], v);
    }
    return four(m, v);
}

LULL_MUST_USE static struct lull_error *descriptor(const struct emit *m, LLVMValueRef *ret)
{
    struct lull_layout_place p = {0};
    struct source s = {0};
    if (m->rl->layout == NULL) {
        s = unknown(m);
    } else {
        struct lull_error *err = known(m, &p, &s);
        if (err != NULL) {
            return err;
        }
        if (lull_rl_in_sgprs(m->c, &p)) {
            *ret = from_root(m, p.node);
            return NULL;
        }
    }
    LLVMValueRef low = element(m, &s);
    if (s.compact == NULL) {
        *ret = load(m, address(m, s.high, low, s.offset), m->c->row->type == LULL_RL_V8I32 ? 8 : 4);
        return NULL;
    }
    if (LLVMIsAConstantInt(s.compact) == NULL) {
        *ret = either(m, &s, low);
        return NULL;
    }
    LLVMValueRef a = load(m, address(m, s.high, low, s.offset), 2), v[4] = {0};
    expand(m, extract(m, a, 0), extract(m, a, 1), v);
    *ret = four(m, v);
    return NULL;
}

/** Push constants: out of an SGPR, or of the spill table; or a pointer to them. */
LULL_MUST_USE static struct lull_error *push(const struct emit *m, LLVMValueRef *ret)
{
    struct lull_layout_place place = {0};
    struct lull_error *err =
        m->rl->layout != NULL ? lull_rl_push_node(m->rl, m->e, m->c, &place) : NULL;
    if (err != NULL) {
        return err;
    }
    const struct lull_layout_node *n = place.node;
    const bool inside = place.root != n; // a table's
    const bool pointer = m->c->row->op == LULL_RL_PUSH_POINTER;
    LLVMValueRef at = pointer ? number(m, 0) : LLVMGetOperand(m->c->inst, 0);
    if (!pointer && !inside && LLVMIsAConstantInt(at) != NULL) {
        const uint32_t dword = m->c->value[0] / DWORD;
        LLVMValueRef v = n != NULL           ? root(m, n->offset + dword)
                         : dword <= LAST_SET ? sgpr(m, LULL_UD_PUSH + dword)
                                             : NULL;
        if (v != NULL) {
            *ret = v;
            return NULL;
        }
    }
    LLVMValueRef start = n != NULL ? number(m, n->offset * DWORD) : symbol(m, "pushconst");
    LLVMValueRef base = inside ? root(m, place.root->offset) : sgpr(m, LULL_UD_SPILL);
    LLVMValueRef low = LLVMBuildAdd(m->b, base, first_lane(m, at), "");
    LLVMValueRef p = address(m, m->high, low, start);
    *ret = pointer ? p : load(m, p, 1);
    return NULL;
}

LULL_MUST_USE static struct lull_error *table_pointer(const struct emit *m, LLVMValueRef *ret)
{
    struct lull_layout_place p = {0};
    struct lull_error *err = m->rl->layout != NULL ? lull_rl_place(m->rl, m->e, m->c, &p) : NULL;
    if (err == NULL) {
        *ret = address(m, m->high,
                       p.root != NULL ? root(m, p.root->offset) : table(m, m->c->value[0]), NULL);
    }
    return err;
}

/** An argument; on gfx12 LLVM knows where it is. */
static LLVMValueRef workgroup_id(const struct emit *m, unsigned axis)
{
    static const char *const names[] = {"llvm.amdgcn.workgroup.id.x", "llvm.amdgcn.workgroup.id.y",
                                        "llvm.amdgcn.workgroup.id.z"};
    return m->e->gfx < 12 ? m->e->group_id[axis]
                          : lull_ir_intrinsic(m->rl->cc, m->b, names[axis], NULL, 0, NULL, 0);
}

/** Numbers of workgroups lie behind a pointer; of meshes they are in SGPRs. */
static LLVMValueRef num_workgroups(const struct emit *m)
{
    if (!m->e->compute) {
        return m->e->sgpr[(unsigned)lull_rl_slot(m->e, LULL_UD_MESH_DIMENSIONS) + m->c->value[0]];
    }
    const int i = lull_rl_slot(m->e, LULL_UD_WORKGROUPS);
    return load(m, address(m, m->e->sgpr[i + 1], m->e->sgpr[i], number(m, m->c->value[0] * DWORD)),
                1);
}

LULL_MUST_USE static struct lull_error *pipeline_number(const struct emit *m, LLVMValueRef *ret)
{
    const char *name = m->c->row->symbol;
    const struct lull_layout *l = m->rl->layout;
    const bool patch = strcmp(name, "$patchControlPoints") == 0;
    if (l != NULL && patch && l->patch_control_points == 0) {
        return lull_ir_error(m->rl->cc, m->c->inst, "%s: the layout has no patch_control_points",
                             m->c->row->name);
    }
    *ret = l == NULL                          ? symbol(m, "%s", name)
           : patch                            ? number(m, l->patch_control_points)
           : strcmp(name, "$deviceIdx") == 0  ? number(m, l->device_index)
           : strcmp(name, "$numsamples") == 0 ? number(m, l->num_samples)
                                              : number(m, l->sample_pattern_index);
    return NULL;
}

/** A descriptor out of the global table. */
static LLVMValueRef global_desc(const struct emit *m, uint32_t n)
{
    return load(m, address(m, m->high, sgpr(m, LULL_UD_GLOBAL_TABLE), number(m, n * 4 * DWORD)), 4);
}

/** The attribute ring's descriptor out of the global table, with the size of a vertex for stride.
 */
static LLVMValueRef attribute_ring(const struct emit *m)
{
    LLVMValueRef v = global_desc(m, ATTRIBUTE_RING);
    LLVMValueRef stride = number(m, m->c->value[0] * ATTRIBUTE_BYTES << STRIDE_SHIFT);
    return insert(m, v, LLVMBuildOr(m->b, extract(m, v, 1), stride, ""), 1);
}

static LLVMValueRef vertex_buffer(const struct emit *m, uint32_t n)
{
    return load(m, address(m, m->high, sgpr(m, LULL_UD_VERTEX_BUFFERS), number(m, n * 4 * DWORD)),
                4);
}

LULL_MUST_USE static struct lull_error *vertex_input(const struct emit *m, LLVMValueRef *ret)
{
    const struct lull_layout_attribute *a = NULL;
    const struct lull_layout_binding *b = NULL;
    if (m->rl->layout == NULL) {
        *ret = lull_rl_passed(m->rl, m->e, m->c, m->b);
        return NULL;
    }
    struct lull_error *err = lull_rl_attribute(m->rl, m->c, &a, &b);
    return err != NULL ? err
                       : lull_rl_fetch(m->rl, m->e, m->c, m->b, vertex_buffer(m, a->binding), ret);
}

LULL_MUST_USE static struct lull_error *one(const struct emit *m, LLVMValueRef *ret)
{
    switch (m->c->row->op) {
    case LULL_RL_DESC:
        return descriptor(m, ret);
    case LULL_RL_TABLE:
        return table_pointer(m, ret);
    case LULL_RL_PUSH:
    case LULL_RL_PUSH_POINTER:
        return push(m, ret);
    case LULL_RL_USER_DATA:
        *ret = sgpr(m, m->c->value[0]);
        return NULL;
    case LULL_RL_WORKGROUP_ID:
        *ret = workgroup_id(m, m->c->value[0]);
        return NULL;
    case LULL_RL_LOCAL_ID:
        *ret = m->e->local_id[m->c->value[0]];
        return NULL;
    case LULL_RL_NUM_WORKGROUPS:
        *ret = num_workgroups(m);
        return NULL;
    case LULL_RL_VERTEX_BUFFER:
        *ret = vertex_buffer(m, m->c->value[0]);
        return NULL;
    case LULL_RL_VERTEX_INPUT:
        return vertex_input(m, ret);
    case LULL_RL_ATTRIBUTE_RING:
        *ret = attribute_ring(m);
        return NULL;
    case LULL_RL_GLOBAL_DESC:
        *ret = global_desc(m, m->c->value[0]);
        return NULL;
    case LULL_RL_COLOR_EXPORT: // lull_rl_colors()
    case LULL_RL_NUMBER:
    default:
        return pipeline_number(m, ret);
    }
}

/** High half of the program counter: descriptor tables and code lie in the same 4 GiB. */
static LLVMValueRef high_half(const struct emit *m)
{
    LLVMValueRef pc = lull_ir_intrinsic(m->rl->cc, m->b, "llvm.amdgcn.s.getpc", NULL, 0, NULL, 0);
    return LLVMBuildTrunc(m->b, LLVMBuildLShr(m->b, pc, LLVMConstInt(m->i64, 32, false), ""),
                          m->i32, "");
}

struct lull_error *lull_rl_emit(struct lull_rl *rl, struct lull_rl_entry *e)
{
    LLVMContextRef c = rl->cc->context;
    struct emit m = {.rl = rl,
                     .e = e,
                     .b = LLVMCreateBuilderInContext(c),
                     .i32 = LLVMInt32TypeInContext(c),
                     .i64 = LLVMInt64TypeInContext(c),
                     .pointer = LLVMPointerTypeInContext(c, 4)};
    LLVMPositionBuilderBefore(m.b, lull_rl_top(e->fn));
    m.high = high_half(&m);
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < e->ncalls; i++) {
        LLVMValueRef v = NULL;
        m.c = &e->calls[i];
        if (m.c->row->op == LULL_RL_COLOR_EXPORT) {
            e->has_colors = true;
            continue;
        }
        LLVMPositionBuilderBefore(m.b, m.c->inst);
        LLVMSetCurrentDebugLocation2(m.b, LLVMInstructionGetDebugLoc(m.c->inst));
        err = one(&m, &v);
        if (err == NULL) {
            LLVMReplaceAllUsesWith(m.c->inst, v);
            LLVMInstructionEraseFromParent(m.c->inst);
        }
    }
    if (err == NULL && e->has_colors) {
        err = rl->layout != NULL ? lull_rl_colors(rl, e, m.b) : lull_rl_return_colors(rl, e, m.b);
    }
    LLVMDisposeBuilder(m.b);
    return err;
}
