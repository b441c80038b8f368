// SPDX-License-Identifier: MIT
// compile_radv ROUNDS BUFFERS X.spv...: CPU time of the first Vulkan device's compiler, in
// microseconds: of vkCreateShaderModule and vkCreateComputePipelines for each file, the best of
// ROUNDS, one file a line. Set 0 has BUFFERS storage buffers from binding 0 on; there are 128 bytes
// of push constants. The first line is the driver's name and version. With RADV_FORCE_FAMILY RADV
// compiles for a GPU that is not there; MESA_SHADER_CACHE_DISABLE has it compile each time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

enum { MOST_BUFFERS = 16, MOST_WORDS = 1 << 20, PUSH_BYTES = 128 };

static void check(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        fprintf(stderr, "compile_radv: %s: %d\n", what, r);
        exit(1);
    }
}

static VkDevice open_device(void)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice gpu = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    uint32_t n = 1;
    check(vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
    const VkResult r = vkEnumeratePhysicalDevices(instance, &n, &gpu);
    check(n == 1 ? VK_SUCCESS : r, "vkEnumeratePhysicalDevices");
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &driver};
    vkGetPhysicalDeviceProperties2(gpu, &all);
    printf("%s, %s\n", all.properties.deviceName, driver.driverInfo);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo made = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue};
    check(vkCreateDevice(gpu, &made, NULL, &device), "vkCreateDevice");
    return device;
}

static VkPipelineLayout make_layout(VkDevice device, uint32_t nbuffers)
{
    VkDescriptorSetLayoutBinding bindings[MOST_BUFFERS] = {0};
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    for (uint32_t i = 0; i < nbuffers; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                     VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    }
    const VkDescriptorSetLayoutCreateInfo one = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = nbuffers,
        .pBindings = bindings};
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, PUSH_BYTES};
    check(vkCreateDescriptorSetLayout(device, &one, NULL, &set), "vkCreateDescriptorSetLayout");
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = 1,
                                             .pSetLayouts = &set,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &push};
    check(vkCreatePipelineLayout(device, &info, NULL, &layout), "vkCreatePipelineLayout");
    return layout;
}

static double now_us(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double compile(VkDevice device, VkPipelineLayout layout, const uint32_t *words, size_t n)
{
    const VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .codeSize = n * sizeof *words,
                                           .pCode = words};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"},
        .layout = layout};
    VkPipeline pipeline = VK_NULL_HANDLE;
    const double start = now_us();
    check(vkCreateShaderModule(device, &code, NULL, &info.stage.module), "vkCreateShaderModule");
    check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
          "vkCreateComputePipelines");
    const double us = now_us() - start;
    vkDestroyPipeline(device, pipeline, NULL);
    vkDestroyShaderModule(device, info.stage.module, NULL);
    return us;
}

int main(int argc, char **argv)
{
    static uint32_t words[MOST_WORDS];
    const int rounds = argc > 3 ? atoi(argv[1]) : 0, nbuffers = argc > 3 ? atoi(argv[2]) : -1;
    if (rounds < 1 || nbuffers < 0 || nbuffers > MOST_BUFFERS) {
        fprintf(stderr, "usage: compile_radv ROUNDS BUFFERS X.spv...\n");
        return 2;
    }
    VkDevice device = open_device();
    VkPipelineLayout layout = make_layout(device, (uint32_t)nbuffers);
    for (int i = 3; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        const size_t n = f != NULL ? fread(words, sizeof *words, MOST_WORDS, f) : 0;
        double best = 0;
        if (f != NULL) {
            fclose(f);
        }
        check(n != 0 ? VK_SUCCESS : VK_INCOMPLETE, argv[i]);
        for (int r = 0; r < rounds; r++) {
            const double us = compile(device, layout, words, n);
            best = r == 0 || us < best ? us : best;
        }
        printf("%.1f\n", best);
    }
    return 0;
}
