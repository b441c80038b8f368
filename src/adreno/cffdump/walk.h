// SPDX-License-Identifier: MIT
/** @file
 * The state of a walk through command streams, and what its parts know of each other. For
 * src/adreno/cffdump/ only.
 *
 *   rd.c       sections of a capture: buffers and streams
 *   walk.c     what the engine of adreno/stream does, and the buffers that it runs
 *   regs.c     register writes, what changed at a draw
 *   packets.c  what a packet says
 *   draws.c    packets that draw, copy or compute
 *   a2xx.c     constants and shaders in the packets of a2xx
 *   state.c    state loads: constants, textures, shaders
 *   special.c  registers that lead to shaders, textures and memory
 *   query.c    registers that are asked for
 *   shader.c   ir3 in place
 *   text.c     output: levels, dumps
 */
#ifndef LULL_ADRENO_CFFDUMP_WALK_H
#define LULL_ADRENO_CFFDUMP_WALK_H

#include "adreno/cffdump/cff.h"
#include "adreno/stream/stream.h"
#include "base/str.h"
#include "hw/adreno_doms.h"

enum {
    LULL_CFF_REGS = 0x40000,
    LULL_CFF_IBS = 8,
    LULL_CFF_DEPTH = 12,
};

/** A buffer of the capture. */
struct lull_cff_bo {
    uint64_t address, size;
    uint64_t held;              ///< Bytes of data.
    uint8_t *data;              ///< NULL: only its range is known.
    struct lull_cff_seen *seen; ///< Indirect buffers in it that were shown.
};

struct lull_cff_seen {
    struct lull_cff_seen *next;
    uint64_t offset;
    unsigned mask; ///< Modes in which it was shown.
};

/** Dwords of GPU memory. */
struct lull_cff_words {
    const uint32_t *words;
    uint64_t address;
    uint32_t n;
    bool nowhere; ///< A copy: it has no address.
};

struct lull_cff;

/** An opcode of this generation. */
struct lull_cff_op {
    const char *name;           ///< NULL: nobody knows it.
    const struct lull_dom *dom; ///< Its fields; NULL: none are known.
    void (*run)(struct lull_cff *c, struct lull_cff_words body, unsigned level); ///< Or NULL.
};

enum { LULL_CFF_OPS = 256 };

/** A register's dwords as they come: a 64-bit one is whole after two. */
struct lull_cff_acc {
    uint32_t reg;
    uint64_t value;
    bool half; ///< The upper half is to come.
};

/** Where the GPU was in an indirect buffer of one level; 0 is the ring, which is not marked. */
struct lull_cff_mark {
    uint64_t base;
    uint32_t rem;  ///< Dwords not yet done.
    bool found;    ///< It is sure that the GPU was in this one.
    uint32_t size; ///< Of the buffer, in dwords, once it was gone through; else 0.
    bool seen;
};

struct lull_cff {
    struct lull_cff_options o;
    FILE *out, *log; ///< out NULL: the text is thrown away.
    struct lull_str text;
    size_t counted;         ///< Bytes of text that count as work already.
    struct lull_error *err; ///< The first that ends the decode.
    unsigned gen;
    struct lull_dom_state dom;
    struct lull_dom_index *index;
    struct lull_cff_op ops[LULL_CFF_OPS];
    size_t nbos, bos_room;
    struct lull_cff_bo *bos; ///< By address.
    uint64_t held;
    uint64_t work;      ///< What may still be done, in bytes of text.
    uint64_t work_here; ///< Of it in this stream.
    bool idle;          ///< This stream has had its share.

    uint32_t vals[LULL_CFF_REGS], lastvals[LULL_CFF_REGS];
    uint8_t written[LULL_CFF_REGS / 8], rewritten[LULL_CFF_REGS / 8];
    struct lull_astream s; ///< s.mode: which groups of draw state count.
    const char *render_mode, *thread;
    char unknown_mode[8];
    uint8_t special[LULL_CFF_REGS]; ///< What a register leads to: special.c.
    uint32_t low_half;              ///< Of an address whose upper half is the next register.
    uint32_t queries[LULL_CFF_QUERIES];
    uint32_t bin[4];    ///< Left, top, right, bottom.
    uint32_t draw_here; ///< Number of the draw that this packet belongs to.
    int scope;          ///< Depth of a driver's marks.
    bool skip;          ///< This process is not wanted.
    bool in_summary;    ///< Registers are shown for a draw.
    bool unfolded;      ///< Registers are shown even in a summary.
    bool in_query;      ///< Groups of state run for a query.
    bool skip_global, skip_local;
    bool needs_wfi; ///< a2xx to a4xx: a draw may still run.
    uint32_t draws, vertices;
    unsigned depth;                           ///< Of buffers in buffers.
    unsigned nlevels, levels[LULL_AS_FRAMES]; ///< Indentation of what is gone through.
    uint64_t ib_base[LULL_CFF_DEPTH];
    uint32_t draws_in[LULL_CFF_DEPTH + 1]; ///< Draws of a stream at this depth, from 1.
    struct lull_cff_mark marks[3];
    uint64_t ib_size[LULL_CFF_DEPTH];
    struct lull_spec_again *printed; ///< Instructions of shaders; NULL: none, or no memory.
};

