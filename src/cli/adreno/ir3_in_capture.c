// SPDX-License-Identifier: MIT
#include "cli/adreno/ir3_in_capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "adreno/file/kind.h"
#include "adreno/replay/shaders.h"
#include "base/output.h"
#include "cli/adreno/ir3_text.h"
#include "cli/opt/progress.h"
#include "hw/achips.h"
#include "hw/adreno_chip.h"
#include "vdrm/msm/vdrm.h"

enum { PAGE = 4096, WAVE = 64, REG_VEC4 = 64, PRIVATE_UNIT = 512, ANY_CHIP = 30 };

/** What is being done. */
struct work {
    const struct lull_ir3_in_capture *how;
    const struct lull_achip *chip; ///< NULL: one that is not known.
    struct lull_rp_capture capture;
    struct lull_rp_shaders shaders;
    size_t which;
    struct lull_ir3_instrumented made;
    struct lull_rp_code code;
};

bool lull_ir3_is_capture(const char *file)
{
    struct lull_stream *s = NULL;
    struct stat st = {0}; // What a pipe gives is read once.
    const bool regular = strcmp(file, "-") != 0 && stat(file, &st) == 0 && S_ISREG(st.st_mode);
    struct lull_error *err = regular ? lull_stream_open(file, &s) : NULL;
    const bool is = err == NULL && s != NULL && lull_kind_of(s) == LULL_KIND_RD;
    lull_error_free(err); // Who reads it says what is wrong.
    lull_stream_free(s);
    return is;
}

LULL_MUST_USE static struct lull_error *read_capture(struct work *w)
{
    struct lull_stream *s = NULL;
    struct lull_rp_reader *reader = NULL;
    struct lull_progress progress = {.quiet = true};
    struct lull_error *err = lull_progress_open(&progress, w->how->file, &s);
    err = err != NULL ? err : lull_rp_reader_new(s, 0, &reader);
    err = err != NULL ? err : lull_rp_capture_read(&w->capture, reader, NULL, NULL);
    lull_rp_reader_free(reader);
    lull_stream_free(s);
    return err;
}

/** Its GPU, and the shaders that run. */
LULL_MUST_USE static struct lull_error *look(struct work *w)
{
    const struct lull_rp_submit *first = w->capture.submits;
    if (first == NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "the capture has no submit");
    }
    const unsigned gen =
        first->chip_id != 0 ? lull_adreno_gen(first->chip_id) : (unsigned)(first->gpu_id / 100);
    w->chip = lull_vdm_chip_of(first->chip_id, first->gpu_id);
    if (gen != 6 && gen != 7) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "the capture is not of an a6xx or a7xx");
    }
    return lull_rp_shaders_find(&w->shaders, &w->capture, gen);
}

static bool matches(const struct work *w, size_t i)
{
    const struct lull_rp_shader *s = &w->shaders.all[i];
    const char *name = w->how->shader, *stage = w->how->stage;
    char hash[20] = "", *end = NULL;
    const unsigned long number = name != NULL ? strtoul(name, &end, 10) : 0;
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, s->hash);
    if (stage != NULL && strcmp(stage, lull_rp_stage_names[s->stage]) != 0) {
        return false;
    }
    if (name != NULL && *name != '\0' && *end == '\0' && number < w->shaders.n) {
        return number == i;
    }
    return name == NULL || (*name != '\0' && strncmp(hash, name, strlen(name)) == 0);
}

/** "2 draws". */
static void add_work(const struct lull_rp_shader *s, struct lull_str *out)
{
    lull_str_addf(out, "%zu %s%s", s->draws, s->stage == LULL_RP_CS ? "dispatch" : "draw",
                  s->draws == 1            ? ""
                  : s->stage == LULL_RP_CS ? "es"
                                           : "s");
}

/** The shader that is meant. */
LULL_MUST_USE static struct lull_error *choose(struct work *w)
{
    struct lull_str list = {0};
    size_t n = 0;
    for (size_t i = 0; i < w->shaders.n; i++) {
        const struct lull_rp_shader *s = &w->shaders.all[i];
        lull_str_addf(&list, "\n  %zu  %s %016" PRIx64 ", %zu instructions, ", i,
                      lull_rp_stage_names[s->stage], s->hash, s->n);
        add_work(s, &list);
        w->which = matches(w, i) ? i : w->which;
        n += matches(w, i);
    }
    struct lull_error *err =
        n == 1 ? NULL
               : lull_error_new(LULL_ERR_INVALID,
                                "%zu of the %zu shaders that run are meant: choose one with "
                                "--shader%s",
                                n, w->shaders.n, lull_str_text(&list));
    lull_str_free(&list);
    return err;
}

