// SPDX-License-Identifier: MIT
// What a PAL pipeline is given: user SGPRs by its metadata, root, spill and descriptor tables.
// Expected values by hand from docs/formats/pipeline-layout.md, docs/formats/relocatable-elf.md and
// the numbers of PAL's palPipelineAbi.h, enum UserDataMapping.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image/pal.h"
#include "link/layout.h"
#include "target/amd/pal.h"
#include "test.h"
#include "vdrm/amdgpu/vdrm.h"

// enum UserDataMapping
enum {
    GLOBAL_TABLE = 0x10000000,
    SHADER_TABLE = 0x10000001,
    SPILL_TABLE = 0x10000002,
    BASE_VERTEX = 0x10000003,
    WORKGROUP = 0x10000006,
};
#define UNUSED UINT32_MAX
#define UNLINKED_SET UINT32_C(0x80000000) // LLPC's AbiUnlinked.h: DescriptorSet0
#define POISON UINT32_C(0xdeadbeef)

// Root table: 0 table of set 0, 4 to 7 a buffer, 8 to 15 push constants, 16 table of set 2.
// Set 0: 0 buffer, 4 and 16 two combined textures of 12, 28 known sampler, 32 address, 34 image,
// 42 texel buffer, 46 sampler.
static const char layout_text[] =
    "{\"nodes\": ["
    "{\"type\": \"table\", \"set\": 0, \"nodes\": ["
    "{\"type\": \"buffer\", \"binding\": 0},"
    "{\"type\": \"combined_texture\", \"binding\": 1, \"count\": 2},"
    "{\"type\": \"sampler\", \"binding\": 2, \"immutable\": [[146, 4095, 0, 7]]},"
    "{\"type\": \"buffer_compact\", \"binding\": 3},"
    "{\"type\": \"resource\", \"binding\": 4},"
    "{\"type\": \"texel_buffer\", \"binding\": 5},"
    "{\"type\": \"sampler\", \"binding\": 6}]},"
    "{\"type\": \"buffer\", \"set\": 1, \"binding\": 0, \"offset\": 4},"
    "{\"type\": \"push_constants\", \"size\": 8},"
    "{\"type\": \"table\", \"set\": 2, \"nodes\": [{\"type\": \"buffer\", \"binding\": 0}]}]}";
enum { ROOT = 17, SET0 = 50, SET2 = 4 };

static const uint8_t push[32] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0,
                                 5, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0};

struct fixture {
    struct lull_kernel *k;
    struct lull_amd_device *d;
    struct lull_pal *pipeline;
    struct lull_layout layout;
    struct lull_pal_placed placed;
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
    uint8_t bytes[4096] = {0};
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/pal/linked.elf", getenv("LULL_SOURCE"));
    FILE *file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    must(lull_pal_parse(bytes, size, &f->pipeline), path);
    must(lull_layout_read(layout_text, sizeof layout_text - 1, &f->layout), "layout");
    must(lull_vdrm_new(&(struct lull_vdrm_options){0}, &f->k), "vdrm");
    must(lull_amd_device_open(f->k, NULL, &f->d), "open");
    must(lull_pal_place(f->d, f->pipeline, &f->layout, &f->placed), "place");
}

static void tear_down(struct fixture *f)
{
    lull_amd_device_close(f->d);
    f->k->destroy(f->k);
    lull_layout_done(&f->layout);
    lull_pal_free(f->pipeline);
}

/* With other metadata than the file has. */
static struct lull_error *prepare(struct fixture *f, const struct lull_pal_compute *compute,
                                  const struct lull_pal_launch *launch,
                                  struct lull_amd_dispatch *ret)
{
    struct lull_pal_launch l = *launch;
    l.pipeline = f->pipeline;
    l.layout = &f->layout;
    // lull_pal_parse() allocated it
    memcpy((void *)(uintptr_t)lull_pal_compute(f->pipeline), compute, sizeof *compute);
    return lull_pal_prepare(&l, &f->placed, ret);
}

