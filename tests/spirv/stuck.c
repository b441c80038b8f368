// SPDX-License-Identifier: MIT
// libvulkan.so.1 with a driver that waits for ever: the real loader, named by LULL_TEST_VULKAN, but
// LULL_TEST_STUCK names a function that never returns, whatever signal comes but SIGKILL.
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vulkan/vulkan_core.h>

static PFN_vkGetInstanceProcAddr real(void)
{
    static void *loader = NULL;
    const char *path = getenv("LULL_TEST_VULKAN");
    PFN_vkGetInstanceProcAddr f = NULL;
    loader = loader != NULL || path == NULL ? loader : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (loader != NULL) {
        *(void **)&f = dlsym(loader, "vkGetInstanceProcAddr");
    }
    return f;
}

static VkResult stuck(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    while (getenv("LULL_TEST_STUCK") != NULL) {
        pause();
    }
    return VK_ERROR_UNKNOWN;
}

static PFN_vkGetDeviceProcAddr next_device_proc;

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice device, const char *name)
{
    const char *which = getenv("LULL_TEST_STUCK");
    return which != NULL && strcmp(which, name) == 0 ? (PFN_vkVoidFunction)stuck
                                                     : next_device_proc(device, name);
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
    const PFN_vkGetInstanceProcAddr next = real();
    const char *which = getenv("LULL_TEST_STUCK");
    PFN_vkVoidFunction f = next != NULL ? next(instance, name) : NULL;
    if (f != NULL && strcmp(name, "vkGetDeviceProcAddr") == 0) {
        next_device_proc = (PFN_vkGetDeviceProcAddr)f;
        return (PFN_vkVoidFunction)device_proc;
    }
    return which != NULL && strcmp(which, name) == 0 ? (PFN_vkVoidFunction)stuck : f;
}