/* text.c */

/** Text of importance @p quiet: 0 always, 1 also in queries, 2, 3 not in summaries. */
void lull_cff_say(struct lull_cff *c, int quiet, const char *fmt, ...) LULL_PRINTF(3, 4);
/** Text as it is. */
void lull_cff_text(struct lull_cff *c, int quiet, const char *text, size_t size);
bool lull_cff_quiet(const struct lull_cff *c, int importance);
/** As many tabs as @p level and one more. */
const char *lull_cff_tabs(unsigned level);
/** A dump, with the mark if the GPU was here. */
void lull_cff_hex(struct lull_cff *c, struct lull_cff_words w, unsigned level);
/** @p quiet as of lull_cff_say(). */
void lull_cff_floats(struct lull_cff *c, int quiet, struct lull_cff_words w, unsigned level);
void lull_cff_flush(struct lull_cff *c);
/** Work worth @p n bytes of text was done; false: there may be no more in this stream. */
bool lull_cff_work(struct lull_cff *c, uint64_t n);
/** @p size bytes of text as they are. */
void lull_cff_echo(struct lull_cff *c, const char *text, size_t size);

/* memory, in rd.c */

const struct lull_cff_bo *lull_cff_bo_at(const struct lull_cff *c, uint64_t address);
/** Up to @p n dwords at @p address, as far as its buffer goes. */
struct lull_cff_words lull_cff_memory(const struct lull_cff *c, uint64_t address, uint32_t n);

/* walk.c */

struct lull_apkt lull_cff_header(const struct lull_cff *c, uint32_t word);
/** The generation is known. */
void lull_cff_set_engine(struct lull_cff *c);
/** All packets of a stream. */
void lull_cff_commands(struct lull_cff *c, struct lull_cff_words w);
/** Part of @p w from dword @p from on. */
struct lull_cff_words lull_cff_part(struct lull_cff_words w, uint32_t from, uint32_t n);

/** Dword @p at of @p w; behind its end what comes next in memory, 0 if nothing does. */
uint32_t lull_cff_word(const struct lull_cff *c, struct lull_cff_words w, uint32_t at);
/** Two of them, low one first. */
uint64_t lull_cff_pair(const struct lull_cff *c, struct lull_cff_words w, uint32_t at);

/** Say so if the GPU was about to read the byte at @p address of this stream. @return It was here,
 * or before. */
bool lull_cff_reached(struct lull_cff *c, uint64_t address);

/* rd.c */

struct lull_error *lull_cff_new(const struct lull_cff_options *o, FILE *out, FILE *log,
                                struct lull_cff **ret) LULL_MUST_USE;
void lull_cff_free(struct lull_cff *c);
struct lull_error *lull_cff_set_gpu(struct lull_cff *c, unsigned gen) LULL_MUST_USE;
/** Add a buffer; @p data of @p size bytes is copied, NULL: only the range. */
struct lull_error *lull_cff_add_bo(struct lull_cff *c, uint64_t address, uint64_t size,
                                   const void *data, uint64_t data_size) LULL_MUST_USE;

/* regs.c */

/** Name of the register at @p reg as Mesa prints it: "0x9990" if nobody knows it. */
void lull_cff_reg_name(const struct lull_dom_hit *hit, uint32_t reg, struct lull_str *out);
/** The same in @p colors (as of struct lull_dom_state). */
void lull_cff_name(const char *const *colors, const struct lull_dom_hit *hit, uint32_t reg,
                   struct lull_str *out);
/** Mesa's colours. */
const char *const *lull_cff_colors(void);
void lull_cff_write(struct lull_cff *c, uint32_t reg, const uint32_t *values, uint32_t n,
                    unsigned level);
/** A dword of a register; true: it is whole. */
bool lull_cff_push(struct lull_cff *c, struct lull_cff_acc *a, uint32_t reg, uint32_t dword);
/** A whole register, and what it leads to. */
void lull_cff_dump(struct lull_cff *c, const struct lull_cff_acc *a, unsigned level);
/** Register @p reg has a new value, which is shown before it counts. */
void lull_cff_show_and_set(struct lull_cff *c, struct lull_cff_acc *a, uint32_t reg, uint32_t value,
                           unsigned level);
