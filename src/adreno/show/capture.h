// SPDX-License-Identifier: MIT
/** @file
 * A walk through an rd capture of an Adreno GPU: sections, buffers, submits, command streams with
 * what they call, registers and other state at each draw.
 *
 * lull_cap_walk() reads a capture section by section and tells a visitor what it meets, in the
 * order in which the GPU would meet it. Memory holds the buffers of one submit, never the capture.
 * The walk means to be right where Mesa's cffdump has quirks (docs/formats/rd.md); the text of
 * cffdump itself is forensics/cff.h.
 *
 * The packets are done by the engine of adreno/stream; this tells what that did in the terms of a
 * capture.
 *
 *   read.c     sections of the file, submits
 *   memory.c   buffers
 *   gpu.c      what depends on the generation
 *   events.c   from the engine to the visitor
 *   track.c    registers that were written since the last draw
 *   loads.c    state loads: constants, descriptors, shaders
 *   draws.c    draws, dispatches, blits: parameters, registers that changed
 *   shaders.c  shaders in memory
 *
 * Source: shared facts on freedreno, sections 1 to 5; assumptions are named where they are made.
 */
#ifndef LULL_ADRENO_SHOW_CAPTURE_H
#define LULL_ADRENO_SHOW_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "adreno/file/rd.h"
#include "adreno/stream/load.h"
#include "adreno/stream/stream.h"
#include "base/error.h"
#include "file/stream.h"
#include "hw/dom.h"

enum {
    LULL_CAP_REGS = LULL_AS_REGS,
    LULL_CAP_GROUPS = LULL_AS_GROUPS,
    LULL_CAP_OPCODES = LULL_AS_OPCODES,
    LULL_CAP_LOADS = 256,
    LULL_CAP_SHADERS = 256, ///< Of a submit, remembered.
    LULL_CAP_TEXT = 256,    ///< Bytes of a process's text that are kept.
};

/** Shader stages, in the order of the blocks of state loads. */
enum lull_cap_stage {
    LULL_CAP_VS,
    LULL_CAP_HS,
    LULL_CAP_DS,
    LULL_CAP_GS,
    LULL_CAP_FS,
    LULL_CAP_CS,
    LULL_CAP_STAGES
};

/** A buffer of the capture. */
struct lull_cap_buffer {
    uint64_t address, size; ///< In bytes.
    uint64_t held;          ///< Bytes of it that the capture has.
    uint8_t *data;          ///< NULL: only the range is known.
    uint64_t offset;        ///< Of the contents in the unpacked file.
    uint64_t reach;         ///< End of the buffer that reaches farthest of this and those before.
    uint32_t order;         ///< Its number in the submit.
};

/** Dwords of GPU memory. */
struct lull_cap_words {
    const uint32_t *words;
    uint64_t address;
    uint32_t n;
};

struct lull_cap_stream {
    uint64_t number; ///< From 0, in the capture.
    uint64_t offset; ///< Of its section in the file.
    uint64_t address;
    uint32_t dwords, found; ///< As the section says; in a buffer.
};

/** What a register had or has. */
struct lull_cap_value {
    uint64_t v;
    enum { LULL_CAP_NEVER, LULL_CAP_KNOWN, LULL_CAP_UNKNOWN } state; ///< NEVER: v is 0.
};

/** State that was loaded and is still in memory. */
struct lull_cap_load {
    struct lull_load of;
    struct lull_cap_words w;
    uint32_t each, apart; ///< Dwords of a unit; from one to the next.
    int stage;            ///< enum lull_cap_stage; -1: all of a draw.
    int set;              ///< Bindless: descriptor set; else -1.
    bool shared;          ///< Constants that all stages share; units are dwords.
};

struct lull_cap_shader {
    enum lull_cap_stage stage;
    uint64_t address;
    uint64_t hash; ///< Of its code; 0: it is not in the capture.
    uint32_t n;    ///< Instructions up to its end.
    const uint32_t *words;
};

enum lull_cap_draw_kind { LULL_CAP_DRAW, LULL_CAP_DISPATCH, LULL_CAP_BLIT, LULL_CAP_EVENT };

