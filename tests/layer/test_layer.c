// SPDX-License-Identifier: MIT
// VK_LAYER_LULL_names under a Vulkan program (this one, on lavapipe, above the Khronos validation
// layer): what the program did is what the reader says, and the program's results are right.
//
//     test_layer SHADER.spv DIRECTORY-OF-THE-LAYER
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vulkan/vulkan.h>

#include "image/names.h"
#include "test.h"

enum { NVALUES = 64, FACTOR = 3, LOCAL = 4 };

struct program {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkShaderModule shader;
    VkDescriptorSetLayout set_layouts[3]; // the last has a sampler of its own, for no shader
    VkSampler sampler;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkBuffer buffer, second;
    VkDeviceMemory memory;
    VkDescriptorPool pool;
    VkDescriptorSet sets[2];
    VkCommandPool commands;
    VkCommandBuffer primary, secondary, other;
    uint32_t *mapped;
    VkDeviceAddress address;
    VkDebugUtilsMessengerEXT messenger;
    PFN_vkSetDebugUtilsObjectNameEXT set_name;
    PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
    PFN_vkCmdEndDebugUtilsLabelEXT end_label;
    PFN_vkQueueBeginDebugUtilsLabelEXT queue_label;
    unsigned complaints; // of the validation layer
};

static void must(VkResult result, const char *what)
{
    if (result != VK_SUCCESS) {
        printf("Bail out! %s: VkResult %d\n", what, result);
        exit(1);
    }
}

static VKAPI_ATTR VkBool32 VKAPI_CALL complaint(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                VkDebugUtilsMessageTypeFlagsEXT types,
                                                const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                void *user)
{
    (void)severity;
    (void)types;
    ((struct program *)user)->complaints++;
    printf("# %s\n", data->pMessage);
    return VK_FALSE;
}

static void make_device(struct program *p)
{
    static const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    static const char *const layers[] = {"VK_LAYER_LULL_names", "VK_LAYER_KHRONOS_validation"};
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = complaint,
        .pUserData = p,
    };
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = &messenger,
        .pApplicationInfo = &app,
        .enabledLayerCount = 2,
        .ppEnabledLayerNames = layers,
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = extensions,
    };
    must(vkCreateInstance(&info, NULL, &p->instance), "vkCreateInstance");
    PFN_vkCreateDebugUtilsMessengerEXT listen =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(p->instance,
                                                                  "vkCreateDebugUtilsMessengerEXT");
    must(listen(p->instance, &messenger, NULL, &p->messenger), "vkCreateDebugUtilsMessengerEXT");
    uint32_t count = 1;
    VkResult result = vkEnumeratePhysicalDevices(p->instance, &count, &p->physical);
    must(count == 1 && result >= 0 ? VK_SUCCESS : VK_ERROR_UNKNOWN, "no lavapipe");
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkPhysicalDeviceVulkan13Features v13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .synchronization2 = VK_TRUE};
    const VkPhysicalDeviceVulkan12Features v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = (void *)&v13,
        .bufferDeviceAddress = VK_TRUE};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &v12,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue};
    must(vkCreateDevice(p->physical, &device, NULL, &p->device), "vkCreateDevice");
    vkGetDeviceQueue(p->device, 0, 0, &p->queue);
    p->set_name = (PFN_vkSetDebugUtilsObjectNameEXT)vkGetDeviceProcAddr(
        p->device, "vkSetDebugUtilsObjectNameEXT");
    p->begin_label = (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetInstanceProcAddr(
        p->instance, "vkCmdBeginDebugUtilsLabelEXT");
    p->end_label = (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetInstanceProcAddr(
        p->instance, "vkCmdEndDebugUtilsLabelEXT");
    p->queue_label = (PFN_vkQueueBeginDebugUtilsLabelEXT)vkGetInstanceProcAddr(
        p->instance, "vkQueueBeginDebugUtilsLabelEXT");
}

static void name(struct program *p, VkObjectType type, uint64_t handle, const char *text)
{
    const VkDebugUtilsObjectNameInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = type,
        .objectHandle = handle,
        .pObjectName = text};
    must(p->set_name(p->device, &info), "vkSetDebugUtilsObjectNameEXT");
}

static void make_sampler(struct program *p)
{
    const VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    must(vkCreateSampler(p->device, &sampler, NULL, &p->sampler), "vkCreateSampler");
    const VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_SAMPLER,
                                                  .descriptorCount = 1,
                                                  .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .pImmutableSamplers = &p->sampler};
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 1,
        .pBindings = &binding};
    must(vkCreateDescriptorSetLayout(p->device, &info, NULL, &p->set_layouts[2]), "set layout");
}

