// SPDX-License-Identifier: MIT
// The program as a whole: sections in their order.
#include "adreno/decompile/decompile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/decompile/priv.h"
#include "adreno/file/rd.h"
#include "adreno/rdgen/rdgen.h"
#include "hw/rd_regs.h"

/** What only some sections have: their dwords. */
static void write_section(struct lull_dc *d, const struct lull_dc_section *s)
{
    char name[LULL_DC_NAME] = "NULL";
    if (s->filler) {
        lull_str_addf(&d->program, "    lull_rdgen_section(g, 0x%08x, 0x%08x, NULL); // a filler\n",
                      LULL_RD_FILLER, LULL_RD_FILLER);
        return;
    }
    if (s->size != 0) {
        lull_dc_array(d, s->payload, s->size, 0, name);
    }
    const char *what = lull_rd_type_name(s->type);
    lull_str_addf(&d->program, "    lull_rdgen_section(g, %" PRIu32 ", %" PRIu32 ", %s);%s%s\n",
                  s->type, s->size, name, what != NULL ? " // " : "", what != NULL ? what : "");
}

static bool write_text(struct lull_dc *d, const struct lull_dc_section *s)
{
    const char *text = (const char *)s->payload;
    const size_t n = strnlen(text, s->size);
    for (size_t i = n; i < s->size; i++) {
        if (text[i] != '\0') {
            return false;
        }
    }
    lull_str_addf(&d->program, "\n    lull_rdgen_process(g, \"");
    lull_dc_quote(text, n, &d->program);
    lull_str_addf(&d->program, "\", %" PRIu32 ");\n", s->size);
    return true;
}

/** Contents of a buffer without the pieces of the program in it; they are put there again. */
static void write_buffer(struct lull_dc *d, size_t at)
{
    struct lull_dc_section *s = &d->sections[at];
    char name[LULL_DC_NAME] = "";
    for (size_t i = 0; i < d->npieces; i++) {
        const struct lull_dc_piece *p = &d->pieces[i];
        if (p->written && p->section == at && p->group == s->group) {
            memset(s->payload + (p->address - s->address), 0, p->dwords * (size_t)4);
        }
    }
    lull_dc_array(d, s->payload, s->size, s->address, name);
    lull_str_addf(&d->program,
                  "    lull_rdgen_buffer(g, 0x%" PRIx64 ", %" PRIu32 ", %s, 0x%016" PRIx64 ");\n",
                  s->address, s->size, name, lull_rdgen_sum(s->payload, s->size));
}

/** Does the range of @p s come out again, with as many dwords as the others? */
static bool is_usual(const struct lull_dc_section *s, unsigned dwords)
{
    return s->size == dwords * 4 || (dwords == 2 && s->size == 12 && s->address >> 32 != 0);
}

static void write_stream(struct lull_dc *d, const struct lull_dc_section *s)
{
    const uint32_t dwords = lull_dc_word(s->payload, 1);
    const struct lull_dc_piece *p =
        d->names != NULL ? lull_dc_piece_at(d, s->group, s->address, dwords, 0) : NULL;
    if (p != NULL && p->dwords == dwords && !p->shader) {
        lull_str_addf(&d->program, "    lull_rdgen_submit(g, &%s); // stream %" PRIu64 "\n",
                      p->name, s->stream);
    } else {
        lull_str_addf(&d->program,
                      "    lull_rdgen_submit_at(g, 0x%" PRIx64 ", %" PRIu32 "); // stream %" PRIu64
                      "\n",
                      s->address, dwords, s->stream);
    }
}

