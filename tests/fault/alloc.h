// SPDX-License-Identifier: MIT
/** @file
 * Allocations that fail: for programs linked with --wrap of calloc, malloc and realloc.
 */
#ifndef LULL_TEST_FAULT_ALLOC_H
#define LULL_TEST_FAULT_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/** How many succeed before all others fail. */
static long allocations_left = -1; // -1: never fail

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);

static bool fails(void)
{
    if (allocations_left == 0) {
        return true;
    }
    allocations_left -= allocations_left > 0;
    return false;
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return fails() ? NULL : __real_realloc(p, size);
}

#endif
