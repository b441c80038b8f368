// SPDX-License-Identifier: MIT
// Registers and packets of a dispatch.
//
// Source: Mesa 25.0.7 src/freedreno/computerator/a6xx.cc and vulkan/tu_shader.cc: which are set, in
// which order, and to what.
#include "target/adreno/stream.h"

#include <string.h>

enum {
    PRIVATE_UNIT = 512,
    PAGE = 4096,
    KIB = 1024,
    TILE_WIDTH = 4,
    GPU_A7XX = 7,
    BUFFER_ALIGN = 64,
};

static uint64_t up(uint64_t v, uint64_t to)
{
    return (v + to - 1) / to * to;
}

static uint64_t private_of_fiber(const struct lull_adreno_kernel *k)
{
    uint64_t bytes = PRIVATE_UNIT;
    while (bytes < k->private_bytes) {
        bytes *= 2;
    }
    return bytes;
}

static uint64_t private_of_sp(const struct lull_adreno_kernel *k, const struct lull_achip *chip)
{
    return up(private_of_fiber(k) * chip->fibers_per_sp, PAGE);
}

uint64_t lull_adreno_private_bytes(const struct lull_adreno_kernel *k,
                                   const struct lull_achip *chip)
{
    return k->private_bytes != 0 ? private_of_sp(k, chip) * chip->sps : 0;
}

struct lull_error *lull_adreno_descriptor(unsigned gen, uint64_t address,
                                          const struct lull_adreno_buffer *b,
                                          uint32_t ret[LULL_ADRENO_DESCRIPTOR])
{
    enum { WIDTH_BITS = 15 };
    const uint32_t dwords = b->dwords;
    if (b->uniform) {
        const struct lull_abuild_set *uniform = LULL_ABUILD_SET(
            lull_anumber("BASE_LO", address & UINT32_MAX), lull_anumber("BASE_HI", address >> 32),
            lull_anumber("SIZE", up(dwords, 4) / 4));
        return lull_abuild_descriptor(gen, "A6XX_UBO", uniform, ret, LULL_ADRENO_DESCRIPTOR);
    }
    const uint64_t base = address / BUFFER_ALIGN * BUFFER_ALIGN;
    const struct lull_abuild_set *sets = LULL_ABUILD_SET(
        lull_aword("FMT", "FMT6_32_UINT"), lull_aword("SWIZ_X", "A6XX_TEX_X"),
        lull_aword("SWIZ_Y", "A6XX_TEX_Y"), lull_aword("SWIZ_Z", "A6XX_TEX_Z"),
        lull_aword("SWIZ_W", "A6XX_TEX_W"),
        lull_anumber("WIDTH", dwords & ((1u << WIDTH_BITS) - 1)),
        lull_anumber("HEIGHT", dwords >> WIDTH_BITS), lull_anumber("STRUCTSIZETEXELS", 1),
        lull_anumber("STARTOFFSETTEXELS", (address - base) / 4),
        lull_aword("TYPE", "A6XX_TEX_BUFFER"), lull_anumber("BASE_LO", base & UINT32_MAX),
        lull_anumber("BASE_HI", base >> 32));
    return lull_abuild_descriptor(gen, "A6XX_TEX_CONST", sets, ret, LULL_ADRENO_DESCRIPTOR);
}

static void value(struct lull_abuild *b, const char *name, uint64_t v)
{
    lull_abuild_reg(b, name, LULL_ABUILD_SET(lull_anumber(name, v)));
}

/** "CONSTLEN_256": how many vectors of constants memory is set aside for. */
static const char *constants_mode(const struct lull_adreno_kernel *k)
{
    const unsigned n = k->nconsts / 4;
    return n > 256   ? "CONSTLEN_512"
           : n > 192 ? "CONSTLEN_256"
           : n > 128 ? "CONSTLEN_192"
                     : "CONSTLEN_128";
}

