// SPDX-License-Identifier: MIT
// A debugged program whose memory holds anything: what the debugger says of its code, descriptors
// and images must not crash, leak or run for ever. Input: 16 dwords of user SGPRs, RSRC2,
// initiator, 8 bytes unused; then memory from CODE_AT on. Seeds: tests/fuzz/corpus/program/,
// shaders as RADV makes them with sets behind.
#include "fuzz.h"

#include <string.h>

#include "arch/arch.h"
#include "base/error.h"
#include "debug/shell/debugger.h"

enum { MEMORY = 1 << 16, HEAD = 80, CODE_AT = 0x100 };

#define BASE UINT64_C(0xffff800000000000)

struct program {
    struct lull_target target;
    struct lull_dispatch_info dispatch;
    uint8_t memory[MEMORY];
};

static struct program *program(struct lull_target *t)
{
    return (struct program *)(void *)t;
}

static struct lull_error *f_read(struct lull_target *t, uint64_t va, void *buf, size_t size)
{
    if (va < BASE || va - BASE > MEMORY || size > MEMORY - (va - BASE)) {
        return lull_error_fault(va, "not mapped");
    }
    memcpy(buf, program(t)->memory + (va - BASE), size);
    return NULL;
}

static struct lull_error *f_dispatches(struct lull_target *t, uint64_t first,
                                       struct lull_dispatch_info *infos, size_t room, size_t *ret)
{
    *ret = first == 0;
    if (first == 0 && room > 0) {
        infos[0] = program(t)->dispatch;
    }
    return NULL;
}

static struct lull_error *f_waves(struct lull_target *t, struct lull_wave_info *infos, size_t room,
                                  size_t *ret)
{
    (void)t;
    (void)infos;
    (void)room;
    *ret = 0;
    return NULL;
}

static uint32_t dword(const uint8_t *p)
{
    uint32_t v = 0;
    memcpy(&v, p, sizeof v);
    return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct lull_target_ops ops = {.kind = "fuzz",
                                               .arch = &lull_arch_rdna3,
                                               .waves = f_waves,
                                               .read = f_read,
                                               .dispatches = f_dispatches};
    static const char *const commands[] = {
        "info dispatches",
        "info pipeline code",
        "info descriptors",
        "info push-constants",
        "x/4wx b0",
        "print b1.use",
        "disassemble $code,8",
        "dump buffer b1,16 out=/dev/null/x",
        "list",
        "catch dispatch name ^cs",
        "info breakpoints",
        "print nosuch",
    };
    static struct program p;
    if (size < HEAD) {
        return 0;
    }
    memset(&p, 0, sizeof p);
    p.target.ops = &ops;
    size_t rest = size - HEAD < MEMORY - CODE_AT ? size - HEAD : MEMORY - CODE_AT;
    memcpy(p.memory + CODE_AT, data + HEAD, rest);
    p.dispatch = (struct lull_dispatch_info){.ring = "gfx",
                                             .phase = LULL_PHASE_HELD,
                                             .code_va = BASE + CODE_AT,
                                             .rsrc2 = dword(data + 64),
                                             .initiator = dword(data + 68),
                                             .grid = {4, 2, 1},
                                             .block = {64, 1, 1}};
    memcpy(p.dispatch.user_data, data, sizeof p.dispatch.user_data);
    struct lull_debug *d = NULL;
    struct lull_error *err = lull_debug_new(&p.target, NULL, 0, &d);
    if (err != NULL) {
        lull_error_free(err);
        return 0;
    }
    d->json = size % 2 != 0;
    d->dispatch = p.dispatch;
    d->has_dispatch = true;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        struct lull_str out = {0};
        lull_error_free(lull_debug_command(d, commands[i], &out));
        lull_str_free(&out);
    }
    lull_debug_free(d);
    return 0;
}
