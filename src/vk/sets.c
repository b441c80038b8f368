// SPDX-License-Identifier: MIT
// The shader's bindings, what the case puts there, and the descriptor sets made of both.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "vk/internal.h"

enum { MAX_SETS = 32, MAX_NAME = 64, CUBE_FACES = 6 };

static const VkDescriptorType types[] = {
    [LULL_VK_UNIFORM_BUFFER] = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    [LULL_VK_STORAGE_BUFFER] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    [LULL_VK_UNIFORM_TEXELS] = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
    [LULL_VK_STORAGE_TEXELS] = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
    [LULL_VK_STORAGE_IMAGE] = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
    [LULL_VK_SAMPLED_IMAGE] = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
    [LULL_VK_COMBINED] = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    [LULL_VK_ONLY_SAMPLER] = VK_DESCRIPTOR_TYPE_SAMPLER,
};

static const char *const class_names[] = {
    [LULL_VK_UNIFORM_BUFFER] = "a uniform buffer",
    [LULL_VK_STORAGE_BUFFER] = "a storage buffer",
    [LULL_VK_UNIFORM_TEXELS] = "a uniform texel buffer",
    [LULL_VK_STORAGE_TEXELS] = "a storage texel buffer",
    [LULL_VK_STORAGE_IMAGE] = "a storage image",
    [LULL_VK_SAMPLED_IMAGE] = "a sampled image",
    [LULL_VK_COMBINED] = "an image with a sampler",
    [LULL_VK_ONLY_SAMPLER] = "a sampler",
};

static const enum lull_vk_kind kinds[] = {
    [LULL_VK_UNIFORM_BUFFER] = LULL_VK_BUFFER, [LULL_VK_STORAGE_BUFFER] = LULL_VK_BUFFER,
    [LULL_VK_UNIFORM_TEXELS] = LULL_VK_TEXELS, [LULL_VK_STORAGE_TEXELS] = LULL_VK_TEXELS,
    [LULL_VK_STORAGE_IMAGE] = LULL_VK_IMAGE,   [LULL_VK_SAMPLED_IMAGE] = LULL_VK_IMAGE,
    [LULL_VK_COMBINED] = LULL_VK_IMAGE,        [LULL_VK_ONLY_SAMPLER] = LULL_VK_SAMPLER,
};

static VkImageViewType view_type(const struct lull_vk_var *v)
{
    static const VkImageViewType one[] = {VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_VIEW_TYPE_2D,
                                          VK_IMAGE_VIEW_TYPE_3D, VK_IMAGE_VIEW_TYPE_CUBE};
    static const VkImageViewType array[] = {VK_IMAGE_VIEW_TYPE_1D_ARRAY,
                                            VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_VIEW_TYPE_3D,
                                            VK_IMAGE_VIEW_TYPE_CUBE_ARRAY};
    return (v->arrayed ? array : one)[v->dim];
}

