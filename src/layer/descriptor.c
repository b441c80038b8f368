// SPDX-License-Identifier: MIT
// What descriptors are written with, and where the driver has put buffers.
#include <stdlib.h>
#include <string.h>

#include "layer/layer.h"

#define HANDLE(h) LULL_LAYER_HANDLE(h)

enum { PART = 1024 }; // Descriptors of a record.

/** Of a VkImageView or VkBufferView: what it shows. Of an image: its first level and layer. */
struct view {
    uint64_t object, offset, range;
};

/** A VkDescriptorUpdateTemplate. */
struct template
{
    VkPipelineBindPoint point;
    uint32_t nentries;
    VkDescriptorUpdateTemplateEntry entries[];
};

void lull_layer_placed(const struct lull_layer_device *d, VkBuffer buffer)
{
    const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                            .buffer = buffer};
    if (d->where == NULL || !lull_layer_on()) {
        return;
    }
    const uint64_t address = d->where(d->handle, &info);
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "place");
    lull_json_put_hex(&j, "buffer", HANDLE(buffer));
    lull_json_put_hex(&j, "address", address);
    lull_layer_write(&j);
    lull_layer_unlock();
}

/** The address of @p offset in @p memory, by a buffer that is there for this call alone; 0: not
 * known. */
static uint64_t address_in(const struct lull_layer_device *d, VkDeviceMemory memory,
                           VkDeviceSize offset)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = 4,
                                     .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    VkBuffer buffer = VK_NULL_HANDLE;
    uint64_t address = 0;
    if (((PFN_vkCreateBuffer)d->next[LULL_FN_CREATE_BUFFER])(d->handle, &info, NULL, &buffer) !=
        VK_SUCCESS) {
        return 0;
    }
    if (((PFN_vkBindBufferMemory)d->next[LULL_FN_BIND_BUFFER])(d->handle, buffer, memory, offset) ==
        VK_SUCCESS) {
        const VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                              .buffer = buffer};
        address = d->where(d->handle, &of);
    }
    ((PFN_vkDestroyBuffer)d->next[LULL_FN_DESTROY_BUFFER])(d->handle, buffer, NULL);
    return address;
}

void lull_layer_image_placed(const struct lull_layer_device *d, VkImage image,
                             VkDeviceMemory memory, VkDeviceSize offset)
{
    VkMemoryRequirements needs = {0};
    if (d->where == NULL || !lull_layer_on() || memory == VK_NULL_HANDLE) {
        return;
    }
    const PFN_vkGetImageMemoryRequirements ask =
        (PFN_vkGetImageMemoryRequirements)d->next_proc(d->handle, "vkGetImageMemoryRequirements");
    const uint64_t address = ask != NULL ? address_in(d, memory, offset) : 0;
    if (address == 0) {
        return;
    }
    ask(d->handle, image, &needs);
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "place");
    lull_json_put_hex(&j, "image", HANDLE(image));
    lull_json_put_hex(&j, "address", address);
    lull_json_put_u64(&j, "size", needs.size);
    lull_layer_write(&j);
    lull_layer_unlock();
}

static void keep_view(uint64_t handle, struct view of)
{
    lull_layer_lock();
    struct lull_layer_entry *e = lull_layer_put(LULL_LAYER_VIEW, handle);
    struct view *copy = e != NULL ? malloc(sizeof *copy) : NULL;
    if (copy != NULL) {
        *copy = of;
        free(e->data);
        e->data = copy;
    }
    lull_layer_unlock();
}

static void drop_view(uint64_t handle)
{
    lull_layer_lock();
    free(lull_layer_drop(LULL_LAYER_VIEW, handle));
    lull_layer_unlock();
}