static void make_pipeline(struct program *p, const uint32_t *code, size_t size)
{
    const VkShaderModuleCreateInfo shader = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
    must(vkCreateShaderModule(p->device, &shader, NULL, &p->shader), "vkCreateShaderModule");
    for (uint32_t i = 0; i < 2; i++) {
        const VkDescriptorSetLayoutBinding binding = {
            .binding = i == 0 ? 0 : 3,
            .descriptorType = i == 0 ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC
                                     : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
        const VkDescriptorSetLayoutCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
            .bindingCount = 1,
            .pBindings = &binding};
        must(vkCreateDescriptorSetLayout(p->device, &info, NULL, &p->set_layouts[i]), "set layout");
    }
    make_sampler(p);
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 8};
    const VkPipelineLayoutCreateInfo layout = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 3,
                                               .pSetLayouts = p->set_layouts,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &range};
    must(vkCreatePipelineLayout(p->device, &layout, NULL, &p->layout), "vkCreatePipelineLayout");
    const uint32_t values[2] = {LOCAL, FACTOR};
    const VkSpecializationMapEntry map[2] = {{0, 0, 4}, {1, 4, 4}};
    const VkSpecializationInfo special = {2, map, sizeof values, values};
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = p->shader,
                  .pName = "main",
                  .pSpecializationInfo = &special},
        .layout = p->layout};
    must(vkCreateComputePipelines(p->device, VK_NULL_HANDLE, 1, &info, NULL, &p->pipeline),
         "vkCreateComputePipelines");
    name(p, VK_OBJECT_TYPE_PIPELINE, (uint64_t)(uintptr_t)p->pipeline, "scale \"x\"\n\xc3\xa9");
}

static void make_buffers(struct program *p)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = 4 * NVALUES,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                              VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                              VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    must(vkCreateBuffer(p->device, &info, NULL, &p->buffer), "vkCreateBuffer");
    must(vkCreateBuffer(p->device, &info, NULL, &p->second), "vkCreateBuffer");
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &flags, .allocationSize = 4096};
    must(vkAllocateMemory(p->device, &memory, NULL, &p->memory), "vkAllocateMemory");
    must(vkBindBufferMemory(p->device, p->buffer, p->memory, 0), "vkBindBufferMemory");
    const VkBindBufferMemoryInfo bind = {.sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO,
                                         .buffer = p->second,
                                         .memory = p->memory,
                                         .memoryOffset = 1024};
    must(vkBindBufferMemory2(p->device, 1, &bind), "vkBindBufferMemory2");
    must(vkMapMemory(p->device, p->memory, 0, 4096, 0, (void **)&p->mapped), "vkMapMemory");
    memset(p->mapped, 0, 4096);
    const VkBufferDeviceAddressInfo address = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = p->buffer};
    p->address = vkGetBufferDeviceAddress(p->device, &address);
    name(p, VK_OBJECT_TYPE_BUFFER, (uint64_t)(uintptr_t)p->buffer, "numbers");
    const VkImageCreateInfo image = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = VK_FORMAT_R32_UINT,
                                     .extent = {17, 9, 1},
                                     .mipLevels = 1,
                                     .arrayLayers = 1,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .usage = VK_IMAGE_USAGE_STORAGE_BIT};
    VkImage made = VK_NULL_HANDLE;
    must(vkCreateImage(p->device, &image, NULL, &made), "vkCreateImage");
    vkDestroyImage(p->device, made, NULL);
}

static void make_sets(struct program *p)
{
    const VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 2,
                                             .poolSizeCount = 2,
                                             .pPoolSizes = sizes};
    must(vkCreateDescriptorPool(p->device, &pool, NULL, &p->pool), "vkCreateDescriptorPool");
    const VkDescriptorSetAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = p->pool,
                                              .descriptorSetCount = 2,
                                              .pSetLayouts = p->set_layouts};
    must(vkAllocateDescriptorSets(p->device, &info, p->sets), "vkAllocateDescriptorSets");
    for (unsigned i = 0; i < 2; i++) {
        const VkDescriptorBufferInfo buffer = {i == 0 ? p->buffer : p->second, 0, 64};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = p->sets[i],
                                            .dstBinding = i == 0 ? 0 : 3,
                                            .descriptorCount = 1,
                                            .descriptorType =
                                                i == 0 ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC
                                                       : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(p->device, 1, &write, 0, NULL);
    }
    const VkCommandPoolCreateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    must(vkCreateCommandPool(p->device, &commands, NULL, &p->commands), "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo cmd = {.sType =
                                                 VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = p->commands,
                                             .commandBufferCount = 1};
    must(vkAllocateCommandBuffers(p->device, &cmd, &p->primary), "vkAllocateCommandBuffers");
    must(vkAllocateCommandBuffers(p->device, &cmd, &p->other), "vkAllocateCommandBuffers");
    VkCommandBufferAllocateInfo second = cmd;
    second.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    must(vkAllocateCommandBuffers(p->device, &second, &p->secondary), "vkAllocateCommandBuffers");
}