const struct vk_binding *vk_sets_find(const struct vk_sets *s, const struct lull_vk_resource *r)
{
    for (size_t i = 0; r->bound && i < s->nbindings; i++) {
        if (s->bindings[i].set == r->set && s->bindings[i].binding == r->binding) {
            return &s->bindings[i];
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_image(const struct lull_vk_resource *r,
                                                    const struct lull_vk_var *v)
{
    static const char *const dims[] = {"1D", "2D", "3D", "cube"};
    const struct lull_vk_image *i = &r->image;
    const bool cube = v->dim == LULL_VK_CUBE;
    const uint32_t want = cube ? 2 : (uint32_t)v->dim + 1;
    if (i->dims != want) {
        return lull_error_new(LULL_ERR_INVALID, "%s: %u extents, the shader's image is %s", r->name,
                              i->dims, dims[v->dim]);
    }
    if (i->cube && !cube) {
        return lull_error_new(LULL_ERR_INVALID, "%s: a cube, the shader's image is %s", r->name,
                              dims[v->dim]);
    }
    if (cube && (i->layers % CUBE_FACES != 0 || i->width != i->height)) {
        return lull_error_new(LULL_ERR_INVALID, "%s: a cube is square and has 6 layers, not %u",
                              r->name, i->layers);
    }
    if (i->layers > 1 && !v->arrayed && !cube) {
        return lull_error_new(LULL_ERR_INVALID, "%s: %u layers, the shader's image is not an array",
                              r->name, i->layers);
    }
    if (i->samples > 1) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: an image with samples is for pipelines",
                              r->name);
    }
    if (i->mips > 1 && v->class == LULL_VK_STORAGE_IMAGE) {
        return lull_error_new(LULL_ERR_INVALID, "%s: a storage image has one level here", r->name);
    }
    if (v->format != NULL && strcmp(v->format, r->format->name) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "%s: format %s, the shader says %s", r->name,
                              r->format->name, v->format);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_range(const struct lull_vk *vk,
                                                    const struct lull_vk_resource *r,
                                                    const struct lull_vk_var *v)
{
    const VkPhysicalDeviceLimits *l = &vk->props.properties.limits;
    const bool uniform = v->class == LULL_VK_UNIFORM_BUFFER;
    const uint64_t align = uniform                              ? l->minUniformBufferOffsetAlignment
                           : v->class == LULL_VK_STORAGE_BUFFER ? l->minStorageBufferOffsetAlignment
                                                                : l->minTexelBufferOffsetAlignment;
    if (r->offset >= r->size || r->range > r->size - r->offset) {
        return lull_error_new(LULL_ERR_INVALID,
                              "%s: offset %llu and range %llu do not fit %zu bytes", r->name,
                              (unsigned long long)r->offset, (unsigned long long)r->range, r->size);
    }
    if (r->offset % align != 0 || r->dynamic_offset % align != 0) {
        return lull_error_new(LULL_ERR_INVALID, "%s: offset %llu, '%s' needs a multiple of %llu",
                              r->name, (unsigned long long)r->offset, lull_vk_name(vk),
                              (unsigned long long)align);
    }
    const uint64_t have = r->range != 0 ? r->range : r->size - r->offset;
    if (have < v->min_bytes) {
        return lull_error_new(LULL_ERR_INVALID, "%s: %llu bytes, the shader's block has %llu",
                              r->name, (unsigned long long)have, (unsigned long long)v->min_bytes);
    }
    const uint64_t most = uniform ? l->maxUniformBufferRange : l->maxStorageBufferRange;
    if (r->kind == LULL_VK_BUFFER && have > most) {
        return lull_error_new(LULL_ERR_INVALID, "%s: %llu bytes, '%s' binds at most %llu", r->name,
                              (unsigned long long)have, lull_vk_name(vk), (unsigned long long)most);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_resource(const struct lull_vk *vk,
                                                       const struct lull_vk_resource *r,
                                                       const struct vk_binding *b)
{
    if (b == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "%s: the shader has no such binding", r->name);
    }
    if (kinds[b->var->class] != r->kind) {
        return lull_error_new(LULL_ERR_INVALID, "%s: in the shader it is %s", r->name,
                              class_names[b->var->class]);
    }
    if (b->var->count != 0 && r->element >= b->var->count) {
        return lull_error_new(LULL_ERR_INVALID, "%s: the shader's array has %u", r->name,
                              b->var->count);
    }
    if (r->kind == LULL_VK_IMAGE) {
        return check_image(r, b->var);
    }
    return r->kind == LULL_VK_SAMPLER ? NULL : check_range(vk, r, b->var);
}

/** Every element of every binding has its resource; an array of unknown size ends at the last. */
LULL_MUST_USE static struct lull_error *check_complete(const struct lull_vk_case *c,
                                                       struct vk_sets *s)
{
    for (size_t i = 0; i < s->nbindings; i++) {
        struct vk_binding *b = &s->bindings[i];
        uint32_t have = 0, end = 0, dynamic = 0;
        for (size_t k = 0; k < c->nresources; k++) {
            const struct lull_vk_resource *r = &c->resources[k];
            if (r->bound && r->set == b->set && r->binding == b->binding) {
                have++;
                dynamic += r->dynamic;
                end = r->element + 1 > end ? r->element + 1 : end;
            }
        }
        b->count = b->var->count != 0 ? b->var->count : end;
        if (have == 0 || have != b->count) {
            return lull_error_new(LULL_ERR_INVALID,
                                  "binding %u.%u (%s, %s): %u of %u elements are bound", b->set,
                                  b->binding, b->var->name, class_names[b->var->class], have,
                                  b->count != 0 ? b->count : 1);
        }
        if (dynamic != 0 && dynamic != have) {
            return lull_error_new(LULL_ERR_INVALID, "binding %u.%u: all elements or none dynamic",
                                  b->set, b->binding);
        }
        if (dynamic != 0) {
            b->type = b->type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                          ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC
                          : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
        }
    }
    return NULL;
}

/** Two variables may share a binding: one descriptor for both, where they are of one class. */
LULL_MUST_USE static struct lull_error *add_binding(struct vk_sets *s, const struct lull_vk_var *v)
{
    for (size_t i = 0; i < s->nbindings; i++) {
        if (s->bindings[i].set == v->set && s->bindings[i].binding == v->binding) {
            return s->bindings[i].type == types[v->class]
                       ? NULL
                       : lull_error_new(LULL_ERR_UNSUPPORTED,
                                        "binding %u.%u is two things in the shader", v->set,
                                        v->binding);
        }
    }
    if (v->set >= MAX_SETS) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "descriptor set %u", v->set);
    }
    s->bindings[s->nbindings++] = (struct vk_binding){.var = v,
                                                      .set = v->set,
                                                      .binding = v->binding,
                                                      .type = types[v->class],
                                                      .view = view_type(v)};
    s->nsets = v->set + 1 > s->nsets ? v->set + 1 : s->nsets;
    return NULL;
}

struct lull_error *vk_sets_match(struct lull_vk *vk, const struct lull_vk_case *c,
                                 struct vk_object *objects, struct vk_sets *ret)
{
    ret->bindings = calloc(c->module->nvars + 1, sizeof *ret->bindings);
    struct lull_error *err = ret->bindings != NULL ? NULL : &lull_enomem;
    for (size_t i = 0; err == NULL && i < c->module->nvars; i++) {
        err = add_binding(ret, &c->module->vars[i]);
    }
    for (size_t i = 0; err == NULL && i < c->nresources; i++) {
        if (c->resources[i].bound) {
            err = check_resource(vk, &c->resources[i], vk_sets_find(ret, &c->resources[i]));
        }
        for (size_t k = 0; err == NULL && k < i; k++) {
            if (strcmp(c->resources[k].name, c->resources[i].name) == 0) {
                err = lull_error_new(LULL_ERR_INVALID, "%s is given twice", c->resources[i].name);
            }
        }
    }
    if (err == NULL) {
        err = check_complete(c, ret);
    }
    for (size_t i = 0; err == NULL && i < c->nresources; i++) {
        const struct vk_binding *b = vk_sets_find(ret, &c->resources[i]);
        objects[i].type = b != NULL ? b->type : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    }
    return err;
}

/** A sampler in the layout, if that was asked for: of bindings of one element. */
static void immutable(const struct lull_vk_case *c, const struct vk_object *objects,
                      const struct vk_binding *b, VkSampler *room,
                      VkDescriptorSetLayoutBinding *ret)
{
    for (size_t i = 0; i < c->nresources && b->count == 1; i++) {
        const struct lull_vk_resource *r = &c->resources[i];
        if (r->bound && r->set == b->set && r->binding == b->binding && r->sampler.immutable &&
            objects[i].sampler != VK_NULL_HANDLE) {
            room[i] = objects[i].sampler;
            ret->pImmutableSamplers = &room[i];
        }
    }
}

LULL_MUST_USE static struct lull_error *make_layout(struct lull_vk *vk,
                                                    const struct lull_vk_case *c,
                                                    const struct vk_object *objects,
                                                    struct vk_sets *s, uint32_t set)
{
    lull_cleanup(lull_freep) VkSampler *samplers = calloc(c->nresources + 1, sizeof *samplers);
    lull_cleanup(lull_freep) VkDescriptorSetLayoutBinding *list =
        calloc(s->nbindings + 1, sizeof *list);
    uint32_t n = 0;
    if (list == NULL || samplers == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < s->nbindings; i++) {
        const struct vk_binding *b = &s->bindings[i];
        if (b->set == set) {
            list[n++] = (VkDescriptorSetLayoutBinding){.binding = b->binding,
                                                       .descriptorType = b->type,
                                                       .descriptorCount = b->count,
                                                       .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
            immutable(c, objects, b, samplers, &list[n - 1]);
        }
    }
    const bool push = c->push_set >= 0 && (uint32_t)c->push_set == set;
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .flags = push ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0,
        .bindingCount = n,
        .pBindings = list,
    };
    return vk_check(vk,
                    vk->api.CreateDescriptorSetLayout(vk->device, &info, NULL, &s->layouts[set]),
                    "vkCreateDescriptorSetLayout");
}

LULL_MUST_USE static struct lull_error *make_pool(struct lull_vk *vk, struct vk_sets *s)
{
    lull_cleanup(lull_freep) VkDescriptorPoolSize *sizes = calloc(s->nbindings + 1, sizeof *sizes);
    if (sizes == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < s->nbindings; i++) {
        sizes[i] = (VkDescriptorPoolSize){s->bindings[i].type, s->bindings[i].count};
    }
    const VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = s->nsets,
        .poolSizeCount = (uint32_t)s->nbindings,
        .pPoolSizes = sizes,
    };
    return vk_check(vk, vk->api.CreateDescriptorPool(vk->device, &info, NULL, &s->pool),
                    "vkCreateDescriptorPool");
}

