// SPDX-License-Identifier: MIT
// Local memory of the device library, for an AMD GPU: OpenCL C lets only kernels declare some, C
// any file.

// What each wave of a workgroup has: 1024 work-items in waves of 32.
static __attribute__((address_space(3), loader_uninitialized)) unsigned long scratch[32];

__attribute__((always_inline)) __attribute__((address_space(3))) void *lull_scratch(void)
{
    return scratch;
}
