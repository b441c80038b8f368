// SPDX-License-Identifier: MIT
// What a launch makes of a kernel and its arguments: user SGPRs, kernarg segment, dispatch packet.
// Expected values by hand from LLVM's AMDGPUUsage: "Initial Kernel Execution State" (order of user
// SGPRs), "Kernel Descriptor" (bits of kernel_code_properties), "Code Object V5 Metadata" (hidden
// arguments); HSA 1.2, 2.9.6 (dispatch packet).
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "image/image.h"
#include "target/amd/launch.h"
#include "test.h"
#include "vdrm/amdgpu/vdrm.h"

enum { MAX_ARGS = 10, MAX_GIVEN = 3, PACKET = 64, QUEUE = 256 };

struct fixture {
    struct lull_kernel *k;
    struct lull_amd_device *d;
    struct lull_image *image;
};

static void must(struct lull_error *err, const char *what)
{
    if (err != NULL) {
        printf("Bail out! %s: %s\n", what, lull_error_message(err));
        exit(1);
    }
}

static void set_up(struct fixture *f)
{
    char path[4096] = {0};
    struct lull_compiled c = {0};
    must(lull_vdrm_new(&(struct lull_vdrm_options){0}, &f->k), "vdrm");
    must(lull_amd_device_open(f->k, NULL, &f->d), "open");
    snprintf(path, sizeof path, "%s/examples/loop.s", getenv("LULL_SOURCE"));
    must(lull_compile_file(path, NULL, &c), "compile");
    must(lull_image_parse(c.bytes, c.size, &f->image), "image");
    lull_compiled_done(&c);
}

static void tear_down(struct fixture *f)
{
    lull_amd_device_close(f->d);
    f->k->destroy(f->k);
    lull_image_free(f->image);
}

static bool same(const void *at, uint64_t offset, uint64_t want, size_t size)
{
    return memcmp((const uint8_t *)at + offset, &want, size) == 0;
}

/* Bytes of a buffer from @p va on, if @p n are there. */
static const uint8_t *bytes_at(const struct lull_amd_bo *bo, uint64_t va, uint64_t n)
{
    return va >= bo->va && va - bo->va <= bo->size && n <= bo->size - (va - bo->va)
               ? (const uint8_t *)bo->map + (va - bo->va)
               : NULL;
}

static bool is_zero(const uint8_t *p, size_t n)
{
    size_t at = 0;
    while (p != NULL && at < n && p[at] == 0) {
        at++;
    }
    return p != NULL && at == n;
}

/* User SGPRs: a letter for each. Kk, Dd, Qq: low and high half of the address of kernarg segment,
 * dispatch packet and queue; S: bytes of scratch; 0: zero. */
static const struct {
    const char *name;
    uint16_t properties;
    unsigned count; // RSRC2.USER_SGPR
    const char *want;
} sgpr_rows[] = {
    {"none", 0, 0, ""},
    {"kernarg", 0x08, 2, "Kk"},
    {"dispatch packet", 0x02, 2, "Dd"},
    {"queue", 0x04, 2, "Qq"},
    {"scratch size", 0x40, 1, "S"},
    {"dispatch packet before kernarg", 0x0a, 4, "DdKk"},
    {"packet, queue, kernarg", 0x0e, 6, "DdQqKk"},
    {"as clang makes them at -O0", 0x1e, 8, "DdQqKk00"},
    {"descriptor of scratch first", 0x09, 6, "0000Kk"},
    {"flat scratch before its size", 0x68, 5, "Kk00S"},
    {"all", 0x7f, 15, "0000DdQqKk0000S"},
    {"wave32 and dynamic stack take none", 0xc08, 2, "Kk"},
    {"more than the properties name", 0x08, 5, "Kk000"},
    {"never more than 16", 0x08, 31, "Kk00000000000000"},
};