static VKAPI_ATTR VkResult VKAPI_CALL create_image_view(VkDevice device,
                                                        const VkImageViewCreateInfo *info,
                                                        const VkAllocationCallbacks *alloc,
                                                        VkImageView *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    const VkResult result =
        ((PFN_vkCreateImageView)d->next[LULL_FN_CREATE_IMAGE_VIEW])(device, info, alloc, ret);
    if (result == VK_SUCCESS) {
        keep_view(HANDLE(*ret),
                  (struct view){HANDLE(info->image), info->subresourceRange.baseMipLevel,
                                info->subresourceRange.baseArrayLayer});
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_image_view(VkDevice device, VkImageView view,
                                                     const VkAllocationCallbacks *alloc)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    drop_view(HANDLE(view));
    ((PFN_vkDestroyImageView)d->next[LULL_FN_DESTROY_IMAGE_VIEW])(device, view, alloc);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_buffer_view(VkDevice device,
                                                         const VkBufferViewCreateInfo *info,
                                                         const VkAllocationCallbacks *alloc,
                                                         VkBufferView *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    const VkResult result =
        ((PFN_vkCreateBufferView)d->next[LULL_FN_CREATE_BUFFER_VIEW])(device, info, alloc, ret);
    if (result == VK_SUCCESS) {
        keep_view(HANDLE(*ret), (struct view){HANDLE(info->buffer), info->offset, info->range});
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_buffer_view(VkDevice device, VkBufferView view,
                                                      const VkAllocationCallbacks *alloc)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    drop_view(HANDLE(view));
    ((PFN_vkDestroyBufferView)d->next[LULL_FN_DESTROY_BUFFER_VIEW])(device, view, alloc);
}

enum given { OF_BUFFER, OF_IMAGE, OF_TEXELS, OF_NOTHING };

/** Which of the three a descriptor of @p type is written with. */
static enum given given_for(VkDescriptorType type)
{
    switch ((uint32_t)type) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
        return OF_BUFFER;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
        return OF_IMAGE;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        return OF_TEXELS;
    default:
        return OF_NOTHING;
    }
}

/** What @p from says, VkDescriptorBufferInfo or another by its kind. With the lock held. */
static struct view shown(enum given given, const void *from)
{
    uint64_t handle = 0;
    if (given == OF_BUFFER) {
        const VkDescriptorBufferInfo *b = from;
        return (struct view){HANDLE(b->buffer), b->offset, b->range};
    }
    if (given == OF_IMAGE) {
        handle = HANDLE(((const VkDescriptorImageInfo *)from)->imageView);
    } else {
        VkBufferView view = VK_NULL_HANDLE;
        memcpy(&view, from, sizeof view);
        handle = HANDLE(view);
    }
    const struct lull_layer_entry *e = lull_layer_find(LULL_LAYER_VIEW, handle);
    return e != NULL && e->data != NULL ? *(const struct view *)e->data
                                        : (struct view){0, 0, VK_WHOLE_SIZE};
}

/** Descriptors that are written one behind the other: element @p i is at from + i * stride. */
struct written {
    uint32_t binding, element, count;
    VkDescriptorType type;
    const char *from;
    size_t stride;
};

static struct written written_by(const VkWriteDescriptorSet *w)
{
    const enum given given = given_for(w->descriptorType);
    struct written to = {.binding = w->dstBinding,
                         .element = w->dstArrayElement,
                         .count = given == OF_NOTHING ? 0 : w->descriptorCount,
                         .type = w->descriptorType};
    if (given == OF_BUFFER) {
        to.from = (const char *)w->pBufferInfo;
        to.stride = sizeof *w->pBufferInfo;
    } else if (given == OF_IMAGE) {
        to.from = (const char *)w->pImageInfo;
        to.stride = sizeof *w->pImageInfo;
    } else if (given == OF_TEXELS) {
        to.from = (const char *)w->pTexelBufferView;
        to.stride = sizeof *w->pTexelBufferView;
    }
    return to;
}

static struct written written_with(const VkDescriptorUpdateTemplateEntry *e, const void *data)
{
    return (struct written){.binding = e->dstBinding,
                            .element = e->dstArrayElement,
                            .count =
                                given_for(e->descriptorType) == OF_NOTHING ? 0 : e->descriptorCount,
                            .type = e->descriptorType,
                            .from = (const char *)data + e->offset,
                            .stride = e->stride};
}

/** Members of the object that is open: descriptors @p first to @p end. With the lock held. */
static void put_written(struct lull_json *j, const struct written *w, uint32_t first, uint32_t end)
{
    lull_json_put_u64(j, "binding", w->binding);
    lull_json_put_u64(j, "element", w->element + first);
    lull_json_put_u64(j, "type", w->type);
    lull_json_key(j, "to");
    lull_json_open(j, '[');
    for (uint32_t i = first; i < end; i++) {
        const struct view v = shown(given_for(w->type), w->from + i * w->stride);
        lull_json_open(j, '[');
        lull_json_hex(j, v.object);
        lull_json_u64(j, v.offset);
        if (v.range != VK_WHOLE_SIZE) {
            lull_json_u64(j, v.range);
        }
        lull_json_close(j, ']');
    }
    lull_json_close(j, ']');
}

/** Of a descriptor set. With the lock held. */
static void tell_written(uint64_t set, const struct written *w)
{
    for (uint32_t first = 0; first < w->count; first += PART) {
        const uint32_t end = w->count - first < PART ? w->count : first + PART;
        struct lull_str line = {0};
        struct lull_json j = lull_layer_record(&line, "write");
        lull_json_put_hex(&j, "set", set);
        put_written(&j, w, first, end);
        lull_layer_write(&j);
    }
}

static void tell_copied(const VkCopyDescriptorSet *c)
{
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "copy");
    lull_json_put_hex(&j, "set", HANDLE(c->dstSet));
    lull_json_put_u64(&j, "binding", c->dstBinding);
    lull_json_put_u64(&j, "element", c->dstArrayElement);
    lull_json_put_hex(&j, "from", HANDLE(c->srcSet));
    lull_json_put_u64(&j, "from_binding", c->srcBinding);
    lull_json_put_u64(&j, "from_element", c->srcArrayElement);
    lull_json_put_u64(&j, "count", c->descriptorCount);
    lull_layer_write(&j);
}

static VKAPI_ATTR void VKAPI_CALL update_sets(VkDevice device, uint32_t nwrites,
                                              const VkWriteDescriptorSet *writes, uint32_t ncopies,
                                              const VkCopyDescriptorSet *copies)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    lull_layer_lock();
    for (uint32_t i = 0; i < nwrites; i++) {
        const struct written w = written_by(&writes[i]);
        tell_written(HANDLE(writes[i].dstSet), &w);
    }
    for (uint32_t i = 0; i < ncopies; i++) {
        tell_copied(&copies[i]);
    }
    lull_layer_unlock();
    ((PFN_vkUpdateDescriptorSets)d->next[LULL_FN_UPDATE_SETS])(device, nwrites, writes, ncopies,
                                                               copies);
}