/** The write of one descriptor; @p buffer and @p image must live as long as it. */
static VkWriteDescriptorSet write_of(const struct vk_object *o, VkDescriptorSet set,
                                     VkDescriptorBufferInfo *buffer, VkDescriptorImageInfo *image)
{
    const struct lull_vk_resource *r = o->r;
    *buffer = (VkDescriptorBufferInfo){
        .buffer = o->buffer,
        .offset = r->offset - r->dynamic_offset,
        .range = r->range != 0 ? r->range : r->size - r->offset,
    };
    *image = (VkDescriptorImageInfo){o->sampler, o->view, o->layout};
    return (VkWriteDescriptorSet){
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .dstBinding = r->binding,
        .dstArrayElement = r->element,
        .descriptorCount = 1,
        .descriptorType = o->type,
        .pImageInfo = image,
        .pBufferInfo = buffer,
        .pTexelBufferView = &o->buffer_view,
    };
}

/** Dynamic offsets stand in the order of set, binding and element. */
LULL_MUST_USE static struct lull_error *collect_dynamic(const struct lull_vk_case *c,
                                                        struct vk_sets *s)
{
    s->dynamic = calloc(c->nresources + 1, sizeof *s->dynamic);
    if (s->dynamic == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < s->nbindings; i++) { // the module's variables are in order
        const struct vk_binding *b = &s->bindings[i];
        for (uint32_t e = 0; e < b->count; e++) {
            for (size_t k = 0; k < c->nresources; k++) {
                const struct lull_vk_resource *r = &c->resources[k];
                if (r->dynamic && r->bound && r->set == b->set && r->binding == b->binding &&
                    r->element == e) {
                    s->dynamic[s->ndynamic++] = (uint32_t)r->dynamic_offset;
                }
            }
        }
    }
    return NULL;
}