static unsigned wrong_sgprs(const struct lull_launched *at, uint32_t kernarg_bytes,
                            const char *want)
{
    const struct lull_amd_dispatch *dis = &at->dispatch;
    unsigned bad = dis->nuser_data != strlen(want);
    for (unsigned i = 0; bad == 0 && want[i] != '\0'; i++) {
        const uint64_t pair = dis->user_data[i] | (uint64_t)dis->user_data[(i + 1) % 16] << 32;
        const uint8_t *packet = bytes_at(at->kernarg, pair, PACKET);
        switch (want[i]) {
        case 'K':
            bad += pair != at->kernarg->va || pair % 16 != 0;
            break;
        case 'D':
            bad += packet == NULL || pair % 64 != 0 || pair < at->kernarg->va + kernarg_bytes ||
                   !same(packet, 40, at->kernarg->va, 8);
            break;
        case 'Q':
            bad += pair < at->kernarg->va + kernarg_bytes ||
                   !is_zero(bytes_at(at->kernarg, pair, QUEUE), QUEUE);
            break;
        case 'S':
            bad += dis->user_data[i] != 80;
            break;
        case '0':
            bad += dis->user_data[i] != 0;
            break;
        default: // a high half
            break;
        }
    }
    return bad;
}

static void test_sgprs(struct fixture *f)
{
    for (size_t i = 0; i < TEST_ROWS(sgpr_rows); i++) {
        const struct lull_kernel_info k = {.name = "k",
                                           .entry = 256,
                                           .rsrc1 = 0x11,
                                           .rsrc2 = sgpr_rows[i].count << 1,
                                           .rsrc3 = 0x33,
                                           .properties = sgpr_rows[i].properties,
                                           .scratch_bytes = 80,
                                           .kernarg_bytes = 72,
                                           .wave32 = true};
        const struct lull_launch l = {
            .image = f->image, .kernel = &k, .grid = {64, 2, 3}, .block = {64, 1, 1}};
        struct lull_launched at = {0};
        must(lull_launch_prepare(f->d, &l, &at), sgpr_rows[i].name);
        test_case(wrong_sgprs(&at, 72, sgpr_rows[i].want) == 0, sgpr_rows[i].name,
                  "%u SGPRs: %08x %08x %08x %08x %08x %08x", at.dispatch.nuser_data,
                  at.dispatch.user_data[0], at.dispatch.user_data[1], at.dispatch.user_data[2],
                  at.dispatch.user_data[3], at.dispatch.user_data[4], at.dispatch.user_data[5]);
        const struct lull_amd_dispatch *dis = &at.dispatch;
        test_case(dis->code_va == at.code->va + 256 && dis->rsrc1 == 0x11 && dis->rsrc3 == 0x33 &&
                      dis->rsrc2 == k.rsrc2 && dis->scratch_bytes == 80 && dis->wave32 &&
                      dis->grid[0] == 64 && dis->grid[1] == 2 && dis->grid[2] == 3 &&
                      dis->block[0] == 64 && dis->block[1] == 1 && dis->block[2] == 1,
                  "registers, grid and workgroup", "%s: code 0x%" PRIx64, sgpr_rows[i].name,
                  dis->code_va);
    }
}

/* The packet that DISPATCH_PTR points to. */
static void test_packet(struct fixture *f)
{
    const struct lull_arg args[] = {{.kind = LULL_ARG_LOCAL, .offset = 0, .size = 4}};
    const struct lull_launch_arg given[] = {{.bytes = {100}, .size = 4, .local = true}};
    const struct lull_kernel_info k = {.name = "k",
                                       .descriptor = 0x40,
                                       .properties = 0x02,
                                       .lds_bytes = 16,
                                       .scratch_bytes = 80,
                                       .kernarg_bytes = 4,
                                       .nargs = 1,
                                       .args = args};
    const struct lull_launch l = {.image = f->image,
                                  .kernel = &k,
                                  .args = given,
                                  .nargs = 1,
                                  .grid = {100, 7, 5},
                                  .block = {32, 3, 2}};
    struct lull_launched at = {0};
    must(lull_launch_prepare(f->d, &l, &at), "packet");
    const uint64_t va = at.dispatch.user_data[0] | (uint64_t)at.dispatch.user_data[1] << 32;
    const uint8_t *p = bytes_at(at.kernarg, va, PACKET);
    const struct {
        const char *name;
        uint64_t offset, want;
        size_t size;
    } fields[] = {
        {"type: a kernel's dispatch", 0, 2, 1},
        {"three dimensions", 2, 3, 2},
        {"workgroup x", 4, 32, 2},
        {"workgroup y", 6, 3, 2},
        {"workgroup z", 8, 2, 2},
        {"grid x", 12, 100, 4},
        {"grid y", 16, 7, 4},
        {"grid z", 20, 5, 4},
        {"private segment", 24, 80, 4},
        {"group segment: static and the argument's", 28, 116, 4},
        {"kernel object: the descriptor", 32, at.code->va + 0x40, 8},
        {"kernarg segment", 40, at.kernarg->va, 8},
        {"no completion signal", 56, 0, 8},
    };
    for (size_t i = 0; i < TEST_ROWS(fields); i++) {
        test_case(p != NULL && same(p, fields[i].offset, fields[i].want, fields[i].size),
                  fields[i].name, "byte %" PRIu64, fields[i].offset);
    }
    test_case(at.dispatch.lds_bytes == 116, "LDS of the dispatch", "%u", at.dispatch.lds_bytes);
}

