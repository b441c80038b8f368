// SPDX-License-Identifier: MIT
// A pass of two subpasses: the second reads what the first drew, a colour, a number and a depth, as
// input attachments. main.c DEVICE FOLDER: a part of the device's name; where the shaders are. TAP;
// every pixel is computed here.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { WIDTH = 512, HEIGHT = 300, INPUTS = 3, ATTACHMENTS = INPUTS + 1, WORDS = 4 };

static const VkFormat formats[ATTACHMENTS] = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R32_UINT,
                                              VK_FORMAT_D32_SFLOAT, VK_FORMAT_R32G32B32A32_UINT};

struct host {
    VkPhysicalDeviceMemoryProperties types;
    VkDevice device;
    VkQueue queue;
    VkImage images[ATTACHMENTS];
    VkImageView views[ATTACHMENTS];
    VkBuffer buffer;
    uint32_t *map;
    VkRenderPass pass;
    VkFramebuffer frame;
    VkDescriptorSetLayout set_layout;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkPipeline pipelines[2];
};

static void must(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        printf("Bail out! %s: VkResult %d\n", what, (int)r);
        exit(1);
    }
}

static void open_device(struct host *h, const char *name)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue};
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice all[16] = {0}, found = VK_NULL_HANDLE;
    uint32_t n = 16;
    must(vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
    must(vkEnumeratePhysicalDevices(instance, &n, all), "vkEnumeratePhysicalDevices");
    for (uint32_t i = 0; i < n && found == VK_NULL_HANDLE; i++) {
        VkPhysicalDeviceProperties props = {0};
        vkGetPhysicalDeviceProperties(all[i], &props);
        found = strstr(props.deviceName, name) != NULL ? all[i] : VK_NULL_HANDLE;
    }
    must(found != VK_NULL_HANDLE ? VK_SUCCESS : VK_INCOMPLETE, name);
    must(vkCreateDevice(found, &device, NULL, &h->device), "vkCreateDevice");
    vkGetDeviceQueue(h->device, 0, 0, &h->queue);
    vkGetPhysicalDeviceMemoryProperties(found, &h->types);
}

static VkDeviceMemory allocate(const struct host *h, VkMemoryRequirements need,
                               VkMemoryPropertyFlags want)
{
    uint32_t type = 0;
    while (type + 1 < h->types.memoryTypeCount &&
           ((need.memoryTypeBits >> type & 1) == 0 ||
            (h->types.memoryTypes[type].propertyFlags & want) != want)) {
        type++;
    }
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = need.size,
                                       .memoryTypeIndex = type};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    must(vkAllocateMemory(h->device, &info, NULL, &memory), "vkAllocateMemory");
    return memory;
}

static bool is_depth(unsigned i)
{
    return formats[i] == VK_FORMAT_D32_SFLOAT;
}

static void make_image(struct host *h, unsigned i)
{
    const VkImageUsageFlags drawn = is_depth(i) ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                                : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = formats[i],
                                    .extent = {WIDTH, HEIGHT, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage =
                                        drawn | (i < INPUTS ? VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT
                                                            : VK_IMAGE_USAGE_TRANSFER_SRC_BIT)};
    VkMemoryRequirements need = {0};
    must(vkCreateImage(h->device, &info, NULL, &h->images[i]), "vkCreateImage");
    vkGetImageMemoryRequirements(h->device, h->images[i], &need);
    must(vkBindImageMemory(h->device, h->images[i], allocate(h, need, 0), 0), "vkBindImageMemory");
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = h->images[i],
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = formats[i],
        .subresourceRange = {is_depth(i) ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, 0,
                             1, 0, 1}};
    must(vkCreateImageView(h->device, &view, NULL, &h->views[i]), "vkCreateImageView");
}

static void make_buffer(struct host *h)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = WIDTH * HEIGHT * WORDS * 4,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements need = {0};
    void *map = NULL;
    must(vkCreateBuffer(h->device, &info, NULL, &h->buffer), "vkCreateBuffer");
    vkGetBufferMemoryRequirements(h->device, h->buffer, &need);
    const VkDeviceMemory memory = allocate(
        h, need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    must(vkBindBufferMemory(h->device, h->buffer, memory, 0), "vkBindBufferMemory");
    must(vkMapMemory(h->device, memory, 0, VK_WHOLE_SIZE, 0, &map), "vkMapMemory");
    h->map = map;
}