static void bind_all(struct program *p, VkCommandBuffer cmd, uint32_t offset, uint32_t add)
{
    const uint32_t push[2] = {add, 0};
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 2, p->sets, 1,
                            &offset);
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, push);
}

static void label(struct program *p, VkCommandBuffer cmd, const char *text)
{
    const VkDebugUtilsLabelEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                       .pLabelName = text};
    p->begin_label(cmd, &info);
}

static void wait_for_writes(VkCommandBuffer cmd)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask =
                                         VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

// values[0..7] = (0 * 3 + 5), then the secondary * 3 + 1; values[64 / 4 ...] + 2 by the other
// buffer.
static void record(struct program *p)
{
    const VkCommandBufferInheritanceInfo inherit = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .pInheritanceInfo = &inherit};
    must(vkBeginCommandBuffer(p->secondary, &begin), "vkBeginCommandBuffer");
    label(p, p->secondary, "inner");
    bind_all(p, p->secondary, 0, 1);
    vkCmdDispatch(p->secondary, 2, 1, 1);
    p->end_label(p->secondary);
    must(vkEndCommandBuffer(p->secondary), "vkEndCommandBuffer");

    must(vkBeginCommandBuffer(p->primary, &begin), "vkBeginCommandBuffer");
    bind_all(p, p->primary, 0, 5);
    vkCmdDispatch(p->primary, 1, 1, 1);
    wait_for_writes(p->primary);
    label(p, p->primary, "outer");
    vkCmdExecuteCommands(p->primary, 1, &p->secondary);
    p->end_label(p->primary);
    must(vkEndCommandBuffer(p->primary), "vkEndCommandBuffer");

    must(vkBeginCommandBuffer(p->other, &begin), "vkBeginCommandBuffer");
    bind_all(p, p->other, 64, 2);
    vkCmdDispatchIndirect(p->other, p->second, 128);
    must(vkEndCommandBuffer(p->other), "vkEndCommandBuffer");
}

static void submit(struct program *p)
{
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &p->primary};
    must(vkQueueSubmit(p->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    const VkDebugUtilsLabelEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                       .pLabelName = "frame"};
    p->queue_label(p->queue, &text);
    const VkCommandBufferSubmitInfo cmd = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                           .commandBuffer = p->other};
    const VkSubmitInfo2 info2 = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                 .commandBufferInfoCount = 1,
                                 .pCommandBufferInfos = &cmd};
    must(vkQueueSubmit2(p->queue, 1, &info2, VK_NULL_HANDLE), "vkQueueSubmit2");
    must(vkQueueWaitIdle(p->queue), "vkQueueWaitIdle");
}

// All but buffer, second and set layouts, which check_objects() looks for.
static void finish(struct program *p)
{
    vkDestroyCommandPool(p->device, p->commands, NULL);
    vkDestroyDescriptorPool(p->device, p->pool, NULL);
    vkDestroyPipeline(p->device, p->pipeline, NULL);
    vkDestroyShaderModule(p->device, p->shader, NULL);
    vkDestroyPipelineLayout(p->device, p->layout, NULL);
}

// After the records were checked.
static void close_device(struct program *p)
{
    vkDestroyDescriptorSetLayout(p->device, p->set_layouts[0], NULL);
    vkDestroyDescriptorSetLayout(p->device, p->set_layouts[1], NULL);
    vkDestroyDescriptorSetLayout(p->device, p->set_layouts[2], NULL);
    vkDestroySampler(p->device, p->sampler, NULL);
    vkDestroyBuffer(p->device, p->buffer, NULL);
    vkDestroyBuffer(p->device, p->second, NULL);
    vkFreeMemory(p->device, p->memory, NULL);
    vkDestroyDevice(p->device, NULL);
    PFN_vkDestroyDebugUtilsMessengerEXT forget =
        (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
            p->instance, "vkDestroyDebugUtilsMessengerEXT");
    forget(p->instance, p->messenger, NULL);
    vkDestroyInstance(p->instance, NULL);
}

