// SPDX-License-Identifier: MIT
/** @file
 * Checks of what programs do: one observer of the model that knows waves and workgroups of
 * dispatches, the modules that look (barrier/, bounds/, race/), and what they have found.
 */
#ifndef LULL_CHECK_CHECKS_H
#define LULL_CHECK_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "model/observer.h"

enum { LULL_CHECK_MODULES = 11 };

/** A workgroup on the GPU. */
struct lull_check_group {
    const void *key;
    uint64_t dispatch, launch, draw; ///< As in struct lull_observed_wave.
    uint64_t number;                 ///< Counts workgroups that started; from 1.
    uint32_t workgroup[3], items[3], full[3];
    uint32_t nwaves, live; ///< live: of those that have started.
    bool over; ///< A work-item was ended where it had done what is not defined: what it did not do
               ///< behind that follows from it.
    void *of[LULL_CHECK_MODULES]; ///< By module: what it keeps; NULL at first.
};

/** A wave on the GPU. */
struct lull_check_wave {
    const void *key;
    struct lull_check_group *group;
    uint32_t index, lanes;
    uint64_t launched, launched_high; ///< Lanes; 64 and up.
    uint32_t place, sgprs;            ///< sgprs: scalar registers that the launch wrote.
    const char *stage;                ///< Of a draw: as in struct lull_observed_wave; NULL.
    uint32_t (*at)[2];                ///< By lane; NULL: not known.
    uint32_t modules;                 ///< Bit n: module n looks at it.
    uint32_t calls;               ///< Bit n: before() of module n is called for each instruction.
    void *of[LULL_CHECK_MODULES]; ///< By module.
};

/** What a place has accessed in the GPU's memory. */
struct lull_check_touched {
    bool there;
    bool described;   ///< Through a descriptor.
    bool null;        ///< That is one of zeros.
    bool first;       ///< base and available are known: where it begins, its bytes.
    bool stores;      ///< Or changes it.
    bool image;       ///< A texel, as image instructions access it,
    unsigned dims;    ///< of which so many of x, y, z are known in texel; 0: none.
    int32_t texel[4]; ///< x, y, z, and the level.
    unsigned bytes;
    uint64_t address, base, available;
};

/** Who did something, and where. */
struct lull_check_site {
    bool there;
    bool whole;        ///< No lane: the wave.
    bool call;         ///< No wave: what the program recorded, whose name is insn.
    const char *stage; ///< Of a draw; NULL: of a dispatch.
    bool placed;       ///< at is known: a pixel; a vertex and its instance.
    uint32_t at[2];
    uint64_t pc;
    uint64_t launch, draw; ///< Those of lull_check_group.
    uint32_t workgroup[3], full[3];
    uint32_t wave, lane, lanes;
    struct lull_check_touched touched;
    char *insn; ///< Its text; NULL: not known.
    char *does; ///< "stores 4 bytes to LDS 0x94: 0x1".
    char *file; ///< Where the source says so itself; NULL: it does not.
    uint32_t line;
};

/** One thing that was found. Times that differ in neither kind nor instruction are one. */
struct lull_finding {
    const char *check; ///< Name of the module.
    const char *what;  ///< The kind, in words.
    bool warning;      ///< Correct programs do that, too.
    bool fact;         ///< Nothing is wrong: it says what the run rests on.
    bool hint;         ///< Many do: it is told only if the check was asked for by its name.
    /** Both sites may be one line of the source, or not known: then nothing was found, or less. */
    bool by_line;
    struct lull_check_site sites[2];
    char *note; ///< What was expected; NULL: nothing to say.
    uint64_t count;
    uint32_t space, place; ///< place: lull_check_wave.place of the wave that was found doing it.
};

struct lull_checks;
struct lull_check_now;

/** Instructions that are executed as a whole. */
struct lull_check_stretch {
    struct lull_stretch s;               ///< First.
    const void *plan[LULL_STRETCH_MOST]; ///< Of all modules: lull_check_plan().
    uint64_t pc[LULL_STRETCH_MOST];
};

