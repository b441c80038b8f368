// SPDX-License-Identifier: MIT
// What Vulkan programs do with printf.comp that printf_program.c does not: threads, several devices
// and queues, polling, ending without a wait. What VK_LAYER_LULL_printf prints of it,
// printf_habits.py knows.
//
//     printf_habits SHADER.spv WAY
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vulkan/vulkan.h>

enum { THREADS = 4, TURNS = 10, PIPELINES = 40, QUEUES = 2, TURNS_OF_QUEUES = 20 };

struct device {
    VkPhysicalDevice physical;
    VkDevice handle;
    uint32_t family[QUEUES];
    VkQueue queue[QUEUES]; // The second is of another family, if there is one.
    VkPipelineLayout layout;
    VkPipeline pipelines[PIPELINES]; // K is the index.
    VkBuffer word;                   // The host sees what the GPU writes there.
    volatile uint32_t *map;
};

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;

static void must(VkResult result, const char *what)
{
    if (result != VK_SUCCESS) {
        fprintf(stderr, "%s: VkResult %d\n", what, result);
        exit(1);
    }
}

static VkPhysicalDevice make_instance(void)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    uint32_t count = 1;
    must(vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
    if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count != 1) {
        must(VK_ERROR_UNKNOWN, "no device");
    }
    return physical;
}

static void make_device(struct device *d)
{
    VkQueueFamilyProperties families[8];
    uint32_t n = 8;
    vkGetPhysicalDeviceQueueFamilyProperties(d->physical, &n, families);
    for (uint32_t i = 1; i < n; i++) {
        if (d->family[1] == 0 && (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) {
            d->family[1] = i;
        }
    }
    const float priority = 1;
    VkDeviceQueueCreateInfo queues[QUEUES];
    for (uint32_t i = 0; i < QUEUES; i++) {
        queues[i] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                              .queueFamilyIndex = d->family[i],
                                              .queueCount = 1,
                                              .pQueuePriorities = &priority};
    }
    const VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .timelineSemaphore = VK_TRUE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &timeline,
                                     .queueCreateInfoCount = d->family[1] != 0 ? 2 : 1,
                                     .pQueueCreateInfos = queues};
    must(vkCreateDevice(d->physical, &info, NULL, &d->handle), "vkCreateDevice");
    for (uint32_t i = 0; i < QUEUES; i++) {
        vkGetDeviceQueue(d->handle, d->family[i], 0, &d->queue[i]);
    }
}

/** All pipelines in one call, from a cache that was filled with the same ones before. */
static void make_pipelines(struct device *d, VkShaderModule shader)
{
    static uint8_t data[4 << 20];
    const VkSpecializationMapEntry map = {0, 0, 4};
    uint32_t k[PIPELINES];
    VkSpecializationInfo special[PIPELINES];
    VkComputePipelineCreateInfo infos[PIPELINES];
    for (uint32_t i = 0; i < PIPELINES; i++) {
        k[i] = i;
        special[i] = (VkSpecializationInfo){1, &map, 4, &k[i]};
        infos[i] = (VkComputePipelineCreateInfo){
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                      .module = shader,
                      .pName = "main",
                      .pSpecializationInfo = &special[i]},
            .layout = d->layout};
    }
    size_t size = 0;
    for (int turn = 0; turn < 2; turn++) {
        const VkPipelineCacheCreateInfo info = {.sType =
                                                    VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                                .initialDataSize = size,
                                                .pInitialData = data};
        VkPipelineCache cache = VK_NULL_HANDLE;
        must(vkCreatePipelineCache(d->handle, &info, NULL, &cache), "vkCreatePipelineCache");
        must(vkCreateComputePipelines(d->handle, cache, PIPELINES, infos, NULL, d->pipelines),
             "vkCreateComputePipelines");
        size = sizeof data;
        must(vkGetPipelineCacheData(d->handle, cache, &size, data), "vkGetPipelineCacheData");
        vkDestroyPipelineCache(d->handle, cache, NULL);
        for (uint32_t i = 0; turn == 0 && i < PIPELINES; i++) {
            vkDestroyPipeline(d->handle, d->pipelines[i], NULL);
        }
    }
}

