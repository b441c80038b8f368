// SPDX-License-Identifier: MIT
/** @file
 * Between the parts of the printf lowering: what the module has (printf_scan.c), where the buffer
 * is (printf_buffer.c), arguments as dwords (printf_args.c), the functions that write an entry
 * (printf_helper.c), the new module (printf.c).
 */
#ifndef LULL_SPIRV_PRINTF_PRIV_H
#define LULL_SPIRV_PRINTF_PRIV_H

#include "spirv/build.h"
#include "spirv/printf.h"

enum {
    LULL_SPV_ENTRY_HEADER = 2,    ///< Dwords before the payload.
    LULL_SPV_ENTRY_MAX = 65535,   ///< Dwords of an entry: its size has 16 bits.
    LULL_SPV_BUFFER_HEADER = 4,   ///< Dwords before the first entry.
    LULL_SPV_CHUNK = 240,         ///< Payload dwords of one call; a function has 255 arguments.
    LULL_SPV_MAX_DWORDS = 1 << 29 ///< What a buffer may use: 2 GiB.
};

enum lull_spv_kind {
    LULL_SPV_BOOL,
    LULL_SPV_INT,
    LULL_SPV_FLOAT,
    LULL_SPV_POINTER, ///< 64 bits.
    LULL_SPV_STRING,  ///< OpString: its id in the table, 64 bits.
};

/** What one argument is. */
struct lull_spv_arg {
    uint32_t id;
    enum lull_spv_kind kind;
    uint32_t bits; ///< Of a component.
    bool is_signed;
    uint32_t n; ///< Components.
};

/** A line of a source file. */
struct lull_spv_where {
    const char *file; ///< NULL: not known.
    uint32_t line, column;
};

/** One call of printf. */
struct lull_spv_call {
    struct lull_spv_insn in;
    size_t emit_at;           ///< Word before which its code goes: its own, or behind the phis.
    struct lull_spv_where at; ///< Line; file is in the module's words.
    size_t first_arg;         ///< Index in args.
    size_t nargs;
    uint64_t id;      ///< 48 bits.
    uint32_t payload; ///< Dwords behind the entry's header.
};

struct lull_spv_edge {
    uint32_t callee, caller; ///< Ids of functions.
};

struct lull_spv_entry {
    struct lull_spv_insn in;
    bool prints;
    uint32_t interface[8]; ///< Variables to add to its list, besides those of the buffer.
    size_t ninterface;
};

/** Code for the start of an entry point's function. */
struct lull_spv_start {
    size_t at; ///< Word before which it goes.
    struct lull_spv_buf code;
};

/** A function that was made: printf_helper.c. */
struct lull_spv_helper {
    unsigned kind;
    uint32_t total, n, id;
};

struct lull_spv_lower {
    struct lull_spv *m;
    const struct lull_spirv_printf_options *options;
    struct lull_spv_add add;
    struct lull_spv_call *calls;
    size_t ncalls;
    struct lull_spv_arg *args;
    size_t nargs;
    struct lull_spv_edge *edges;
    size_t nedges;
    struct lull_spv_entry *entries;
    size_t nentries;
    uint8_t *prints;     ///< Of each id: is it a function that prints, itself or by calling?
    uint8_t *dropped;    ///< Of each id: is it an import or a string that goes away?
    bool keep_extension; ///< SPV_KHR_non_semantic_info is still needed.
    struct lull_spv_helper *helpers;
    size_t nhelpers;
    uint32_t interface[8]; ///< Variables that all entry points that print must list.
    size_t ninterface;
    bool wave;                  ///< One atomic for a subgroup.
    struct {                    ///< The buffer (printf_buffer.c).
        uint32_t var;           ///< The block; 0: found by address.
        uint32_t storage;       ///< SpvStorageClass of the pointers.
        uint32_t block;         ///< Pointer to the block.
        uint32_t dword;         ///< Pointer to a dword in it.
        uint32_t counter;       ///< Pointer to the counter.
        uint32_t address;       ///< Address as a constant of two dwords; 0: in push constants.
        uint32_t bytes;         ///< Its size as a constant.
        uint32_t push;          ///< Variable of the push constants.
        uint32_t member;        ///< Member of it where the address begins.
        uint32_t grown;         ///< Struct type that gets these members; 0: none.
        uint32_t push_types[2]; ///< Of the members: address, size.
        uint32_t scope;         ///< Constant: scope of the atomics.
        uint32_t helper;        ///< Variable of HelperInvocation; 0: none.
        bool ask_helper;        ///< Lanes may be helpers: find out.
    } buffer;
    struct { ///< Private variables (printf_record.c); 0: not recorded.
        uint32_t workgroup, wave, lane;
        uint32_t bad;      ///< A built-in variable of a type that it cannot have; 0: none.
        uint32_t pipeline; ///< A specialization constant.
    } record;
    struct lull_spv_start *starts; ///< By word.
    size_t nstarts;
};

/** Calls, call graph, entry points. */
struct lull_error *lull_spv_printf_scan(struct lull_spv_lower *l) LULL_MUST_USE;

/** Which of these imports and strings nothing else needs: l->dropped. */
void lull_spv_printf_drop(struct lull_spv_lower *l);

/** Types, variables, capabilities of the buffer. */
struct lull_error *lull_spv_printf_buffer(struct lull_spv_lower *l) LULL_MUST_USE;

/** Specialization constants @p first to @p first + @p n - 1 must be free for @p what. */
struct lull_error *lull_spv_printf_specs(const struct lull_spv_lower *l, uint32_t first, uint32_t n,
                                         const char *what) LULL_MUST_USE;

/** What the argument @p id is. LULL_ERR_BAD_DATA without the place. */
struct lull_error *lull_spv_printf_classify(const struct lull_spv *m, uint32_t id,
                                            struct lull_spv_arg *ret) LULL_MUST_USE;

/** Dwords of an argument. */
static inline uint32_t lull_spv_arg_dwords(const struct lull_spv_arg *a)
{
    return a->n * (a->bits == 64 ? 2 : 1);
}

/** Code into @p out that makes dwords of @p a; their ids go to @p ret. */
void lull_spv_printf_flatten(struct lull_spv_lower *l, struct lull_spv_buf *out,
                             const struct lull_spv_arg *a, uint64_t string_id,
                             struct lull_spv_buf *ret);

/** The call @p c with its @p n argument dwords, of these ids, into @p out. */
struct lull_error *lull_spv_printf_write(struct lull_spv_lower *l, struct lull_spv_buf *out,
                                         const struct lull_spv_call *c, const uint32_t *dwords,
                                         uint32_t n) LULL_MUST_USE;

/** Variables for the records, and code at the start of entry points that fills them in. */
struct lull_error *lull_spv_printf_records(struct lull_spv_lower *l) LULL_MUST_USE;

#endif