struct lull_cap_draw {
    uint32_t number; ///< From 0, in the capture.
    enum lull_cap_draw_kind kind;
    const struct lull_as_packet *packet;
    const char *what; ///< Primitive, kind of blit, event; NULL: not known.
    uint32_t vertices, instances, first;
    unsigned index_bytes; ///< 0: no indices.
    uint64_t index_address;
    uint32_t groups[3], local[3];
    uint32_t rect[8]; ///< Blit: source x1 y1 x2 y2, destination.
    bool has_rect;
    uint64_t indirect; ///< Address of the parameters; 0: in the packet.
    uint64_t count_address;
    uint32_t draws, stride;    ///< Indirect: how many at most, bytes apart.
    uint32_t written, changed; ///< Registers since the draw before.
    unsigned nshaders;
    struct lull_cap_shader shaders[LULL_CAP_STAGES];
};

struct lull_cap;

/** Who is told. Every function may be NULL; ctx is given to all. */
struct lull_cap_visitor {
    void *ctx;
    /** @p wrong: what is wrong with it, or NULL. */
    void (*section)(void *ctx, struct lull_cap *c, const struct lull_rd_section *s,
                    const char *wrong);
    void (*stream)(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s);
    void (*stream_end)(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s);
    void (*packet)(void *ctx, struct lull_cap *c, const struct lull_as_packet *p);
    void (*enter)(void *ctx, struct lull_cap *c, const struct lull_as_frame *call);
    void (*leave)(void *ctx, struct lull_cap *c, const struct lull_as_frame *call);
    /** @p n registers from @p reg on are about to be written, each half of a wide one by itself.
     * @p values NULL: they are not known. */
    void (*writes)(void *ctx, struct lull_cap *c, uint32_t reg, const uint32_t *values, uint32_t n);
    /** A register is written; a wide one is told once. The old value is @p old. */
    void (*write)(void *ctx, struct lull_cap *c, uint32_t reg, const struct lull_dom_hit *hit,
                  struct lull_cap_value old, struct lull_cap_value value);
    /** The CP writes @p n dwords of memory. @p values NULL: they are not known. */
    void (*store)(void *ctx, struct lull_cap *c, uint64_t address, const uint32_t *values,
                  uint32_t n);
    /** The CP reads a dword of memory, at an address that is known. */
    void (*read)(void *ctx, struct lull_cap *c, uint64_t address);
    /** A mode of rendering begins; an event of the GPU. */
    void (*mode)(void *ctx, struct lull_cap *c);
    void (*event)(void *ctx, struct lull_cap *c, uint32_t number);
    /** A group is set, taken away (count 0), or left out of a draw. */
    void (*group)(void *ctx, struct lull_cap *c, unsigned id, const struct lull_as_group *g,
                  enum lull_as_group_what what);
    /** The CP waits. */
    void (*wait)(void *ctx, struct lull_cap *c, enum lull_as_wait kind);
    void (*load)(void *ctx, struct lull_cap *c, const struct lull_cap_load *l);
    void (*draw)(void *ctx, struct lull_cap *c, const struct lull_cap_draw *d);
    /** A remark about the packet that was told last: a condition, a mode. */
    void (*note)(void *ctx, struct lull_cap *c, const char *text);
    /** Something is wrong. @p offset: byte of the unpacked file; @p address: 0 if it is not about
     * memory of the GPU. */
    void (*problem)(void *ctx, struct lull_cap *c, uint64_t offset, uint64_t address,
                    const char *text);
};

struct lull_cap_options {
    bool both;            ///< Take every condition as true, as cffdump does.
    uint64_t most_memory; ///< Bytes of buffers to hold; 0: 1 GiB.
    uint64_t most_work;   ///< Dwords to walk beyond 256 for each dword held; 0: 4 Mi.
};

/** What a walk knows, for visitors to look at. */
struct lull_cap {
    struct lull_cap_options o;
    const struct lull_cap_visitor *v;
    struct lull_astream s; ///< s.stop: a visitor has seen enough.
    uint64_t problems;
    struct lull_error *err; ///< What ends the walk.

