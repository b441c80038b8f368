// SPDX-License-Identifier: MIT
// The printf buffer of a device, and when it is read.
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "layer/printf/printf.h"
#include "printf/table.h"

enum {
    DEFAULT_BYTES = 16 << 20,
    LEAST_BYTES = 1024,
    MOST_BYTES = 1 << 30,
    MOST_FAMILIES = 16,
    FILE_MODE = 0666
};

static uint32_t wanted_bytes(void)
{
    const char *text = getenv("LULL_PRINTF_SIZE");
    if (text == NULL || text[0] == '\0') {
        return DEFAULT_BYTES;
    }
    char *end = NULL;
    const unsigned long long n = strtoull(text, &end, 0);
    if (*end != '\0' || text[0] == '-' || n < LEAST_BYTES || n > MOST_BYTES || n % 4 != 0) {
        lull_lp_complain("LULL_PRINTF_SIZE: '%s' is not a multiple of 4 from %d to %d", text,
                         LEAST_BYTES, MOST_BYTES);
        return DEFAULT_BYTES;
    }
    return (uint32_t)n;
}

/** What LULL_PRINTF_RECORD says. The site is recorded in any case: it is how a line gets its place.
 */
static unsigned wanted_records(void)
{
    static const struct {
        const char *name;
        unsigned bits;
    } all[] = {{"none", 0},
               {"place", LULL_PRINTF_PIPELINE | LULL_PRINTF_DISPATCH | LULL_PRINTF_SITE},
               {"workgroup", LULL_PRINTF_WORKGROUP | LULL_PRINTF_SITE},
               {"wave", LULL_PRINTF_WAVE},
               {"lane", LULL_PRINTF_LANE}};
    const char *text = getenv("LULL_PRINTF_RECORD");
    unsigned records = 0;
    for (const char *at = text != NULL && text[0] != '\0' ? text : "place,workgroup";
         *at != '\0';) {
        const size_t n = strcspn(at, ",");
        size_t i = 0;
        while (i < sizeof all / sizeof all[0] &&
               (strlen(all[i].name) != n || memcmp(all[i].name, at, n) != 0)) {
            i++;
        }
        if (i == sizeof all / sizeof all[0]) {
            lull_lp_complain(
                "LULL_PRINTF_RECORD: '%.*s' is none of none, place, workgroup, wave, lane", (int)n,
                at);
        } else {
            records |= all[i].bits;
        }
        at += n + (at[n] == ',');
    }
    return records;
}

/** A memory type that the host sees without flushing, cached if there is one; UINT32_MAX: none. */
static uint32_t host_type(const VkPhysicalDeviceMemoryProperties *types, uint32_t allowed)
{
    const VkMemoryPropertyFlags need =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < types->memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = types->memoryTypes[i].propertyFlags;
        if ((allowed >> i & 1) == 0 || (flags & need) != need) {
            continue;
        }
        if ((flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0) {
            return i;
        }
        found = found == UINT32_MAX ? i : found;
    }
    return found;
}

/** Memory for the buffer, mapped, and its address. NULL: done; else what failed. */
static const char *memory(struct lull_lp_device *d, const VkPhysicalDeviceMemoryProperties *types)
{
    VkMemoryRequirements need = {0};
    d->next.requirements(d->handle, d->buffer, &need);
    const uint32_t type = host_type(types, need.memoryTypeBits);
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .pNext = &flags,
                                       .allocationSize = need.size,
                                       .memoryTypeIndex = type};
    const VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                          .buffer = d->buffer};
    PFN_vkGetBufferDeviceAddress address =
        (PFN_vkGetBufferDeviceAddress)d->next_proc(d->handle, "vkGetBufferDeviceAddress");
    if (address == NULL) {
        address =
            (PFN_vkGetBufferDeviceAddress)d->next_proc(d->handle, "vkGetBufferDeviceAddressKHR");
    }
    if (type == UINT32_MAX || address == NULL) {
        return type == UINT32_MAX ? "no memory that the host sees" : "no vkGetBufferDeviceAddress";
    }
    if (d->next.allocate(d->handle, &info, NULL, &d->memory) != VK_SUCCESS ||
        d->next.bind(d->handle, d->buffer, d->memory, 0) != VK_SUCCESS ||
        d->next.map(d->handle, d->memory, 0, VK_WHOLE_SIZE, 0, &d->map) != VK_SUCCESS) {
        return "no memory for the buffer";
    }
    d->address = address(d->handle, &of);
    return d->address != 0 ? NULL : "the buffer has no address";
}