struct lull_error *vk_sets_make(struct lull_vk *vk, const struct lull_vk_case *c,
                                struct vk_object *objects, struct vk_sets *s)
{
    s->layouts = calloc(s->nsets + 1, sizeof *s->layouts);
    s->sets = calloc(s->nsets + 1, sizeof *s->sets);
    struct lull_error *err =
        s->layouts != NULL && s->sets != NULL ? collect_dynamic(c, s) : &lull_enomem;
    if (err == NULL && c->push_set >= 0 && !vk->push_descriptors) {
        err =
            lull_error_new(LULL_ERR_UNSUPPORTED, "'%s' has no push descriptors", lull_vk_name(vk));
    }
    for (uint32_t i = 0; err == NULL && i < s->nsets; i++) {
        err = make_layout(vk, c, objects, s, i);
    }
    if (err == NULL && s->nbindings != 0) {
        err = make_pool(vk, s);
    }
    for (uint32_t i = 0; err == NULL && i < s->nsets; i++) {
        const VkDescriptorSetAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
            .descriptorPool = s->pool,
            .descriptorSetCount = 1,
            .pSetLayouts = &s->layouts[i],
        };
        if (c->push_set < 0 || (uint32_t)c->push_set != i) {
            err = vk_check(vk, vk->api.AllocateDescriptorSets(vk->device, &info, &s->sets[i]),
                           "vkAllocateDescriptorSets");
        }
    }
    for (size_t i = 0; err == NULL && i < c->nresources; i++) {
        const struct lull_vk_resource *r = &c->resources[i];
        if (r->bound && s->sets[r->set] != VK_NULL_HANDLE) {
            VkDescriptorBufferInfo buffer = {0};
            VkDescriptorImageInfo image = {0};
            const VkWriteDescriptorSet w = write_of(&objects[i], s->sets[r->set], &buffer, &image);
            vk->api.UpdateDescriptorSets(vk->device, 1, &w, 0, NULL);
        }
    }
    return err;
}