static VkResult create_by(enum lull_layer_fn fn, VkDevice device,
                          const VkDescriptorUpdateTemplateCreateInfo *info,
                          const VkAllocationCallbacks *alloc, VkDescriptorUpdateTemplate *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    const VkResult result =
        ((PFN_vkCreateDescriptorUpdateTemplate)d->next[fn])(device, info, alloc, ret);
    const size_t bytes = info->descriptorUpdateEntryCount * sizeof *info->pDescriptorUpdateEntries;
    struct template *t = result == VK_SUCCESS ? malloc(sizeof *t + bytes) : NULL;
    if (t == NULL) {
        return result;
    }
    t->point = info->pipelineBindPoint;
    t->nentries = info->descriptorUpdateEntryCount;
    memcpy(t->entries, info->pDescriptorUpdateEntries, bytes);
    lull_layer_lock();
    struct lull_layer_entry *e = lull_layer_put(LULL_LAYER_TEMPLATE, HANDLE(*ret));
    free(e != NULL ? e->data : t);
    if (e != NULL) {
        e->data = t;
    }
    lull_layer_unlock();
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_template(VkDevice device, const VkDescriptorUpdateTemplateCreateInfo *info,
                const VkAllocationCallbacks *alloc, VkDescriptorUpdateTemplate *ret)
{
    return create_by(LULL_FN_CREATE_TEMPLATE, device, info, alloc, ret);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_template_khr(VkDevice device, const VkDescriptorUpdateTemplateCreateInfo *info,
                    const VkAllocationCallbacks *alloc, VkDescriptorUpdateTemplate *ret)
{
    return create_by(LULL_FN_CREATE_TEMPLATE_KHR, device, info, alloc, ret);
}

static void destroy_by(enum lull_layer_fn fn, VkDevice device, VkDescriptorUpdateTemplate template,
                       const VkAllocationCallbacks *alloc)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    lull_layer_lock();
    free(lull_layer_drop(LULL_LAYER_TEMPLATE, HANDLE(template)));
    lull_layer_unlock();
    ((PFN_vkDestroyDescriptorUpdateTemplate)d->next[fn])(device, template, alloc);
}

static VKAPI_ATTR void VKAPI_CALL destroy_template(VkDevice device,
                                                   VkDescriptorUpdateTemplate template,
                                                   const VkAllocationCallbacks *alloc)
{
    destroy_by(LULL_FN_DESTROY_TEMPLATE, device, template, alloc);
}

static VKAPI_ATTR void VKAPI_CALL destroy_template_khr(VkDevice device,
                                                       VkDescriptorUpdateTemplate template,
                                                       const VkAllocationCallbacks *alloc)
{
    destroy_by(LULL_FN_DESTROY_TEMPLATE_KHR, device, template, alloc);
}

static const struct template *template_of(VkDescriptorUpdateTemplate handle)
{
    const struct lull_layer_entry *e = lull_layer_find(LULL_LAYER_TEMPLATE, HANDLE(handle));
    return e != NULL ? e->data : NULL;
}

static void update_with(enum lull_layer_fn fn, VkDevice device, VkDescriptorSet set,
                        VkDescriptorUpdateTemplate with, const void *data)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    lull_layer_lock();
    const struct template *t = template_of(with);
    for (uint32_t i = 0; t != NULL && i < t->nentries; i++) {
        const struct written w = written_with(&t->entries[i], data);
        tell_written(HANDLE(set), &w);
    }
    lull_layer_unlock();
    ((PFN_vkUpdateDescriptorSetWithTemplate)d->next[fn])(device, set, with, data);
}