/** Tell lull's debugger where the buffer is: what two compilers' code writes there is not to be
 * compared. The names layer's folder has a file for it (docs/formats/names.md). */
static void tell(const struct lull_lp_device *d)
{
    const char *dir = secure_getenv("LULL_NAMES");
    char path[PATH_MAX];
    if (dir == NULL || dir[0] == '\0') {
        return;
    }
    const int n = snprintf(path, sizeof path, "%s/%ld-%llx.printf", dir, (long)getpid(),
                           (unsigned long long)d->address);
    const int fd = n > 0 && (size_t)n < sizeof path
                       ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, FILE_MODE)
                       : -1;
    if (fd >= 0) {
        close(fd);
    }
}

/** The families of a device's queues, each once. */
static uint32_t families(const VkDeviceCreateInfo *info, uint32_t ret[MOST_FAMILIES])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < info->queueCreateInfoCount && n < MOST_FAMILIES; i++) {
        uint32_t k = 0;
        while (k < n && ret[k] != info->pQueueCreateInfos[i].queueFamilyIndex) {
            k++;
        }
        ret[k] = info->pQueueCreateInfos[i].queueFamilyIndex;
        n += k == n;
    }
    return n;
}

void lull_lp_buffer(struct lull_lp_device *d, VkPhysicalDevice physical,
                    const VkDeviceCreateInfo *device)
{
    uint32_t family[MOST_FAMILIES];
    const uint32_t nfamilies = families(device, family);
    const struct lull_loader_instance *i = lull_loader_instance(physical);
    VkPhysicalDeviceMemoryProperties types = {0};
    ((PFN_vkGetPhysicalDeviceMemoryProperties)i->next_proc(
        i->handle, "vkGetPhysicalDeviceMemoryProperties"))(physical, &types);
    d->bytes = wanted_bytes();
    d->records = wanted_records();
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = d->bytes,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
        .sharingMode = nfamilies > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = nfamilies,
        .pQueueFamilyIndices = family};
    const char *failed = "no buffer";
    if (d->next.create_buffer(d->handle, &info, NULL, &d->buffer) == VK_SUCCESS) {
        failed = memory(d, &types);
    }
    struct lull_error *err = failed == NULL ? lull_printf_table_new(&d->table) : NULL;
    if (err != NULL) {
        failed = "no memory";
        lull_error_free(err);
    }
    if (failed != NULL) {
        lull_lp_complain("printf is off: %s", failed);
        lull_lp_buffer_done(d);
        return;
    }
    memset(d->map, 0, d->bytes);
    tell(d);
}

void lull_lp_buffer_done(struct lull_lp_device *d)
{
    for (size_t i = 0; i < d->nfences; i++) {
        d->next.destroy_fence(d->handle, d->fences[i].own, NULL);
    }
    d->next.destroy_buffer(d->handle, d->buffer, NULL);
    d->next.free_memory(d->handle, d->memory, NULL);
    d->buffer = VK_NULL_HANDLE;
    d->memory = VK_NULL_HANDLE;
    d->map = NULL;
    d->npending = d->nfences = 0;
}

/** Take fences that have passed out of those that are pending. */
static void passed(struct lull_lp_device *d)
{
    for (size_t i = 0; i < d->npending;) {
        if (d->next.fence_status(d->handle, d->fences[i].own) != VK_SUCCESS) {
            i++;
            continue;
        }
        const struct lull_lp_fence fence = d->fences[i];
        d->fences[i] = d->fences[--d->npending];
        d->fences[d->npending] = fence;
        d->next.reset_fences(d->handle, 1, &fence.own);
        d->in_vain = false;
    }
}

/** Dwords that entries asked for. */
static uint64_t asked_for(const struct lull_lp_device *d)
{
    return *(const volatile uint64_t *)d->map;
}

/** Dwords that the buffer has room for. */
static uint64_t room(const struct lull_lp_device *d)
{
    return (d->bytes - LULL_PRINTF_HEADER_BYTES) / 4;
}

