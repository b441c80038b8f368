// SPDX-License-Identifier: MIT
// Captures, section by section, and the command line of the programs that write them.
#include "adreno/rdgen/rdgen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/file/rd.h"
#include "base/output.h"
#include "base/str.h"
#include "hw/adreno_chip.h"
#include "hw/rd_regs.h"

enum { NARROW = 2, WIDE = 3 };

/** What belongs to the next submit follows. */
static void next_submit(struct lull_rdgen *g)
{
    if (g->submitted) {
        lull_rdgen_end_submit(g);
    }
}

static void set_gpu(struct lull_rdgen *g, unsigned gen)
{
    g->gen = gen >= 2 && gen <= 7 ? gen : g->gen;
}

void lull_rdgen_gpu_id(struct lull_rdgen *g, uint32_t id)
{
    struct lull_rdgen_section *s = lull_rdgen_insert(g, g->n, LULL_RD_GPU_ID, 4);
    if (s != NULL) {
        lull_rdgen_put32(s->payload, id);
        set_gpu(g, id / 100);
    }
}

void lull_rdgen_chip_id(struct lull_rdgen *g, uint64_t id)
{
    struct lull_rdgen_section *s = lull_rdgen_insert(g, g->n, LULL_RD_CHIP_ID, 8);
    if (s != NULL) {
        lull_rdgen_put64(s->payload, id);
        set_gpu(g, lull_adreno_gen(id));
    }
}

void lull_rdgen_process(struct lull_rdgen *g, const char *text, uint32_t bytes)
{
    const size_t n = strlen(text);
    next_submit(g);
    struct lull_rdgen_section *s = lull_rdgen_insert(g, g->n, LULL_RD_CMD, bytes);
    if (s != NULL) {
        memcpy(s->payload, text, n < bytes ? n : bytes);
    }
}

void lull_rdgen_buffer(struct lull_rdgen *g, uint64_t address, uint32_t bytes,
                       const struct lull_rdgen_run *data, uint64_t sum)
{
    next_submit(g);
    const bool ranged = lull_rdgen_insert_range(g, g->n, LULL_RD_GPUADDR, address, bytes);
    struct lull_rdgen_section *s =
        ranged && data != NULL ? lull_rdgen_insert(g, g->n, LULL_RD_BUFFER_CONTENTS, bytes) : NULL;
    bool same = true;
    if (s != NULL) {
        s->address = address;
        s->buffer = true;
        lull_rdgen_expand(g, data, s->payload, bytes);
        same = g->size != 0 && sum == lull_rdgen_sum(s->payload, bytes);
        s->left_out = same;
    }
    if (ranged) {
        g->sections[g->n - 1 - (s != NULL)].left_out = g->size != 0 && same;
    }
}

void lull_rdgen_section(struct lull_rdgen *g, uint32_t type, uint32_t bytes,
                        const struct lull_rdgen_run *data)
{
    if (type == LULL_RD_GPUADDR || type == LULL_RD_CMD) {
        next_submit(g);
    }
    const bool filler = type == LULL_RD_FILLER && bytes == LULL_RD_FILLER;
    struct lull_rdgen_section *s = lull_rdgen_insert(g, g->n, type, filler ? 0 : bytes);
    if (s != NULL) {
        s->filler = filler;
        lull_rdgen_expand(g, data, s->payload, s->size);
        s->left_out = g->size != 0 && (type == LULL_RD_GPUADDR || type == LULL_RD_BUFFER_CONTENTS);
    }
}

void lull_rdgen_address_dwords(struct lull_rdgen *g, unsigned dwords)
{
    g->address_dwords = dwords == NARROW ? NARROW : WIDE;
}

void lull_rdgen_read_into_file(struct lull_rdgen *g, uint64_t address, uint64_t bytes, bool clear,
                               const char *name)
{
    const size_t n = strlen(name) + 1;
    struct lull_rdgen_section *s =
        n < UINT32_MAX / 2 ? lull_rdgen_insert(g, g->n, LULL_RD_WRBUFFER, (uint32_t)(24 + n))
                           : NULL;
    if (s != NULL) {
        lull_rdgen_put64(s->payload, address);
        lull_rdgen_put64(s->payload + 8, bytes);
        lull_rdgen_put64(s->payload + 16, clear);
        memcpy(s->payload + 24, name, n);
    }
}

