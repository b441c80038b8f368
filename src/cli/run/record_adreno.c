// SPDX-License-Identifier: MIT
// A dispatch on an Adreno into a file: a stream that writes all registers that had been written,
// loads constants and descriptors, and dispatches; and all memory that the GPU could reach.
#include "cli/run/record_adreno.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/replay/submit.h"
#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/output.h"
#include "cli/run/record_program.h"
#include "cmd/adreno_build.h"
#include "cmd/adreno_pm4.h"
#include "file/stream.h"
#include "target/adreno/program.h"

enum {
    REGISTERS = 0x10000,
    MOST_WRITE = 0x7f,
    CONSTANTS = 512 * 4,
    SHARED = 504 * 4, // Source: Mesa ir3_compiler.c, shared_consts_base_offset.
    UBO_DWORDS = 2 * 32,
    LOAD_HEAD = 3,
    CHUNK = 1 << 18,
    GEN_A7XX = 700,
};

/** The stream that is written. */
struct writer {
    struct lull_debug *d;
    const struct lull_target_ops *ops;
    struct lull_abuild b;
    struct lull_str words;
};

static void put(struct writer *w, const uint32_t *words, size_t n)
{
    lull_str_add(&w->words, (const char *)words, n * sizeof *words);
}

/** What the builder has goes to the end. */
static void flush(struct writer *w)
{
    put(w, w->b.words, w->b.n);
    w->b.n = 0;
}

/** Registers that have been written and are known, those that follow each other by one packet. */
LULL_MUST_USE static struct lull_error *registers(struct writer *w)
{
    lull_cleanup(lull_freep) uint8_t *states = calloc(REGISTERS, 1);
    uint32_t values[MOST_WRITE];
    struct lull_error *err =
        states == NULL ? &lull_enomem : w->ops->register_states(w->d->target, 0, states, REGISTERS);
    for (uint32_t reg = 0; err == NULL && reg < REGISTERS;) {
        uint32_t n = 0;
        while (err == NULL && n < MOST_WRITE && reg + n < REGISTERS &&
               states[reg + n] == LULL_GPU_REG_KNOWN) {
            err = w->ops->gpu_register(w->d->target, reg + n, &values[n]);
            n++;
        }
        const uint32_t header = lull_apkt_write_header(reg, n);
        if (n != 0) {
            put(w, &header, 1);
            put(w, values, n);
        }
        reg += n != 0 ? n : 1;
    }
    return err;
}

/** CP_LOAD_STATE6 with @p n dwords, which are @p units units. */
static void load(struct writer *w, const char *block, const char *type, uint32_t units,
                 const uint32_t *words, uint32_t n)
{
    uint32_t *to = lull_abuild_packet(
        &w->b, "CP_LOAD_STATE6_FRAG", LOAD_HEAD + n,
        LULL_ABUILD_SET(lull_aword("STATE_TYPE", type), lull_aword("STATE_SRC", "SS6_DIRECT"),
                        lull_aword("STATE_BLOCK", block), lull_anumber("NUM_UNIT", units)));
    if (to != NULL) {
        memcpy(to + LOAD_HEAD, words, n * sizeof *words);
    }
    flush(w);
}

/** Constants from @p first on, up to the first that is not there. */
static uint32_t read_constants(struct writer *w, uint32_t first, uint32_t end, uint32_t *ret)
{
    struct lull_arch_reg c = {.number = 0};
    uint32_t n = 0;
    bool more = lull_arch_find_reg(&lull_arch_ir3, "c0.x", &c);
    while (more && first + n < end) {
        const struct lull_wave_reg reg = {.cls = LULL_REG_ARCH,
                                          .index = (uint16_t)(c.number + first + n)};
        uint64_t v = 0;
        struct lull_error *err = w->ops->read_reg(w->d->target, 0, reg, &v);
        more = err == NULL;
        ret[n] = (uint32_t)v;
        n += more;
        lull_error_free(err);
    }
    return n;
}

