// SPDX-License-Identifier: MIT
// Shaders, pipelines, layouts, descriptor sets, memory, buffers, images and their names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/layer.h"
#include "layer/loader.h"

#define HANDLE(h) LULL_LAYER_HANDLE(h)

static void put_handle(struct lull_json *j, const char *key, uint64_t handle)
{
    lull_json_put_hex(j, key, handle);
}

static void put_hash(struct lull_json *j, uint64_t hash)
{
    char text[17] = "";
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    lull_json_put_str(j, "hash", text);
}

static void put_free(VkObjectType type, uint64_t handle)
{
    if (handle == 0) {
        return;
    }
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "free");
    lull_json_put_u64(&j, "type", type);
    put_handle(&j, "handle", handle);
    lull_layer_write(&j);
    lull_layer_unlock();
}

// With the lock held. Returns the hash.
static uint64_t put_shader(uint64_t handle, const void *code, size_t size)
{
    struct lull_str name = {0};
    uint64_t hash = lull_layer_save(code, size, &name);
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "shader");
    put_handle(&j, "shader", handle);
    put_hash(&j, hash);
    lull_json_put_u64(&j, "size", size);
    lull_json_put_str(&j, "file", lull_str_text(&name));
    lull_layer_write(&j);
    lull_str_free(&name);
    return hash;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_shader(VkDevice device,
                                                    const VkShaderModuleCreateInfo *info,
                                                    const VkAllocationCallbacks *alloc,
                                                    VkShaderModule *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result =
        ((PFN_vkCreateShaderModule)d->next[LULL_FN_CREATE_SHADER])(device, info, alloc, ret);
    if (result == VK_SUCCESS && !lull_loader_is_own(info->pNext)) {
        lull_layer_lock();
        uint64_t hash = put_shader(HANDLE(*ret), info->pCode, info->codeSize);
        struct lull_layer_entry *e = lull_layer_put(LULL_LAYER_HASH, HANDLE(*ret));
        if (e != NULL) {
            e->value = hash;
        }
        lull_layer_unlock();
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_shader(VkDevice device, VkShaderModule shader,
                                                 const VkAllocationCallbacks *alloc)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    lull_layer_lock();
    const bool told = lull_layer_find(LULL_LAYER_HASH, HANDLE(shader)) != NULL;
    lull_layer_drop(LULL_LAYER_HASH, HANDLE(shader));
    lull_layer_unlock();
    put_free(VK_OBJECT_TYPE_SHADER_MODULE, told ? HANDLE(shader) : 0);
    ((PFN_vkDestroyShaderModule)d->next[LULL_FN_DESTROY_SHADER])(device, shader, alloc);
}

static void put_bytes(struct lull_json *j, const char *key, const uint8_t *data, size_t size)
{
    struct lull_str hex = {0};
    for (size_t i = 0; i < size; i++) {
        lull_str_addf(&hex, "%02x", data[i]);
    }
    lull_json_put_str(j, key, lull_str_text(&hex));
    lull_str_free(&hex);
}

static void put_specs(struct lull_json *j, const VkSpecializationInfo *info)
{
    lull_json_key(j, "spec");
    lull_json_open(j, '[');
    for (uint32_t i = 0; info != NULL && i < info->mapEntryCount; i++) {
        const VkSpecializationMapEntry *e = &info->pMapEntries[i];
        if (e->offset > info->dataSize || e->size > info->dataSize - e->offset) {
            continue; // Not valid; the driver will have its own opinion.
        }
        lull_json_open(j, '{');
        lull_json_put_u64(j, "id", e->constantID);
        put_bytes(j, "hex", (const uint8_t *)info->pData + e->offset, e->size);
        lull_json_close(j, '}');
    }
    lull_json_close(j, ']');
}

// Hash of a stage's module; one that is inside the stage gets a record of its own. With the lock
// held.
static uint64_t stage_hash(const VkPipelineShaderStageCreateInfo *stage)
{
    const VkShaderModuleCreateInfo *inside =
        lull_layer_in_chain(stage->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    const struct lull_layer_entry *e = lull_layer_find(LULL_LAYER_HASH, HANDLE(stage->module));
    return stage->module == VK_NULL_HANDLE && inside != NULL
               ? put_shader(0, inside->pCode, inside->codeSize)
           : e != NULL ? e->value
                       : 0;
}

// Into the object that is open.
static void put_stage(struct lull_json *j, const VkPipelineShaderStageCreateInfo *stage)
{
    char *entry = lull_layer_utf8(stage->pName);
    put_hash(j, stage_hash(stage));
    put_handle(j, "shader", HANDLE(stage->module));
    lull_json_put_str(j, "entry", entry != NULL ? entry : "");
    put_specs(j, stage->pSpecializationInfo);
    free(entry);
}

static void put_pipeline(VkPipeline pipeline, const VkComputePipelineCreateInfo *info)
{
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *subgroup = lull_layer_in_chain(
        info->stage.pNext,
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "pipeline");
    put_handle(&j, "pipeline", HANDLE(pipeline));
    put_handle(&j, "layout", HANDLE(info->layout));
    lull_json_put_u64(&j, "subgroup", subgroup != NULL ? subgroup->requiredSubgroupSize : 0);
    put_stage(&j, &info->stage);
    lull_layer_write(&j);
    lull_layer_unlock();
}

// Attributes with the stride and rate of their binding. The state may be missing (mesh shaders), or
// be what the command buffer sets; then the list says nothing of it.
static void put_attributes(struct lull_json *j, const VkPipelineVertexInputStateCreateInfo *v)
{
    lull_json_key(j, "attributes");
    lull_json_open(j, '[');
    for (uint32_t i = 0; v != NULL && i < v->vertexAttributeDescriptionCount; i++) {
        const VkVertexInputAttributeDescription *a = &v->pVertexAttributeDescriptions[i];
        const VkVertexInputBindingDescription *b = NULL;
        for (uint32_t k = 0; b == NULL && k < v->vertexBindingDescriptionCount; k++) {
            const VkVertexInputBindingDescription *one = &v->pVertexBindingDescriptions[k];
            b = one->binding == a->binding ? one : NULL;
        }
        lull_json_open(j, '{');
        lull_json_put_u64(j, "location", a->location);
        lull_json_put_u64(j, "binding", a->binding);
        lull_json_put_u64(j, "format", a->format);
        lull_json_put_u64(j, "offset", a->offset);
        lull_json_put_u64(j, "stride", b != NULL ? b->stride : 0);
        lull_json_put_u64(j, "rate", b != NULL ? b->inputRate : 0);
        lull_json_close(j, '}');
    }
    lull_json_close(j, ']');
}

static bool is_dynamic_state(const VkPipelineDynamicStateCreateInfo *s, VkDynamicState what)
{
    for (uint32_t i = 0; s != NULL && i < s->dynamicStateCount; i++) {
        if (s->pDynamicStates[i] == what) {
            return true;
        }
    }
    return false;
}

static void put_graphics(VkPipeline pipeline, const VkGraphicsPipelineCreateInfo *info)
{
    bool mesh = false;
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "graphics");
    put_handle(&j, "pipeline", HANDLE(pipeline));
    put_handle(&j, "layout", HANDLE(info->layout));
    lull_json_key(&j, "stages");
    lull_json_open(&j, '[');
    for (uint32_t i = 0; info->pStages != NULL && i < info->stageCount; i++) {
        lull_json_open(&j, '{');
        lull_json_put_u64(&j, "stage", info->pStages[i].stage);
        put_stage(&j, &info->pStages[i]);
        lull_json_close(&j, '}');
        mesh = mesh || info->pStages[i].stage == VK_SHADER_STAGE_MESH_BIT_EXT;
    }
    lull_json_close(&j, ']');
    // Only of complete pipelines with vertices is the pointer to be looked at.
    const bool given =
        info->stageCount != 0 && !mesh &&
        lull_layer_in_chain(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR) ==
            NULL &&
        lull_layer_in_chain(info->pNext,
                            VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT) == NULL &&
        !is_dynamic_state(info->pDynamicState, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT);
    put_attributes(&j, given ? info->pVertexInputState : NULL);
    lull_layer_write(&j);
    lull_layer_unlock();
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache,
                                                       uint32_t count,
                                                       const VkComputePipelineCreateInfo *infos,
                                                       const VkAllocationCallbacks *alloc,
                                                       VkPipeline *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result = ((PFN_vkCreateComputePipelines)d->next[LULL_FN_CREATE_PIPELINES])(
        device, cache, count, infos, alloc, ret);
    for (uint32_t i = 0; i < count && result >= 0; i++) {
        if (ret[i] != VK_NULL_HANDLE && !lull_loader_is_own(infos[i].pNext)) {
            put_pipeline(ret[i], &infos[i]);
        }
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_graphics(VkDevice device, VkPipelineCache cache,
                                                      uint32_t count,
                                                      const VkGraphicsPipelineCreateInfo *infos,
                                                      const VkAllocationCallbacks *alloc,
                                                      VkPipeline *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result = ((PFN_vkCreateGraphicsPipelines)d->next[LULL_FN_CREATE_GRAPHICS])(
        device, cache, count, infos, alloc, ret);
    for (uint32_t i = 0; i < count && result >= 0; i++) {
        if (ret[i] != VK_NULL_HANDLE && !lull_loader_is_own(infos[i].pNext)) {
            put_graphics(ret[i], &infos[i]);
        }
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pipeline(VkDevice device, VkPipeline pipeline,
                                                   const VkAllocationCallbacks *alloc)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    put_free(VK_OBJECT_TYPE_PIPELINE, HANDLE(pipeline));
    ((PFN_vkDestroyPipeline)d->next[LULL_FN_DESTROY_PIPELINE])(device, pipeline, alloc);
}

static bool is_dynamic(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
           type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

/** Does the layout itself say which samplers they are? */
static bool has_samplers(const VkDescriptorSetLayoutBinding *b)
{
    const bool sampler = b->descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
                         b->descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    return sampler && b->descriptorCount != 0 && b->pImmutableSamplers != NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_sampler(VkDevice device,
                                                     const VkSamplerCreateInfo *info,
                                                     const VkAllocationCallbacks *alloc,
                                                     VkSampler *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    const VkResult result =
        ((PFN_vkCreateSampler)d->next[LULL_FN_CREATE_SAMPLER])(device, info, alloc, ret);
    // What is chained to it (conversions, reductions, colours of the border) has no record.
    if (result == VK_SUCCESS && info->pNext == NULL && lull_layer_on()) {
        lull_layer_lock();
        struct lull_layer_entry *e = lull_layer_put(LULL_LAYER_SAMPLER, HANDLE(*ret));
        VkSamplerCreateInfo *copy = e != NULL ? malloc(sizeof *copy) : NULL;
        if (copy != NULL) {
            *copy = *info;
            free(e->data);
            e->data = copy;
        }
        lull_layer_unlock();
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_sampler(VkDevice device, VkSampler sampler,
                                                  const VkAllocationCallbacks *alloc)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    lull_layer_lock();
    free(lull_layer_drop(LULL_LAYER_SAMPLER, HANDLE(sampler)));
    lull_layer_unlock();
    ((PFN_vkDestroySampler)d->next[LULL_FN_DESTROY_SAMPLER])(device, sampler, alloc);
}

static void put_bits(struct lull_json *j, float v)
{
    uint32_t bits = 0;
    memcpy(&bits, &v, sizeof bits);
    lull_json_u64(j, bits);
}

/** All samplers of a binding, if all are known: the numbers of one behind those of the other. */
static void put_samplers(struct lull_json *j, const VkDescriptorSetLayoutBinding *b)
{
    for (uint32_t i = 0; i < b->descriptorCount; i++) {
        const struct lull_layer_entry *e =
            lull_layer_find(LULL_LAYER_SAMPLER, HANDLE(b->pImmutableSamplers[i]));
        if (e == NULL || e->data == NULL) {
            return;
        }
    }
    lull_json_key(j, "samplers");
    lull_json_open(j, '[');
    for (uint32_t i = 0; i < b->descriptorCount; i++) {
        const VkSamplerCreateInfo *s =
            lull_layer_find(LULL_LAYER_SAMPLER, HANDLE(b->pImmutableSamplers[i]))->data;
        lull_json_u64(j, s->magFilter);
        lull_json_u64(j, s->minFilter);
        lull_json_u64(j, s->mipmapMode);
        lull_json_u64(j, s->addressModeU);
        lull_json_u64(j, s->addressModeV);
        lull_json_u64(j, s->addressModeW);
        lull_json_u64(j, s->compareEnable ? s->compareOp : 0);
        lull_json_u64(j, s->borderColor);
        lull_json_u64(j, s->unnormalizedCoordinates);
        put_bits(j, s->mipLodBias);
        put_bits(j, s->minLod);
        put_bits(j, s->maxLod);
        put_bits(j, s->anisotropyEnable ? s->maxAnisotropy : 0);
    }
    lull_json_close(j, ']');
}

static void put_set_layout(VkDescriptorSetLayout layout,
                           const VkDescriptorSetLayoutCreateInfo *info)
{
    const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags = lull_layer_in_chain(
        info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    uint64_t dynamic = 0;
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "set_layout");
    put_handle(&j, "set_layout", HANDLE(layout));
    lull_json_put_u64(&j, "flags", info->flags);
    lull_json_key(&j, "bindings");
    lull_json_open(&j, '[');
    for (uint32_t i = 0; i < info->bindingCount; i++) {
        const VkDescriptorSetLayoutBinding *b = &info->pBindings[i];
        dynamic += is_dynamic(b->descriptorType) ? b->descriptorCount : 0;
        lull_json_open(&j, '{');
        lull_json_put_u64(&j, "binding", b->binding);
        lull_json_put_u64(&j, "type", b->descriptorType);
        lull_json_put_u64(&j, "count", b->descriptorCount);
        lull_json_put_u64(&j, "stages", b->stageFlags);
        bool told = flags != NULL && i < flags->bindingCount;
        lull_json_put_u64(&j, "flags", told ? flags->pBindingFlags[i] : 0);
        if (has_samplers(b)) {
            lull_json_put_u64(&j, "immutable", b->descriptorCount);
            put_samplers(&j, b);
        }
        lull_json_close(&j, '}');
    }
    lull_json_close(&j, ']');
    lull_layer_write(&j);
    struct lull_layer_entry *e = lull_layer_put(LULL_LAYER_SET_LAYOUT, HANDLE(layout));
    if (e != NULL) {
        e->value = dynamic;
    }
    lull_layer_unlock();
}

static VKAPI_ATTR VkResult VKAPI_CALL create_set_layout(VkDevice device,
                                                        const VkDescriptorSetLayoutCreateInfo *info,
                                                        const VkAllocationCallbacks *alloc,
                                                        VkDescriptorSetLayout *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result = ((PFN_vkCreateDescriptorSetLayout)d->next[LULL_FN_CREATE_SET_LAYOUT])(
        device, info, alloc, ret);
    if (result == VK_SUCCESS) {
        put_set_layout(*ret, info);
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_set_layout(VkDevice device, VkDescriptorSetLayout layout,
                                                     const VkAllocationCallbacks *alloc)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    put_free(VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, HANDLE(layout));
    lull_layer_lock();
    lull_layer_drop(LULL_LAYER_SET_LAYOUT, HANDLE(layout));
    lull_layer_unlock();
    ((PFN_vkDestroyDescriptorSetLayout)d->next[LULL_FN_DESTROY_SET_LAYOUT])(device, layout, alloc);
}

// Remembers how many dynamic offsets each set of a layout takes. With the lock held.
static void keep_layout(VkPipelineLayout layout, const VkPipelineLayoutCreateInfo *info)
{
    struct lull_layer_layout *l = calloc(1, sizeof *l);
    struct lull_layer_entry *e =
        l != NULL ? lull_layer_put(LULL_LAYER_LAYOUT, HANDLE(layout)) : NULL;
    if (e == NULL) {
        free(l);
        return;
    }
    l->nsets =
        info->setLayoutCount < LULL_LAYER_MAX_SETS ? info->setLayoutCount : LULL_LAYER_MAX_SETS;
    for (uint32_t i = 0; i < l->nsets; i++) {
        const struct lull_layer_entry *set =
            lull_layer_find(LULL_LAYER_SET_LAYOUT, HANDLE(info->pSetLayouts[i]));
        l->dynamic[i] = set != NULL ? (uint32_t)set->value : 0;
    }
    free(e->data);
    e->data = l;
}

static void put_layout(VkPipelineLayout layout, const VkPipelineLayoutCreateInfo *info)
{
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "layout");
    put_handle(&j, "layout", HANDLE(layout));
    lull_json_key(&j, "sets");
    lull_json_open(&j, '[');
    for (uint32_t i = 0; i < info->setLayoutCount; i++) {
        lull_json_hex(&j, HANDLE(info->pSetLayouts[i]));
    }
    lull_json_close(&j, ']');
    lull_json_key(&j, "push");
    lull_json_open(&j, '[');
    for (uint32_t i = 0; i < info->pushConstantRangeCount; i++) {
        lull_json_open(&j, '{');
        lull_json_put_u64(&j, "stages", info->pPushConstantRanges[i].stageFlags);
        lull_json_put_u64(&j, "offset", info->pPushConstantRanges[i].offset);
        lull_json_put_u64(&j, "size", info->pPushConstantRanges[i].size);
        lull_json_close(&j, '}');
    }
    lull_json_close(&j, ']');
    lull_layer_write(&j);
    keep_layout(layout, info);
    lull_layer_unlock();
}

static VKAPI_ATTR VkResult VKAPI_CALL create_layout(VkDevice device,
                                                    const VkPipelineLayoutCreateInfo *info,
                                                    const VkAllocationCallbacks *alloc,
                                                    VkPipelineLayout *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result =
        ((PFN_vkCreatePipelineLayout)d->next[LULL_FN_CREATE_LAYOUT])(device, info, alloc, ret);
    if (result == VK_SUCCESS) {
        put_layout(*ret, info);
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_layout(VkDevice device, VkPipelineLayout layout,
                                                 const VkAllocationCallbacks *alloc)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    put_free(VK_OBJECT_TYPE_PIPELINE_LAYOUT, HANDLE(layout));
    lull_layer_lock();
    free(lull_layer_drop(LULL_LAYER_LAYOUT, HANDLE(layout)));
    lull_layer_unlock();
    ((PFN_vkDestroyPipelineLayout)d->next[LULL_FN_DESTROY_LAYOUT])(device, layout, alloc);
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate_sets(VkDevice device,
                                                    const VkDescriptorSetAllocateInfo *info,
                                                    VkDescriptorSet *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result =
        ((PFN_vkAllocateDescriptorSets)d->next[LULL_FN_ALLOCATE_SETS])(device, info, ret);
    if (result == VK_SUCCESS) {
        lull_layer_lock();
        for (uint32_t i = 0; i < info->descriptorSetCount; i++) {
            struct lull_str line = {0};
            struct lull_json j = lull_layer_record(&line, "set");
            put_handle(&j, "set", HANDLE(ret[i]));
            put_handle(&j, "set_layout", HANDLE(info->pSetLayouts[i]));
            lull_layer_write(&j);
        }
        lull_layer_unlock();
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device,
                                                      const VkMemoryAllocateInfo *info,
                                                      const VkAllocationCallbacks *alloc,
                                                      VkDeviceMemory *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result =
        ((PFN_vkAllocateMemory)d->next[LULL_FN_ALLOCATE_MEMORY])(device, info, alloc, ret);
    if (result == VK_SUCCESS) {
        lull_layer_lock();
        struct lull_str line = {0};
        struct lull_json j = lull_layer_record(&line, "memory");
        put_handle(&j, "memory", HANDLE(*ret));
        lull_json_put_u64(&j, "size", info->allocationSize);
        lull_json_put_u64(&j, "type", info->memoryTypeIndex);
        lull_layer_write(&j);
        lull_layer_unlock();
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory,
                                              const VkAllocationCallbacks *alloc)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    put_free(VK_OBJECT_TYPE_DEVICE_MEMORY, HANDLE(memory));
    ((PFN_vkFreeMemory)d->next[LULL_FN_FREE_MEMORY])(device, memory, alloc);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice device, const VkBufferCreateInfo *info,
                                                    const VkAllocationCallbacks *alloc,
                                                    VkBuffer *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result =
        ((PFN_vkCreateBuffer)d->next[LULL_FN_CREATE_BUFFER])(device, info, alloc, ret);
    if (result == VK_SUCCESS) {
        lull_layer_lock();
        struct lull_str line = {0};
        struct lull_json j = lull_layer_record(&line, "buffer");
        put_handle(&j, "buffer", HANDLE(*ret));
        lull_json_put_u64(&j, "size", info->size);
        lull_json_put_u64(&j, "usage", info->usage);
        lull_layer_write(&j);
        lull_layer_unlock();
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_buffer(VkDevice device, VkBuffer buffer,
                                                 const VkAllocationCallbacks *alloc)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    put_free(VK_OBJECT_TYPE_BUFFER, HANDLE(buffer));
    ((PFN_vkDestroyBuffer)d->next[LULL_FN_DESTROY_BUFFER])(device, buffer, alloc);
}

static void put_image(VkImage image, const VkImageCreateInfo *info)
{
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "image");
    put_handle(&j, "image", HANDLE(image));
    lull_json_put_u64(&j, "type", info->imageType);
    lull_json_put_u64(&j, "format", info->format);
    lull_json_key(&j, "extent");
    lull_json_open(&j, '[');
    lull_json_u64(&j, info->extent.width);
    lull_json_u64(&j, info->extent.height);
    lull_json_u64(&j, info->extent.depth);
    lull_json_close(&j, ']');
    lull_json_put_u64(&j, "mips", info->mipLevels);
    lull_json_put_u64(&j, "layers", info->arrayLayers);
    lull_json_put_u64(&j, "samples", info->samples);
    lull_json_put_u64(&j, "tiling", info->tiling);
    lull_json_put_u64(&j, "usage", info->usage);
    lull_layer_write(&j);
    lull_layer_unlock();
}

static VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice device, const VkImageCreateInfo *info,
                                                   const VkAllocationCallbacks *alloc, VkImage *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result = ((PFN_vkCreateImage)d->next[LULL_FN_CREATE_IMAGE])(device, info, alloc, ret);
    if (result == VK_SUCCESS) {
        put_image(*ret, info);
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_image(VkDevice device, VkImage image,
                                                const VkAllocationCallbacks *alloc)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    put_free(VK_OBJECT_TYPE_IMAGE, HANDLE(image));
    ((PFN_vkDestroyImage)d->next[LULL_FN_DESTROY_IMAGE])(device, image, alloc);
}

static void put_bind(const char *kind, uint64_t handle, VkDeviceMemory memory, VkDeviceSize offset)
{
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "bind");
    put_handle(&j, kind, handle);
    put_handle(&j, "memory", HANDLE(memory));
    lull_json_put_u64(&j, "offset", offset);
    lull_layer_write(&j);
    lull_layer_unlock();
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_buffer(VkDevice device, VkBuffer buffer,
                                                  VkDeviceMemory memory, VkDeviceSize offset)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result =
        ((PFN_vkBindBufferMemory)d->next[LULL_FN_BIND_BUFFER])(device, buffer, memory, offset);
    if (result == VK_SUCCESS) {
        put_bind("buffer", HANDLE(buffer), memory, offset);
        lull_layer_placed(d, buffer);
    }
    return result;
}

// A function that has an older name: what the driver gives under either.
static PFN_vkVoidFunction either(const struct lull_layer_device *d, enum lull_layer_fn a,
                                 enum lull_layer_fn b)
{
    return d->next[a] != NULL ? d->next[a] : d->next[b];
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_buffer2(VkDevice device, uint32_t count,
                                                   const VkBindBufferMemoryInfo *infos)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result = ((PFN_vkBindBufferMemory2)either(
        d, LULL_FN_BIND_BUFFER2, LULL_FN_BIND_BUFFER2_KHR))(device, count, infos);
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        put_bind("buffer", HANDLE(infos[i].buffer), infos[i].memory, infos[i].memoryOffset);
        lull_layer_placed(d, infos[i].buffer);
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_image(VkDevice device, VkImage image,
                                                 VkDeviceMemory memory, VkDeviceSize offset)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result =
        ((PFN_vkBindImageMemory)d->next[LULL_FN_BIND_IMAGE])(device, image, memory, offset);
    if (result == VK_SUCCESS) {
        put_bind("image", HANDLE(image), memory, offset);
        lull_layer_image_placed(d, image, memory, offset);
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_image2(VkDevice device, uint32_t count,
                                                  const VkBindImageMemoryInfo *infos)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result = ((PFN_vkBindImageMemory2)either(
        d, LULL_FN_BIND_IMAGE2, LULL_FN_BIND_IMAGE2_KHR))(device, count, infos);
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        put_bind("image", HANDLE(infos[i].image), infos[i].memory, infos[i].memoryOffset);
        // A plane's memory is not the image's.
        if (lull_layer_in_chain(infos[i].pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO) ==
            NULL) {
            lull_layer_image_placed(d, infos[i].image, infos[i].memory, infos[i].memoryOffset);
        }
    }
    return result;
}

static VkDeviceAddress told_address(VkDevice device, const VkBufferDeviceAddressInfo *info,
                                    enum lull_layer_fn fn)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkDeviceAddress address = ((PFN_vkGetBufferDeviceAddress)d->next[fn])(device, info);
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "address");
    put_handle(&j, "buffer", HANDLE(info->buffer));
    put_handle(&j, "address", address);
    lull_layer_write(&j);
    lull_layer_unlock();
    return address;
}

static VKAPI_ATTR VkDeviceAddress VKAPI_CALL address(VkDevice device,
                                                     const VkBufferDeviceAddressInfo *info)
{
    return told_address(device, info, LULL_FN_ADDRESS);
}

static VKAPI_ATTR VkDeviceAddress VKAPI_CALL address_khr(VkDevice device,
                                                         const VkBufferDeviceAddressInfo *info)
{
    return told_address(device, info, LULL_FN_ADDRESS_KHR);
}

static VKAPI_ATTR VkDeviceAddress VKAPI_CALL address_ext(VkDevice device,
                                                         const VkBufferDeviceAddressInfo *info)
{
    return told_address(device, info, LULL_FN_ADDRESS_EXT);
}

static VKAPI_ATTR VkResult VKAPI_CALL set_name(VkDevice device,
                                               const VkDebugUtilsObjectNameInfoEXT *info)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    char *name = lull_layer_utf8(info->pObjectName);
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "name");
    lull_json_put_u64(&j, "type", info->objectType);
    put_handle(&j, "handle", info->objectHandle);
    lull_json_put_str(&j, "name", name != NULL ? name : "");
    lull_layer_write(&j);
    lull_layer_unlock();
    free(name);
    PFN_vkSetDebugUtilsObjectNameEXT next =
        (PFN_vkSetDebugUtilsObjectNameEXT)d->next[LULL_FN_SET_NAME];
    return next != NULL ? next(device, info) : VK_SUCCESS;
}

const struct lull_layer_hook *lull_layer_object_hooks(size_t *ret_count)
{
    static const struct lull_layer_hook hooks[] = {
        {"vkCreateShaderModule", LULL_FN_CREATE_SHADER, (PFN_vkVoidFunction)create_shader},
        {"vkDestroyShaderModule", LULL_FN_DESTROY_SHADER, (PFN_vkVoidFunction)destroy_shader},
        {"vkCreateComputePipelines", LULL_FN_CREATE_PIPELINES,
         (PFN_vkVoidFunction)create_pipelines},
        {"vkCreateGraphicsPipelines", LULL_FN_CREATE_GRAPHICS, (PFN_vkVoidFunction)create_graphics},
        {"vkDestroyPipeline", LULL_FN_DESTROY_PIPELINE, (PFN_vkVoidFunction)destroy_pipeline},
        {"vkCreateSampler", LULL_FN_CREATE_SAMPLER, (PFN_vkVoidFunction)create_sampler},
        {"vkDestroySampler", LULL_FN_DESTROY_SAMPLER, (PFN_vkVoidFunction)destroy_sampler},
        {"vkCreateDescriptorSetLayout", LULL_FN_CREATE_SET_LAYOUT,
         (PFN_vkVoidFunction)create_set_layout},
        {"vkDestroyDescriptorSetLayout", LULL_FN_DESTROY_SET_LAYOUT,
         (PFN_vkVoidFunction)destroy_set_layout},
        {"vkCreatePipelineLayout", LULL_FN_CREATE_LAYOUT, (PFN_vkVoidFunction)create_layout},
        {"vkDestroyPipelineLayout", LULL_FN_DESTROY_LAYOUT, (PFN_vkVoidFunction)destroy_layout},
        {"vkAllocateDescriptorSets", LULL_FN_ALLOCATE_SETS, (PFN_vkVoidFunction)allocate_sets},
        {"vkAllocateMemory", LULL_FN_ALLOCATE_MEMORY, (PFN_vkVoidFunction)allocate_memory},
        {"vkFreeMemory", LULL_FN_FREE_MEMORY, (PFN_vkVoidFunction)free_memory},
        {"vkCreateBuffer", LULL_FN_CREATE_BUFFER, (PFN_vkVoidFunction)create_buffer},
        {"vkDestroyBuffer", LULL_FN_DESTROY_BUFFER, (PFN_vkVoidFunction)destroy_buffer},
        {"vkCreateImage", LULL_FN_CREATE_IMAGE, (PFN_vkVoidFunction)create_image},
        {"vkDestroyImage", LULL_FN_DESTROY_IMAGE, (PFN_vkVoidFunction)destroy_image},
        {"vkBindBufferMemory", LULL_FN_BIND_BUFFER, (PFN_vkVoidFunction)bind_buffer},
        {"vkBindBufferMemory2", LULL_FN_BIND_BUFFER2, (PFN_vkVoidFunction)bind_buffer2},
        {"vkBindBufferMemory2KHR", LULL_FN_BIND_BUFFER2_KHR, (PFN_vkVoidFunction)bind_buffer2},
        {"vkBindImageMemory", LULL_FN_BIND_IMAGE, (PFN_vkVoidFunction)bind_image},
        {"vkBindImageMemory2", LULL_FN_BIND_IMAGE2, (PFN_vkVoidFunction)bind_image2},
        {"vkBindImageMemory2KHR", LULL_FN_BIND_IMAGE2_KHR, (PFN_vkVoidFunction)bind_image2},
        {"vkGetBufferDeviceAddress", LULL_FN_ADDRESS, (PFN_vkVoidFunction)address},
        {"vkGetBufferDeviceAddressKHR", LULL_FN_ADDRESS_KHR, (PFN_vkVoidFunction)address_khr},
        {"vkGetBufferDeviceAddressEXT", LULL_FN_ADDRESS_EXT, (PFN_vkVoidFunction)address_ext},
        {"vkSetDebugUtilsObjectNameEXT", LULL_FN_SET_NAME, (PFN_vkVoidFunction)set_name},
    };
    *ret_count = sizeof hooks / sizeof hooks[0];
    return hooks;
}