/** As many sets and bytes of push constants as the device has: a layer finds no room. */
static void make_layout(struct device *d)
{
    enum { MOST = 64 };
    VkPhysicalDeviceProperties has = {0};
    VkDescriptorSetLayout set = VK_NULL_HANDLE, sets[MOST];
    vkGetPhysicalDeviceProperties(d->physical, &has);
    const VkPhysicalDeviceLimits *limits = &has.limits;
    const uint32_t nsets =
        limits->maxBoundDescriptorSets < MOST ? limits->maxBoundDescriptorSets : MOST;
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1,
                                                  VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    const VkDescriptorSetLayoutCreateInfo of_set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 1,
        .pBindings = &binding};
    must(vkCreateDescriptorSetLayout(d->handle, &of_set, NULL, &set), "descriptor set layout");
    for (uint32_t i = 0; i < MOST; i++) {
        sets[i] = set;
    }
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                       limits->maxPushConstantsSize};
    const VkPipelineLayoutCreateInfo layout = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = nsets,
                                               .pSetLayouts = sets,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &range};
    must(vkCreatePipelineLayout(d->handle, &layout, NULL, &d->layout), "vkCreatePipelineLayout");
}

static void make_word(struct device *d)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = 4,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .allocationSize = 4096};
    VkPhysicalDeviceMemoryProperties types = {0};
    VkDeviceMemory m = VK_NULL_HANDLE;
    vkGetPhysicalDeviceMemoryProperties(d->physical, &types);
    while ((types.memoryTypes[memory.memoryTypeIndex].propertyFlags &
            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) == 0) {
        memory.memoryTypeIndex++;
    }
    must(vkCreateBuffer(d->handle, &info, NULL, &d->word), "vkCreateBuffer");
    must(vkAllocateMemory(d->handle, &memory, NULL, &m), "vkAllocateMemory");
    must(vkBindBufferMemory(d->handle, d->word, m, 0), "vkBindBufferMemory");
    must(vkMapMemory(d->handle, m, 0, VK_WHOLE_SIZE, 0, (void **)&d->map), "vkMapMemory");
    *d->map = 0;
}

static struct device *make(VkPhysicalDevice physical, const char *path)
{
    static uint32_t code[4096];
    struct device *d = calloc(1, sizeof *d);
    FILE *f = fopen(path, "rb");
    const size_t size = f != NULL ? fread(code, 1, sizeof code, f) : 0;
    const VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
    VkShaderModule shader = VK_NULL_HANDLE;
    must(f != NULL && d != NULL ? VK_SUCCESS : VK_ERROR_UNKNOWN, path);
    fclose(f);
    d->physical = physical;
    make_device(d);
    must(vkCreateShaderModule(d->handle, &module, NULL, &shader), "vkCreateShaderModule");
    make_layout(d);
    make_pipelines(d, shader);
    make_word(d);
    return d;
}

static VkCommandPool make_pool(const struct device *d, int queue)
{
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = d->family[queue]};
    VkCommandPool pool = VK_NULL_HANDLE;
    must(vkCreateCommandPool(d->handle, &info, NULL, &pool), "vkCreateCommandPool");
    return pool;
}

static VkCommandBuffer begin(const struct device *d, VkCommandPool pool)
{
    const VkCommandBufferAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = pool,
                                              .commandBufferCount = 1};
    const VkCommandBufferBeginInfo how = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer c = VK_NULL_HANDLE;
    must(vkAllocateCommandBuffers(d->handle, &info, &c), "vkAllocateCommandBuffers");
    must(vkBeginCommandBuffer(c, &how), "vkBeginCommandBuffer");
    return c;
}