static void shader(struct lull_abuild *b, const struct lull_adreno_dispatch *d)
{
    const struct lull_adreno_kernel *k = d->launch->kernel;
    const uint64_t threads = lull_adreno_is_wide(k, d->chip);
    const uint64_t shared = k->shared > 2 * KIB ? (k->shared - 1) / KIB : 1;
    unsigned storage = 0;
    for (unsigned i = 0; i < k->nbuffers; i++) {
        storage += !k->buffers[i].uniform;
    }
    lull_abuild_reg(b, "SP_MODE_CONTROL",
                    LULL_ABUILD_SET(lull_anumber("CONSTANT_DEMOTION_ENABLE", 1),
                                    lull_aword("ISAMMODE", "ISAMMODE_GL")));
    lull_abuild_reg(b, "HLSQ_INVALIDATE_CMD",
                    LULL_ABUILD_SET(lull_anumber("VS_STATE", 1), lull_anumber("HS_STATE", 1),
                                    lull_anumber("DS_STATE", 1), lull_anumber("GS_STATE", 1),
                                    lull_anumber("FS_STATE", 1), lull_anumber("CS_STATE", 1),
                                    lull_anumber("CS_IBO", 1), lull_anumber("GFX_IBO", 1),
                                    lull_anumber("CS_BINDLESS", 0x1f)));
    lull_abuild_reg(b, "HLSQ_CS_CNTL",
                    LULL_ABUILD_SET(lull_anumber("CONSTLEN", up(k->nconsts / 4, 4)),
                                    lull_anumber("ENABLED", 1)));
    lull_abuild_reg(b, "SP_CS_CONFIG",
                    LULL_ABUILD_SET(lull_anumber("ENABLED", 1), lull_anumber("BINDLESS_TEX", 1),
                                    lull_anumber("BINDLESS_IBO", 1),
                                    lull_anumber("BINDLESS_UBO", 1),
                                    lull_anumber("NIBO", storage)));
    lull_abuild_reg(b, "SP_CS_CTRL_REG0",
                    LULL_ABUILD_SET(lull_anumber("FULLREGFOOTPRINT", k->registers),
                                    lull_anumber("BRANCHSTACK", (k->branches + 1) / 2),
                                    lull_anumber("THREADSIZE", threads),
                                    lull_anumber("EARLYPREAMBLE", k->early_preamble),
                                    lull_anumber("MERGEDREGS", 1)));
    lull_abuild_reg(b, "SP_CS_CTRL_REG1",
                    LULL_ABUILD_SET(lull_anumber("SHARED_SIZE", shared),
                                    lull_aword("CONSTANTRAMMODE", constants_mode(k))));
    if (d->chip->gen < GPU_A7XX && d->chip->lpac != 0) {
        lull_abuild_reg(b, "HLSQ_CS_CTRL_REG1",
                        LULL_ABUILD_SET(lull_anumber("SHARED_SIZE", shared),
                                        lull_aword("CONSTANTRAMMODE", constants_mode(k))));
    }
    value(b, "SP_CS_OBJ_START", d->code);
    value(b, "SP_CS_INSTRLEN", d->code_units);
}

/** Registers that hardware fills, and the size of waves. */
static void inputs(struct lull_abuild *b, const struct lull_adreno_dispatch *d)
{
    const struct lull_adreno_kernel *k = d->launch->kernel;
    const struct lull_abuild_set *ids = LULL_ABUILD_SET(
        lull_anumber("WGIDCONSTID", k->group_id), lull_anumber("WGSIZECONSTID", LULL_ADRENO_NO_REG),
        lull_anumber("WGOFFSETCONSTID", LULL_ADRENO_NO_REG),
        lull_anumber("LOCALIDREGID", k->local_id));
    const struct lull_abuild_set *size =
        LULL_ABUILD_SET(lull_anumber("LINEARLOCALIDREGID", k->linear_id),
                        lull_anumber("THREADSIZE", lull_adreno_is_wide(k, d->chip)));
    if (d->chip->gen >= GPU_A7XX) {
        const uint32_t y = k->local[1];
        const uint64_t height = y % 8 == 0 ? 3 : y % 4 == 0 ? 5 : y % 2 == 0 ? 9 : 17;
        lull_abuild_reg(b, "HLSQ_CS_CNTL_1",
                        LULL_ABUILD_SET(lull_anumber("LINEARLOCALIDREGID", k->linear_id),
                                        lull_anumber("THREADSIZE", lull_adreno_is_wide(k, d->chip)),
                                        lull_anumber("WORKGROUPRASTORDERZFIRSTEN", 1),
                                        lull_anumber("WGTILEWIDTH", TILE_WIDTH),
                                        lull_anumber("WGTILEHEIGHT", height)));
    } else {
        lull_abuild_reg(b, "HLSQ_CS_CNTL_0", ids);
        lull_abuild_reg(b, "HLSQ_CS_CNTL_1", size);
    }
    if (d->chip->lpac != 0) {
        lull_abuild_reg(b, "SP_CS_CNTL_0", ids);
        lull_abuild_reg(b, "SP_CS_CNTL_1", size);
    }
}