static bool same(const uint32_t a[3], uint32_t x, uint32_t y, uint32_t z)
{
    return a[0] == x && a[1] == y && a[2] == z;
}

// What the program did, dispatch by dispatch.
static const struct want {
    const char *name;
    uint32_t grid, add;
    bool indirect;
    uint64_t submit;
    size_t nlabels;
    const char *labels[2];
} wants[] = {
    {"in the primary", 1, 5, false, 0, 0, {NULL, NULL}},
    {"in the secondary", 2, 1, false, 0, 2, {"outer", "inner"}},
    {"indirect", 0, 2, true, 1, 1, {"frame", NULL}},
};

static void check_dispatches(const struct program *p, const struct lull_names *n)
{
    test_case(lull_names_ndispatches(n) == TEST_ROWS(wants), "dispatches", "%zu, want %zu",
              lull_names_ndispatches(n), TEST_ROWS(wants));
    for (size_t i = 0; i < TEST_ROWS(wants) && i < lull_names_ndispatches(n); i++) {
        const struct want *w = &wants[i];
        const struct lull_names_dispatch *d = lull_names_dispatch_at(n, i);
        uint32_t add = 0;
        if (d->npush == 8) {
            memcpy(&add, d->push, 4);
        }
        bool good = d->submit == w->submit && d->indirect == w->indirect && d->family == 0 &&
                    d->index == 0 && add == w->add && d->nlabels == w->nlabels && d->nsets == 2 &&
                    d->sets[0] == (uint64_t)(uintptr_t)p->sets[0] &&
                    d->sets[1] == (uint64_t)(uintptr_t)p->sets[1];
        good =
            good && (w->indirect ? d->offset == 128 && d->buffer == (uint64_t)(uintptr_t)p->second
                                 : same(d->grid, w->grid, 1, 1));
        for (size_t l = 0; good && l < w->nlabels; l++) {
            good = strcmp(d->labels[l], w->labels[l]) == 0;
        }
        test_case(good, w->name, "grid %u, add %u, %zu labels, submit %u", d->grid[0], add,
                  d->nlabels, (unsigned)d->submit);
        test_case(d->pipeline != NULL && d->pipeline->handle == (uint64_t)(uintptr_t)p->pipeline,
                  w->name, "another pipeline");
    }
}

static void check_pipeline(const struct program *p, struct lull_names *n, const void *code,
                           size_t size)
{
    bool one = lull_names_npipelines(n) == 1;
    if (!test_case(one, "one pipeline", "%zu", lull_names_npipelines(n))) {
        return;
    }
    const struct lull_names_pipeline *l = lull_names_pipeline_at(n, 0);
    test_case(strcmp(l->name, "scale \"x\"\n\xc3\xa9") == 0 && strcmp(l->entry, "main") == 0,
              "names", "name '%s', entry '%s'", l->name, l->entry);
    test_case(same(l->local_size, LOCAL, 1, 1), "local size by specialization", "%u %u %u",
              l->local_size[0], l->local_size[1], l->local_size[2]);
    test_case(l->nspecs == 2 && l->specs[1].id == 1 && l->specs[1].value == FACTOR,
              "specialization", "%zu constants", l->nspecs);
    const struct lull_names_layout *y = l->layout;
    test_case(y != NULL && y->nsets == 3 && y->nranges == 1 && y->ranges[0].size == 8, "layout",
              "no layout, or another");
    bool slots = y != NULL && y->nsets == 3 && y->sets[1] != NULL && y->sets[1]->nslots == 1 &&
                 y->sets[1]->slots[0].binding == 3 &&
                 y->sets[1]->slots[0].type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    test_case(slots, "set layout", "not the one that was made");
    const struct lull_names_set_layout *own = slots ? y->sets[2] : NULL;
    test_case(own != NULL && own->nslots == 1 && own->slots[0].immutable == 1 &&
                  y->sets[1]->slots[0].immutable == 0,
              "a sampler of the layout's own", "not told");
    test_case(y != NULL && y->nsets == 3 &&
                  lull_names_set(n, (uint64_t)(uintptr_t)p->sets[1]) == y->sets[1],
              "set", "has another layout");
    const struct lull_spirv *m = l->shader != NULL ? lull_names_spirv(n, l->shader) : NULL;
    const struct lull_spirv_binding *b = m != NULL ? lull_spirv_find_binding(m, 0, 0) : NULL;
    test_case(b != NULL && strcmp(b->name, "data") == 0, "reflection of the saved SPIR-V",
              "no binding 0.0 'data'");
    FILE *f = l->shader != NULL ? fopen(l->shader->file, "rb") : NULL;
    uint8_t *saved = malloc(size + 1);
    size_t got = f != NULL && saved != NULL ? fread(saved, 1, size + 1, f) : 0;
    test_case(got == size && memcmp(saved, code, size) == 0, "saved SPIR-V", "%zu bytes of %zu",
              got, size);
    free(saved);
    if (f != NULL) {
        fclose(f);
    }
}

