// SPDX-License-Identifier: MIT
// Draw packets: what each asks for. Arguments that are in memory are read when their draw begins.
//
// Sources: Mesa 22.3.6 and 25.0.7 sid.h, radv_cmd_buffer.c; Vulkan 1.3, VkDrawIndirectCommand and
// VkDrawIndexedIndirectCommand (what is in memory). Chosen here: what INDEX_BASE and
// INDEX_BUFFER_SIZE set is kept in the VGT_DMA registers.
#include <string.h>

#include "model/amd/gfx/gfx.h"

/** Arguments of indirect draws, in dwords. */
enum {
    COUNT,
    INSTANCES,
    FIRST, // vertex, or index
    FIRST_INSTANCE,
    ARGS,
    INDEXED_VERTEX = 3,
    INDEXED_FIRST_INSTANCE,
    INDEXED_ARGS
};

static uint64_t address(uint32_t lo, uint32_t hi)
{
    return lo | (uint64_t)hi << 32;
}

static uint32_t index_bytes(const struct lull_gpu *g)
{
    static const uint8_t bytes[] = {
        [LULL_DRAW11_VGT_INDEX_TYPE__INDEX_TYPE__16] = 2,
        [LULL_DRAW11_VGT_INDEX_TYPE__INDEX_TYPE__32] = 4,
        [LULL_DRAW11_VGT_INDEX_TYPE__INDEX_TYPE__8] = 1,
        4,
    };
    return bytes[lull_get(lull_gfx_reg(g, LULL_DRAW11_VGT_INDEX_TYPE),
                          LULL_DRAW11_VGT_INDEX_TYPE__INDEX_TYPE_MASK)];
}

static uint32_t instances(const struct lull_gpu *g)
{
    return lull_gfx_reg(g, LULL_DRAW11_VGT_NUM_INSTANCES);
}

/** Vertices in what streamout filled, which VGT_STRMOUT_DRAW_OPAQUE_ describes in bytes. */
static uint32_t opaque_count(const struct lull_gpu *g)
{
    const uint32_t size = lull_gfx_reg(g, LULL_DRAW11_VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE);
    const uint32_t from = lull_gfx_reg(g, LULL_DRAW11_VGT_STRMOUT_DRAW_OPAQUE_OFFSET);
    const uint32_t stride = lull_gfx_reg(g, LULL_DRAW11_VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE);
    return stride != 0 && size > from ? (size - from) / stride : 0;
}

static bool read_auto(struct lull_cp *cp, struct lull_gfx_call *call)
{
    const bool opaque = (cp->p.body[LULL_PM4_DRAW_INDEX_AUTO_INITIATOR] &
                         LULL_PM4_DRAW_INDEX_AUTO_INITIATOR__USE_OPAQUE_MASK) != 0;
    call->count = opaque ? opaque_count(cp->g) : cp->p.body[LULL_PM4_DRAW_INDEX_AUTO_COUNT];
    call->instances = instances(cp->g);
    return true;
}

static bool read_index_2(struct lull_cp *cp, struct lull_gfx_call *call)
{
    const uint32_t *body = cp->p.body;
    call->index_va =
        address(body[LULL_PM4_DRAW_INDEX_2_ADDR_LO], body[LULL_PM4_DRAW_INDEX_2_ADDR_HI]);
    call->index_bytes = index_bytes(cp->g);
    call->max_indices = body[LULL_PM4_DRAW_INDEX_2_MAX_SIZE];
    call->count = body[LULL_PM4_DRAW_INDEX_2_COUNT];
    call->instances = instances(cp->g);
    return true;
}

/** The indices of INDEX_BASE, from @p first on, of @p max in all. */
static void use_base(const struct lull_gpu *g, uint32_t first, uint32_t max,
                     struct lull_gfx_call *call)
{
    const uint64_t base = address(lull_gfx_reg(g, LULL_DRAW11_VGT_DMA_BASE),
                                  lull_gfx_reg(g, LULL_DRAW11_VGT_DMA_BASE_HI));
    call->index_bytes = index_bytes(g);
    call->index_va = base + (uint64_t)first * call->index_bytes;
    call->max_indices = max > first ? max - first : 0;
}

static bool read_index_offset_2(struct lull_cp *cp, struct lull_gfx_call *call)
{
    const uint32_t *body = cp->p.body;
    use_base(cp->g, body[LULL_PM4_DRAW_INDEX_OFFSET_2_OFFSET],
             body[LULL_PM4_DRAW_INDEX_OFFSET_2_MAX_SIZE], call);
    call->count = body[LULL_PM4_DRAW_INDEX_OFFSET_2_COUNT];
    call->instances = instances(cp->g);
    return true;
}

static bool is_indexed(const struct lull_cp *cp)
{
    return cp->p.opcode == LULL_PM4_DRAW_INDEX_INDIRECT ||
           cp->p.opcode == LULL_PM4_DRAW_INDEX_INDIRECT_MULTI;
}

