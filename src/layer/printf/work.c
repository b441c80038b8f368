// SPDX-License-Identifier: MIT
// Dispatches and draws as they are recorded. Each is counted; a dispatch that prints is marked.
#include "layer/printf/command.h"

static VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer c, uint32_t x, uint32_t y, uint32_t z)
{
    lull_lp_dispatch(c)->next.dispatch(c, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL dispatch_indirect(VkCommandBuffer c, VkBuffer buffer,
                                                    VkDeviceSize at)
{
    lull_lp_dispatch(c)->next.dispatch_indirect(c, buffer, at);
}

static VKAPI_ATTR void VKAPI_CALL dispatch_base(VkCommandBuffer c, uint32_t bx, uint32_t by,
                                                uint32_t bz, uint32_t x, uint32_t y, uint32_t z)
{
    lull_lp_dispatch(c)->next.dispatch_base(c, bx, by, bz, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL dispatch_base_khr(VkCommandBuffer c, uint32_t bx, uint32_t by,
                                                    uint32_t bz, uint32_t x, uint32_t y, uint32_t z)
{
    lull_lp_dispatch(c)->next.dispatch_base_khr(c, bx, by, bz, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL draw(VkCommandBuffer c, uint32_t vertices, uint32_t instances,
                                       uint32_t first, uint32_t first_instance)
{
    lull_lp_draw(c)->next.draw(c, vertices, instances, first, first_instance);
}

static VKAPI_ATTR void VKAPI_CALL draw_indexed(VkCommandBuffer c, uint32_t indices,
                                               uint32_t instances, uint32_t first, int32_t base,
                                               uint32_t first_instance)
{
    lull_lp_draw(c)->next.draw_indexed(c, indices, instances, first, base, first_instance);
}

static VKAPI_ATTR void VKAPI_CALL draw_indirect(VkCommandBuffer c, VkBuffer buffer, VkDeviceSize at,
                                                uint32_t n, uint32_t stride)
{
    lull_lp_draw(c)->next.draw_indirect(c, buffer, at, n, stride);
}

static VKAPI_ATTR void VKAPI_CALL draw_indexed_indirect(VkCommandBuffer c, VkBuffer buffer,
                                                        VkDeviceSize at, uint32_t n,
                                                        uint32_t stride)
{
    lull_lp_draw(c)->next.draw_indexed_indirect(c, buffer, at, n, stride);
}

static VKAPI_ATTR void VKAPI_CALL draw_count(VkCommandBuffer c, VkBuffer buffer, VkDeviceSize at,
                                             VkBuffer counts, VkDeviceSize count_at, uint32_t most,
                                             uint32_t stride)
{
    lull_lp_draw(c)->next.draw_count(c, buffer, at, counts, count_at, most, stride);
}

static VKAPI_ATTR void VKAPI_CALL draw_count_khr(VkCommandBuffer c, VkBuffer buffer,
                                                 VkDeviceSize at, VkBuffer counts,
                                                 VkDeviceSize count_at, uint32_t most,
                                                 uint32_t stride)
{
    lull_lp_draw(c)->next.draw_count_khr(c, buffer, at, counts, count_at, most, stride);
}

static VKAPI_ATTR void VKAPI_CALL draw_indexed_count(VkCommandBuffer c, VkBuffer buffer,
                                                     VkDeviceSize at, VkBuffer counts,
                                                     VkDeviceSize count_at, uint32_t most,
                                                     uint32_t stride)
{
    lull_lp_draw(c)->next.draw_indexed_count(c, buffer, at, counts, count_at, most, stride);
}

static VKAPI_ATTR void VKAPI_CALL draw_indexed_count_khr(VkCommandBuffer c, VkBuffer buffer,
                                                         VkDeviceSize at, VkBuffer counts,
                                                         VkDeviceSize count_at, uint32_t most,
                                                         uint32_t stride)
{
    lull_lp_draw(c)->next.draw_indexed_count_khr(c, buffer, at, counts, count_at, most, stride);
}

static VKAPI_ATTR void VKAPI_CALL draw_byte_count(VkCommandBuffer c, uint32_t instances,
                                                  uint32_t first_instance, VkBuffer counter,
                                                  VkDeviceSize counter_at, uint32_t offset,
                                                  uint32_t stride)
{
    lull_lp_draw(c)->next.draw_byte_count(c, instances, first_instance, counter, counter_at, offset,
                                          stride);
}

static VKAPI_ATTR void VKAPI_CALL draw_multi(VkCommandBuffer c, uint32_t n,
                                             const VkMultiDrawInfoEXT *infos, uint32_t instances,
                                             uint32_t first_instance, uint32_t stride)
{
    lull_lp_draw(c)->next.draw_multi(c, n, infos, instances, first_instance, stride);
}

static VKAPI_ATTR void VKAPI_CALL draw_multi_indexed(VkCommandBuffer c, uint32_t n,
                                                     const VkMultiDrawIndexedInfoEXT *infos,
                                                     uint32_t instances, uint32_t first_instance,
                                                     uint32_t stride, const int32_t *base)
{
    lull_lp_draw(c)->next.draw_multi_indexed(c, n, infos, instances, first_instance, stride, base);
}

static VKAPI_ATTR void VKAPI_CALL draw_mesh(VkCommandBuffer c, uint32_t x, uint32_t y, uint32_t z)
{
    lull_lp_draw(c)->next.draw_mesh(c, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL draw_mesh_indirect(VkCommandBuffer c, VkBuffer buffer,
                                                     VkDeviceSize at, uint32_t n, uint32_t stride)
{
    lull_lp_draw(c)->next.draw_mesh_indirect(c, buffer, at, n, stride);
}

static VKAPI_ATTR void VKAPI_CALL draw_mesh_count(VkCommandBuffer c, VkBuffer buffer,
                                                  VkDeviceSize at, VkBuffer counts,
                                                  VkDeviceSize count_at, uint32_t most,
                                                  uint32_t stride)
{
    lull_lp_draw(c)->next.draw_mesh_count(c, buffer, at, counts, count_at, most, stride);
}

const struct lull_loader_hook *lull_lp_draw_hooks(size_t *ret)
{
    static const struct lull_loader_hook hooks[] = {
        {"vkCmdDispatch", (PFN_vkVoidFunction)dispatch},
        {"vkCmdDispatchIndirect", (PFN_vkVoidFunction)dispatch_indirect},
        {"vkCmdDispatchBase", (PFN_vkVoidFunction)dispatch_base},
        {"vkCmdDispatchBaseKHR", (PFN_vkVoidFunction)dispatch_base_khr},
        {"vkCmdDraw", (PFN_vkVoidFunction)draw},
        {"vkCmdDrawIndexed", (PFN_vkVoidFunction)draw_indexed},
        {"vkCmdDrawIndirect", (PFN_vkVoidFunction)draw_indirect},
        {"vkCmdDrawIndexedIndirect", (PFN_vkVoidFunction)draw_indexed_indirect},
        {"vkCmdDrawIndirectCount", (PFN_vkVoidFunction)draw_count},
        {"vkCmdDrawIndirectCountKHR", (PFN_vkVoidFunction)draw_count_khr},
        {"vkCmdDrawIndexedIndirectCount", (PFN_vkVoidFunction)draw_indexed_count},
        {"vkCmdDrawIndexedIndirectCountKHR", (PFN_vkVoidFunction)draw_indexed_count_khr},
        {"vkCmdDrawIndirectByteCountEXT", (PFN_vkVoidFunction)draw_byte_count},
        {"vkCmdDrawMultiEXT", (PFN_vkVoidFunction)draw_multi},
        {"vkCmdDrawMultiIndexedEXT", (PFN_vkVoidFunction)draw_multi_indexed},
        {"vkCmdDrawMeshTasksEXT", (PFN_vkVoidFunction)draw_mesh},
        {"vkCmdDrawMeshTasksIndirectEXT", (PFN_vkVoidFunction)draw_mesh_indirect},
        {"vkCmdDrawMeshTasksIndirectCountEXT", (PFN_vkVoidFunction)draw_mesh_count},
    };
    *ret = sizeof hooks / sizeof hooks[0];
    return hooks;
}
