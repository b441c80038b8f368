// SPDX-License-Identifier: MIT
// Runs compiled regions on aarch64, as a64_image.h says. Without a C library, so that clang alone
// makes it for another kind of host.
#include "a64_image.h"

static struct a64_image *const image = (struct a64_image *)A64_IMAGE_AT;

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

static void end(int status)
{
    enum { SYS_EXIT = 93 };
    const uint64_t a[6] = {(uint64_t)status};
    call_system(SYS_EXIT, a);
}

static void wait_for_go(void)
{
    enum { SYS_READ = 63 };
    char c = 0;
    const uint64_t a[6] = {0, (uint64_t)&c, 1};
    if (call_system(SYS_READ, a) != 1) {
        end(0);
    }
}

static void tell(void)
{
    enum { SYS_WRITE = 64 };
    const char c = A64_GO;
    const uint64_t a[6] = {1, (uint64_t)&c, 1};
    if (call_system(SYS_WRITE, a) != 1) {
        end(1);
    }
}

/** Code may keep nothing in registers that functions may change: each call changes all of those. */
static void ask(uint64_t call, uint64_t a, uint64_t b, uint64_t c)
{
    image->call = call;
    image->arg[0] = a;
    image->arg[1] = b;
    image->arg[2] = c;
    tell();
    wait_for_go();
    __asm__ volatile("movi v0.4s, #85\n movi v1.4s, #85\n movi v2.4s, #85\n movi v3.4s, #85\n"
                     "movi v16.4s, #85\n movi v20.4s, #85\n movi v28.4s, #85\n movi v29.4s, #85\n"
                     "movi v30.4s, #85\n movi v31.4s, #85\n mov x9, #85\n mov x16, #85\n"
                     "mov x17, #85" ::
                         : "v0", "v1", "v2", "v3", "v16", "v20", "v28", "v29", "v30", "v31", "x9",
                           "x16", "x17");
}

static void redo(uint64_t wave, uint64_t region, uint64_t lane)
{
    ask(A64_REDO, wave, region, lane);
}

static void make_shuffled(uint64_t wave, uint64_t insn, uint64_t to)
{
    ask(A64_MAKE_SHUFFLED, wave, insn, to);
}

static uint64_t call_function(uint64_t wave, uint64_t insn)
{
    ask(A64_CALL, wave, insn, 0);
    return image->ret;
}

#define SET_X(n) "mov x" #n ", #" #n "\n"
#define SET_D(n) "mov x9, #" #n "\n fmov d" #n ", x9\n"
#define CHECK_X(n) "sub x9, x" #n ", #" #n "\n orr x0, x0, x9\n"
#define CHECK_D(n) "fmov x9, d" #n "\n sub x9, x9, #" #n "\n orr x0, x0, x9\n"
#define EACH_X(f) f(19) f(20) f(21) f(22) f(23) f(24) f(25) f(26) f(27) f(28)
#define EACH_D(f) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)

/** Run the job. @return 0: registers that functions must keep are as they were. */
static uint64_t call_code(void)
{
    register uint64_t x0 __asm__("x0") = image->wave;
    register uint64_t x1 __asm__("x1") = image->area;
    register uint64_t x2 __asm__("x2") = image->consts;
    register uint64_t x3 __asm__("x3") = image->exit;
    register uint64_t x16 __asm__("x16") = image->code;
    __asm__ volatile(
        EACH_X(SET_X) EACH_D(SET_D) "blr x16\n mov x0, #0\n" EACH_X(CHECK_X) EACH_D(CHECK_D)
        : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3), "+r"(x16)
        :
        : "memory", "cc", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
          "x15", "x17", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30",
          "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
          "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
          "v27", "v28", "v29", "v30", "v31");
    return x0;
}

void _start(void)
{
    enum { SYS_MMAP = 222, RWX = 7, SHARED_FIXED = 0x11 };
    const uint64_t map[6] = {A64_IMAGE_AT, A64_IMAGE_BYTES, RWX, SHARED_FIXED, A64_FILE, 0};
    if (call_system(SYS_MMAP, map) != A64_IMAGE_AT) {
        end(1);
    }
    for (;;) {
        wait_for_go();
        *(uint64_t *)image->redo = (uint64_t)redo;
        *(uint64_t *)image->make_shuffled = (uint64_t)make_shuffled;
        *(uint64_t *)image->function = (uint64_t)call_function;
        __asm__ volatile("msr fpcr, %0" ::"r"(image->fpcr));
        if (call_code() != 0) {
            end(2);
        }
        __asm__ volatile("msr fpcr, xzr");
        image->call = A64_DONE;
        tell();
    }
}