static void make_pass(struct host *h)
{
    const VkImageLayout color = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                        depth = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                        read = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                        depth_read = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;
    VkAttachmentDescription all[ATTACHMENTS] = {{0}};
    for (unsigned i = 0; i < ATTACHMENTS; i++) {
        all[i] = (VkAttachmentDescription){
            .format = formats[i],
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = i < INPUTS ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE,
            .finalLayout =
                i < INPUTS ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    }
    const VkAttachmentReference drawn[] = {{0, color}, {1, color}}, out = {3, color},
                                of_depth = {2, depth},
                                in[] = {{0, read}, {1, read}, {2, depth_read}};
    const VkSubpassDescription subpasses[] = {{.colorAttachmentCount = 2,
                                               .pColorAttachments = drawn,
                                               .pDepthStencilAttachment = &of_depth},
                                              {.colorAttachmentCount = 1,
                                               .pColorAttachments = &out,
                                               .inputAttachmentCount = INPUTS,
                                               .pInputAttachments = in}};
    const VkSubpassDependency dependency = {
        .srcSubpass = 0,
        .dstSubpass = 1,
        .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                        VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
        .srcAccessMask =
            VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
        .dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = ATTACHMENTS,
                                         .pAttachments = all,
                                         .subpassCount = 2,
                                         .pSubpasses = subpasses,
                                         .dependencyCount = 1,
                                         .pDependencies = &dependency};
    must(vkCreateRenderPass(h->device, &info, NULL, &h->pass), "vkCreateRenderPass");
    const VkFramebufferCreateInfo frame = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .renderPass = h->pass,
                                           .attachmentCount = ATTACHMENTS,
                                           .pAttachments = h->views,
                                           .width = WIDTH,
                                           .height = HEIGHT,
                                           .layers = 1};
    must(vkCreateFramebuffer(h->device, &frame, NULL, &h->frame), "vkCreateFramebuffer");
}

static void make_set(struct host *h)
{
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, INPUTS};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    VkDescriptorSetLayoutBinding bindings[INPUTS] = {{0}};
    VkDescriptorImageInfo images[INPUTS] = {{0}};
    VkDescriptorPool from = VK_NULL_HANDLE;
    for (uint32_t i = 0; i < INPUTS; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1,
                                                     VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
        images[i] =
            (VkDescriptorImageInfo){VK_NULL_HANDLE, h->views[i],
                                    is_depth(i) ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL
                                                : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    }
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = INPUTS,
        .pBindings = bindings};
    must(vkCreateDescriptorPool(h->device, &pool, NULL, &from), "vkCreateDescriptorPool");
    must(vkCreateDescriptorSetLayout(h->device, &layout, NULL, &h->set_layout), "set layout");
    const VkDescriptorSetAllocateInfo how = {.sType =
                                                 VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = from,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &h->set_layout};
    must(vkAllocateDescriptorSets(h->device, &how, &h->set), "vkAllocateDescriptorSets");
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = h->set,
                                        .descriptorCount = INPUTS,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
                                        .pImageInfo = images};
    vkUpdateDescriptorSets(h->device, 1, &write, 0, NULL);
    const VkPipelineLayoutCreateInfo all = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = 1,
                                            .pSetLayouts = &h->set_layout};
    must(vkCreatePipelineLayout(h->device, &all, NULL, &h->layout), "vkCreatePipelineLayout");
}

static VkPipelineShaderStageCreateInfo stage(const struct host *h, VkShaderStageFlagBits what,
                                             const char *folder, const char *name)
{
    static uint32_t words[1 << 14];
    char path[4096] = "";
    (void)snprintf(path, sizeof path, "%s/%s.spv", folder, name);
    FILE *f = fopen(path, "rb");
    const size_t n = f != NULL ? fread(words, 1, sizeof words, f) : 0;
    must(n > 0 ? VK_SUCCESS : VK_INCOMPLETE, path);
    fclose(f);
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = n, .pCode = words};
    VkPipelineShaderStageCreateInfo r = {.sType =
                                             VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                         .stage = what,
                                         .pName = "main"};
    must(vkCreateShaderModule(h->device, &info, NULL, &r.module), path);
    return r;
}