    unsigned gen; ///< 2 to 7; 0: not known yet.
    uint64_t gpu_id, chip_id;
    bool has_gpu, has_chip;
    struct lull_dom_state dom;
    struct lull_dom_index *index;
    uint8_t op_kinds[LULL_CAP_OPCODES]; ///< enum lull_cap_op: walk.h.

    size_t nbuffers, room;
    struct lull_cap_buffer *buffers;
    bool sorted;
    size_t newest; ///< The one that the last GPUADDR named, while it has no contents.
    bool has_newest;
    uint64_t held;

    uint64_t section_offset;
    uint64_t submit, submits; ///< Number of this one; how many there were.
    bool in_submit, had_stream;
    uint64_t streams;
    char process[LULL_CAP_TEXT];

    struct lull_cap_track {
        uint32_t last[LULL_CAP_REGS];                                  ///< At the last draw.
        uint64_t seen[LULL_CAP_REGS / 64], unsure[LULL_CAP_REGS / 64]; ///< Then: written, unknown.
    } tracks[2];                                                       ///< BR, BV.
    uint8_t half[LULL_CAP_REGS]; ///< 1, 2: lower, upper half of a register of 64 bits.
    const char *mode_name;       ///< Marker; NULL: none yet.
    const char *thread;          ///< a7xx; NULL: none yet.
    uint32_t draws;
    unsigned level; ///< 0: in a stream (the GPU's IB1).

    unsigned nloads;
    struct lull_cap_load loads[LULL_CAP_LOADS];
    struct lull_cap_shader shaders[LULL_CAP_SHADERS];
};

/** Go through all of @p s. Allocates the state; @return LULL_ERR_NO_MEMORY, or what is wrong with
 * the file (its good part was told). @p ret_problems: how many were told, also after an error. */
struct lull_error *lull_cap_walk(struct lull_stream *s, const struct lull_cap_options *o,
                                 const struct lull_cap_visitor *v,
                                 uint64_t *ret_problems) LULL_MUST_USE;

/** Up to @p n dwords at @p address, as far as the capture has them. */
struct lull_cap_words lull_cap_memory(struct lull_cap *c, uint64_t address, uint32_t n);

/** The buffer that @p address is in; NULL: none. */
const struct lull_cap_buffer *lull_cap_buffer_at(struct lull_cap *c, uint64_t address);

/** The value of the register at @p reg, both halves if @p wide; 0: never written. */
uint64_t lull_cap_reg(const struct lull_cap *c, uint32_t reg, bool wide);
struct lull_cap_value lull_cap_value_of(const struct lull_cap *c, uint32_t reg, bool wide);
/** Registers of the pipe that draws. */
struct lull_cap_track *lull_cap_track(struct lull_cap *c);
/** Are they different? What was never written is taken as 0. */
bool lull_cap_differ(struct lull_cap_value a, struct lull_cap_value b);

/** Call @p each for every register that was written since the last draw (or ever, with @p all), in
 * order; the old value is that at the draw before. */
void lull_cap_registers(struct lull_cap *c, bool all,
                        void (*each)(void *ctx, struct lull_cap *c, uint32_t reg,
                                     const struct lull_dom_hit *hit, struct lull_cap_value old,
                                     struct lull_cap_value value),
                        void *ctx);

/** Name of a value of an enum (LULL_ADRENO_ENUM_*), or NULL. */
const char *lull_cap_enum(const struct lull_cap *c, unsigned which, uint64_t value);

const char *lull_cap_stage_name(int stage);

/** "set", "off", ... */
const char *lull_cap_group_what(enum lull_as_group_what what);

/** "BINNING", "GMEM", "SYSMEM", "any". */
const char *lull_cap_mode_name(unsigned mode);

/** Number of descriptor sets, and the base of set @p i, with the dwords from one descriptor to the
 * next; false: it was not set. */
unsigned lull_cap_sets(const struct lull_cap *c);
bool lull_cap_set_base(const struct lull_cap *c, bool compute, unsigned i, uint64_t *ret,
                       uint32_t *ret_apart);

#endif