/** Nothing runs: the buffer is empty again, and so is what is known of submissions. */
static void restart(struct lull_lp_device *d)
{
    const uint64_t asked = asked_for(d);
    const uint64_t used = asked < room(d) ? asked : room(d);
    if (!d->submitted) {
        return;
    }
    d->submitted = false;
    d->queue = VK_NULL_HANDLE;
    d->several = false;
    memset((uint8_t *)d->map + LULL_PRINTF_HEADER_BYTES, 0, 4 * used);
    memset(d->map, 0, LULL_PRINTF_HEADER_BYTES - 4); // Not the dispatch's number.
    d->decoder = (struct lull_printf_decoder){0};
    d->seen = 0;
    for (size_t i = 0; i < d->nserials; i++) {
        d->serials[i].submits = 0;
    }
    for (struct lull_lp_pipeline *p = d->pipelines; p != NULL; p = p->other) {
        p->draws.n = 0;
    }
}

/** Wait for the fences that are pending, @p ns for each. False: one did not come. */
static bool wait_all(const struct lull_lp_device *d, uint64_t ns)
{
    for (size_t i = 0; i < d->npending; i++) {
        if (d->next.wait_fences(d->handle, 1, &d->fences[i].own, VK_TRUE, ns) != VK_SUCCESS) {
            return false;
        }
    }
    return true;
}

void lull_lp_follow(struct lull_lp_device *d, uint32_t n, const VkFence *fences, bool all)
{
    enum { PATIENCE_NS = 100000000 };
    if (d->buffer == VK_NULL_HANDLE || !d->prints) {
        return;
    }
    pthread_mutex_lock(&d->lock);
    for (uint32_t k = 0; k < n; k++) {
        const bool done = all || d->next.fence_status(d->handle, fences[k]) == VK_SUCCESS;
        for (size_t i = 0; i < d->npending && done; i++) {
            if (d->fences[i].of == fences[k]) {
                d->next.wait_fences(d->handle, 1, &d->fences[i].own, VK_TRUE, PATIENCE_NS);
            }
        }
    }
    pthread_mutex_unlock(&d->lock);
}

void lull_lp_make_room(struct lull_lp_device *d)
{
    enum { PATIENCE_NS = 200000000 };
    if (d->buffer == VK_NULL_HANDLE || !d->prints) {
        return;
    }
    pthread_mutex_lock(&d->lock);
    if (d->npending != 0 && !d->in_vain && asked_for(d) > room(d) / 2) {
        d->in_vain = !wait_all(d, PATIENCE_NS);
    }
    pthread_mutex_unlock(&d->lock);
}

void lull_lp_end(struct lull_lp_device *d)
{
    enum { PATIENCE_NS = 1000000000 };
    struct timespec until = {0};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_mutex_timedlock(&d->lock, &until) != 0) {
        return; // A thread is in the middle of a submission, and stays there.
    }
    if (d->npending != 0) {
        const uint64_t asked = asked_for(d);
        wait_all(d, PATIENCE_NS);
        passed(d);
        d->decoder.until = asked;
    }
    lull_lp_report(d, d->npending != 0);
    pthread_mutex_unlock(&d->lock);
}

/** Something runs: how far entries have been written in all likelihood. False: none has. */
static bool settled(struct lull_lp_device *d)
{
    enum { SETTLE_NS = 20000000, SECOND_NS = 1000000000 };
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t ns = (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
    if (ns - d->seen_ns >= SETTLE_NS) {
        d->decoder.until = d->seen;
        d->seen = asked_for(d);
        d->seen_ns = ns;
    }
    return d->decoder.until != 0;
}

void lull_lp_lost(struct lull_lp_device *d)
{
    if (d->buffer == VK_NULL_HANDLE || !d->prints) {
        return;
    }
    pthread_mutex_lock(&d->lock);
    d->decoder.until = 0;
    lull_lp_report(d, true);
    pthread_mutex_unlock(&d->lock);
}

void lull_lp_drain(struct lull_lp_device *d, bool last)
{
    if (d->buffer == VK_NULL_HANDLE || !d->prints) {
        return;
    }
    pthread_mutex_lock(&d->lock);
    passed(d);
    if (d->npending == 0 || last) {
        lull_lp_report(d, false);
        restart(d);
    } else if (settled(d)) {
        lull_lp_report(d, true);
    }
    pthread_mutex_unlock(&d->lock);
}