/** "NAME: value", and where the value points. @p quiet as of lull_cff_say(). */
void lull_cff_show(struct lull_cff *c, const struct lull_dom_hit *hit, uint32_t reg, uint64_t value,
                   unsigned level, int quiet);
/** Forget what was written. */
void lull_cff_reset(struct lull_cff *c);
/** A register has a new value; nothing is shown. */
void lull_cff_set(struct lull_cff *c, uint32_t reg, uint32_t value);
void lull_cff_summary(struct lull_cff *c, unsigned level);
/** Register by its number in hw/adreno_doms.h; 64: with the next one. */
uint64_t lull_cff_reg(const struct lull_cff *c, uint32_t reg, bool wide);
bool lull_cff_was_written(const struct lull_cff *c, uint32_t reg);
const char *lull_cff_enum(struct lull_cff *c, unsigned which, uint64_t value);

/* special.c */

/** The generation is known. */
void lull_cff_set_special(struct lull_cff *c);
/** What the value of a register leads to. */
void lull_cff_special(struct lull_cff *c, uint32_t reg, uint64_t value, unsigned level);

/* query.c */

/** Find the registers that are asked for, once the generation is known. */
struct lull_error *lull_cff_queries(struct lull_cff *c) LULL_MUST_USE;
void lull_cff_query(struct lull_cff *c, const char *primitive, uint32_t indices);
/** Corners as y << 16 | x. */
void lull_cff_set_bin(struct lull_cff *c, const uint32_t corners[2]);

/* packets.c */

/** The dwords of a packet; behind its end those that come next in memory, as Mesa reads them. */
struct lull_apkt_args lull_cff_args(const struct lull_cff *c, struct lull_cff_words body);

/** Find what the opcodes mean, once the generation is known. */
void lull_cff_set_ops(struct lull_cff *c);
/** Fields of a packet or descriptor, dword by dword. */
void lull_cff_fields(struct lull_cff *c, const struct lull_dom *dom, struct lull_cff_words body,
                     unsigned level);
/** Was the buffer at @p address gone through in all modes of @p mask? If not, it is now. */
bool lull_cff_seen(struct lull_cff *c, uint64_t address, unsigned mask);

enum { LULL_CFF_BINNING = 1, LULL_CFF_GMEM = 2, LULL_CFF_SYSMEM = 4, LULL_CFF_ALL_MODES = 7 };

/* draws.c */

void lull_cff_draw_indx(struct lull_cff *c, struct lull_cff_words body, unsigned level);
void lull_cff_draw_indx_2(struct lull_cff *c, struct lull_cff_words body, unsigned level);
void lull_cff_draw_indx_offset(struct lull_cff *c, struct lull_cff_words body, unsigned level);
void lull_cff_draw_indirect(struct lull_cff *c, struct lull_cff_words body, unsigned level);
void lull_cff_draw_indx_indirect(struct lull_cff *c, struct lull_cff_words body, unsigned level);
void lull_cff_draw_indirect_multi(struct lull_cff *c, struct lull_cff_words body, unsigned level);
void lull_cff_draw_auto(struct lull_cff *c, struct lull_cff_words body, unsigned level);
void lull_cff_exec_cs(struct lull_cff *c, struct lull_cff_words body, unsigned level);
void lull_cff_exec_cs_indirect(struct lull_cff *c, struct lull_cff_words body, unsigned level);
void lull_cff_run_opencl(struct lull_cff *c, struct lull_cff_words body, unsigned level);
void lull_cff_blit(struct lull_cff *c, struct lull_cff_words body, unsigned level);
void lull_cff_event(struct lull_cff *c, struct lull_cff_words body, unsigned level);

/* a2xx.c */

void lull_cff_set_constant(struct lull_cff *c, struct lull_cff_words body, unsigned level);
void lull_cff_im_load(struct lull_cff *c, struct lull_cff_words body, unsigned level);

/* state.c */

void lull_cff_load_state(struct lull_cff *c, struct lull_cff_words body, unsigned level);
/** A domain's dwords, and their hexdump. */
void lull_cff_domain(struct lull_cff *c, unsigned domain, struct lull_cff_words w, unsigned level);

/** Descriptors behind the bindless bases that are set, if they are to be shown. */
void lull_cff_bindless(struct lull_cff *c, bool compute, unsigned level);
/** Textures or samplers of a5xx at @p address. */
void lull_cff_descriptors(struct lull_cff *c, bool textures, uint64_t address, uint32_t units,
                          unsigned level);

/* shader.c */

/** Write it to the folder for shaders, if there is one. */
void lull_cff_shader_file(struct lull_cff *c, struct lull_cff_words w, const char *ext);

/** @p statistics: as cffdump; else only the instructions. */
void lull_cff_shader(struct lull_cff *c, struct lull_cff_words w, unsigned level, bool statistics);

#endif