/* @p n dwords of the tables' buffer by the low half of their address, or NULL. */
static const uint32_t *table(const struct fixture *f, uint32_t low, uint32_t n)
{
    const uint32_t at = low - (uint32_t)f->placed.tables->va;
    return at % 4 == 0 && at <= f->placed.tables->size && 4 * n <= f->placed.tables->size - at
               ? (const uint32_t *)f->placed.tables->map + at / 4
               : NULL;
}

// The buffer at root dwords 4 to 7.
static const struct lull_pal_binding root_buffer = {.set = 1,
                                                    .words = {0x40, 0x50, 0x60, 0x70, 0x80}};

static const struct lull_pal_launch plain = {.bindings = &root_buffer,
                                             .nbindings = 1,
                                             .push = push,
                                             .push_bytes = sizeof push,
                                             .groups = {5, 6, 7},
                                             .block = {8, 4, 2}};

static const struct lull_pal_compute whole = {.user_data_limit = ROOT, .spill_threshold = 0xffff};

/* Root dwords in SGPRs, wherever the metadata put them. */
static void test_sgprs(struct fixture *f)
{
    static const struct {
        const char *name;
        unsigned n;
        uint32_t asked[16], want[16];
    } rows[] = {
        {"none", 0, {0}, {0}},
        {"a buffer in order", 4, {4, 5, 6, 7}, {0x40, 0x50, 0x60, 0x70}},
        {"push constants from the end", 3, {15, 12, 8}, {8, 5, 1}},
        {"unused ones", 4, {UNUSED, 9, UNUSED, 4}, {0, 2, 0, 0x40}},
        {"all sixteen",
         16,
         {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 4, 5, 6, 7},
         {0x40, 0x50, 0x60, 0x70, 1, 2, 3, 4, 5, 6, 7, 8, 0x40, 0x50, 0x60, 0x70}},
        {"a hole of the layout is zero", 2, {1, 3}, {0, 0}},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_amd_dispatch dis = {0};
        struct lull_pal_compute c = whole;
        c.nuser_data = rows[i].n;
        memcpy(c.user_data, rows[i].asked, sizeof c.user_data);
        must(prepare(f, &c, &plain, &dis), rows[i].name);
        unsigned bad = dis.nuser_data != rows[i].n;
        for (unsigned k = 0; k < rows[i].n; k++) {
            bad += dis.user_data[k] != rows[i].want[k];
        }
        test_case(bad == 0, rows[i].name, "%u: %x %x %x %x", dis.nuser_data, dis.user_data[0],
                  dis.user_data[1], dis.user_data[2], dis.user_data[3]);
    }
}

/* The spill table has what the metadata say is read from it, at the dwords of the root table. */
static void test_spill(struct fixture *f)
{
    static const struct {
        const char *name;
        uint32_t threshold, limit;
    } rows[] = {
        {"all of it", 0, ROOT}, {"from the buffer on", 4, ROOT},       {"a part", 6, 10},
        {"nothing", 0xffff, 8}, {"a limit behind the layout", 12, 99}, {"one dword", 8, 9},
    };
    static const uint32_t root[ROOT] = {[4] = 0x40, 0x50, 0x60, 0x70, 1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_amd_dispatch dis = {0};
        const struct lull_pal_compute c = {.spill_threshold = rows[i].threshold,
                                           .user_data_limit = rows[i].limit,
                                           .nuser_data = 1,
                                           .user_data = {SPILL_TABLE}};
        must(prepare(f, &c, &plain, &dis), rows[i].name);
        const uint32_t *got = table(f, dis.user_data[0], ROOT);
        unsigned bad = got == NULL ? ROOT : 0;
        for (unsigned k = 1; got != NULL && k + 1 < ROOT; k++) { // 0 and 16 are addresses
            const bool is_read = k >= rows[i].threshold && k < rows[i].limit;
            bad += got[k] != (is_read ? root[k] : POISON);
        }
        const bool first = rows[i].threshold == 0;
        bad += got != NULL && (got[0] == POISON) == first;
        test_case(bad == 0, rows[i].name, "%u dwords wrong", bad);
    }
}

