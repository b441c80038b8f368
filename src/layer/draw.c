// SPDX-License-Identifier: MIT
// Draws recorded in command buffers, and which graphics pipeline is bound for them.
#include "layer/layer.h"

#define HANDLE(h) LULL_LAYER_HANDLE(h)

// Takes *how, which says how much is drawn.
static void add(VkCommandBuffer cmd, struct lull_str *how)
{
    lull_layer_add_draw(HANDLE(cmd), how);
}

static void add_indirect(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset)
{
    struct lull_str how = {0};
    lull_str_addf(&how, "\"indirect\":{\"buffer\":\"0x%llx\",\"offset\":%llu}",
                  (unsigned long long)HANDLE(buffer), (unsigned long long)offset);
    add(cmd, &how);
}

static VKAPI_ATTR void VKAPI_CALL draw(VkCommandBuffer cmd, uint32_t count, uint32_t instances,
                                       uint32_t first, uint32_t first_instance)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    struct lull_str how = {0};
    lull_str_addf(&how, "\"grid\":[%u,%u,1]", count, instances);
    add(cmd, &how);
    ((PFN_vkCmdDraw)d->next[LULL_FN_DRAW])(cmd, count, instances, first, first_instance);
}

static VKAPI_ATTR void VKAPI_CALL draw_indexed(VkCommandBuffer cmd, uint32_t count,
                                               uint32_t instances, uint32_t first, int32_t base,
                                               uint32_t first_instance)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    struct lull_str how = {0};
    lull_str_addf(&how, "\"grid\":[%u,%u,2]", count, instances);
    add(cmd, &how);
    ((PFN_vkCmdDrawIndexed)d->next[LULL_FN_DRAW_INDEXED])(cmd, count, instances, first, base,
                                                          first_instance);
}

static VKAPI_ATTR void VKAPI_CALL draw_mesh(VkCommandBuffer cmd, uint32_t x, uint32_t y, uint32_t z)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    struct lull_str how = {0};
    lull_str_addf(&how, "\"grid\":[%u,%u,%u]", x, y, z);
    add(cmd, &how);
    ((PFN_vkCmdDrawMeshTasksEXT)d->next[LULL_FN_DRAW_MESH])(cmd, x, y, z);
}

static void indirect_by(enum lull_layer_fn fn, VkCommandBuffer cmd, VkBuffer buffer,
                        VkDeviceSize offset, uint32_t count, uint32_t stride)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    add_indirect(cmd, buffer, offset);
    ((PFN_vkCmdDrawIndirect)d->next[fn])(cmd, buffer, offset, count, stride); // all of one type
}

static VKAPI_ATTR void VKAPI_CALL draw_indirect(VkCommandBuffer cmd, VkBuffer buffer,
                                                VkDeviceSize offset, uint32_t count,
                                                uint32_t stride)
{
    indirect_by(LULL_FN_DRAW_INDIRECT, cmd, buffer, offset, count, stride);
}

static VKAPI_ATTR void VKAPI_CALL draw_indexed_indirect(VkCommandBuffer cmd, VkBuffer buffer,
                                                        VkDeviceSize offset, uint32_t count,
                                                        uint32_t stride)
{
    indirect_by(LULL_FN_DRAW_INDEXED_INDIRECT, cmd, buffer, offset, count, stride);
}

static VKAPI_ATTR void VKAPI_CALL draw_mesh_indirect(VkCommandBuffer cmd, VkBuffer buffer,
                                                     VkDeviceSize offset, uint32_t count,
                                                     uint32_t stride)
{
    indirect_by(LULL_FN_DRAW_MESH_INDIRECT, cmd, buffer, offset, count, stride);
}

/** What all vkCmdDraw...IndirectCount are given. */
struct counted {
    VkBuffer buffer, count_buffer;
    VkDeviceSize offset, count_offset;
    uint32_t most, stride;
};

static void counted_by(enum lull_layer_fn fn, VkCommandBuffer cmd, const struct counted *c)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    add_indirect(cmd, c->buffer, c->offset);
    ((PFN_vkCmdDrawIndirectCount)d->next[fn])(cmd, c->buffer, c->offset, c->count_buffer,
                                              c->count_offset, c->most, c->stride);
}