/** A check. Any function may be NULL. */
struct lull_check_module {
    const char *name;
    bool draws;  ///< It looks at waves of draws, too.
    bool images; ///< memory() is called for texels, too.
    bool priv;   ///< memory() is called for scratch, too.
    /** @{ memory() is called only while the wave's calls say so; for scratch; for loads of local
     * memory that stay in bounds. */
    bool called, priv_called, local_called;
    /** @} */
    bool dropped;      ///< memory() is called for loads of which nothing is in bounds, too.
    size_t own_bytes;  ///< Kept for the run; zero at its start.
    size_t plan_bytes; ///< Kept of an instruction; zero at first.
    /** Look at an instruction that was not seen before. @return whether before() is always called
     * for it; else only while the wave's calls say so. NULL: always. */
    bool (*plan)(const struct lull_check_now *n, void *plan);
    void (*starts)(const struct lull_check_now *n); ///< A wave; now.at is NULL.
    void (*before)(const struct lull_check_now *n); ///< An instruction.
    /** Instead of before(), where plan() says so: is the instruction not the program's? Then no
     * module is called for it. */
    bool (*takes)(const struct lull_check_now *n);
    void (*memory)(const struct lull_check_now *n, const struct lull_touch *t);
    /** @{ Instructions for which before() is called, but which may stand in a stretch, of which
     * only this is called. NULL: no such does. */
    bool (*stands)(const void *plan);
    size_t sum_bytes; ///< What is known of a stretch, zero at first:
    /** its first @p count instructions. What is to be looked at may be put into @p s. */
    void (*sum)(const struct lull_check_now *n, struct lull_check_stretch *s, unsigned count,
                void *ret);
    /** In front of it: is there nothing to be told of each instruction? If not, before() comes. */
    bool (*calm)(const struct lull_check_now *n, struct lull_check_stretch *s, const void *sum);
    /** lull_observer.gave. */
    bool (*gave)(const struct lull_check_now *n, const struct lull_check_stretch *s, unsigned k);
    /** It was executed: as before() of all of it. */
    void (*passed)(const struct lull_check_now *n, const void *sum);
    /** @} */
    void (*ends)(const struct lull_check_now *n); ///< A wave; now.at is NULL.
    /** Memory is written between dispatches; @p config is that of lull_checks_add(). */
    void (*transfer)(const void *config, const struct lull_transfer *t);
    /** Of that launch (lull_observed_wave) no more is seen, and not all was. */
    void (*cut)(const void *config, uint64_t launch);
    /** That launch and those behind it come again, from the first on. */
    void (*again)(const void *config, uint64_t launch);
    /** Free what of_wave, of_group hold. NULL: free() is enough. */
    void (*drop_wave)(void *of_wave);
    void (*drop_group)(void *of_group);
    void (*done)(void *own);
};

/** What a module is called for. */
struct lull_check_now {
    struct lull_checks *all;
    const struct lull_observed *at;
    struct lull_check_wave *wave;
    struct lull_check_group *group;
    const void *config; ///< Of lull_checks_add().
    void *own;
    void **of_wave, **of_group;
    const void *plan;               ///< before(), memory(): what plan() wrote.
    const struct lull_touch *touch; ///< memory(): what it is called with; else NULL.
    uint32_t space;
    uint32_t bit;   ///< The module's in lull_check_wave.calls.
    size_t plan_at; ///< Where plans are in those of all modules.
    bool barrier;   ///< before(): it waits for the other waves of the workgroup.
};

/** What plan() wrote of instruction @p k of a stretch. */
static inline const void *lull_check_plan(const struct lull_check_now *n,
                                          const struct lull_check_stretch *s, unsigned k)
{
    return (const unsigned char *)s->plan[k] + n->plan_at;
}

/** Is before() of the module to be called for each instruction of the wave at hand? */
static inline void lull_check_call(const struct lull_check_now *n, bool on)
{
    n->wave->calls = on ? n->wave->calls | n->bit : n->wave->calls & ~n->bit;
}