static VKAPI_ATTR void VKAPI_CALL update_template(VkDevice device, VkDescriptorSet set,
                                                  VkDescriptorUpdateTemplate with, const void *data)
{
    update_with(LULL_FN_UPDATE_TEMPLATE, device, set, with, data);
}

static VKAPI_ATTR void VKAPI_CALL update_template_khr(VkDevice device, VkDescriptorSet set,
                                                      VkDescriptorUpdateTemplate with,
                                                      const void *data)
{
    update_with(LULL_FN_UPDATE_TEMPLATE_KHR, device, set, with, data);
}

/** Remember one; what was there is no more. */
static void push(struct lull_layer_sets *b, uint32_t set, const struct written *w, uint32_t i)
{
    const struct view v = shown(given_for(w->type), w->from + i * w->stride);
    const struct lull_layer_pushed p = {.set = set,
                                        .binding = w->binding,
                                        .element = w->element + i,
                                        .type = w->type,
                                        .object = v.object,
                                        .offset = v.offset,
                                        .range = v.range};
    size_t at = 0;
    while (at < b->npushed && (b->pushed[at].set != p.set || b->pushed[at].binding != p.binding ||
                               b->pushed[at].element != p.element)) {
        at++;
    }
    if (at == b->npushed) {
        struct lull_layer_pushed *more = realloc(b->pushed, (at + 1) * sizeof *more);
        if (more == NULL) {
            return;
        }
        b->pushed = more;
        b->npushed++;
    }
    b->pushed[at] = p;
}