static void private_memory(struct lull_abuild *b, const struct lull_adreno_dispatch *d)
{
    const struct lull_adreno_kernel *k = d->launch->kernel;
    if (d->priv == 0) {
        return;
    }
    const uint64_t sp = private_of_sp(k, d->chip);
    lull_abuild_reg(b, "SP_CS_PVT_MEM_PARAM",
                    LULL_ABUILD_SET(lull_anumber("MEMSIZEPERITEM", private_of_fiber(k))));
    value(b, "SP_CS_PVT_MEM_ADDR", d->priv);
    lull_abuild_reg(
        b, "SP_CS_PVT_MEM_SIZE",
        LULL_ABUILD_SET(lull_anumber("TOTALPVTMEMSIZE", sp), lull_anumber("PERWAVEMEMLAYOUT", 1)));
    lull_abuild_reg(b, "SP_CS_PVT_MEM_HW_STACK_OFFSET",
                    LULL_ABUILD_SET(lull_anumber("OFFSET", sp)));
}

/** CP_LOAD_STATE6: @p units of @p type from @p at; 0: @p n dwords behind the packet. */
static uint32_t *load(struct lull_abuild *b, const char *type, const uint64_t units[2], uint64_t at,
                      uint32_t n)
{
    enum { HEAD = 3 };
    uint32_t *words = lull_abuild_packet(
        b, "CP_LOAD_STATE6_FRAG", HEAD + n,
        LULL_ABUILD_SET(lull_anumber("DST_OFF", units[0]), lull_aword("STATE_TYPE", type),
                        lull_aword("STATE_SRC", at != 0 ? "SS6_INDIRECT" : "SS6_DIRECT"),
                        lull_aword("STATE_BLOCK", "SB6_CS_SHADER"),
                        lull_anumber("NUM_UNIT", units[1]), lull_anumber("EXT_SRC_ADDR", at)));
    return words != NULL ? words + HEAD : NULL;
}

static void code(struct lull_abuild *b, const struct lull_adreno_dispatch *d)
{
    const uint32_t most = d->chip->code_units;
    const uint64_t units[2] = {0, d->code_units < most ? d->code_units : most};
    (void)load(b, "ST6_SHADER", units, d->code, 0);
}

/** All constants, with addresses of buffers and the number of groups where they belong. */
static void constants(struct lull_abuild *b, const struct lull_adreno_dispatch *d)
{
    enum { PIECE = 512 }; // Vectors; NUM_UNIT has 10 bits.
    const struct lull_adreno_kernel *k = d->launch->kernel;
    uint32_t all[LULL_ADRENO_CONSTS];
    memcpy(all, k->consts, sizeof all);
    for (unsigned i = 0; i < k->nbuffers; i++) {
        const int at = k->buffers[i].address;
        if (at >= 0) { // The header has made sure that there is room.
            all[at] = (uint32_t)d->launch->buffers[i]->iova;
            all[at + 1] = (uint32_t)(d->launch->buffers[i]->iova >> 32);
        }
    }
    if (k->groups_const >= 0) {
        memcpy(all + k->groups_const, d->launch->groups, sizeof d->launch->groups);
    }
    _Static_assert(LULL_ADRENO_CONSTS / 4 <= PIECE, "one packet");
    const uint64_t units[2] = {0, k->nconsts / 4};
    uint32_t *to = k->nconsts != 0 ? load(b, "ST6_CONSTANTS", units, 0, k->nconsts) : NULL;
    if (to != NULL) {
        memcpy(to, all, k->nconsts * sizeof *all);
    }
}

static void buffers(struct lull_abuild *b, const struct lull_adreno_dispatch *d)
{
    enum { UNIFORM_DWORDS = 2 };
    const struct lull_adreno_kernel *k = d->launch->kernel;
    uint64_t storage = 0, uniform = 0;
    for (unsigned i = 0; i < k->nbuffers; i++) {
        uint32_t words[LULL_ADRENO_DESCRIPTOR];
        const uint64_t at = d->launch->buffers[i]->iova, units[2] = {uniform, 1};
        if (!k->buffers[i].uniform) {
            storage++;
            continue;
        }
        uniform++;
        struct lull_error *err = lull_adreno_descriptor(d->chip->gen, at, &k->buffers[i], words);
        uint32_t *to = load(b, "ST6_UBO", units, 0, UNIFORM_DWORDS);
        if (to != NULL && err == NULL) {
            memcpy(to, words, UNIFORM_DWORDS * sizeof *words);
        }
        if (b->err == NULL) {
            b->err = err;
        } else {
            lull_error_free(err);
        }
    }
    if (storage != 0) {
        const uint64_t units[2] = {0, storage};
        (void)load(b, "ST6_IBO", units, d->descriptors, 0);
        value(b, "SP_CS_IBO", d->descriptors);
        value(b, "SP_CS_IBO_COUNT", storage);
    }
}

