// SPDX-License-Identifier: MIT
// lull_pm4_walk() on streams written out by hand, and the builder against dwords that Mesa's
// RADV and Linux's amdgpu emit for the same packets (values from their sources, as cited).
#include "cmd/pm4.h"

#include <inttypes.h>
#include <string.h>

#include "test.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX = 32 };

static struct lull_error *collect(void *ctx, const struct lull_pm4_packet *p)
{
    char *text = ctx;
    const size_t used = strlen(text);
    snprintf(text + used, 256 - used, "%s%zu:%u/%02x/%x+%u%s", used != 0 ? " " : "", p->offset,
             p->type, p->opcode, p->reg, p->nbody, p->predicate ? "p" : "");
    return NULL;
}

/** What is walked, what is seen, and how the message ends ("" for none). */
static const struct {
    const char *name;
    uint32_t dwords[MAX];
    size_t n;
    const char *seen;
    const char *error;
} walks[] = {
    {"nothing", {0}, 0, "", ""},
    {"one dispatch", {0xc0031500, 1, 2, 3, 4}, 5, "0:3/15/0+4", ""},
    {"predicate bit", {0xc0031501, 1, 2, 3, 4}, 5, "0:3/15/0+4p", ""},
    {"compute bit is not a predicate", {0xc0031502, 1, 2, 3, 4}, 5, "0:3/15/0+4", ""},
    {"NOP with a body", {0xc0011000, 7, 8}, 3, "0:3/10/0+2", ""},
    {"one-dword NOP", {0xffff1000, 0xffff1000}, 2, "0:3/10/0+0 1:3/10/0+0", ""},
    {"type 2 filler", {0x80000000, 0xc0004600, 0x407}, 3, "0:2/00/0+0 1:3/46/0+1", ""},
    {"type 0", {0x00012345, 1, 2}, 3, "0:0/00/2345+2", ""},
    {"type 1", {0x40000000}, 1, "", "dword 0: type 1 packet 0x40000000"},
    {"type 1 later",
     {0x80000000, 0x7fffffff},
     2,
     "0:2/00/0+0",
     "dword 1: type 1 packet 0x7fffffff"},
    {"cut off", {0xc0031500, 1, 2, 3}, 4, "", "dword 0: packet of 4 dwords, 3 left"},
    {"header only",
     {0x80000000, 0xc0031500},
     2,
     "0:2/00/0+0",
     "dword 1: packet of 4 dwords, 0 left"},
    {"greatest count of another packet",
     {0xffff3700, 0},
     2,
     "",
     "dword 0: packet of 16384 dwords, 1 left"},
};

static void test_walks(void)
{
    for (size_t i = 0; i < COUNT(walks); i++) {
        char seen[256] = "";
        struct lull_error *err = lull_pm4_walk(walks[i].dwords, walks[i].n, collect, seen);
        const char *message = err != NULL ? lull_error_message(err) : "";
        test_case(strcmp(seen, walks[i].seen) == 0 && strcmp(message, walks[i].error) == 0,
                  walks[i].name, "got '%s' '%s', want '%s' '%s'", seen, message, walks[i].seen,
                  walks[i].error);
        lull_error_free(err);
    }
}

static struct lull_error *refuse(void *ctx, const struct lull_pm4_packet *p)
{
    unsigned *left = ctx;
    return (*left)-- == 0 ? lull_error_new(LULL_ERR_UNSUPPORTED, "stop at %zu", p->offset) : NULL;
}

static void test_visitor_stops(void)
{
    const uint32_t pads[] = {0x80000000, 0x80000000, 0x80000000};
    unsigned left = 1;
    struct lull_error *err = lull_pm4_walk(pads, COUNT(pads), refuse, &left);
    test_case(err != NULL && strcmp(lull_error_message(err), "stop at 1") == 0,
              "visitor stops the walk", "got %s",
              err != NULL ? lull_error_message(err) : "no error");
    lull_error_free(err);
}

static void build_sh(struct lull_pm4_builder *b)
{
    const uint32_t values[] = {0x11, 0x22};
    lull_pm4_set_sh(b, 0xb830, values, 2); // COMPUTE_PGM_LO
}

static void build_uconfig(struct lull_pm4_builder *b)
{
    lull_pm4_set_uconfig1(b, 0x30800, 0xe0000000); // GRBM_GFX_INDEX
}

static void build_dispatch(struct lull_pm4_builder *b)
{
    lull_pm4_dispatch(b, 5, 6, 7, 0x8005);
}

static void build_release(struct lull_pm4_builder *b)
{
    lull_pm4_release(b, 0x123456789008, 0xaabbccdd00112233);
}

static void build_write(struct lull_pm4_builder *b)
{
    const uint32_t values[] = {1, 2, 3};
    lull_pm4_write_data(b, 0x800000001000, values, 3);
}

static void build_wait(struct lull_pm4_builder *b)
{
    lull_pm4_wait_mem_equal(b, 0x1122334450, 9, 0xff);
}

static void build_clock(struct lull_pm4_builder *b)
{
    lull_pm4_copy_clock(b, 0x1122334450);
}

static void build_fill(struct lull_pm4_builder *b)
{
    lull_pm4_dma_fill(b, 0x1122334450, 0xcafe, 0x7fe0);
}