void lull_layer_push(struct lull_layer_sets *b, uint32_t set, uint32_t count,
                     const VkWriteDescriptorSet *writes)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct written w = written_by(&writes[i]);
        for (uint32_t k = 0; k < w.count; k++) {
            push(b, set, &w, k);
        }
    }
}

struct lull_layer_sets *lull_layer_push_with(struct lull_layer_commands *c, uint32_t set,
                                             VkDescriptorUpdateTemplate with, const void *data)
{
    const struct template *t = template_of(with);
    struct lull_layer_sets *b = t == NULL || t->point == VK_PIPELINE_BIND_POINT_COMPUTE
                                    ? &c->compute
                                : t->point == VK_PIPELINE_BIND_POINT_GRAPHICS ? &c->draws
                                                                              : NULL;
    for (uint32_t i = 0; b != NULL && t != NULL && i < t->nentries; i++) {
        const struct written w = written_with(&t->entries[i], data);
        for (uint32_t k = 0; k < w.count; k++) {
            push(b, set, &w, k);
        }
    }
    return b;
}

void lull_layer_add_pushed(struct lull_str *s, const struct lull_layer_sets *b)
{
    for (size_t i = 0; i < b->npushed; i++) {
        const struct lull_layer_pushed *p = &b->pushed[i];
        lull_str_addf(s,
                      "%s{\"set\":%u,\"binding\":%u,\"element\":%u,\"type\":%u,\"to\":[[\"0x%llx\"",
                      i == 0 ? ",\"pushed\":[" : ",", p->set, p->binding, p->element, p->type,
                      (unsigned long long)p->object);
        lull_str_addf(s, ",%llu", (unsigned long long)p->offset);
        if (p->range != VK_WHOLE_SIZE) {
            lull_str_addf(s, ",%llu", (unsigned long long)p->range);
        }
        lull_str_addf(s, "]]}%s", i + 1 == b->npushed ? "]" : "");
    }
}

const struct lull_layer_hook *lull_layer_descriptor_hooks(size_t *ret_count)
{
    static const struct lull_layer_hook hooks[] = {
        {"vkCreateImageView", LULL_FN_CREATE_IMAGE_VIEW, (PFN_vkVoidFunction)create_image_view},
        {"vkDestroyImageView", LULL_FN_DESTROY_IMAGE_VIEW, (PFN_vkVoidFunction)destroy_image_view},
        {"vkCreateBufferView", LULL_FN_CREATE_BUFFER_VIEW, (PFN_vkVoidFunction)create_buffer_view},
        {"vkDestroyBufferView", LULL_FN_DESTROY_BUFFER_VIEW,
         (PFN_vkVoidFunction)destroy_buffer_view},
        {"vkUpdateDescriptorSets", LULL_FN_UPDATE_SETS, (PFN_vkVoidFunction)update_sets},
        {"vkCreateDescriptorUpdateTemplate", LULL_FN_CREATE_TEMPLATE,
         (PFN_vkVoidFunction)create_template},
        {"vkCreateDescriptorUpdateTemplateKHR", LULL_FN_CREATE_TEMPLATE_KHR,
         (PFN_vkVoidFunction)create_template_khr},
        {"vkDestroyDescriptorUpdateTemplate", LULL_FN_DESTROY_TEMPLATE,
         (PFN_vkVoidFunction)destroy_template},
        {"vkDestroyDescriptorUpdateTemplateKHR", LULL_FN_DESTROY_TEMPLATE_KHR,
         (PFN_vkVoidFunction)destroy_template_khr},
        {"vkUpdateDescriptorSetWithTemplate", LULL_FN_UPDATE_TEMPLATE,
         (PFN_vkVoidFunction)update_template},
        {"vkUpdateDescriptorSetWithTemplateKHR", LULL_FN_UPDATE_TEMPLATE_KHR,
         (PFN_vkVoidFunction)update_template_khr},
    };
    *ret_count = sizeof hooks / sizeof hooks[0];
    return hooks;
}