static const struct lull_names_object *object(const struct lull_names *n, enum lull_names_kind kind,
                                              uint64_t handle)
{
    for (size_t i = 0; i < lull_names_nobjects(n); i++) {
        const struct lull_names_object *o = lull_names_object_at(n, i);
        if (o->kind == kind && (handle == 0 || o->handle == handle)) {
            return o;
        }
    }
    return NULL;
}

static void check_objects(const struct program *p, const struct lull_names *n)
{
    const struct lull_names_object *a =
        object(n, LULL_NAMES_BUFFER, (uint64_t)(uintptr_t)p->buffer);
    const struct lull_names_object *b =
        object(n, LULL_NAMES_BUFFER, (uint64_t)(uintptr_t)p->second);
    const struct lull_names_object *m =
        object(n, LULL_NAMES_MEMORY, (uint64_t)(uintptr_t)p->memory);
    const struct lull_names_object *i = object(n, LULL_NAMES_IMAGE, 0);
    test_case(a != NULL && a->size == 4 * NVALUES && strcmp(a->name, "numbers") == 0 && !a->freed &&
                  a->memory == (uint64_t)(uintptr_t)p->memory && a->offset == 0,
              "buffer", "not found, or another");
    test_case(p->address != 0 && lull_names_at_address(n, p->address + 4) == a, "buffer by address",
              "not found");
    test_case(b != NULL && b->offset == 1024 && b->memory == (uint64_t)(uintptr_t)p->memory,
              "buffer bound by version 2", "not found, or another");
    test_case(m != NULL && m->size == 4096, "memory", "not found, or another");
    test_case(i != NULL && i->format == VK_FORMAT_R32_UINT && same(i->extent, 17, 9, 1) && i->freed,
              "image", "not found, or another");
}

static void check_names(const struct program *p, const char *dir, const void *code, size_t size)
{
    struct lull_names *n = NULL;
    struct lull_error *err = lull_names_open(dir, (uint32_t)getpid(), &n);
    if (err == NULL) {
        err = lull_names_update(n);
    }
    test_case(err == NULL, "read", "%s", err != NULL ? lull_error_message(err) : "");
    if (err == NULL) {
        const char *text = lull_names_ncomplaints(n) > 0 ? lull_names_complaint_at(n, 0)->text : "";
        test_case(lull_names_ncomplaints(n) == 0, "every line understood", "%s", text);
        test_case(strstr(lull_names_program(n), "test_layer") != NULL, "program", "'%s'",
                  lull_names_program(n));
        check_dispatches(p, n);
        check_pipeline(p, n, code, size);
        check_objects(p, n);
    }
    lull_error_free(err);
    lull_names_free(n);
}

int main(int argc, char **argv)
{
    static uint32_t code[16384];
    char dir[] = "/tmp/lull-names-XXXXXX";
    FILE *f = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (f == NULL || mkdtemp(dir) == NULL) {
        printf("Bail out! want a shader and the layer's directory\n");
        return 1;
    }
    size_t size = fread(code, 1, sizeof code, f);
    fclose(f);
    setenv("VK_ADD_LAYER_PATH", argv[2], 1);
    setenv("VK_ICD_FILENAMES", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", 1);
    setenv("LULL_NAMES", dir, 1);
    struct program p = {0};
    make_device(&p);
    make_pipeline(&p, code, size);
    make_buffers(&p);
    make_sets(&p);
    const uint32_t grid[3] = {1, 1, 1};
    memcpy(p.mapped + 1024 / 4 + 128 / 4, grid, sizeof grid);
    record(&p);
    submit(&p);
    test_case(p.mapped[3] == 5 * FACTOR + 1 && p.mapped[7] == 1 && p.mapped[16] == 2 &&
                  p.mapped[20] == 0 && p.mapped[256] == 7,
              "results", "%u %u %u %u %u", p.mapped[3], p.mapped[7], p.mapped[16], p.mapped[20],
              p.mapped[256]);
    finish(&p);
    check_names(&p, dir, code, size);
    close_device(&p);
    test_case(p.complaints == 0, "validation", "%u complaints", p.complaints);
    char command[64] = "";
    snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command) == 0 ? test_end() : 1;
}
