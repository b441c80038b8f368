// SPDX-License-Identifier: MIT
// Registers whose value leads somewhere: shaders, textures, samplers, memory; counters of drivers.
// Source: shared facts on freedreno, section 4.
#include <inttypes.h>
#include <string.h>

#include "adreno/cffdump/walk.h"

enum { SHADER_DUMP = 64, MEMORY_DUMP = 64, FIRST_COUNTER = 4, COUNTERS = 4 };
enum { LOW_HALF = UINT8_MAX - 1, A_COUNTER = UINT8_MAX }; ///< In lull_cff.special; else row + 1.
enum what { SHADER, MEMORY, TEXTURES, SAMPLERS };
enum { GEN3 = 1 << 3, GEN4 = 1 << 4, GEN5 = 1 << 5, GEN6 = 1 << 6, GEN7 = 1 << 7 };

/** A register; of a5xx the upper half of a pair. */
struct special {
    uint32_t reg;
    uint8_t gens, what;
    const char *ext; ///< Of a shader's file; NULL: not written to one.
    uint32_t count;  ///< Register with the number of TEXTURES or SAMPLERS.
};

static const struct special rows[] = {
    {LULL_A3XX_SP_VS_OBJ_START_REG, GEN3, SHADER, "vo3", 0},
    {LULL_A3XX_SP_FS_OBJ_START_REG, GEN3, SHADER, "fo3", 0},
    {LULL_A3XX_SP_VS_PVT_MEM_ADDR_REG, GEN3, MEMORY, NULL, 0},
    {LULL_A3XX_SP_FS_PVT_MEM_ADDR_REG, GEN3, MEMORY, NULL, 0},
    {LULL_A3XX_VSC_SIZE_ADDRESS, GEN3, MEMORY, NULL, 0},
    {LULL_A3XX_TPL1_TP_FS_BORDER_COLOR_BASE_ADDR, GEN3, MEMORY, NULL, 0},
    {LULL_A4XX_TPL1_TP_VS_BORDER_COLOR_BASE_ADDR, GEN4, MEMORY, NULL, 0},
    {LULL_A4XX_TPL1_TP_HS_BORDER_COLOR_BASE_ADDR, GEN4, MEMORY, NULL, 0},
    {LULL_A4XX_TPL1_TP_DS_BORDER_COLOR_BASE_ADDR, GEN4, MEMORY, NULL, 0},
    {LULL_A4XX_TPL1_TP_GS_BORDER_COLOR_BASE_ADDR, GEN4, MEMORY, NULL, 0},
    {LULL_A4XX_TPL1_TP_FS_BORDER_COLOR_BASE_ADDR, GEN4, MEMORY, NULL, 0},
    {LULL_A5XX_TPL1_TP_BORDER_COLOR_BASE_ADDR_HI, GEN5, MEMORY, NULL, 0},
    {LULL_A4XX_SP_VS_OBJ_START, GEN4, SHADER, "vo3", 0},
    {LULL_A4XX_SP_VS_PVT_MEM_ADDR, GEN4, MEMORY, NULL, 0},
    {LULL_A5XX_SP_VS_OBJ_START_HI, GEN5, SHADER, "vo3", 0},
    {LULL_A5XX_TPL1_VS_TEX_CONST_HI, GEN5, TEXTURES, NULL, LULL_A5XX_TPL1_VS_TEX_COUNT},
    {LULL_A5XX_TPL1_VS_TEX_SAMP_HI, GEN5, SAMPLERS, NULL, LULL_A5XX_TPL1_VS_TEX_COUNT},
    {LULL_A6XX_SP_VS_OBJ_START, GEN6 | GEN7, SHADER, "vo3", 0},
    {LULL_A6XX_SP_VS_TEX_CONST, GEN6, MEMORY, NULL, 0},
    {LULL_A6XX_SP_VS_TEX_SAMP, GEN6, MEMORY, NULL, 0},
    {LULL_A4XX_SP_HS_OBJ_START, GEN4, SHADER, NULL, 0},
    {LULL_A4XX_SP_HS_PVT_MEM_ADDR, GEN4, MEMORY, NULL, 0},
    {LULL_A5XX_SP_HS_OBJ_START_HI, GEN5, SHADER, NULL, 0},
    {LULL_A5XX_TPL1_HS_TEX_CONST_HI, GEN5, TEXTURES, NULL, LULL_A5XX_TPL1_HS_TEX_COUNT},
    {LULL_A5XX_TPL1_HS_TEX_SAMP_HI, GEN5, SAMPLERS, NULL, LULL_A5XX_TPL1_HS_TEX_COUNT},
    {LULL_A6XX_SP_HS_OBJ_START, GEN6 | GEN7, SHADER, NULL, 0},
    {LULL_A6XX_SP_HS_TEX_CONST, GEN6, MEMORY, NULL, 0},
    {LULL_A6XX_SP_HS_TEX_SAMP, GEN6, MEMORY, NULL, 0},
    {LULL_A4XX_SP_DS_OBJ_START, GEN4, SHADER, NULL, 0},
    {LULL_A4XX_SP_DS_PVT_MEM_ADDR, GEN4, MEMORY, NULL, 0},
    {LULL_A5XX_SP_DS_OBJ_START_HI, GEN5, SHADER, NULL, 0},
    {LULL_A5XX_TPL1_DS_TEX_CONST_HI, GEN5, TEXTURES, NULL, LULL_A5XX_TPL1_DS_TEX_COUNT},
    {LULL_A5XX_TPL1_DS_TEX_SAMP_HI, GEN5, SAMPLERS, NULL, LULL_A5XX_TPL1_DS_TEX_COUNT},
    {LULL_A6XX_SP_DS_OBJ_START, GEN6 | GEN7, SHADER, NULL, 0},
    {LULL_A6XX_SP_DS_TEX_CONST, GEN6, MEMORY, NULL, 0},
    {LULL_A6XX_SP_DS_TEX_SAMP, GEN6, MEMORY, NULL, 0},
    {LULL_A4XX_SP_GS_OBJ_START, GEN4, SHADER, "go3", 0},
    {LULL_A4XX_SP_GS_PVT_MEM_ADDR, GEN4, MEMORY, NULL, 0},
    {LULL_A5XX_SP_GS_OBJ_START_HI, GEN5, SHADER, "go3", 0},
    {LULL_A5XX_TPL1_GS_TEX_CONST_HI, GEN5, TEXTURES, NULL, LULL_A5XX_TPL1_GS_TEX_COUNT},
    {LULL_A5XX_TPL1_GS_TEX_SAMP_HI, GEN5, SAMPLERS, NULL, LULL_A5XX_TPL1_GS_TEX_COUNT},
    {LULL_A6XX_SP_GS_OBJ_START, GEN6 | GEN7, SHADER, "go3", 0},
    {LULL_A6XX_SP_GS_TEX_CONST, GEN6, MEMORY, NULL, 0},
    {LULL_A6XX_SP_GS_TEX_SAMP, GEN6, MEMORY, NULL, 0},
    {LULL_A4XX_SP_FS_OBJ_START, GEN4, SHADER, "fo3", 0},
    {LULL_A4XX_SP_FS_PVT_MEM_ADDR, GEN4, MEMORY, NULL, 0},
    {LULL_A5XX_SP_FS_OBJ_START_HI, GEN5, SHADER, "fo3", 0},
    {LULL_A5XX_TPL1_FS_TEX_CONST_HI, GEN5, TEXTURES, NULL, LULL_A5XX_TPL1_FS_TEX_COUNT},
    {LULL_A5XX_TPL1_FS_TEX_SAMP_HI, GEN5, SAMPLERS, NULL, LULL_A5XX_TPL1_FS_TEX_COUNT},
    {LULL_A6XX_SP_FS_OBJ_START, GEN6 | GEN7, SHADER, "fo3", 0},
    {LULL_A6XX_SP_FS_TEX_CONST, GEN6, MEMORY, NULL, 0},
    {LULL_A6XX_SP_FS_TEX_SAMP, GEN6, MEMORY, NULL, 0},
    {LULL_A4XX_SP_CS_OBJ_START, GEN4, SHADER, "co3", 0},
    {LULL_A4XX_SP_CS_PVT_MEM_ADDR, GEN4, MEMORY, NULL, 0},
    {LULL_A5XX_SP_CS_OBJ_START_HI, GEN5, SHADER, "co3", 0},
    {LULL_A5XX_TPL1_CS_TEX_CONST_HI, GEN5, TEXTURES, NULL, LULL_A5XX_TPL1_CS_TEX_COUNT},
    {LULL_A5XX_TPL1_CS_TEX_SAMP_HI, GEN5, SAMPLERS, NULL, LULL_A5XX_TPL1_CS_TEX_COUNT},
    {LULL_A6XX_SP_CS_OBJ_START, GEN6 | GEN7, SHADER, "co3", 0},
    {LULL_A6XX_SP_CS_TEX_CONST, GEN6, MEMORY, NULL, 0},
    {LULL_A6XX_SP_CS_TEX_SAMP, GEN6, MEMORY, NULL, 0},
};