static void make_pipeline(struct host *h, uint32_t subpass, const char *folder)
{
    const VkPipelineShaderStageCreateInfo stages[] = {
        stage(h, VK_SHADER_STAGE_VERTEX_BIT, folder, "whole.vert"),
        stage(h, VK_SHADER_STAGE_FRAGMENT_BIT, folder,
              subpass == 0 ? "first.frag" : "second.frag")};
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkViewport viewport = {0, 0, WIDTH, HEIGHT, 0, 1};
    const VkRect2D scissor = {{0, 0}, {WIDTH, HEIGHT}};
    const VkPipelineViewportStateCreateInfo place = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .pViewports = &viewport,
        .scissorCount = 1,
        .pScissors = &scissor};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = subpass == 0,
        .depthWriteEnable = subpass == 0,
        .depthCompareOp = VK_COMPARE_OP_ALWAYS};
    const VkPipelineColorBlendAttachmentState whole[2] = {{.colorWriteMask = 15},
                                                          {.colorWriteMask = 15}};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = subpass == 0 ? 2 : 1,
        .pAttachments = whole};
    const VkGraphicsPipelineCreateInfo info = {.sType =
                                                   VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .stageCount = 2,
                                               .pStages = stages,
                                               .pVertexInputState = &input,
                                               .pInputAssemblyState = &assembly,
                                               .pViewportState = &place,
                                               .pRasterizationState = &raster,
                                               .pMultisampleState = &samples,
                                               .pDepthStencilState = &depth,
                                               .pColorBlendState = &blend,
                                               .layout = h->layout,
                                               .renderPass = h->pass,
                                               .subpass = subpass};
    must(vkCreateGraphicsPipelines(h->device, VK_NULL_HANDLE, 1, &info, NULL,
                                   &h->pipelines[subpass]),
         "vkCreateGraphicsPipelines");
}

static void draw(const struct host *h)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool from = VK_NULL_HANDLE;
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    must(vkCreateCommandPool(h->device, &pool, NULL, &from), "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo one = {.sType =
                                                 VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = from,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 1};
    const VkCommandBufferBeginInfo how = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkClearValue clear[ATTACHMENTS] = {{{{0}}}};
    const VkRenderPassBeginInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = h->pass,
                                        .framebuffer = h->frame,
                                        .renderArea = {{0, 0}, {WIDTH, HEIGHT}},
                                        .clearValueCount = ATTACHMENTS,
                                        .pClearValues = clear};
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {WIDTH, HEIGHT, 1}};
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    must(vkAllocateCommandBuffers(h->device, &one, &cmd), "vkAllocateCommandBuffers");
    must(vkBeginCommandBuffer(cmd, &how), "vkBeginCommandBuffer");
    vkCmdBeginRenderPass(cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, h->layout, 0, 1, &h->set, 0,
                            NULL);
    for (unsigned i = 0; i < 2; i++) {
        if (i != 0) {
            vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
        }
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, h->pipelines[i]);
        vkCmdDraw(cmd, 3, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkCmdCopyImageToBuffer(cmd, h->images[INPUTS], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, h->buffer,
                           1, &copy);
    must(vkEndCommandBuffer(cmd), "vkEndCommandBuffer");
    must(vkQueueSubmit(h->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    must(vkQueueWaitIdle(h->queue), "vkQueueWaitIdle");
}

/** One of the words of all pixels. */
static bool check(const struct host *h, unsigned word, const char *name)
{
    unsigned wrong = 0;
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH; x++) {
            const uint32_t got = h->map[(y * WIDTH + x) * WORDS + word];
            const float depth = (float)(x + 512 * y) / 262144;
            uint32_t want[WORDS] = {(x & 255) | (y & 255) << 8 | x >> 8 << 16 |
                                        (255 - (y & 255)) << 24,
                                    x * 65537 + y * 4099, 0, x | y << 16};
            memcpy(&want[2], &depth, sizeof depth);
            if (got != want[word] && wrong++ == 0) {
                printf("# %s at %u,%u: 0x%08x, not 0x%08x\n", name, x, y, got, want[word]);
            }
        }
    }
    printf("%sok %u - %s\n", wrong == 0 ? "" : "not ", word + 1, name);
    return wrong == 0;
}

int main(int argc, char **argv)
{
    static const char *const names[WORDS] = {"a colour", "a number", "a depth", "where it is"};
    struct host h = {.device = VK_NULL_HANDLE};
    bool right = argc == 3;
    must(right ? VK_SUCCESS : VK_INCOMPLETE, "subpass DEVICE FOLDER");
    open_device(&h, argv[1]);
    for (unsigned i = 0; i < ATTACHMENTS; i++) {
        make_image(&h, i);
    }
    make_buffer(&h);
    make_pass(&h);
    make_set(&h);
    make_pipeline(&h, 0, argv[2]);
    make_pipeline(&h, 1, argv[2]);
    draw(&h);
    for (unsigned i = 0; i < WORDS; i++) {
        right &= check(&h, i, names[i]);
    }
    printf("1..%d\n", WORDS);
    return right ? 0 : 1;
}
