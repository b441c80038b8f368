// SPDX-License-Identifier: MIT
#include "adreno/stream/load.h"

#include "hw/adreno_doms.h"

static enum lull_load_what kind(unsigned block, unsigned type)
{
    static const enum lull_load_what texture[] = {LULL_LOAD_SAMPLERS, LULL_LOAD_TEXTURES,
                                                  LULL_LOAD_UBOS, LULL_LOAD_NOTHING};
    static const enum lull_load_what shader[] = {LULL_LOAD_SHADER, LULL_LOAD_CONSTANTS,
                                                 LULL_LOAD_UBOS, LULL_LOAD_NOTHING};
    static const enum lull_load_what ssbo[] = {LULL_LOAD_IBOS, LULL_LOAD_SSBO_SIZES,
                                               LULL_LOAD_SSBO_ADDRESSES, LULL_LOAD_NOTHING};
    if (block <= 5) {
        return texture[type];
    }
    if (block == 6 || block == 7) {
        return block == 6 && type == 2   ? LULL_LOAD_UBOS
               : block == 7 && type == 1 ? LULL_LOAD_PAIRS
                                         : LULL_LOAD_NOTHING;
    }
    if (block <= 0xd) {
        return block == 0xd && type == 3 ? LULL_LOAD_IBOS : shader[type];
    }
    return ssbo[type];
}

/** The same of a3xx, whose blocks are others. */
static enum lull_load_what kind_a3xx(unsigned block, unsigned type)
{
    static const enum lull_load_what texture[] = {LULL_LOAD_SAMPLERS, LULL_LOAD_TEXTURES,
                                                  LULL_LOAD_NOTHING, LULL_LOAD_NOTHING};
    static const enum lull_load_what shader[] = {LULL_LOAD_SHADER, LULL_LOAD_CONSTANTS,
                                                 LULL_LOAD_NOTHING, LULL_LOAD_NOTHING};
    return block == 0 || block == 2   ? texture[type]
           : block == 4 || block == 6 ? shader[type]
                                      : LULL_LOAD_NOTHING;
}

uint32_t lull_load_unit(unsigned gen, enum lull_load_what what)
{
    enum { A3, A4, A5, A6, GENS };
    static const uint8_t dwords[LULL_LOAD_STATES][GENS] = {
        [LULL_LOAD_NOTHING] = {1, 1, 1, 1},        [LULL_LOAD_SHADER] = {8, 32, 32, 32},
        [LULL_LOAD_CONSTANTS] = {2, 4, 4, 4},      [LULL_LOAD_SAMPLERS] = {2, 2, 4, 4},
        [LULL_LOAD_TEXTURES] = {4, 8, 12, 16},     [LULL_LOAD_UBOS] = {2, 2, 2, 2},
        [LULL_LOAD_IBOS] = {4, 4, 4, 16},          [LULL_LOAD_SSBO_SIZES] = {2, 2, 2, 2},
        [LULL_LOAD_SSBO_ADDRESSES] = {2, 2, 2, 2}, [LULL_LOAD_PAIRS] = {2, 2, 2, 2},
    };
    return dwords[what][gen <= 3 ? A3 : gen == 4 ? A4 : gen == 5 ? A5 : A6];
}

int lull_load_domain(unsigned gen, enum lull_load_what what)
{
    static const int16_t domains[LULL_LOAD_STATES][8] = {
        [LULL_LOAD_SAMPLERS] = {[3] = LULL_ADRENO_DOM_A3XX_TEX_SAMP,
                                LULL_ADRENO_DOM_A4XX_TEX_SAMP,
                                LULL_ADRENO_DOM_A5XX_TEX_SAMP,
                                LULL_ADRENO_DOM_A6XX_TEX_SAMP,
                                LULL_ADRENO_DOM_A6XX_TEX_SAMP},
        [LULL_LOAD_TEXTURES] = {[3] = LULL_ADRENO_DOM_A3XX_TEX_CONST,
                                LULL_ADRENO_DOM_A4XX_TEX_CONST,
                                LULL_ADRENO_DOM_A5XX_TEX_CONST,
                                LULL_ADRENO_DOM_A6XX_TEX_CONST,
                                LULL_ADRENO_DOM_A6XX_TEX_CONST},
        [LULL_LOAD_UBOS] = {[5] = LULL_ADRENO_DOM_A5XX_UBO,
                            LULL_ADRENO_DOM_A6XX_UBO,
                            LULL_ADRENO_DOM_A6XX_UBO},
        [LULL_LOAD_IBOS] = {[4] = LULL_ADRENO_DOM_A4XX_SSBO_0,
                            LULL_ADRENO_DOM_A5XX_SSBO_0,
                            LULL_ADRENO_DOM_A6XX_TEX_CONST,
                            LULL_ADRENO_DOM_A6XX_TEX_CONST},
        [LULL_LOAD_SSBO_SIZES] = {[4] = LULL_ADRENO_DOM_A4XX_SSBO_1, LULL_ADRENO_DOM_A5XX_SSBO_1},
        [LULL_LOAD_SSBO_ADDRESSES] = {[5] = LULL_ADRENO_DOM_A5XX_SSBO_2},
    };
    return domains[what][gen] != 0 ? domains[what][gen] : -1;
}

enum lull_load_what lull_load_what(unsigned gen, unsigned block, unsigned type)
{
    return gen == 3 ? kind_a3xx(block, type & 3) : kind(block & 15, type & 3);
}