/** Registers of four components that the code may have, so that waves are as wide as before and a
 * workgroup with barriers still fits. Source: Mesa 25.0.7 ir3.c, ir3_ra.c. */
static unsigned most_registers(const struct work *w, const struct lull_ir3_shader *code)
{
    const struct lull_rp_shader *s = &w->shaders.all[w->which];
    const unsigned file = w->chip != NULL ? w->chip->reg_vec4 : REG_VEC4;
    const unsigned wide = s->wide ? 2 : 1;
    const unsigned unit = WAVE * wide * (w->chip != NULL ? w->chip->wave_granularity : 1);
    unsigned most = file / wide;
    bool barrier = false;
    for (size_t i = 0; i < code->n; i++) {
        struct lull_ir3_insn in;
        barrier = barrier || (lull_ir3_decode(code->words[i], w->how->how.gen, &in) &&
                              in.op == LULL_IR3_OP_BAR);
    }
    if (barrier && s->fibers > unit) {
        most = file / ((s->fibers + unit - 1) / unit * wide);
    }
    return most > s->registers ? most : s->registers;
}

LULL_MUST_USE static struct lull_error *instrument(struct work *w)
{
    const struct lull_rp_shader *s = &w->shaders.all[w->which];
    struct lull_ir3_instrument how = w->how->how;
    char title[64] = "";
    (void)snprintf(title, sizeof title, "%s shader %016" PRIx64, lull_rp_stage_names[s->stage],
                   s->hash);
    const struct lull_ir3_shader code = {.title = title,
                                         .words = s->words,
                                         .n = s->n,
                                         .group_reg = s->group_reg,
                                         .pixel_reg = s->pixel_reg};
    how.gen = how.gen != 0      ? how.gen
              : w->chip != NULL ? (unsigned)strtoul(w->chip->name + 1, NULL, 10)
                                : w->shaders.gen * 100 + ANY_CHIP;
    struct lull_error *err =
        how.buffer == 0
            ? lull_rp_capture_hole(&w->capture, (uint64_t)how.room + (uint64_t)LULL_IR3_SLACK,
                                   &how.buffer)
            : NULL;
    how.all_outputs = s->stage != LULL_RP_CS;
    how.private_bytes = s->can_spill && w->chip != NULL ? (int64_t)s->private_bytes : -1;
    how.registers = most_registers(w, &code);
    err = err != NULL ? err : w->how->prepare(w->how->ctx, &code, &how);
    return err != NULL ? err : lull_ir3_instrument(&code, &how, &w->made);
}

/** A buffer of @p bytes, in whole pages, where nothing is, or at *at if it is not 0. */
LULL_MUST_USE static struct lull_error *add(struct work *w, uint64_t bytes, const uint64_t *words,
                                            size_t n, uint64_t *at)
{
    struct lull_rp_buffer b = {.size = (uint32_t)((bytes + PAGE - 1) / PAGE * PAGE)};
    struct lull_error *err =
        bytes > UINT32_MAX - PAGE
            ? lull_error_new(LULL_ERR_UNSUPPORTED, "a buffer of %" PRIu64 " bytes", bytes)
            : NULL;
    if (err == NULL && *at == 0) {
        err = lull_rp_capture_hole(&w->capture, b.size, at);
    }
    b.address = *at;
    b.data = words != NULL && err == NULL ? calloc(1, b.size) : NULL;
    if (b.data != NULL) {
        memcpy(b.data, words, n * sizeof *words);
        b.held = b.size;
    } else if (words != NULL && err == NULL) {
        err = &lull_enomem;
    }
    err = err != NULL ? err : lull_rp_capture_add(&w->capture, &b);
    free(b.data);
    return err;
}

/** Is --buffer free in the capture? */
LULL_MUST_USE static struct lull_error *is_free(const struct work *w)
{
    const struct lull_manifest *m = &w->made.manifest;
    for (size_t i = 0; i < w->capture.nsubmits; i++) {
        for (size_t k = 0; k < w->capture.submits[i].nbuffers; k++) {
            const struct lull_rp_buffer *b = &w->capture.submits[i].buffers[k];
            if (b->address < m->buffer + m->bytes && m->buffer < b->address + b->size) {
                return lull_error_new(LULL_ERR_INVALID,
                                      "--buffer: 0x%" PRIx64 " with %u bytes: the capture has a "
                                      "buffer at 0x%" PRIx64,
                                      m->buffer, m->bytes, b->address);
            }
        }
    }
    return NULL;
}