/** The first of the scratch registers that drivers keep counters in. */
static uint32_t scratch(unsigned gen)
{
    static const uint32_t first[] = {
        [2] = LULL_AXXX_CP_SCRATCH_REG0, [3] = LULL_AXXX_CP_SCRATCH_REG0,
        [4] = LULL_A4XX_CP_SCRATCH_REG,  [5] = LULL_A5XX_CP_SCRATCH_REG,
        [6] = LULL_A6XX_CP_SCRATCH_REG,  [7] = LULL_A6XX_CP_SCRATCH_REG,
    };
    return first[gen];
}

void lull_cff_set_special(struct lull_cff *c)
{
    enum { NROWS = sizeof rows / sizeof rows[0] };
    for (unsigned i = 0; i < NROWS; i++) { // fewer than 254
        if ((rows[i].gens >> c->gen & 1) != 0) {
            c->special[rows[i].reg] = (uint8_t)(i + 1);
            if (c->gen == 5) {
                c->special[rows[i].reg - 1] = LOW_HALF;
            }
        }
    }
    // Any of the older generations' eight leads to the four, of a5xx and a6xx only these.
    const unsigned first = c->gen >= 5 ? FIRST_COUNTER : 0;
    for (unsigned i = first; i < FIRST_COUNTER + COUNTERS && c->gen != 7; i++) {
        c->special[scratch(c->gen) + i] = A_COUNTER;
    }
}

