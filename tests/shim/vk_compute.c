// SPDX-License-Identifier: MIT
/*
 * A Vulkan program as anybody writes one: no header of lull's. Squares of numbers by a compute
 * shader, on the device whose name has argv[1] in it. Prints "ok" or what is wrong.
 *
 * argv[2]: SPIR-V of a shader with local size 64: buffer 0.0 in, 0.1 out: out[i] = in[i] * in[i] +
 * push.add.
 */
#include "vk.h"

int main(int argc, char **argv)
{
    struct vk v = {0};
    if (argc < 4) {
        return 2;
    }
    const bool compute = strcmp(argv[3], "compute") == 0;
    open_device(&v, argv[1], VK_QUEUE_COMPUTE_BIT | (compute ? 0 : VK_QUEUE_GRAPHICS_BIT), NULL, 0);
    make_pipeline(&v, argv[2]);
    VkBuffer buffers[2];
    VkDeviceMemory memory[2];
    uint32_t *data[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        memory[i] = make_buffer(&v, N * sizeof(uint32_t), &buffers[i], NULL, NULL);
        want(vkMapMemory(v.device, memory[i], 0, VK_WHOLE_SIZE, 0, (void **)&data[i]), "map");
    }
    for (uint32_t i = 0; i < N; i++) {
        data[0][i] = i * 2654435761u;
        data[1][i] = 0;
    }
    bind_buffers(&v, buffers);
    dispatch(&v);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t in = i * 2654435761u;
        wrong += data[1][i] != in * in + ADD;
    }
    printf(wrong == 0 ? "ok\n" : "%u of %u wrong\n", wrong, (unsigned)N);
    for (int i = 0; i < 2; i++) {
        vkDestroyBuffer(v.device, buffers[i], NULL);
        vkFreeMemory(v.device, memory[i], NULL);
    }
    done(&v);
    return wrong != 0;
}