// clang-format off
#define ARG(k, n) .name = (n), .type_name = "t", .kind = LULL_ARG_##k
#define VALUE(at, n) {ARG(VALUE, "n"), .offset = (at), .size = (n)}
#define HIDDEN(k, dim, at, n) {ARG(HIDDEN_##k, "n"), .axis = (dim), .offset = (at), .size = (n)}
#define LOCAL(at) {ARG(LOCAL, "n"), .offset = (at), .size = 4}
#define POINTER(at) {ARG(GLOBAL_BUFFER, ""), .offset = (at), .size = 8}
// clang-format on

/* Kernarg segments. */
static const struct segment_row {
    const char *name;
    uint32_t bytes, lds;
    uint32_t grid[3], block[3];
    struct lull_arg args[MAX_ARGS];
    size_t nargs;
    struct lull_launch_arg given[MAX_GIVEN];
    size_t ngiven;
    const char *want;
    uint32_t want_lds;
    uint64_t printf_va;
} segment_rows[] = {
    {.name = "values at their offsets, zeros between them",
     .bytes = 16,
     .args = {VALUE(1, 1), VALUE(4, 2), VALUE(8, 8)},
     .nargs = 3,
     .given = {{.bytes = {1}, .size = 1},
               {.bytes = {2, 3}, .size = 2},
               {.bytes = "\4\5\6\7\x8\x9\xa\xb", .size = 8}},
     .ngiven = 3,
     .want = "\0\1\0\0\2\3\0\0\4\5\6\7\x8\x9\xa\xb"},
    {.name = "values that do not come in order of their offsets",
     .bytes = 8,
     .args = {VALUE(4, 4), VALUE(0, 4)},
     .nargs = 2,
     .given = {{.bytes = {1, 2, 3, 4}, .size = 4}, {.bytes = {5, 6, 7, 8}, .size = 4}},
     .ngiven = 2,
     .want = "\5\6\7\x8\1\2\3\4"},
    {.name = "an address as a number",
     .bytes = 8,
     .args = {POINTER(0)},
     .nargs = 1,
     .given = {{.bytes = "\x10\x32\x54\x76\x98", .size = 8}},
     .ngiven = 1,
     .want = "\x10\x32\x54\x76\x98\0\0\0"},
    {.name = "hidden counts: full groups, sizes, what is left",
     .bytes = 24,
     .grid = {100, 7, 3},
     .block = {32, 2, 3},
     .args = {HIDDEN(BLOCK_COUNT, 0, 0, 4), HIDDEN(BLOCK_COUNT, 1, 4, 4),
              HIDDEN(BLOCK_COUNT, 2, 8, 4), HIDDEN(GROUP_SIZE, 0, 12, 2),
              HIDDEN(GROUP_SIZE, 1, 14, 2), HIDDEN(GROUP_SIZE, 2, 16, 2),
              HIDDEN(REMAINDER, 0, 18, 2), HIDDEN(REMAINDER, 1, 20, 2),
              HIDDEN(REMAINDER, 2, 22, 2)},
     .nargs = 9,
     .want = "\3\0\0\0\3\0\0\0\1\0\0\0\x20\0\2\0\3\0\4\0\1\0\0\0"},
    {.name = "a hidden argument takes none of the user's",
     .bytes = 12,
     .args = {HIDDEN(GRID_DIMS, 0, 0, 2), VALUE(4, 4), HIDDEN(GLOBAL_OFFSET, 0, 2, 2), VALUE(8, 4)},
     .nargs = 4,
     .given = {{.bytes = {7}, .size = 4}, {.bytes = {8}, .size = 4}},
     .ngiven = 2,
     .want = "\1\0\0\0\7\0\0\0\x8\0\0\0"},
    {.name = "two dimensions",
     .bytes = 2,
     .grid = {64, 2, 1},
     .args = {HIDDEN(GRID_DIMS, 0, 0, 2)},
     .nargs = 1,
     .want = "\2\0"},
    {.name = "three dimensions, the second is 1",
     .bytes = 2,
     .grid = {64, 1, 2},
     .args = {HIDDEN(GRID_DIMS, 0, 0, 2)},
     .nargs = 1,
     .want = "\3\0"},
    {.name = "no offset of the grid, nothing for what is not known",
     .bytes = 16,
     .args = {HIDDEN(GLOBAL_OFFSET, 0, 0, 8), HIDDEN(OTHER, 0, 8, 8)},
     .nargs = 2,
     .want = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"},
    {.name = "the printf buffer's descriptor",
     .bytes = 8,
     .printf_va = UINT64_C(0x7654321000),
     .args = {HIDDEN(PRINTF, 0, 0, 8)},
     .nargs = 1,
     .want = "\0\x10\x32\x54\x76\0\0\0"},
    // ds_load_b128 needs 16 bytes
    {.name = "local memory behind the kernel's own, at multiples of 16",
     .bytes = 8,
     .lds = 20,
     .args = {LOCAL(0), LOCAL(4)},
     .nargs = 2,
     .given = {{.bytes = {5}, .size = 4, .local = true}, {.bytes = {8}, .size = 4, .local = true}},
     .ngiven = 2,
     .want = "\x20\0\0\0\x30\0\0\0",
     .want_lds = 56},
    {.name = "all of local memory",
     .bytes = 4,
     .args = {LOCAL(0)},
     .nargs = 1,
     .given = {{.bytes = {0, 0, 1}, .size = 4, .local = true}},
     .ngiven = 1,
     .want = "\0\0\0\0",
     .want_lds = 65536},
};

static struct lull_launch launch_of(const struct fixture *f, const struct segment_row *r,
                                    struct lull_kernel_info *k)
{
    *k = (struct lull_kernel_info){.name = "k",
                                   .properties = 0x08,
                                   .lds_bytes = r->lds,
                                   .kernarg_bytes = r->bytes,
                                   .nargs = r->nargs,
                                   .args = r->args};
    struct lull_launch l = {.image = f->image,
                            .kernel = k,
                            .args = r->given,
                            .nargs = r->ngiven,
                            .grid = {64, 1, 1},
                            .block = {64, 1, 1},
                            .printf_va = r->printf_va};
    if (r->grid[0] != 0) {
        memcpy(l.grid, r->grid, sizeof l.grid);
    }
    if (r->block[0] != 0) {
        memcpy(l.block, r->block, sizeof l.block);
    }
    return l;
}

static void test_segments(struct fixture *f)
{
    for (size_t i = 0; i < TEST_ROWS(segment_rows); i++) {
        const struct segment_row *r = &segment_rows[i];
        struct lull_kernel_info k = {0};
        struct lull_launched at = {0};
        const struct lull_launch l = launch_of(f, r, &k);
        must(lull_launch_prepare(f->d, &l, &at), r->name);
        const uint8_t *got = at.kernarg->map;
        size_t bad = 0;
        while (bad < r->bytes && got[bad] == (uint8_t)r->want[bad]) {
            bad++;
        }
        test_case(bad == r->bytes && at.dispatch.lds_bytes == r->want_lds, r->name,
                  "byte %zu: %02x; %u bytes of LDS", bad, got[bad], at.dispatch.lds_bytes);
        // as a kernel leaves it that writes where it may not
        memset(at.kernarg->map, 0xee, at.kernarg->size);
        memset(at.code->map, 0xee, at.code->size);
        must(lull_launch_again(&l, &at), "again");
        struct lull_launched other = {0};
        must(lull_launch_prepare(f->d, &l, &other), "other");
        test_case(memcmp(got, r->want, r->bytes) == 0 &&
                      memcmp(at.code->map, other.code->map, lull_image_size(f->image)) == 0,
                  "and again", "%s: %02x", r->name, got[0]);
    }
}

/* Without a printf buffer the kernel is given a descriptor of zeros, not 0. */
static void test_no_printf(struct fixture *f)
{
    const struct segment_row r = {.bytes = 8, .args = {HIDDEN(PRINTF, 0, 0, 8)}, .nargs = 1};
    struct lull_kernel_info k = {0};
    struct lull_launched at = {0};
    const struct lull_launch l = launch_of(f, &r, &k);
    must(lull_launch_prepare(f->d, &l, &at), "no printf");
    uint64_t va = 0;
    memcpy(&va, at.kernarg->map, sizeof va);
    test_case(is_zero(bytes_at(at.kernarg, va, 16), 16), "no printf: a descriptor of zeros",
              "0x%" PRIx64, va);
}

static void test_buffer(struct fixture *f)
{
    struct segment_row r = {.bytes = 16, .args = {POINTER(8)}, .nargs = 1, .ngiven = 1};
    struct lull_amd_bo *bo = NULL;
    struct lull_kernel_info k = {0};
    struct lull_launched at = {0};
    must(lull_amd_bo_new(f->d, "b", 100, 0, &bo), "buffer");
    r.given[0].bo = bo;
    const struct lull_launch l = launch_of(f, &r, &k);
    must(lull_launch_prepare(f->d, &l, &at), "buffer");
    test_case(same(at.kernarg->map, 8, bo->va, 8) && same(at.kernarg->map, 0, 0, 8),
              "a buffer's address", "0x%" PRIx64, bo->va);
}

/* What does not fit is refused, and said. */
// clang-format off
static const struct {
    struct segment_row row;
    uint16_t preload;
    uint32_t reqd[3];
    enum lull_error_code code;
    const char *text;
} refused[] = {
    {{.name = "too few", .bytes = 8, .args = {VALUE(0, 4), VALUE(4, 4)}, .nargs = 2,
      .given = {{.size = 4}}, .ngiven = 1},
     .code = LULL_ERR_INVALID, .text = "k takes 2 arguments, 1 given"},
    {{.name = "too many", .bytes = 8, .args = {VALUE(0, 4)}, .nargs = 1,
      .given = {{.size = 4}, {.size = 4}}, .ngiven = 2},
     .code = LULL_ERR_INVALID, .text = "k takes 1 argument, 2 given"},
    {{.name = "hidden ones do not count", .bytes = 8, .args = {HIDDEN(GRID_DIMS, 0, 0, 2)},
      .nargs = 1, .given = {{.size = 2}}, .ngiven = 1},
     .code = LULL_ERR_INVALID, .text = "k takes 0 arguments, 1 given"},
    {{.name = "a value too short", .bytes = 8, .args = {VALUE(0, 8)}, .nargs = 1,
      .given = {{.size = 4}}, .ngiven = 1},
     .code = LULL_ERR_INVALID, .text = "'n' of k: needs a value of 8 bytes, 4 bytes given"},
    {{.name = "half an address", .bytes = 8, .args = {POINTER(0)}, .nargs = 1,
      .given = {{.size = 4}}, .ngiven = 1},
     .code = LULL_ERR_INVALID, .text = "argument 1 't' of k: needs a buffer, 4 bytes given"},
    {{.name = "local for global", .bytes = 8, .args = {POINTER(0)}, .nargs = 1,
      .given = {{.size = 8, .local = true}}, .ngiven = 1},
     .code = LULL_ERR_INVALID, .text = "needs a buffer"},
    {{.name = "global for local", .bytes = 8, .args = {LOCAL(0)}, .nargs = 1,
      .given = {{.size = 4}}, .ngiven = 1},
     .code = LULL_ERR_INVALID, .text = "needs local memory"},
    {{.name = "a byte too much of local memory", .bytes = 8, .args = {LOCAL(0)}, .nargs = 1,
      .given = {{.bytes = {1, 0, 1}, .size = 4, .local = true}}, .ngiven = 1},
     .code = LULL_ERR_INVALID, .text = "65537 bytes after 0 of local memory, there are 65536"},
    {{.name = "too much behind the kernel's own", .bytes = 8, .lds = 1, .args = {LOCAL(0)},
      .nargs = 1, .given = {{.bytes = {0, 0, 1}, .size = 4, .local = true}}, .ngiven = 1},
     .code = LULL_ERR_INVALID, .text = "65536 bytes after 16 of local memory"},
    {{.name = "4 GiB of local memory", .bytes = 8, .lds = 32, .args = {LOCAL(0)}, .nargs = 1,
      .given = {{.bytes = {0xf0, 255, 255, 255}, .size = 4, .local = true}}, .ngiven = 1},
     .code = LULL_ERR_INVALID, .text = "4294967280 bytes after 32 of local memory"},
    {{.name = "behind the segment", .bytes = 8, .args = {VALUE(6, 4)}, .nargs = 1,
      .given = {{.size = 4}}, .ngiven = 1},
     .code = LULL_ERR_BAD_DATA, .text = "4 bytes at 6, the segment has 8"},
    {{.name = "around the end of 32 bits", .bytes = 8, .args = {HIDDEN(OTHER, 0, 0xfffffffc, 8)},
      .nargs = 1},
     .code = LULL_ERR_BAD_DATA, .text = "8 bytes at 4294967292, the segment has 8"},
    {{.name = "no work-items", .grid = {64, 0, 1}},
     .code = LULL_ERR_INVALID, .text = "grid 64,0,1 in blocks of 64,1,1"},
    {{.name = "empty blocks", .block = {64, 1, 0}},
     .code = LULL_ERR_INVALID, .text = "grid 64,1,1 in blocks of 64,1,0"},
    {{.name = "1025 in a row", .block = {1025, 1, 1}},
     .code = LULL_ERR_INVALID, .text = "in blocks of 1025,1,1"},
    {{.name = "33 rows of 32", .block = {32, 33, 1}},
     .code = LULL_ERR_INVALID, .text = "block of 1056 work-items: at most 1024"},
    {{.name = "another block than the kernel's", .block = {64, 2, 1}}, .reqd = {64, 1, 1},
     .code = LULL_ERR_INVALID, .text = "k needs blocks of 64,1,1"},
    {{.name = "preloaded arguments"}, .preload = 2,
     .code = LULL_ERR_UNSUPPORTED, .text = "k preloads kernel arguments: not on gfx11"},
};
// clang-format on

static void test_refused(struct fixture *f)
{
    for (size_t i = 0; i < TEST_ROWS(refused); i++) {
        struct lull_kernel_info k = {0};
        struct lull_launched at = {0};
        const struct lull_launch l = launch_of(f, &refused[i].row, &k);
        k.kernarg_preload = refused[i].preload;
        memcpy(k.reqd_block, refused[i].reqd, sizeof k.reqd_block);
        struct lull_error *err = lull_launch_prepare(f->d, &l, &at);
        const char *said = err != NULL ? lull_error_message(err) : "accepted";
        test_case(err != NULL && lull_error_code(err) == refused[i].code &&
                      strstr(said, refused[i].text) != NULL,
                  refused[i].row.name, "%s", said);
        lull_error_free(err);
    }
}

int main(void)
{
    struct fixture f = {0};
    set_up(&f);
    test_sgprs(&f);
    test_packet(&f);
    test_segments(&f);
    test_no_printf(&f);
    test_buffer(&f);
    test_refused(&f);
    tear_down(&f);
    return test_end();
}