/** The buffers of the new code, and packets that run it. */
LULL_MUST_USE static struct lull_error *exchange(struct work *w)
{
    const struct lull_ir3_instrumented *r = &w->made;
    struct lull_rp_code *c = &w->code;
    uint64_t records = r->manifest.buffer;
    *c = (struct lull_rp_code){
        .words = r->words, .n = r->n, .registers = r->registers, .branches = r->branches};
    if (r->private_bytes != 0) { // As Turnip: a power of two, and whole pages of each SP.
        c->fiber_bytes = PRIVATE_UNIT;
        while (c->fiber_bytes < r->private_bytes) {
            c->fiber_bytes *= 2;
        }
        c->sp_bytes = (c->fiber_bytes * w->chip->fibers_per_sp + PAGE - 1) / PAGE * PAGE;
    }
    struct lull_error *err = is_free(w);
    err = err != NULL ? err : add(w, r->manifest.bytes, NULL, 0, &records);
    // Behind its end there is a page more: instructions are read ahead.
    err = err != NULL ? err : add(w, r->n * sizeof *r->words + PAGE, r->words, r->n, &c->address);
    if (err == NULL && c->fiber_bytes != 0) {
        err = add(w, c->sp_bytes * w->chip->sps, NULL, 0, &c->priv);
    }
    return err != NULL ? err : lull_rp_shaders_replace(&w->shaders, &w->capture, w->which, c);
}

LULL_MUST_USE static struct lull_error *write_both(const struct work *w)
{
    struct lull_str path = {0}, capture = {0}, manifest = {0};
    struct lull_output out[2] = {{0}, {0}};
    lull_str_addf(&path, "%s.records", w->how->out);
    lull_rp_capture_put(&w->capture, &capture);
    lull_manifest_print(&w->made.manifest, &manifest);
    struct lull_error *err = path.err != NULL      ? path.err
                             : capture.err != NULL ? capture.err
                                                   : manifest.err;
    err = err != NULL ? err : lull_output_open(&out[0], w->how->out);
    err = err != NULL ? err : lull_output_open(&out[1], lull_str_text(&path));
    err = err != NULL ? err : lull_output_put(&out[0], capture.text, capture.size);
    err = err != NULL ? err : lull_output_put(&out[1], manifest.text, manifest.size);
    err = err != NULL ? err : lull_output_keep(&out[1]);
    err = err != NULL ? err : lull_output_keep(&out[0]);
    lull_output_done(&out[0]);
    lull_output_done(&out[1]);
    lull_str_free(&path);
    lull_str_free(&capture);
    lull_str_free(&manifest);
    return err;
}

static void tell(const struct work *w)
{
    const struct lull_rp_shader *s = &w->shaders.all[w->which];
    const struct lull_manifest *m = &w->made.manifest;
    struct lull_str work = {0};
    fprintf(stderr, "%s", lull_str_text(&w->made.notes));
    add_work(s, &work);
    printf("%s: %s %016" PRIx64 ", %s: %zu instructions recorded; %zu instructions instead of %zu\n"
           "registers %u instead of %u, code at 0x%" PRIx64,
           w->how->out, lull_rp_stage_names[s->stage], s->hash, lull_str_text(&work), m->n,
           w->made.n, s->n, w->code.registers > s->registers ? w->code.registers : s->registers,
           s->registers, w->code.address);
    lull_str_free(&work);
    if (w->code.fiber_bytes != 0) {
        printf(", private memory of %" PRIu64 " bytes for a fiber at 0x%" PRIx64,
               w->code.fiber_bytes, w->code.priv);
    }
    printf("\nbuffer at 0x%" PRIx64 ", %u bytes of zeros\n", m->buffer, m->bytes);
    lull_ir3_text_slices(m, stdout);
}

struct lull_error *lull_ir3_in_capture(const struct lull_ir3_in_capture *c)
{
    struct work w = {.how = c};
    struct lull_error *err = read_capture(&w);
    err = err != NULL ? err : look(&w);
    err = err != NULL ? err : choose(&w);
    err = err != NULL ? err : instrument(&w);
    err = err != NULL ? err : exchange(&w);
    err = lull_error_in(err, "%s", c->file);
    err = err != NULL ? err : write_both(&w);
    if (err == NULL) {
        tell(&w);
    }
    lull_ir3_instrumented_done(&w.made);
    lull_rp_shaders_done(&w.shaders);
    lull_rp_capture_done(&w.capture);
    return err;
}