/** Section @p i; @return how many were written. */
static size_t write_one(struct lull_dc *d, size_t i, unsigned *dwords)
{
    const struct lull_dc_section *s = &d->sections[i];
    const bool range = !s->filler && (s->size == 8 || s->size == 12) &&
                       (s->type == LULL_RD_GPUADDR || s->type == LULL_RD_CMDSTREAM_ADDR);
    if (range && !is_usual(s, *dwords)) {
        *dwords = s->size / 4;
        lull_str_addf(&d->program, "    lull_rdgen_address_dwords(g, %u);\n", *dwords);
    }
    if (s->filler) {
        write_section(d, s);
    } else if (s->type == LULL_RD_CHIP_ID && s->size == 8) {
        lull_str_addf(&d->program, "    lull_rdgen_chip_id(g, 0x%08" PRIx64 ");\n",
                      lull_dc_word(s->payload, 0) | (uint64_t)lull_dc_word(s->payload, 1) << 32);
    } else if (s->type == LULL_RD_GPU_ID && s->size == 4) {
        lull_str_addf(&d->program, "    lull_rdgen_gpu_id(g, %" PRIu32 ");\n",
                      lull_dc_word(s->payload, 0));
    } else if (s->is_stream) {
        write_stream(d, s);
    } else if (range && i + 1 < d->nsections && d->sections[i + 1].buffer) {
        write_buffer(d, i + 1);
        return 2;
    } else if (range) {
        lull_str_addf(&d->program,
                      "    lull_rdgen_buffer(g, 0x%" PRIx64 ", %" PRIu32 ", NULL, 0);\n",
                      s->address, lull_dc_word(s->payload, 1));
    } else if (s->type != LULL_RD_CMD || !write_text(d, s)) {
        write_section(d, s);
    }
    return 1;
}

static void write_program(struct lull_dc *d)
{
    unsigned dwords = 3;
    for (size_t i = 0; i < d->nsections && d->names != NULL; i++) {
        const struct lull_dc_section *s = &d->sections[i];
        if (s->is_stream) { // also those of other generations: as they are decoded
            (void)lull_dc_piece_at(d, s->group, s->address, lull_dc_word(s->payload, 1), 0);
        }
    }
    for (size_t i = 0; i < d->nsections && d->err == NULL;) {
        i += write_one(d, i, &dwords);
    }
}

static void put_all(struct lull_dc *d, const char *name, struct lull_str *out)
{
    lull_str_addf(out, "// Made by lull rd decompile of ");
    for (; *name != '\0'; name++) {
        const bool ok = (unsigned char)*name >= ' ' && *name != '\\' && *name != '?';
        lull_str_addf(out, "%c", ok ? *name : '_');
    }
    lull_str_addf(out, ".\n// cc -o gen gen.c -llull && ./gen OUT.rd writes the capture again; see "
                       "lull-rd(1).\n");
    lull_str_addf(out, "#include <lull/rdgen.h>\n");
    if (d->names != NULL) {
        lull_str_addf(out, "#include <lull/a%uxx.h>\n", d->gen);
    }
    lull_str_addf(out, "\n");
    lull_str_add(out, lull_str_text(&d->code), d->code.size);
    lull_str_add(out, lull_str_text(&d->data), d->data.size);
    lull_str_addf(out, "static void capture(struct lull_rdgen *g)\n{\n");
    lull_str_add(out, lull_str_text(&d->program), d->program.size);
    lull_str_addf(out, "}\n\nint main(int argc, char **argv)\n{\n"
                       "    return lull_rdgen_main(argc, argv, capture);\n}\n");
    out->err = out->err != NULL      ? out->err
               : d->code.err != NULL ? d->code.err
               : d->data.err != NULL ? d->data.err
                                     : d->program.err;
}

static void done(struct lull_dc *d)
{
    for (size_t i = 0; i < d->nsections; i++) {
        free(d->sections[i].payload);
    }
    free(d->sections);
    free(d->pieces);
    free(d->set);
    free(d->texts);
    free(d->arrays);
    lull_dc_names_free(d->names);
    lull_str_free(&d->code);
    lull_str_free(&d->data);
    lull_str_free(&d->program);
    lull_error_free(d->err);
}

struct lull_error *lull_decompile(struct lull_stream *s, const char *name, int64_t stream,
                                  struct lull_str *out)
{
    struct lull_dc d = {.only = stream};
    struct lull_error *err = lull_dc_read(&d, s);
    if (err == NULL && stream >= 0 && d.streams <= (uint64_t)stream) {
        err = lull_error_new(LULL_ERR_NOT_FOUND,
                             "the capture has %" PRIu64 " command streams, numbered from 0",
                             d.streams);
    }
    if (err == NULL && d.err == NULL && d.gen != 0) {
        err = lull_dc_names_new(d.gen, &d.names);
    }
    if (err == NULL && d.err == NULL) {
        write_program(&d);
    }
    if (err == NULL && d.err == NULL) {
        put_all(&d, name, out);
        d.err = out->err;
        out->err = NULL;
    }
    if (err == NULL) {
        err = d.err;
        d.err = NULL;
    }
    done(&d);
    return err;
}