static void build_copy(struct lull_pm4_builder *b)
{
    lull_pm4_dma_copy(b, 0x1122334450, 0x5566778890, 0x7fe0);
}

static void build_call(struct lull_pm4_builder *b)
{
    lull_pm4_indirect(b, 0x1122334400, 168, false);
}

static void build_chain(struct lull_pm4_builder *b)
{
    lull_pm4_indirect(b, 0x1122334400, 168, true);
}

static void build_pad(struct lull_pm4_builder *b)
{
    lull_pm4_wait_waves(b);
    lull_pm4_pad(b, 4);
}

/**
 * Sources: Linux soc15d.h and nvd.h (PACKET3_*), gfx_v11_0.c (emit_ib, emit_fence, wait_reg_mem);
 * Mesa sid.h, radv si_cmd_buffer.c (CP DMA, EVENT_WRITE). 0x00110509 is seen in RADV's streams.
 */
static const struct {
    const char *name;
    void (*build)(struct lull_pm4_builder *b);
    uint32_t want[MAX];
    size_t n;
} builds[] = {
    {"SET_SH_REG", build_sh, {0xc0027600, 0x20c, 0x11, 0x22}, 4},
    {"SET_UCONFIG_REG", build_uconfig, {0xc0017900, 0x200, 0xe0000000}, 3},
    {"DISPATCH_DIRECT", build_dispatch, {0xc0031500, 5, 6, 7, 0x8005}, 5},
    {"EVENT_WRITE and padding", build_pad, {0xc0004600, 0x407, 0xffff1000, 0xffff1000}, 4},
    {"RELEASE_MEM",
     build_release,
     {0xc0064900, 0x14 | 5 << 8 | 1 << 21 | 1 << 22, 2u << 29, 0x56789008, 0x1234, 0x00112233,
      0xaabbccdd, 0},
     8},
    {"WRITE_DATA", build_write, {0xc0053700, 5 << 8 | 1 << 20, 0x1000, 0x8000, 1, 2, 3}, 7},
    {"WAIT_REG_MEM", build_wait, {0xc0053c00, 3 | 1 << 4, 0x22334450, 0x11, 9, 0xff, 4}, 7},
    {"COPY_DATA of the clock", build_clock, {0xc0044000, 0x00110509, 0, 0, 0x22334450, 0x11}, 6},
    {"DMA_DATA fill",
     build_fill,
     {0xc0055000, 1u << 31 | 2 << 29 | 3 << 20, 0xcafe, 0, 0x22334450, 0x11, 0x7fe0},
     7},
    {"DMA_DATA copy",
     build_copy,
     {0xc0055000, 1u << 31 | 3 << 29 | 3 << 20, 0x66778890, 0x55, 0x22334450, 0x11, 0x7fe0},
     7},
    {"INDIRECT_BUFFER", build_call, {0xc0023f00, 0x22334400, 0x11, 168 | 1 << 23}, 4},
    {"INDIRECT_BUFFER chained",
     build_chain,
     {0xc0023f00, 0x22334400, 0x11, 168 | 1 << 20 | 1 << 23},
     4},
};

static void test_builds(void)
{
    for (size_t i = 0; i < COUNT(builds); i++) {
        uint32_t got[MAX] = {0};
        struct lull_pm4_builder b = lull_pm4_builder_of(got, COUNT(got));
        builds[i].build(&b);
        size_t bad = 0;
        while (bad < builds[i].n && got[bad] == builds[i].want[bad]) {
            bad++;
        }
        test_case(b.ndwords == builds[i].n && !b.overflow && bad == builds[i].n, builds[i].name,
                  "%zu dwords, want %zu; dword %zu is 0x%08" PRIx32 ", want 0x%08" PRIx32,
                  b.ndwords, builds[i].n, bad, got[bad % MAX], builds[i].want[bad % MAX]);
    }
}

/** Everything the builder writes is a whole packet to the walker. */
static void test_round_trip(void)
{
    uint32_t got[256] = {0};
    struct lull_pm4_builder b = lull_pm4_builder_of(got, COUNT(got));
    for (size_t i = 0; i < COUNT(builds); i++) {
        builds[i].build(&b);
    }
    lull_pm4_invalidate(&b);
    lull_pm4_pad(&b, 32);
    unsigned left = 1000;
    struct lull_error *err = lull_pm4_walk(got, b.ndwords, refuse, &left);
    test_case(err == NULL && b.ndwords % 32 == 0, "the walker reads what the builder wrote", "%s",
              err != NULL ? lull_error_message(err) : "length");
    lull_error_free(err);
}

static void test_overflow(void)
{
    uint32_t got[3] = {0, 0, 0xdead};
    struct lull_pm4_builder b = lull_pm4_builder_of(got, 2);
    build_dispatch(&b);
    test_case(b.overflow && b.ndwords == 5 && got[1] == 5 && got[2] == 0xdead,
              "no room: counts, writes nothing", "overflow %d, %zu dwords, 0x%" PRIx32, b.overflow,
              b.ndwords, got[2]);
}

int main(void)
{
    test_walks();
    test_visitor_stops();
    test_builds();
    test_round_trip();
    test_overflow();
    return test_end();
}