/** Give the register of the shaders that a packet names a value. */
static void give(struct lull_cp *cp, uint32_t reg, uint32_t value)
{
    lull_cp_write_user(cp, lull_get(reg, LULL_PM4_DRAW_INDIRECT_VERTEX_REG__REG_MASK), value);
}

/** The arguments at @p va. */
static bool read_arguments(struct lull_cp *cp, uint64_t va, struct lull_gfx_call *call)
{
    const bool indexed = is_indexed(cp);
    uint32_t args[INDEXED_ARGS] = {0};
    if (!lull_vm_read(cp->vm, va, args, (indexed ? INDEXED_ARGS : ARGS) * sizeof(args[0]))) {
        return false;
    }
    if (indexed) {
        use_base(cp->g, args[FIRST], lull_gfx_reg(cp->g, LULL_DRAW11_VGT_DMA_MAX_SIZE), call);
    }
    call->count = args[COUNT];
    call->instances = args[INSTANCES];
    give(cp, cp->p.body[LULL_PM4_DRAW_INDIRECT_VERTEX_REG], args[indexed ? INDEXED_VERTEX : FIRST]);
    give(cp, cp->p.body[LULL_PM4_DRAW_INDIRECT_INSTANCE_REG],
         args[indexed ? INDEXED_FIRST_INSTANCE : FIRST_INSTANCE]);
    return true;
}

static bool read_indirect(struct lull_cp *cp, struct lull_gfx_call *call)
{
    return read_arguments(cp, cp->r->indirect_base + cp->p.body[LULL_PM4_DRAW_INDIRECT_OFFSET],
                          call);
}

static bool read_multi(struct lull_cp *cp, struct lull_gfx_call *call)
{
    const uint32_t *body = cp->p.body;
    const uint32_t n = lull_gfx_of(cp->g)->draw;
    const uint64_t first = cp->r->indirect_base + body[LULL_PM4_DRAW_INDIRECT_MULTI_OFFSET];
    const uint32_t draw = body[LULL_PM4_DRAW_INDIRECT_MULTI_DRAW_REG];
    if ((draw & LULL_PM4_DRAW_INDIRECT_MULTI_DRAW_REG__DRAW_INDEX_ENABLE_MASK) != 0) {
        give(cp, draw, n);
    }
    return read_arguments(cp, first + (uint64_t)n * body[LULL_PM4_DRAW_INDIRECT_MULTI_STRIDE],
                          call);
}

static bool read_mesh(struct lull_cp *cp, struct lull_gfx_call *call)
{
    lull_gfx_call_mesh(&cp->p.body[LULL_PM4_DISPATCH_MESH_DIRECT_DIM_X], call);
    return true;
}

static bool read_mesh_multi(struct lull_cp *cp, struct lull_gfx_call *call)
{
    const uint32_t *body = cp->p.body;
    const uint32_t n = lull_gfx_of(cp->g)->draw;
    const uint32_t regs = body[LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI_REGS];
    const uint32_t enable = body[LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI_ENABLE];
    const uint64_t va = cp->r->indirect_base + body[LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI_OFFSET] +
                        (uint64_t)n * body[LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI_STRIDE];
    uint32_t dim[3] = {0};
    if (!lull_vm_read(cp->vm, va, dim, sizeof(dim))) {
        return false;
    }
    const uint32_t reg =
        lull_get(regs, LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI_REGS__XYZ_DIM_REG_MASK);
    for (unsigned i = 0;
         i < 3 && reg != 0 &&
         (enable & LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI_ENABLE__XYZ_DIM_ENABLE_MASK) != 0;
         i++) {
        give(cp, reg + i, dim[i]);
    }
    if ((enable & LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI_ENABLE__DRAW_INDEX_ENABLE_MASK) != 0) {
        give(cp, lull_get(regs, LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI_REGS__DRAW_REG_MASK), n);
    }
    lull_gfx_call_mesh(dim, call);
    return true;
}

/** Both forms of indirect draws in numbers: COUNT, or what is in memory if that is less. */
static bool read_count(struct lull_cp *cp, uint32_t most, bool indirect, const uint32_t *address_of,
                       uint32_t *ndraws)
{
    uint32_t n = most;
    if (indirect && !lull_vm_read(cp->vm, address(address_of[0] & ~UINT32_C(3), address_of[1]), &n,
                                  sizeof(n))) {
        return false;
    }
    *ndraws = n < most ? n : most;
    return true;
}