/** All heaps are one. On a7xx SP_CS_IBO lies where the table has base 5. */
static void heaps(struct lull_abuild *b, const struct lull_adreno_dispatch *d)
{
    enum { HEAPS = 5 };
    static const char *const names[] = {"SP_CS_BINDLESS_BASE", "HLSQ_CS_BINDLESS_BASE"};
    const unsigned kinds = d->chip->gen >= GPU_A7XX ? 1 : 2;
    for (unsigned i = 0; i < HEAPS * kinds; i++) {
        lull_abuild_element(b, names[i / HEAPS], i % HEAPS,
                            LULL_ABUILD_SET(lull_aword("DESC_SIZE", "BINDLESS_DESCRIPTOR_64B"),
                                            lull_anumber("ADDR", d->bindless)));
    }
}

static void range(struct lull_abuild *b, const struct lull_adreno_dispatch *d)
{
    static const char *const sizes[3][2] = {{"HLSQ_CS_NDRANGE_1", "GLOBALSIZE_X"},
                                            {"HLSQ_CS_NDRANGE_3", "GLOBALSIZE_Y"},
                                            {"HLSQ_CS_NDRANGE_5", "GLOBALSIZE_Z"}};
    const uint32_t *local = d->launch->kernel->local;
    lull_abuild_reg(b, "HLSQ_CS_NDRANGE_0",
                    LULL_ABUILD_SET(lull_anumber("KERNELDIM", 3),
                                    lull_anumber("LOCALSIZEX", local[0] - 1),
                                    lull_anumber("LOCALSIZEY", local[1] - 1),
                                    lull_anumber("LOCALSIZEZ", local[2] - 1)));
    if (d->chip->gen >= GPU_A7XX) {
        lull_abuild_reg(b, "HLSQ_CS_LAST_LOCAL_SIZE",
                        LULL_ABUILD_SET(lull_anumber("LOCALSIZEX", local[0] - 1),
                                        lull_anumber("LOCALSIZEY", local[1] - 1),
                                        lull_anumber("LOCALSIZEZ", local[2] - 1)));
    }
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t all = (uint64_t)local[i] * d->launch->groups[i];
        lull_abuild_reg(b, sizes[i][0], LULL_ABUILD_SET(lull_anumber(sizes[i][1], all)));
    }
    value(b, "HLSQ_CS_NDRANGE_2", 0);
    value(b, "HLSQ_CS_NDRANGE_4", 0);
    value(b, "HLSQ_CS_NDRANGE_6", 0);
    value(b, "HLSQ_CS_KERNEL_GROUP_X", 1);
    value(b, "HLSQ_CS_KERNEL_GROUP_Y", 1);
    value(b, "HLSQ_CS_KERNEL_GROUP_Z", 1);
}

void lull_adreno_stream(struct lull_abuild *b, const struct lull_adreno_dispatch *d)
{
    const uint32_t *groups = d->launch->groups;
    const bool seven = d->chip->gen >= GPU_A7XX;
    b->gen = d->chip->gen;
    if (seven) {
        (void)lull_abuild_packet(b, "CP_THREAD_CONTROL", 1,
                                 LULL_ABUILD_SET(lull_aword("THREAD", "CP_SET_THREAD_BR"),
                                                 lull_anumber("CONCURRENT_BIN_DISABLE", 1)));
    }
    shader(b, d);
    inputs(b, d);
    private_memory(b, d);
    code(b, d);
    constants(b, d);
    buffers(b, d);
    heaps(b, d);
    (void)lull_abuild_packet(b, "CP_SET_MARKER", 1,
                             LULL_ABUILD_SET(lull_aword("MODE", "RM6_COMPUTE")));
    range(b, d);
    (void)lull_abuild_packet(b, "CP_EXEC_CS", 4,
                             LULL_ABUILD_SET(lull_anumber("NGROUPS_X", groups[0]),
                                             lull_anumber("NGROUPS_Y", groups[1]),
                                             lull_anumber("NGROUPS_Z", groups[2])));
    (void)lull_abuild_packet(b, "CP_WAIT_FOR_IDLE", 0, NULL);
}