void lull_rdgen_submit_at(struct lull_rdgen *g, uint64_t address, uint32_t dwords)
{
    const size_t at = g->n;
    if (lull_rdgen_insert_range(g, at, LULL_RD_CMDSTREAM_ADDR, address, dwords) && !g->submitted) {
        g->submitted = true;
        g->first_stream = at;
    }
}

void lull_rdgen_submit(struct lull_rdgen *g, const struct lull_rdgen_piece *stream)
{
    const uint64_t address = lull_rdgen_address(g, stream);
    const uint32_t dwords = lull_rdgen_size(g, stream);
    lull_rdgen_submit_at(g, address, dwords);
}

static void done(struct lull_rdgen *g)
{
    for (size_t i = 0; i < g->n; i++) {
        free(g->sections[i].payload);
    }
    for (size_t i = 0; i < g->nmade; i++) {
        free(g->made[i].words);
    }
    free(g->sections);
    free(g->made);
    free(g->own);
    lull_error_free(g->err);
}

LULL_MUST_USE static struct lull_error *write_out(const struct lull_rdgen *g, const char *path)
{
    struct lull_output to = {0};
    struct lull_error *err = lull_output_open(&to, path);
    for (size_t i = 0; err == NULL && i < g->n; i++) {
        const struct lull_rdgen_section *s = &g->sections[i];
        struct lull_str bytes = {0};
        if (!s->left_out) {
            lull_rd_put(&bytes, &(struct lull_rd_section){.type = s->type,
                                                          .filler = s->filler,
                                                          .size = s->size,
                                                          .payload = s->payload});
            err = bytes.err != NULL ? bytes.err : lull_output_put(&to, bytes.text, bytes.size);
            bytes.err = NULL;
        }
        lull_str_free(&bytes);
    }
    err = err != NULL ? err : lull_output_keep(&to);
    lull_output_done(&to);
    return err;
}

/** The number after @p option in argv[*at], as --option=N or in the next argument. */
static bool number(const char *option, int argc, char **argv, int *at, uint64_t *ret)
{
    const size_t n = strlen(option);
    const char *text = argv[*at];
    char *end = NULL;
    if (strncmp(text, option, n) != 0 || (text[n] != '=' && text[n] != '\0')) {
        return false;
    }
    if (text[n] == '\0') {
        text = *at + 1 < argc ? argv[++*at] : "";
    } else {
        text += n + 1;
    }
    errno = 0;
    *ret = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-';
}

struct lull_error *lull_rdgen_run(int argc, char **argv, void (*program)(struct lull_rdgen *g))
{
    struct lull_rdgen g = {.address_dwords = WIDE};
    const char *path = NULL;
    bool start = false, size = false;
    for (int i = 1; i < argc; i++) {
        if (number("--vastart", argc, argv, &i, &g.start)) {
            start = true;
        } else if (number("--vasize", argc, argv, &i, &g.size) && g.size != 0) {
            size = true;
        } else if (path == NULL && argv[i][0] != '\0' &&
                   (argv[i][0] != '-' || argv[i][1] == '\0')) {
            path = argv[i];
        } else {
            return lull_error_new(LULL_ERR_INVALID,
                                  "cannot use '%s' here; [--vastart=N --vasize=N] OUT.rd", argv[i]);
        }
    }
    if (path == NULL || start != size || g.start % LULL_RDGEN_ALIGN != 0 ||
        g.size > UINT64_MAX - g.start) {
        return lull_error_new(LULL_ERR_INVALID,
                              path == NULL ? "OUT.rd is missing; [--vastart=N --vasize=N] OUT.rd"
                              : start != size
                                  ? "--vastart and --vasize go together"
                                  : "--vastart must be a multiple of 256, and the range must end "
                                    "below 2^64");
    }
    g.own_start = g.start;
    program(&g);
    lull_rdgen_end_submit(&g);
    struct lull_error *err = g.err;
    g.err = NULL;
    err = err != NULL ? err : write_out(&g, path);
    done(&g);
    return err;
}