static void shader(struct lull_cff *c, uint64_t address, const char *ext, unsigned level)
{
    const struct lull_cff_words w = lull_cff_memory(c, address & ~UINT64_C(15), UINT32_MAX);
    if (w.n > 0) {
        lull_cff_hex(c, lull_cff_part(w, 0, SHADER_DUMP), level + 1);
        lull_cff_shader(c, w, level + 1, true);
        lull_cff_shader_file(c, w, ext);
    }
}

static void counters(struct lull_cff *c, unsigned level)
{
    const uint32_t *v = &c->vals[scratch(c->gen) + FIRST_COUNTER];
    lull_cff_say(c, 3, "%s:%u,%u,%u,%u\n", lull_cff_tabs(level), v[0], v[1], v[2], v[3]);
}

void lull_cff_special(struct lull_cff *c, uint32_t reg, uint64_t value, unsigned level)
{
    const uint8_t which = c->special[reg];
    if (which == 0) {
        return;
    }
    if (which == LOW_HALF) {
        c->low_half = (uint32_t)value;
        return;
    }
    if (which == A_COUNTER) {
        counters(c, level);
        return;
    }
    const struct special *s = &rows[which - 1];
    const uint64_t address = c->gen == 5 ? value << 32 | c->low_half : value;
    if (s->what == TEXTURES || s->what == SAMPLERS) {
        if (c->in_summary && (!lull_cff_quiet(c, 2) || c->o.script != NULL)) {
            lull_cff_descriptors(c, s->what == TEXTURES, address, c->vals[s->count], level + 2);
        }
    } else if (lull_cff_quiet(c, 3)) {
        return;
    } else if (s->what == SHADER) {
        shader(c, address, s->ext, level);
    } else {
        lull_cff_hex(c, lull_cff_memory(c, address, MEMORY_DUMP), level + 1);
    }
}