static VKAPI_ATTR void VKAPI_CALL draw_count(VkCommandBuffer cmd, VkBuffer buffer,
                                             VkDeviceSize offset, VkBuffer count_buffer,
                                             VkDeviceSize count_offset, uint32_t most,
                                             uint32_t stride)
{
    counted_by(LULL_FN_DRAW_COUNT, cmd,
               &(struct counted){buffer, count_buffer, offset, count_offset, most, stride});
}

static VKAPI_ATTR void VKAPI_CALL draw_count_khr(VkCommandBuffer cmd, VkBuffer buffer,
                                                 VkDeviceSize offset, VkBuffer count_buffer,
                                                 VkDeviceSize count_offset, uint32_t most,
                                                 uint32_t stride)
{
    counted_by(LULL_FN_DRAW_COUNT_KHR, cmd,
               &(struct counted){buffer, count_buffer, offset, count_offset, most, stride});
}

static VKAPI_ATTR void VKAPI_CALL draw_indexed_count(VkCommandBuffer cmd, VkBuffer buffer,
                                                     VkDeviceSize offset, VkBuffer count_buffer,
                                                     VkDeviceSize count_offset, uint32_t most,
                                                     uint32_t stride)
{
    counted_by(LULL_FN_DRAW_INDEXED_COUNT, cmd,
               &(struct counted){buffer, count_buffer, offset, count_offset, most, stride});
}

static VKAPI_ATTR void VKAPI_CALL draw_indexed_count_khr(VkCommandBuffer cmd, VkBuffer buffer,
                                                         VkDeviceSize offset, VkBuffer count_buffer,
                                                         VkDeviceSize count_offset, uint32_t most,
                                                         uint32_t stride)
{
    counted_by(LULL_FN_DRAW_INDEXED_COUNT_KHR, cmd,
               &(struct counted){buffer, count_buffer, offset, count_offset, most, stride});
}

static VKAPI_ATTR void VKAPI_CALL draw_mesh_count(VkCommandBuffer cmd, VkBuffer buffer,
                                                  VkDeviceSize offset, VkBuffer count_buffer,
                                                  VkDeviceSize count_offset, uint32_t most,
                                                  uint32_t stride)
{
    counted_by(LULL_FN_DRAW_MESH_COUNT, cmd,
               &(struct counted){buffer, count_buffer, offset, count_offset, most, stride});
}

const struct lull_layer_hook *lull_layer_draw_hooks(size_t *ret_count)
{
    static const struct lull_layer_hook hooks[] = {
        {"vkCmdDraw", LULL_FN_DRAW, (PFN_vkVoidFunction)draw},
        {"vkCmdDrawIndexed", LULL_FN_DRAW_INDEXED, (PFN_vkVoidFunction)draw_indexed},
        {"vkCmdDrawIndirect", LULL_FN_DRAW_INDIRECT, (PFN_vkVoidFunction)draw_indirect},
        {"vkCmdDrawIndexedIndirect", LULL_FN_DRAW_INDEXED_INDIRECT,
         (PFN_vkVoidFunction)draw_indexed_indirect},
        {"vkCmdDrawIndirectCount", LULL_FN_DRAW_COUNT, (PFN_vkVoidFunction)draw_count},
        {"vkCmdDrawIndirectCountKHR", LULL_FN_DRAW_COUNT_KHR, (PFN_vkVoidFunction)draw_count_khr},
        {"vkCmdDrawIndexedIndirectCount", LULL_FN_DRAW_INDEXED_COUNT,
         (PFN_vkVoidFunction)draw_indexed_count},
        {"vkCmdDrawIndexedIndirectCountKHR", LULL_FN_DRAW_INDEXED_COUNT_KHR,
         (PFN_vkVoidFunction)draw_indexed_count_khr},
        {"vkCmdDrawMeshTasksEXT", LULL_FN_DRAW_MESH, (PFN_vkVoidFunction)draw_mesh},
        {"vkCmdDrawMeshTasksIndirectEXT", LULL_FN_DRAW_MESH_INDIRECT,
         (PFN_vkVoidFunction)draw_mesh_indirect},
        {"vkCmdDrawMeshTasksIndirectCountEXT", LULL_FN_DRAW_MESH_COUNT,
         (PFN_vkVoidFunction)draw_mesh_count},
    };
    *ret_count = sizeof hooks / sizeof hooks[0];
    return hooks;
}