/* Each thing that an SGPR may point to has a place of its own, in the same 4 GiB as the code. */
static void test_places(struct fixture *f)
{
    struct lull_amd_dispatch dis = {0};
    struct lull_pal_compute c = {.user_data_limit = ROOT, .nuser_data = 6, .entry = 256};
    const uint32_t asked[6] = {SPILL_TABLE, 0, 16, WORKGROUP, UNUSED, GLOBAL_TABLE};
    const uint32_t dwords[6] = {ROOT, SET0, SET2, 3, 0, 1};
    memcpy(c.user_data, asked, sizeof asked);
    must(prepare(f, &c, &plain, &dis), "places");
    for (unsigned i = 0; i < 6; i++) {
        const uint32_t *a = table(f, dis.user_data[i], dwords[i]);
        for (unsigned k = 0; k < i && asked[i] != UNUSED; k++) {
            const uint32_t *b = table(f, dis.user_data[k], dwords[k]);
            test_case(asked[k] == UNUSED ||
                          (a != NULL && b != NULL && (a + dwords[i] <= b || b + dwords[k] <= a)),
                      "tables apart", "%08x and %08x", asked[k], asked[i]);
        }
    }
    const uint64_t end = f->placed.tables->va + f->placed.tables->size;
    test_case(f->placed.code->va >> 32 == end >> 32 && dis.code_va == f->placed.code->va + 256,
              "in the code's 4 GiB", "0x%" PRIx64 " 0x%" PRIx64, dis.code_va, end);
    const uint32_t *groups = table(f, dis.user_data[3], 3);
    test_case(groups != NULL && groups[0] == 5 && groups[1] == 6 && groups[2] == 7 &&
                  dis.user_data[4] == f->placed.tables->va >> 32,
              "numbers of workgroups, by both halves of the address", "%x", dis.user_data[4]);
    c.user_data[5] = SHADER_TABLE;
    must(prepare(f, &c, &plain, &dis), "places");
    const uint32_t *shader = table(f, dis.user_data[5], 1);
    test_case(shader != NULL && *shader == 0, "the shader's table", "%x", dis.user_data[5]);
}

