// SPDX-License-Identifier: MIT
// Runs compiled regions on aarch64: maps the file that is its standard input, calls the code of
// each job and ends. Without a C library, so that clang alone makes it for another kind of host.
#include "a64_image.h"

typedef void code_fn(uint64_t wave, uint64_t area, uint64_t consts);

static struct a64_job *current;

/** What strips in doubt call: they are counted, and left as they are. */
static void redo(uint64_t wave, uint64_t region, uint64_t lane)
{
    (void)wave;
    (void)region;
    current->doubt |= (uint64_t)1 << lane / 4;
}

static void make_shuffled(uint64_t wave, uint64_t insn, uint64_t to)
{
    (void)wave;
    (void)insn;
    (void)to;
}

static uint64_t call_system(uint64_t number, const uint64_t a[6])
{
    register uint64_t x0 __asm__("x0") = a[0];
    register uint64_t x1 __asm__("x1") = a[1];
    register uint64_t x2 __asm__("x2") = a[2];
    register uint64_t x3 __asm__("x3") = a[3];
    register uint64_t x4 __asm__("x4") = a[4];
    register uint64_t x5 __asm__("x5") = a[5];
    register uint64_t x8 __asm__("x8") = number;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5), "r"(x8)
                     : "memory");
    return x0;
}

static void run(struct a64_job *job)
{
    current = job;
    *(uint64_t *)job->redo = (uint64_t)redo;
    *(uint64_t *)job->make = (uint64_t)make_shuffled;
    __asm__ volatile("msr fpcr, %0" ::"r"(job->fpcr));
    ((code_fn *)job->code)(job->wave, job->area, job->consts);
    __asm__ volatile("msr fpcr, xzr");
    job->done = 1;
}

void _start(void)
{
    enum { SYS_EXIT = 93, SYS_MMAP = 222, RWX = 7, SHARED_FIXED = 0x11 };
    const uint64_t map[6] = {A64_IMAGE_AT, A64_IMAGE_BYTES, RWX, SHARED_FIXED, 0, 0};
    const uint64_t at = call_system(SYS_MMAP, map);
    if (at == A64_IMAGE_AT) {
        struct a64_image *image = (struct a64_image *)at;
        for (uint64_t i = 0; i < image->njobs; i++) {
            run(&image->job[i]);
        }
    }
    const uint64_t status[6] = {at != A64_IMAGE_AT};
    call_system(SYS_EXIT, status);
}