static bool count_multi(struct lull_cp *cp, uint32_t *ndraws)
{
    const uint32_t *body = cp->p.body;
    return read_count(cp, body[LULL_PM4_DRAW_INDIRECT_MULTI_COUNT],
                      (body[LULL_PM4_DRAW_INDIRECT_MULTI_DRAW_REG] &
                       LULL_PM4_DRAW_INDIRECT_MULTI_DRAW_REG__COUNT_INDIRECT_ENABLE_MASK) != 0,
                      &body[LULL_PM4_DRAW_INDIRECT_MULTI_COUNT_LO], ndraws);
}

static bool count_mesh(struct lull_cp *cp, uint32_t *ndraws)
{
    const uint32_t *body = cp->p.body;
    return read_count(cp, body[LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI_COUNT],
                      (body[LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI_ENABLE] &
                       LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI_ENABLE__COUNT_INDIRECT_ENABLE_MASK) !=
                          0,
                      &body[LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI_COUNT_LO], ndraws);
}

enum lull_cp_result lull_gfx_draw_packet(struct lull_cp *cp)
{
    static const struct {
        unsigned opcode;
        struct lull_gfx_packet packet;
    } packets[] = {
        {LULL_PM4_DRAW_INDEX_AUTO, {.read = read_auto}},
        {LULL_PM4_DRAW_INDEX_2, {.read = read_index_2}},
        {LULL_PM4_DRAW_INDEX_OFFSET_2, {.read = read_index_offset_2}},
        {LULL_PM4_DRAW_INDIRECT, {.read = read_indirect}},
        {LULL_PM4_DRAW_INDEX_INDIRECT, {.read = read_indirect}},
        {LULL_PM4_DRAW_INDIRECT_MULTI, {.count = count_multi, .read = read_multi}},
        {LULL_PM4_DRAW_INDEX_INDIRECT_MULTI, {.count = count_multi, .read = read_multi}},
        {LULL_PM4_DISPATCH_MESH_DIRECT, {.read = read_mesh}},
        {LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI, {.count = count_mesh, .read = read_mesh_multi}},
        {LULL_PM4_DISPATCH_TASKMESH_GFX, {.next = lull_gfx_next_task}},
    };
    size_t i = 0;
    while (packets[i].opcode != cp->p.opcode) {
        i++;
    }
    return lull_gfx_draw(cp, &packets[i].packet);
}

enum lull_cp_result lull_gfx_index_base(struct lull_cp *cp)
{
    lull_cp_write_reg(cp, LULL_DRAW11_VGT_DMA_BASE, cp->p.body[LULL_PM4_INDEX_BASE_ADDR_LO]);
    lull_cp_write_reg(cp, LULL_DRAW11_VGT_DMA_BASE_HI, cp->p.body[LULL_PM4_INDEX_BASE_ADDR_HI]);
    return LULL_CP_NEXT;
}

enum lull_cp_result lull_gfx_index_size(struct lull_cp *cp)
{
    lull_cp_write_reg(cp, LULL_DRAW11_VGT_DMA_MAX_SIZE,
                      cp->p.body[LULL_PM4_INDEX_BUFFER_SIZE_SIZE]);
    return LULL_CP_NEXT;
}

enum lull_cp_result lull_gfx_index_type(struct lull_cp *cp)
{
    lull_cp_write_reg(cp, LULL_DRAW11_VGT_INDEX_TYPE, cp->p.body[LULL_PM4_INDEX_TYPE_TYPE]);
    return LULL_CP_NEXT;
}

enum lull_cp_result lull_gfx_num_instances(struct lull_cp *cp)
{
    lull_cp_write_reg(cp, LULL_DRAW11_VGT_NUM_INSTANCES, cp->p.body[LULL_PM4_NUM_INSTANCES_COUNT]);
    return LULL_CP_NEXT;
}

/** What CLEAR_STATE sets @p reg to: the values of its fields that are called CLEAR, else 0. */
static uint32_t clear_value(const struct lull_reg *reg)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < reg->nfields; i++) {
        const struct lull_field *f = &reg->fields[i];
        for (unsigned k = 0; k < f->nvalues; k++) {
            if (f->values[k].name[0] == 'C' && strcmp(f->values[k].name, "CLEAR") == 0) {
                value |= (uint32_t)f->values[k].value << f->lo;
            }
        }
    }
    return value;
}

enum lull_cp_result lull_gfx_clear_state(struct lull_cp *cp)
{
    const struct lull_reg_db *db = &lull_regs_draw11;
    uint32_t *clear = cp->g->clear.context;
    for (unsigned i = 0; i < db->nentries && !cp->g->clear.known; i++) {
        const struct lull_reg_entry *e = &db->by_offset[i];
        const uint32_t value = clear_value(lull_reg_of(db, e));
        if (value != 0) {
            clear[(e->offset - LULL_CONTEXT_BASE) / sizeof *clear] = value;
        }
    }
    cp->g->clear.known = true;
    lull_gpu_set_context(cp->g, 0, clear, LULL_CONTEXT_BYTES / sizeof *clear);
    return LULL_CP_NEXT;
}
