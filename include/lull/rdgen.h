// SPDX-License-Identifier: MIT
/** @file
 * Write rd captures of Adreno GPUs: what the C of `lull rd decompile` is compiled against.
 *
 * A program is sections of a capture in their order: the GPU, the process, buffers with what they
 * have in them, and command streams. A command stream, a shader, a group of draw state or an array
 * is a piece: it is made when it is first named in a submit, and once. A piece that has an address
 * and fits into what was there is put there; every other one goes to a place of its own, and what
 * names it has the address of that place. docs/formats/rdgen.md.
 *
 * Registers and packets by name: lull/a2xx.h to lull/a7xx.h.
 */
#ifndef LULL_RDGEN_H
#define LULL_RDGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <lull/error.h>

/** A capture that is being written. */
struct lull_rdgen;

/** Dwords in memory: @p n words, @p times times, from byte @p offset on. A list of runs is ended by
 * one with times 0; what no run names is 0. */
struct lull_rdgen_run {
    uint32_t offset, times;
    const uint32_t *words;
    size_t n;
};

/** For runs: the words and their number. */
#define WORDS(...) (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4

/** Something with an address: commands, or a shader, or an array. */
struct lull_rdgen_piece {
    const char *name;
    uint64_t address; ///< Where it was; 0: it has no place yet.
    uint32_t dwords;  ///< How many it had there.
    void (*commands)(struct lull_rdgen *g);
    /** Or its text, to be assembled. A line "print rT.x, rA.x, rB.y, ..." appends registers to a
     * log (section SHADER_LOG_BUFFER); it needs rT.x to rT.z, and waits for what was before. */
    const char *ir3;
    const struct lull_rdgen_run *data; ///< Or an array: its dwords, zeros if NULL.
};

/* Sections */

/** The GPU of all sections behind it. One of the two must come before shaders. */
LULL_API void lull_rdgen_gpu_id(struct lull_rdgen *g, uint32_t id);
LULL_API void lull_rdgen_chip_id(struct lull_rdgen *g, uint64_t id);
/** The process: @p text, and zeros to @p bytes. */
LULL_API void lull_rdgen_process(struct lull_rdgen *g, const char *text, uint32_t bytes);
/** A buffer at its address, with @p data; NULL: only its range is known. @p sum: a sum over
 * the data as they were captured; with --vastart only buffers whose sum is another one are written.
 */
LULL_API void lull_rdgen_buffer(struct lull_rdgen *g, uint64_t address, uint32_t bytes,
                                const struct lull_rdgen_run *data, uint64_t sum);
/** A command stream that the kernel was given. */
LULL_API void lull_rdgen_submit(struct lull_rdgen *g, const struct lull_rdgen_piece *stream);
/** The same of one that is only known by its address. */
LULL_API void lull_rdgen_submit_at(struct lull_rdgen *g, uint64_t address, uint32_t dwords);
/** Any other section, as it is. */
LULL_API void lull_rdgen_section(struct lull_rdgen *g, uint32_t type, uint32_t bytes,
                                 const struct lull_rdgen_run *data);
/** Sections name addresses by @p dwords dwords from now on: 2 (old kernels: 32 bits), or 3. */
LULL_API void lull_rdgen_address_dwords(struct lull_rdgen *g, unsigned dwords);
/** `lull replay --files` writes these @p bytes bytes of memory to a file @p name after the submit;
 * @p clear: they are filled with 0xdeadbeef before. Section WRBUFFER. */
LULL_API void lull_rdgen_read_into_file(struct lull_rdgen *g, uint64_t address, uint64_t bytes,
                                        bool clear, const char *name);

/* Commands: in the function of a piece */

enum lull_rdgen_packet {
    LULL_RDGEN_WORDS, ///< No header: words as they are.
    LULL_RDGEN_PKT0,
    LULL_RDGEN_PKT2,
    LULL_RDGEN_PKT3,
    LULL_RDGEN_PKT4,
    LULL_RDGEN_PKT7,
};

/** Append a packet: @p words are its register or opcode, and the dwords behind its header. */
LULL_API void lull_rdgen_put(struct lull_rdgen *g, enum lull_rdgen_packet kind,
                             const uint32_t *words, size_t n);

/**
 * Here the CP copies @p dwords dwords of memory into a log, which `lull replay` prints after the
 * submit (a5xx to a7xx; section CP_LOG_BUFFER). It waits for work that is under way; caches are not
 * flushed. A function that runs several times has one entry, of the last time.
 */
LULL_API void lull_rdgen_print(struct lull_rdgen *g, uint64_t address, uint32_t dwords);
/** The same of @p n registers from @p reg on. */
LULL_API void lull_rdgen_print_registers(struct lull_rdgen *g, uint32_t reg, uint32_t n);

#define LULL_RDGEN_PUT(g, kind, ...) lull_rdgen_put(g, LULL_RDGEN_##kind, WORDS(__VA_ARGS__))
/** Registers from the first argument on; a2xx to a4xx: pkt0, from a5xx on: pkt4. */
#define pkt0(g, ...) LULL_RDGEN_PUT(g, PKT0, __VA_ARGS__)
#define pkt4(g, ...) LULL_RDGEN_PUT(g, PKT4, __VA_ARGS__)
/** The packet that the first argument names; a2xx to a4xx: pkt3, from a5xx on: pkt7. */
#define pkt3(g, ...) LULL_RDGEN_PUT(g, PKT3, __VA_ARGS__)
#define pkt7(g, ...) LULL_RDGEN_PUT(g, PKT7, __VA_ARGS__)
/** A no-operation of one dword. */
#define pkt2(g) LULL_RDGEN_PUT(g, PKT2, 0)
/** Dwords as they are. */
#define words(g, ...) LULL_RDGEN_PUT(g, WORDS, __VA_ARGS__)

/** Address of a piece, which is made if it was not yet. */
LULL_API uint64_t lull_rdgen_address(struct lull_rdgen *g, const struct lull_rdgen_piece *p);
/** Its dwords. */
LULL_API uint32_t lull_rdgen_size(struct lull_rdgen *g, const struct lull_rdgen_piece *p);

/** Two dwords of a packet: the address of a piece. LO is the lower one alone. */
#define LO(p) ((uint32_t)lull_rdgen_address(g, &(p)))
#define HI(p) ((uint32_t)(lull_rdgen_address(g, &(p)) >> 32))
#define AT(p) LO(p), HI(p)
#define SIZE(p) lull_rdgen_size(g, &(p))

/* The program */

/** Make a capture by @p program, as the command line says: [--vastart=N --vasize=N] OUT.rd.
 *
 * With --vastart all pieces lie in that range, and nothing but pieces, changed buffers and streams
 * is written: what `lull replay --override` needs. LULL_ERR_INVALID: the command line is wrong. */
LULL_API struct lull_error *lull_rdgen_run(int argc, char **argv,
                                           void (*program)(struct lull_rdgen *g)) LULL_MUST_USE;

/** The whole of main(). */
static inline int lull_rdgen_main(int argc, char **argv, void (*program)(struct lull_rdgen *g))
{
    struct lull_error *err = lull_rdgen_run(argc, argv, program);
    const int status = err == NULL ? 0 : lull_error_code(err) == LULL_ERR_INVALID ? 2 : 3;
    if (err != NULL) {
        (void)fprintf(stderr, "%s: %s\n", argc > 0 ? argv[0] : "", lull_error_message(err));
    }
    lull_error_free(err);
    return status;
}

#endif