/** What packets had loaded for the shader: constants, those of all stages, uniform buffers. */
LULL_MUST_USE static struct lull_error *loads(struct writer *w)
{
    uint32_t words[CONSTANTS] = {0};
    const uint32_t n = read_constants(w, 0, SHARED, words);
    struct lull_error *err = NULL;
    if (n != 0) {
        load(w, "SB6_CS_SHADER", "ST6_CONSTANTS", (n + 3) / 4, words, (n + 3) / 4 * 4);
    }
    const uint32_t shared = read_constants(w, SHARED, CONSTANTS, words);
    if (shared != 0) {
        load(w, "SB6_CS_IBO", "ST6_UBO", shared, words, shared);
    }
    for (uint32_t i = 0; err == NULL && i < UBO_DWORDS; i++) {
        err = w->ops->loaded_descriptor(w->d->target, &w->d->dispatch.adreno, i, &words[i]);
    }
    load(w, "SB6_CS_SHADER", "ST6_UBO", UBO_DWORDS / 2, words, UBO_DWORDS);
    return err;
}

static void packet(struct writer *w, const char *name, uint32_t n,
                   const struct lull_abuild_set *sets)
{
    (void)lull_abuild_packet(&w->b, name, n, sets);
    flush(w);
}

/** All of it. */
LULL_MUST_USE static struct lull_error *stream(struct writer *w)
{
    const uint32_t *groups = w->d->dispatch.grid;
    if (w->ops->gen >= GEN_A7XX) {
        packet(w, "CP_THREAD_CONTROL", 1,
               LULL_ABUILD_SET(lull_aword("THREAD", "CP_SET_THREAD_BR"),
                               lull_anumber("CONCURRENT_BIN_DISABLE", 1)));
    }
    struct lull_error *err = registers(w);
    err = err != NULL ? err : loads(w);
    packet(w, "CP_SET_MARKER", 1, LULL_ABUILD_SET(lull_aword("MODE", "RM6_COMPUTE")));
    packet(w, "CP_EXEC_CS", 4,
           LULL_ABUILD_SET(lull_anumber("NGROUPS_X", groups[0]),
                           lull_anumber("NGROUPS_Y", groups[1]),
                           lull_anumber("NGROUPS_Z", groups[2])));
    packet(w, "CP_WAIT_FOR_IDLE", 0, NULL);
    if (err == NULL) {
        err = w->b.err != NULL ? w->b.err : w->words.err;
        w->b.err = err == w->b.err ? NULL : w->b.err;
        w->words.err = err == w->words.err ? NULL : w->words.err;
    }
    return err;
}

/** The buffer at @p b with what it has. */
LULL_MUST_USE static struct lull_error *add_buffer(struct writer *w, const struct lull_bo_info *b,
                                                   struct lull_rp_submit *s)
{
    if (b->size == 0 || b->size > UINT32_MAX) {
        return b->size == 0
                   ? NULL
                   : lull_error_new(LULL_ERR_UNSUPPORTED,
                                    "record save: a buffer of more than 4 GiB at 0x%" PRIx64,
                                    b->va);
    }
    lull_cleanup(lull_freep) uint8_t *bytes = malloc((size_t)b->size + 1);
    struct lull_error *err = bytes == NULL ? &lull_enomem : NULL;
    for (uint64_t at = 0; err == NULL && at < b->size; at += CHUNK) {
        const size_t n = b->size - at < CHUNK ? (size_t)(b->size - at) : CHUNK;
        err = w->ops->read(w->d->target, b->va + at, bytes + at, n);
    }
    const size_t size = (size_t)b->size;
    const bool zeros = err == NULL && bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
    const struct lull_rp_buffer r = {.address = b->va,
                                     .size = (uint32_t)size,
                                     .held = zeros ? 0 : (uint32_t)size,
                                     .data = zeros ? NULL : bytes};
    return err != NULL ? err : lull_rp_submit_add(s, &r);
}

/** All that is mapped. @p ret_end: behind the last. */
LULL_MUST_USE static struct lull_error *memory(struct writer *w, struct lull_rp_submit *s,
                                               uint64_t *ret_end)
{
    size_t n = 0, got = 0;
    struct lull_error *err = w->ops->bos(w->d->target, NULL, 0, &n);
    lull_cleanup(lull_freep) struct lull_bo_info *all = calloc(n + 1, sizeof *all);
    err = err != NULL ? err : all == NULL ? &lull_enomem : w->ops->bos(w->d->target, all, n, &got);
    *ret_end = 0;
    for (size_t i = 0; err == NULL && i < n && i < got; i++) {
        const uint64_t end = all[i].va + all[i].size;
        err = add_buffer(w, &all[i], s);
        *ret_end = end > *ret_end ? end : *ret_end;
    }
    return err;
}

