// SPDX-License-Identifier: MIT
/** @file
 * Shaders of a whole capture of a6xx or a7xx: which there are, and the dwords of its packets that
 * say where their code is and what it needs, so that other code can run in their place.
 */
#ifndef LULL_ADRENO_REPLAY_SHADERS_H
#define LULL_ADRENO_REPLAY_SHADERS_H

#include <stdbool.h>

#include "adreno/replay/edit.h"

enum lull_rp_stage {
    LULL_RP_VS,
    LULL_RP_HS,
    LULL_RP_DS,
    LULL_RP_GS,
    LULL_RP_FS,
    LULL_RP_CS,
    LULL_RP_STAGES
};
extern const char *const lull_rp_stage_names[LULL_RP_STAGES]; ///< "VS" ...

/** Code that draws or dispatches run. */
struct lull_rp_shader {
    uint64_t hash; ///< As lull rd show has it.
    enum lull_rp_stage stage;
    size_t draws;    ///< Draws and dispatches with it, tiles counted.
    uint64_t *words; ///< Owned.
    size_t n;
    /* As the packets say it, the most of all: */
    unsigned registers;     ///< FULLREGFOOTPRINT: of four components.
    uint64_t private_bytes; ///< Of a fiber.
    uint32_t fibers;        ///< Of a workgroup; 0: not of a CS.
    bool wide;              ///< THREADSIZE: waves of 128 fibers.
    bool can_spill;         ///< All that sets private memory is in the capture.
    /** Number of the first register, 4 times its name's, and its component, plus 1, that begins
     * with the workgroup's id, or, of an FS, with the pixel's place; 0: none. */
    unsigned group_reg, pixel_reg;
};

/** A dword that says something of a shader. */
struct lull_rp_site {
    size_t shader, submit;
    uint64_t address;
    uint8_t what;
};

/** Zero-initialise; lull_rp_shaders_done(). */
struct lull_rp_shaders {
    unsigned gen;
    size_t n, nsites, sites_room;
    struct lull_rp_shader *all;
    struct lull_rp_site *sites;
};

/** @p gen: 6 or 7. */
struct lull_error *lull_rp_shaders_find(struct lull_rp_shaders *s, const struct lull_rp_capture *c,
                                        unsigned gen) LULL_MUST_USE;
void lull_rp_shaders_done(struct lull_rp_shaders *s);

/** What takes a shader's place. */
struct lull_rp_code {
    const uint64_t *words;
    size_t n;
    uint64_t address;   ///< Of the code, a multiple of 128.
    unsigned registers; ///< That it needs.
    unsigned branches;  ///< More on the branch stack than before.
    /* Private memory; fiber_bytes 0: as it was. */
    uint64_t priv, fiber_bytes, sp_bytes;
};

/**
 * The packets run @p code in place of shader @p which. The buffers are for the caller.
 *
 * @return LULL_ERR_UNSUPPORTED: they do not say it in dwords that the capture has.
 */
struct lull_error *lull_rp_shaders_replace(const struct lull_rp_shaders *s,
                                           struct lull_rp_capture *c, size_t which,
                                           const struct lull_rp_code *code) LULL_MUST_USE;

/** The lowest address, behind the first buffer, of @p bytes that no submit has, a multiple of a
 * page, not across 4 GiB, and with a page to its neighbours. */
struct lull_error *lull_rp_capture_hole(const struct lull_rp_capture *c, uint64_t bytes,
                                        uint64_t *ret) LULL_MUST_USE;
/** A buffer more in every submit; @p data: its contents, or NULL. */
struct lull_error *lull_rp_capture_add(struct lull_rp_capture *c,
                                       const struct lull_rp_buffer *b) LULL_MUST_USE;

#endif