/* Where descriptors go in the table of set 0, and that they touch nothing else. */
static const struct {
    const char *name;
    struct lull_pal_binding b;
    uint32_t at, n; // dwords that are written
    uint32_t want[12];
} descriptors[] = {
    {"buffer", {.binding = 0, .words = {1, 2, 3, 4, 5}}, 0, 4, {1, 2, 3, 4}},
    {"texture and its sampler",
     {.binding = 1,
      .kind = LULL_PAL_IMAGE,
      .words = {1, 2, 3, 4, 5, 6, 7, 8},
      .sampler = {9, 10, 11, 12}},
     4,
     12,
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
    {"the second texture",
     {.binding = 1,
      .element = 1,
      .kind = LULL_PAL_IMAGE,
      .words = {1, 2, 3, 4, 5, 6, 7, 8},
      .sampler = {9, 10, 11, 12}},
     16,
     12,
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
    {"only the sampler of a texture",
     {.binding = 1, .kind = LULL_PAL_SAMPLER, .words = {1, 2, 3, 4, 5}},
     12,
     4,
     {1, 2, 3, 4}},
    {"a known sampler stays",
     {.binding = 2, .kind = LULL_PAL_SAMPLER, .words = {1, 2, 3, 4}},
     28,
     4,
     {146, 4095, 0, 7}},
    {"an address out of a descriptor: 48 bits",
     {.binding = 3, .words = {0x12345678, 0xabcd9abc, 3, 4}},
     32,
     2,
     {0x12345678, 0x9abc}},
    {"image",
     {.binding = 4, .kind = LULL_PAL_IMAGE, .words = {1, 2, 3, 4, 5, 6, 7, 8}, .sampler = {9}},
     34,
     8,
     {1, 2, 3, 4, 5, 6, 7, 8}},
    {"texel buffer",
     {.binding = 5, .kind = LULL_PAL_TEXELS, .words = {1, 2, 3, 4, 5}},
     42,
     4,
     {1, 2, 3, 4}},
    {"sampler",
     {.binding = 6, .kind = LULL_PAL_SAMPLER, .words = {1, 2, 3, 4, 5}},
     46,
     4,
     {1, 2, 3, 4}},
};

static void test_descriptors(struct fixture *f)
{
    for (size_t i = 0; i < TEST_ROWS(descriptors); i++) {
        struct lull_amd_dispatch dis = {0};
        struct lull_pal_compute c = whole;
        struct lull_pal_launch l = plain;
        c.nuser_data = 1; // dword 0: the table
        l.bindings = &descriptors[i].b;
        memset(f->placed.tables->map, 0, f->placed.tables->size);
        must(prepare(f, &c, &l, &dis), descriptors[i].name);
        const uint32_t *got = table(f, dis.user_data[0], SET0);
        static const uint32_t known[4] = {146, 4095, 0, 7};
        unsigned bad = got == NULL ? SET0 : 0;
        for (unsigned k = 0; got != NULL && k < SET0; k++) {
            const bool ours = k - descriptors[i].at < descriptors[i].n;
            const uint32_t other = k - 28 < 4 ? known[k - 28] : 0;
            bad += got[k] != (ours ? descriptors[i].want[k - descriptors[i].at] : other);
        }
        test_case(bad == 0, descriptors[i].name, "%u dwords wrong", bad);
    }
}

/* Workgroups: by the pipeline, by the caller, by both. */
static void test_grid(struct fixture *f)
{
    static const struct {
        const char *name;
        uint32_t groups[3], given[3], said[3], block[3], grid[3];
        const char *text; // NULL: it works
    } rows[] = {
        {"the pipeline's", {5, 6, 7}, {0}, {8, 4, 2}, {8, 4, 2}, {40, 24, 14}, NULL},
        {"what it does not say is 1", {5, 6, 7}, {0}, {64, 0, 0}, {64, 1, 1}, {320, 6, 7}, NULL},
        {"the caller's", {1, 2, 3}, {4, 5, 6}, {0}, {4, 5, 6}, {4, 10, 18}, NULL},
        {"both the same", {1, 1, 1}, {4, 5, 6}, {4, 5, 6}, {4, 5, 6}, {4, 5, 6}, NULL},
        {"1024 items", {1, 1, 1}, {0}, {1024, 1, 1}, {1024, 1, 1}, {1024, 1, 1}, NULL},
        {"not the pipeline's", {1, 1, 1}, {4, 5, 7}, {4, 5, 6}, {0}, {0}, "pipeline's has 4,5,6"},
        {"nobody says", {1, 1, 1}, {0}, {0}, {0}, {0}, "of 0 work-items in dimension 0"},
        {"no groups", {1, 0, 1}, {0}, {8, 4, 2}, {0}, {0}, "0 workgroups of 4 work-items"},
        {"1025 items", {1, 1, 1}, {0}, {1025, 1, 1}, {0}, {0}, "1025 work-items in dimension 0"},
        {"1056 items", {1, 1, 1}, {0}, {32, 33, 1}, {0}, {0}, "workgroup of 1056 work-items"},
        {"2^32 items", {1, 1, 1u << 31}, {0}, {8, 4, 2}, {0}, {0}, "2147483648 workgroups of 2"},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_amd_dispatch dis = {0};
        struct lull_pal_compute c = whole;
        struct lull_pal_launch l = plain;
        memcpy(l.groups, rows[i].groups, sizeof l.groups);
        memcpy(l.block, rows[i].given, sizeof l.block);
        memcpy(c.block, rows[i].said, sizeof c.block);
        struct lull_error *err = prepare(f, &c, &l, &dis);
        const char *said = err != NULL ? lull_error_message(err) : "accepted";
        const bool ok = rows[i].text == NULL
                            ? err == NULL && memcmp(dis.block, rows[i].block, 12) == 0 &&
                                  memcmp(dis.grid, rows[i].grid, 12) == 0
                            : err != NULL && lull_error_code(err) == LULL_ERR_INVALID &&
                                  strstr(said, rows[i].text) != NULL;
        test_case(ok, rows[i].name, "%s: %u,%u,%u in %u,%u,%u", said, dis.grid[0], dis.grid[1],
                  dis.grid[2], dis.block[0], dis.block[1], dis.block[2]);
        lull_error_free(err);
    }
}

/* User data that no driver can give. */
static void test_bad_metadata(struct fixture *f)
{
    static const struct {
        const char *name;
        uint32_t limit, asked[2];
        enum lull_error_code code;
        const char *text;
    } rows[] = {
        {"behind the layout", 99, {4, ROOT}, LULL_ERR_BAD_DATA, "SGPR 1 is given dword 17"},
        {"behind the limit", 9, {8, 9}, LULL_ERR_BAD_DATA, "the pipeline's limit is 9"},
        {"half an address", 9, {8, WORKGROUP}, LULL_ERR_BAD_DATA, "an address, which takes two"},
        {"not linked", 9, {UNLINKED_SET, 8}, LULL_ERR_BAD_DATA, "the pipeline is not linked"},
        {"of vertex shaders", 9, {BASE_VERTEX, 8}, LULL_ERR_UNSUPPORTED, "given 0x10000003"},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_amd_dispatch dis = {0};
        const struct lull_pal_compute c = {.user_data_limit = rows[i].limit,
                                           .nuser_data = 2,
                                           .user_data = {rows[i].asked[0], rows[i].asked[1]}};
        struct lull_error *err = prepare(f, &c, &plain, &dis);
        const char *said = err != NULL ? lull_error_message(err) : "accepted";
        test_case(err != NULL && lull_error_code(err) == rows[i].code &&
                      strstr(said, rows[i].text) != NULL,
                  rows[i].name, "%s", said);
        lull_error_free(err);
    }
}

/* Resources that the layout has no place for. */
static void test_bad_bindings(struct fixture *f)
{
    static const struct {
        const char *name;
        struct lull_pal_binding b;
        size_t push;
        const char *text;
    } rows[] = {
        {"no such set", {.set = 3}, 0, "the layout has no set 3, binding 0"},
        {"no such binding", {.binding = 7}, 0, "the layout has no set 0, binding 7"},
        {"an image for a buffer", {.kind = LULL_PAL_IMAGE}, 0, "and an image is bound"},
        {"a buffer for texels", {.binding = 5}, 0, "and a buffer is bound"},
        {"a sampler for an image",
         {.binding = 4, .kind = LULL_PAL_SAMPLER},
         0,
         "and a sampler is bound"},
        {"a third of two",
         {.binding = 1, .element = 2, .kind = LULL_PAL_IMAGE},
         0,
         "set 0, binding 1[2]: the layout has 2"},
        {"the highest element",
         {.binding = 0, .element = UINT32_MAX},
         0,
         "binding 0[4294967295]: the layout has 1"},
        {"a byte too much to push",
         {.binding = 0},
         33,
         "33 bytes of push constants, the layout has room for 32"},
    };
    static const uint8_t more[64];
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_amd_dispatch dis = {0};
        struct lull_pal_launch l = plain;
        l.bindings = &rows[i].b;
        l.push = more;
        l.push_bytes = rows[i].push;
        struct lull_error *err = prepare(f, &whole, &l, &dis);
        const char *said = err != NULL ? lull_error_message(err) : "accepted";
        test_case(err != NULL && lull_error_code(err) == LULL_ERR_INVALID &&
                      strstr(said, rows[i].text) != NULL,
                  rows[i].name, "%s", said);
        lull_error_free(err);
    }
}

int main(void)
{
    struct fixture f = {0};
    set_up(&f);
    test_sgprs(&f);
    test_spill(&f);
    test_places(&f);
    test_descriptors(&f);
    test_grid(&f);
    test_bad_metadata(&f);
    test_bad_bindings(&f);
    tear_down(&f);
    return test_end();
}
