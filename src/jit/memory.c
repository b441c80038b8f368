// SPDX-License-Identifier: MIT
#include "jit/memory.h"

#include <cpuid.h>
#include <sys/mman.h>
#include <unistd.h>

void lull_jit_unmap(struct lull_jit_views *v, size_t size)
{
    if (v->write != NULL) {
        munmap(v->write, size);
    }
    if (v->run != NULL) {
        munmap((void *)(uintptr_t)v->run, size);
    }
    *v = (struct lull_jit_views){0};
}

bool lull_jit_map(struct lull_jit_views *v, size_t size)
{
    const int fd = memfd_create("lull-jit", MFD_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    void *write = MAP_FAILED, *run = MAP_FAILED;
    if (ftruncate(fd, (off_t)size) == 0) {
        write = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        run = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    }
    close(fd);
    v->write = write != MAP_FAILED ? write : NULL;
    v->run = run != MAP_FAILED ? run : NULL;
    return v->write != NULL && v->run != NULL;
}

void lull_jit_serialize(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    __cpuid(0, a, b, c, d);
}