void vk_sets_bind(struct lull_vk *vk, VkCommandBuffer cmd, VkPipelineLayout layout,
                  const struct lull_vk_case *c, struct vk_object *objects, struct vk_sets *s)
{
    uint32_t dynamic = 0;
    for (uint32_t set = 0; set < s->nsets; set++) {
        uint32_t n = 0;
        for (size_t i = 0; i < c->nresources; i++) {
            const struct lull_vk_resource *r = &c->resources[i];
            n += r->bound && r->dynamic && r->set == set;
        }
        if (s->sets[set] != VK_NULL_HANDLE) {
            vk->api.CmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, set, 1,
                                          &s->sets[set], n, s->dynamic + dynamic);
        }
        dynamic += n;
    }
    for (size_t i = 0; i < c->nresources && c->push_set >= 0; i++) {
        const struct lull_vk_resource *r = &c->resources[i];
        if (r->bound && r->set == (uint32_t)c->push_set) {
            VkDescriptorBufferInfo buffer = {0};
            VkDescriptorImageInfo image = {0};
            const VkWriteDescriptorSet w = write_of(&objects[i], VK_NULL_HANDLE, &buffer, &image);
            vk->api.CmdPushDescriptorSetKHR(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, r->set, 1,
                                            &w);
        }
    }
}

void vk_sets_done(struct lull_vk *vk, struct vk_sets *s)
{
    if (!vk->lost) {
        vk->api.DestroyDescriptorPool(vk->device, s->pool, NULL);
        for (uint32_t i = 0; s->layouts != NULL && i < s->nsets; i++) {
            vk->api.DestroyDescriptorSetLayout(vk->device, s->layouts[i], NULL);
        }
    }
    free(s->bindings);
    free(s->layouts);
    free(s->sets);
    free(s->dynamic);
}