/** A dispatch of one pipeline; then the word is not 0. */
static VkCommandBuffer one(const struct device *d, VkCommandPool pool, uint32_t k, uint32_t round)
{
    VkCommandBuffer c = begin(d, pool);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, d->pipelines[k]);
    vkCmdPushConstants(c, d->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &round);
    vkCmdDispatch(c, 1, 1, 1);
    const VkMemoryBarrier after = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                   .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                         1, &after, 0, NULL, 0, NULL);
    vkCmdFillBuffer(c, d->word, 0, 4, 1);
    must(vkEndCommandBuffer(c), "vkEndCommandBuffer");
    return c;
}

static void submit(VkQueue queue, VkCommandBuffer c, VkFence fence)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
    pthread_mutex_lock(&queue_lock);
    must(vkQueueSubmit(queue, 1, &info, fence), "vkQueueSubmit");
    pthread_mutex_unlock(&queue_lock);
}

/** Until the GPU has written the word: no call of Vulkan's. */
static void spin(const struct device *d)
{
    while (*d->map == 0) {
        usleep(1000);
    }
}

static void unwaited(VkPhysicalDevice physical, const char *path)
{
    struct device *d = make(physical, path);
    submit(d->queue[0], one(d, make_pool(d, 0), 3, 5), VK_NULL_HANDLE);
}

static VkSemaphore make_timeline(const struct device *d)
{
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                        .pNext = &type};
    VkSemaphore ret = VK_NULL_HANDLE;
    must(vkCreateSemaphore(d->handle, &info, NULL, &ret), "vkCreateSemaphore");
    return ret;
}

/** The program asks again and again for a timeline's value, and ends without handlers of exit(). */
static void timeline(VkPhysicalDevice physical, const char *path)
{
    struct device *d = make(physical, path);
    VkCommandBuffer c = one(d, make_pool(d, 0), 3, 5);
    VkSemaphore semaphore = make_timeline(d);
    const uint64_t value = 7;
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &value};
    const VkSubmitInfo s = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                            .pNext = &values,
                            .commandBufferCount = 1,
                            .pCommandBuffers = &c,
                            .signalSemaphoreCount = 1,
                            .pSignalSemaphores = &semaphore};
    must(vkQueueSubmit(d->queue[0], 1, &s, VK_NULL_HANDLE), "vkQueueSubmit");
    for (uint64_t now = 0; now != value; usleep(1000)) {
        must(vkGetSemaphoreCounterValue(d->handle, semaphore, &now), "vkGetSemaphoreCounterValue");
    }
    puts("done");
    fflush(stdout);
    _exit(0);
}

/** The same with a query, for which the call waits. */
static void query(VkPhysicalDevice physical, const char *path)
{
    struct device *d = make(physical, path);
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = 1};
    VkQueryPool queries = VK_NULL_HANDLE;
    must(vkCreateQueryPool(d->handle, &info, NULL, &queries), "vkCreateQueryPool");
    VkCommandPool pool = make_pool(d, 0);
    VkCommandBuffer c = begin(d, pool);
    vkCmdResetQueryPool(c, queries, 0, 1);
    must(vkEndCommandBuffer(c), "vkEndCommandBuffer");
    submit(d->queue[0], c, VK_NULL_HANDLE);
    submit(d->queue[0], one(d, pool, 3, 5), VK_NULL_HANDLE);
    c = begin(d, pool);
    vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 0);
    must(vkEndCommandBuffer(c), "vkEndCommandBuffer");
    submit(d->queue[0], c, VK_NULL_HANDLE);
    uint64_t when = 0;
    spin(d);
    must(vkGetQueryPoolResults(d->handle, queries, 0, 1, 8, &when, 8,
                               VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
         "vkGetQueryPoolResults");
    puts("done");
    fflush(stdout);
    _exit(0);
}

