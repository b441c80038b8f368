// SPDX-License-Identifier: MIT
/*
 * Vulkan memory that somebody else has: a buffer of another process (VK_KHR_external_memory_fd), by
 * argv[3] "opaque" or "dmabuf", or the program's own pages (VK_EXT_external_memory_host), "host".
 * argv[1], argv[2]: as vk_compute. Prints "ok" or what is wrong.
 */
#include "vk.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = N * 4 };

static void send_fd(int sock, int fd)
{
    char byte = 0;
    struct iovec iov = {&byte, 1};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof control.bytes};
    struct cmsghdr *h = CMSG_FIRSTHDR(&msg);
    h->cmsg_level = SOL_SOCKET;
    h->cmsg_type = SCM_RIGHTS;
    h->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(h), &fd, sizeof fd);
    sendmsg(sock, &msg, 0);
}

static int receive_fd(int sock)
{
    char byte = 0;
    struct iovec iov = {&byte, 1};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof control.bytes};
    int fd = -1;
    if (recvmsg(sock, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg) != NULL) {
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof fd);
    }
    return fd;
}

static uint32_t *map(const struct vk *v, VkDeviceMemory memory)
{
    void *p = NULL;
    want(vkMapMemory(v->device, memory, 0, VK_WHOLE_SIZE, 0, &p), "map");
    return p;
}

static unsigned count_wrong(const uint32_t *out)
{
    unsigned wrong = 0;
    for (uint32_t i = 0; i < N; i++) {
        wrong += out[i] != i * i + ADD;
    }
    return wrong;
}

// The other process: its buffer is the shader's output. It looks at it when told.
static int owner(const char *name, int sock, VkExternalMemoryHandleTypeFlagBits type,
                 const char *const *extensions, uint32_t nextensions)
{
    struct vk v = {0};
    open_device(&v, name, VK_QUEUE_COMPUTE_BIT, extensions, nextensions);
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = type};
    const VkExportMemoryAllocateInfo export = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .handleTypes = type};
    VkBuffer buffer;
    const VkDeviceMemory memory = make_buffer(&v, BYTES, &buffer, &external, &export);
    uint32_t *data = map(&v, memory);
    memset(data, 0, BYTES);
    const VkMemoryGetFdInfoKHR get = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = memory, .handleType = type};
    const PFN_vkVoidFunction found = vkGetDeviceProcAddr(v.device, "vkGetMemoryFdKHR");
    PFN_vkGetMemoryFdKHR get_fd = NULL;
    memcpy(&get_fd, &found, sizeof found);
    int fd = -1;
    want(get_fd(v.device, &get, &fd), "vkGetMemoryFdKHR");
    send_fd(sock, fd);
    close(fd);
    char byte = 0;
    if (read(sock, &byte, 1) != 1) {
        return 1;
    }
    const unsigned wrong = count_wrong(data);
    if (wrong != 0) {
        printf("the owner sees %u wrong\n", wrong);
        fflush(stdout);
    }
    vkDestroyBuffer(v.device, buffer, NULL);
    vkFreeMemory(v.device, memory, NULL);
    done(&v);
    return wrong != 0;
}

// From @p out, the shader's output, as this process sees it.
static unsigned compute(struct vk *v, const char *spirv, VkBuffer out_buffer, const uint32_t *out)
{
    VkBuffer buffers[2] = {VK_NULL_HANDLE, out_buffer};
    make_pipeline(v, spirv);
    const VkDeviceMemory memory = make_buffer(v, BYTES, &buffers[0], NULL, NULL);
    uint32_t *in = map(v, memory);
    for (uint32_t i = 0; i < N; i++) {
        in[i] = i;
    }
    bind_buffers(v, buffers);
    dispatch(v);
    const unsigned wrong = count_wrong(out);
    vkDestroyBuffer(v->device, buffers[0], NULL);
    vkFreeMemory(v->device, memory, NULL);
    return wrong;
}

static unsigned with_fd(char **argv, VkExternalMemoryHandleTypeFlagBits type)
{
    const char *const extensions[] = {"VK_KHR_external_memory", "VK_KHR_external_memory_fd",
                                      "VK_EXT_external_memory_dma_buf"};
    const uint32_t n = type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT ? 3 : 2;
    int sock[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sock) != 0) {
        return 1;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        _exit(owner(argv[1], sock[1], type, extensions, n));
    }
    close(sock[1]);
    struct vk v = {0};
    open_device(&v, argv[1], VK_QUEUE_COMPUTE_BIT, extensions, n);
    const VkImportMemoryFdInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                            .handleType = type,
                                            .fd = receive_fd(sock[0])};
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = type};
    VkBuffer buffer;
    const VkDeviceMemory memory = make_buffer(&v, BYTES, &buffer, &external, &import);
    const unsigned wrong = compute(&v, argv[2], buffer, map(&v, memory));
    int status = 0;
    if (write(sock[0], "", 1) != 1 || waitpid(pid, &status, 0) != pid) {
        return 1;
    }
    vkDestroyBuffer(v.device, buffer, NULL);
    vkFreeMemory(v.device, memory, NULL);
    done(&v);
    return wrong + (status != 0);
}

static unsigned with_host(char **argv)
{
    enum { ALIGN = 4096 };
    const VkExternalMemoryHandleTypeFlagBits type =
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    const char *const extensions[] = {"VK_KHR_external_memory", "VK_EXT_external_memory_host"};
    struct vk v = {0};
    open_device(&v, argv[1], VK_QUEUE_COMPUTE_BIT, extensions, 2);
    uint32_t *own = aligned_alloc(ALIGN, 2 * BYTES);
    const VkImportMemoryHostPointerInfoEXT import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = type,
        .pHostPointer = own};
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = type};
    if (own == NULL) {
        return 1;
    }
    memset(own, 0, 2 * BYTES);
    VkBuffer buffer;
    const VkDeviceMemory memory = make_buffer(&v, BYTES, &buffer, &external, &import);
    unsigned wrong = compute(&v, argv[2], buffer, own);
    vkDestroyBuffer(v.device, buffer, NULL);
    vkFreeMemory(v.device, memory, NULL);
    wrong += count_wrong(own); // it is still there
    for (uint32_t i = N; i < 2 * N; i++) {
        wrong += own[i] != 0;
    }
    free(own);
    done(&v);
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        return 2;
    }
    const unsigned wrong = strcmp(argv[3], "host") == 0 ? with_host(argv)
                           : strcmp(argv[3], "dmabuf") == 0
                               ? with_fd(argv, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT)
                               : with_fd(argv, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
    printf(wrong == 0 ? "ok\n" : "%u wrong\n", wrong);
    return wrong != 0;
}