struct lull_error *lull_checks_new(struct lull_checks **ret) LULL_MUST_USE;
void lull_checks_free(struct lull_checks *c);

/** Before the model has work. @p config lives as long as @p c; NULL: none. */
struct lull_error *lull_checks_add(struct lull_checks *c, const struct lull_check_module *m,
                                   const void *config) LULL_MUST_USE;

/** For lull_gpu_observe(); lives as long as @p c. */
struct lull_observer *lull_checks_observer(struct lull_checks *c);

/** From now on a wave that is found doing something new goes into its trap handler. */
void lull_checks_stop(struct lull_checks *c);

/**
 * @p begins: all is forgotten, as everything is gone through again from the start, and no wave
 * stops; else it is over. Without, of what has begun nothing is looked at behind a restored state.
 *
 * @param launches What is gone through again begins with a launch: what was found in earlier ones
 * stays.
 */
void lull_checks_again(struct lull_checks *c, bool begins, bool launches);

/** @{ What was found, in order of first time. */
size_t lull_checks_count(const struct lull_checks *c);
const struct lull_finding *lull_checks_at(const struct lull_checks *c, size_t i);
/** @} */

/**
 * A finding of module @p name that came out behind the run, with two sites, whose text is taken
 * over. One of the same kind and instructions counts once more, and they are freed.
 *
 * @return It, new if its count is @p count. NULL: lost.
 */
struct lull_finding *lull_checks_late(struct lull_checks *c, const char *name, const char *what,
                                      uint32_t space, struct lull_check_site sites[2],
                                      uint64_t count);

/** Findings of module @p name whose kind has @p part in it are warnings: correct programs do that.
 * @p why is their note then. */
void lull_checks_warn(struct lull_checks *c, const char *name, const char *part, const char *why);

/** Findings that were lost because memory was short, or there were too many; 0: none. */
uint64_t lull_checks_lost(const struct lull_checks *c);

/** Has a wave of a draw started? Not all modules look at them. */
bool lull_checks_drew(const struct lull_checks *c);

/** Where the shader begins whose instruction is at @p pc; 0: no wave started in front of it. */
uint64_t lull_checks_begin(const struct lull_checks *c, uint64_t pc);

struct lull_plans_code;
/** Is the code at @p begin what waves executed there, wherever they came? */
bool lull_checks_ran(const struct lull_checks *c, uint64_t begin,
                     const struct lull_plans_code *code);

/** Something could not be looked at: memory was short. */
void lull_checks_lose(struct lull_checks *c);

/** starts() of a module that keeps @p bytes of a wave, zero at first, for free(). */
void lull_check_keep_wave(const struct lull_check_now *n, size_t bytes);

/**
 * A finding of module @p name: of kind @p what, a constant, with one site or two.
 *
 * @return It, new if its count is 1: then its sites, does and note are to be filled in. NULL: lost.
 */
struct lull_finding *lull_check_found(const struct lull_check_now *n, const char *name,
                                      const char *what, uint64_t pc, uint64_t other);

/** The wave at hand at @p pc, lane @p lane. */
struct lull_check_site lull_check_site(const struct lull_check_now *n, uint64_t pc, unsigned lane);

/** Lane @p lane of what @p t says; not there: it is not memory, or not of that lane. */
struct lull_check_touched lull_check_touched(const struct lull_touch *t, unsigned lane);

/** Text of the instruction at @p pc as it was seen last in that address space; NULL: not seen. */
const char *lull_check_insn(const struct lull_checks *c, uint32_t space, uint64_t pc);

/** Text of the instruction that is observed, for free(); NULL: no memory. */
char *lull_check_insn_text(const struct lull_observed *at);

/** Remember the text of the instruction at hand. */
void lull_check_keep_insn(const struct lull_check_now *n);

/** printf to memory of the caller; NULL: no memory. */
char *lull_check_text(const char *fmt, ...) LULL_PRINTF(1, 2);

#endif
