// SPDX-License-Identifier: MIT
// bench_submit [cpu]: what a submission costs that does nothing: an empty command buffer with a
// fence, waited for, on the first Vulkan device or on the first that is a CPU. Prints microseconds
// on the clock, and of CPU time of this process, the best of some rounds.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan.h>

enum { SUBMITS = 2000, ROUNDS = 5, MOST_DEVICES = 16 };

static double now(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(VkResult result)
{
    if (result != VK_SUCCESS) {
        fprintf(stderr, "bench_submit: Vulkan gives %d\n", (int)result);
        exit(1);
    }
}

static VkPhysicalDevice choose(bool cpu)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice devices[MOST_DEVICES] = {VK_NULL_HANDLE};
    uint32_t n = MOST_DEVICES;
    must(vkCreateInstance(&info, NULL, &instance));
    must(vkEnumeratePhysicalDevices(instance, &n, devices));
    for (uint32_t i = 0; i < n; i++) {
        VkPhysicalDeviceProperties p = {0};
        vkGetPhysicalDeviceProperties(devices[i], &p);
        if (!cpu || p.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) {
            printf("%s: ", p.deviceName);
            return devices[i];
        }
    }
    fprintf(stderr, "bench_submit: Vulkan has no device of this kind\n");
    exit(1);
}

static VkDevice open_device(VkPhysicalDevice physical)
{
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue};
    VkDevice device = VK_NULL_HANDLE;
    must(vkCreateDevice(physical, &info, NULL, &device));
    return device;
}

static VkCommandBuffer nothing(VkDevice device)
{
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    must(vkCreateCommandPool(device, &pool_info, NULL, &info.commandPool));
    must(vkAllocateCommandBuffers(device, &info, &commands));
    must(vkBeginCommandBuffer(commands, &begin));
    must(vkEndCommandBuffer(commands));
    return commands;
}

int main(int argc, char **argv)
{
    VkDevice device = open_device(choose(argc > 1 && strcmp(argv[1], "cpu") == 0));
    VkCommandBuffer commands = nothing(device);
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &commands};
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkQueue queue = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    vkGetDeviceQueue(device, 0, 0, &queue);
    must(vkCreateFence(device, &info, NULL, &fence));
    const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID};
    double best[] = {1e9, 1e9};
    for (unsigned round = 0; round < ROUNDS; round++) {
        const double start[] = {now(clocks[0]), now(clocks[1])};
        for (unsigned i = 0; i < SUBMITS; i++) {
            must(vkQueueSubmit(queue, 1, &submit, fence));
            must(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
            must(vkResetFences(device, 1, &fence));
        }
        for (unsigned k = 0; k < 2; k++) {
            const double took = (now(clocks[k]) - start[k]) / SUBMITS;
            best[k] = took < best[k] ? took : best[k];
        }
    }
    printf("an empty submission and its wait: %.1f us, %.1f of CPU time of the program\n",
           1e6 * best[0], 1e6 * best[1]);
    return 0;
}
