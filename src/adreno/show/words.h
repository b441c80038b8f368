// SPDX-License-Identifier: MIT
/** @file
 * Parts of a capture in words: values, descriptors, constants, draws, shaders. What the visitors of
 * a walk have in common.
 */
#ifndef LULL_ADRENO_SHOW_WORDS_H
#define LULL_ADRENO_SHOW_WORDS_H

#include "adreno/show/capture.h"
#include "base/str.h"

/** "NAME", "NAME[0x3].FIELD"; of a register that nobody knows "0x9990". */
void lull_cap_name(const struct lull_dom_hit *hit, uint32_t reg, struct lull_str *out);

/** The value in words. @p where: also the buffer that an address points into. */
void lull_cap_value(struct lull_cap *c, const struct lull_dom_hit *hit, uint64_t value, bool where,
                    struct lull_str *out);

/** " [buffer 0x1000+0x20]" for an address; " [in no buffer]". 0: nothing. */
void lull_cap_where(struct lull_cap *c, uint64_t address, struct lull_str *out);

/** Calls @p each with every entry of domain @p d in @p w, a field of 64 bits as a whole. */
void lull_cap_fields(struct lull_cap *c, const struct lull_dom *d, struct lull_cap_words w,
                     void (*each)(void *ctx, const struct lull_dom_hit *hit, const char *text),
                     void *ctx);

/** The entries on one line, separated by ", ". */
void lull_cap_fields_line(struct lull_cap *c, const struct lull_dom *d, struct lull_cap_words w,
                          struct lull_str *out);

/** A float, as short as it can be read back: "0", "1", "0.5", "1e-05". A denormal is an integer
 * that looks like a float: "#64". */
void lull_cap_float(uint32_t word, struct lull_str *out);

/** Bits of an unsigned size in the mask of modes: "BINNING|GMEM". */
void lull_cap_modes(unsigned mask, struct lull_str *out);

/** "3 vertices, 1 instance, 16-bit indices at 0x1000" and the like. */
void lull_cap_draw_size(const struct lull_cap_draw *d, struct lull_str *out);

/** "draw", "dispatch", "blit", "event". */
const char *lull_cap_draw_kind(enum lull_cap_draw_kind kind);

/** "textures", "constants"... */
const char *lull_cap_load_name(enum lull_load_what what);

/** The domain of a unit of a load; NULL: none. */
const struct lull_dom *lull_cap_load_domain(const struct lull_cap *c, enum lull_load_what what);

enum { LULL_CAP_PARAMS = 5 };

/** One entry of the parameters of an indirect draw or dispatch. */
struct lull_cap_params {
    uint64_t address;
    unsigned n; ///< Values that are there.
    uint32_t values[LULL_CAP_PARAMS];
    const char *names[LULL_CAP_PARAMS];
};

/** How many entries there are: as the packet says, or the count in memory; @p ret_said: what memory
 * says, if @return has it. */
uint32_t lull_cap_param_count(struct lull_cap *c, const struct lull_cap_draw *d, bool *ret_counted,
                              uint32_t *ret_said);

/** Entry @p i; false: it is not in the capture. */
bool lull_cap_param(struct lull_cap *c, const struct lull_cap_draw *d, uint32_t i,
                    struct lull_cap_params *ret);

/** Text of a shader, a line each. @p words: number and word before each. */
void lull_cap_disasm(const struct lull_cap *c, const struct lull_cap_shader *s, bool words,
                     struct lull_str *out);

#endif