/** A child that ends by exit() while lines are in the buffer. */
static void forks(VkPhysicalDevice physical, const char *path)
{
    struct device *d = make(physical, path);
    submit(d->queue[0], one(d, make_pool(d, 0), 3, 5), VK_NULL_HANDLE);
    spin(d);
    const pid_t child = fork();
    if (child == 0) {
        exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) {
        must(VK_ERROR_UNKNOWN, "the child");
    }
    must(vkDeviceWaitIdle(d->handle), "vkDeviceWaitIdle");
}

struct thread {
    const struct device *d;
    uint32_t k;
    pthread_t id;
};

/** A pool for each turn, destroyed behind it. */
static void *turns(void *arg)
{
    const struct thread *t = arg;
    const struct device *d = t->d;
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    must(vkCreateFence(d->handle, &info, NULL, &fence), "vkCreateFence");
    for (uint32_t i = 0; i < TURNS; i++) {
        VkCommandPool pool = make_pool(d, 0);
        submit(d->queue[0], one(d, pool, t->k, i), fence);
        must(vkWaitForFences(d->handle, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
        must(vkResetFences(d->handle, 1, &fence), "vkResetFences");
        vkDestroyCommandPool(d->handle, pool, NULL);
    }
    return NULL;
}

static void threads(VkPhysicalDevice physical, const char *path)
{
    struct thread all[THREADS];
    const struct device *d = make(physical, path);
    for (uint32_t i = 0; i < THREADS; i++) {
        all[i] = (struct thread){.d = d, .k = i};
        must(pthread_create(&all[i].id, NULL, turns, &all[i]) == 0 ? VK_SUCCESS : VK_ERROR_UNKNOWN,
             "pthread_create");
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(all[i].id, NULL);
    }
}

static void devices(VkPhysicalDevice physical, const char *path)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct device *d = make(i == 0 ? physical : make_instance(), path);
        submit(d->queue[0], one(d, make_pool(d, 0), i, 5), VK_NULL_HANDLE);
        must(vkDeviceWaitIdle(d->handle), "vkDeviceWaitIdle");
    }
}

/** Work that begins when the host says so. */
static void submit_held(VkQueue queue, VkCommandBuffer c, VkSemaphore start)
{
    const uint64_t value = 1;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = 1,
        .pWaitSemaphoreValues = &value};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &start,
                               .pWaitDstStageMask = &stage,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &c};
    must(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
}

/** Two queues at once, with nothing that orders them. */
static void queues(VkPhysicalDevice physical, const char *path)
{
    struct device *d = make(physical, path);
    VkCommandPool pools[QUEUES] = {make_pool(d, 0), make_pool(d, 1)};
    VkSemaphore start = make_timeline(d);
    for (uint32_t i = 0; i < TURNS_OF_QUEUES; i++) {
        for (uint32_t q = 0; q < QUEUES; q++) {
            submit_held(d->queue[q], one(d, pools[q], q, i), start);
        }
    }
    const VkSemaphoreSignalInfo go = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = start, .value = 1};
    must(vkSignalSemaphore(d->handle, &go), "vkSignalSemaphore");
    must(vkDeviceWaitIdle(d->handle), "vkDeviceWaitIdle");
    // The device is idle: what comes now is known again.
    submit(d->queue[1], one(d, pools[1], 9, 0), VK_NULL_HANDLE);
    must(vkDeviceWaitIdle(d->handle), "vkDeviceWaitIdle");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(VkPhysicalDevice, const char *);
    } ways[] = {{"unwaited", unwaited}, {"timeline", timeline}, {"query", query},  {"forks", forks},
                {"threads", threads},   {"devices", devices},   {"queues", queues}};
    for (size_t i = 0; argc == 3 && i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(ways[i].name, argv[2]) == 0) {
            ways[i].run(make_instance(), argv[1]);
            puts("done");
        }
    }
    return 0;
}