/** The stream in a buffer of its own, behind all others. */
LULL_MUST_USE static struct lull_error *add_stream(const struct writer *w, uint64_t end,
                                                   struct lull_rp_submit *s)
{
    const uint64_t at = (end + 2 * (uint64_t)CHUNK - 1) / CHUNK * CHUNK;
    const uint32_t size = (uint32_t)w->words.size;
    const struct lull_rp_buffer b = {
        .address = at, .size = size, .held = size, .data = (uint8_t *)w->words.text};
    const struct lull_rp_stream stream = {.address = at, .dwords = size / 4};
    struct lull_error *err = lull_rp_submit_add(s, &b);
    return err != NULL ? err : lull_rp_submit_add_stream(s, &stream);
}

/** What is written, and where to. */
struct file {
    struct lull_debug *d;
    struct lull_kernel *k;
    uint64_t seed;
    const char *path;
};

LULL_MUST_USE static struct lull_error *write_file(void *ctx, const struct lull_debug_place *p)
{
    const struct file *f = ctx;
    const struct lull_target_ops *ops = f->d->target->ops;
    struct writer w = {.d = f->d, .ops = ops, .b = {.gen = ops->gen / 100}};
    struct lull_rp_submit s = {0};
    struct lull_str out = {0};
    uint64_t end = 0;
    const int n = snprintf(s.process, sizeof s.process, "lull record: seed %" PRIu64, f->seed);
    if (p != NULL) {
        snprintf(s.process + n, sizeof s.process - (size_t)n,
                 "; wave %" PRIu32 " of workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32
                 " behind %" PRIu64 " at time %" PRIu64,
                 p->hw_id1, p->workgroup[0], p->workgroup[1], p->workgroup[2], p->executed,
                 p->time);
    }
    struct lull_error *err = stream(&w);
    err = err != NULL ? err : memory(&w, &s, &end);
    err = err != NULL ? err : add_stream(&w, end, &s);
    err = err != NULL ? err : lull_adreno_ids(f->k, &s.gpu_id, &s.chip_id);
    if (err == NULL) {
        lull_rp_submit_put_gpu(&s, &out);
        lull_rp_submit_put(&s, &out);
        err = out.err;
        out.err = NULL;
    }
    err = err != NULL ? err : lull_output_write(f->path, lull_str_text(&out), out.size);
    lull_str_free(&out);
    lull_str_free(&w.words);
    lull_abuild_done(&w.b);
    lull_rp_submit_done(&s);
    return err;
}

struct lull_error *lull_record_adreno_save(struct lull_debug *d, struct lull_kernel *k,
                                           uint64_t seed, const uint64_t *time, const char *path)
{
    struct file f = {.d = d, .k = k, .seed = seed, .path = path};
    return !d->has_dispatch || d->at_draw
               ? lull_error_new(LULL_ERR_UNSUPPORTED,
                                "record save: for a dispatch that is held ('catch dispatch') or "
                                "runs, not for draws")
               : lull_record_as_begun(d, time, write_file, &f);
}

struct lull_error *lull_record_adreno_look(const char *path, bool *ret_is, uint64_t *ret_seed,
                                           bool *ret_stood, struct lull_debug_place *ret_place)
{
    struct lull_stream *s = NULL;
    struct lull_rp_reader *r = NULL;
    struct lull_rp_submit first = {0};
    struct lull_debug_place p = {0};
    bool more = false;
    *ret_is = *ret_stood = false;
    struct lull_error *err = lull_stream_open(path, &s);
    err = err != NULL ? err : lull_rp_reader_new(s, 0, &r);
    err = err != NULL ? err : lull_rp_reader_next(r, &first, &more);
    if (err == NULL && more) {
        *ret_is = sscanf(first.process, "lull record: seed %" SCNu64, ret_seed) == 1;
        *ret_stood = sscanf(first.process,
                            "lull record: seed %" SCNu64 "; wave %" SCNu32 " of workgroup %" SCNu32
                            ",%" SCNu32 ",%" SCNu32 " behind %" SCNu64 " at time %" SCNu64,
                            ret_seed, &p.hw_id1, &p.workgroup[0], &p.workgroup[1], &p.workgroup[2],
                            &p.executed, &p.time) == 7;
        p.timed = true;
        *ret_place = p;
    }
    lull_rp_submit_done(&first);
    lull_rp_reader_free(r);
    lull_stream_free(s);
    return lull_error_in(err, "%s", path);
}
