// SPDX-License-Identifier: MIT
// lull crash explain-fault: a line of the kernel's log about a fault, in words.
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "cli/adreno/fault_buffers.h"
#include "cli/adreno/triage.h"
#include "cli/opt/command.h"
#include "cli/opt/input.h"
#include "drm/core/faultlog.h"
#include "hw/gc11_regs.h"
#include "hw/terms.h"

enum { FIRST_PAGES = 0x10000, WORD = 32 };

struct args {
    const char *line, *rd, *devcore;
    bool json;
};

struct page {
    const struct lull_faultlog *f;
    struct lull_fault_buffers *buffers;
    struct lull_str *out;
    struct lull_json *j;
};

static bool is_amd(const struct page *p)
{
    return p->f->kind == LULL_FAULTLOG_AMD;
}

static const char *dir(const struct lull_faultlog *f)
{
    return f->dir == LULL_FAULTLOG_WRITE  ? "write"
           : f->dir == LULL_FAULTLOG_READ ? "read"
                                          : "access";
}

/** What the SMMU says, in words; NULL: nothing. */
static const char *type_words(const char *type)
{
    static const struct {
        const char *type, *words;
    } rows[] = {
        {"TRANSLATION", "nothing is mapped there"},
        {"PERMISSION", "it is mapped, but not for this: as a write to what is only to be read"},
        {"EXTERNAL", "the memory behind it did not answer"},
        {"UNKNOWN", "the SMMU gave no reason that the kernel knows"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].type, type) == 0) {
            return rows[i].words;
        }
    }
    return NULL;
}

/* Who did it */

/** A unit's word in data/terms; true: it is there. */
static bool term(struct page *p, const char *word, unsigned of)
{
    for (const struct lull_term *t = lull_terms; t->word != NULL; t++) {
        if ((t->of & of) != 0 && strcasecmp(t->word, word) == 0) {
            if (p->j != NULL) {
                lull_json_open(p->j, '{');
                lull_json_put_str(p->j, "word", t->word);
                lull_json_put_str(p->j, "text", t->text);
                lull_json_close(p->j, '}');
            } else {
                lull_str_addf(p->out, "          %s: %s\n", t->word, t->text);
            }
            return true;
        }
    }
    return false;
}

/** Each word of "TP|VFD", "BR_SP", "CDP Prefetch". */
static void units(struct page *p)
{
    const unsigned of = is_amd(p) ? LULL_TERM_AMD : LULL_TERM_ADRENO;
    for (const char *at = p->f->source; *at != '\0';) {
        char word[WORD] = "";
        size_t n = 0;
        while (n < WORD - 1 && isalnum((unsigned char)at[n]) != 0) {
            n++;
        }
        memcpy(word, at, n);
        if (n != 0) {
            (void)term(p, word, of);
        }
        at += n != 0 ? n : 1;
    }
}

/** How exact the name is. Linux, a6xx_fault_block(), a5xx_fault_handler(). */
static const char *source_words(const char *source)
{
    const bool number = source[0] != '\0' && source[strspn(source, "0123456789abcdef")] == '\0';
    return strcmp(source, "UCHE") == 0       ? "the cache in front of memory, for a unit not told"
           : strncmp(source, "not ", 4) == 0 ? "a client of UCHE other than that"
           : strchr(source, '|') != NULL     ? "one of the two"
           : strcasecmp(source, "unknown") == 0 ? "the kernel does not know which unit"
           : number ? "FSYNR1 of the SMMU as it is: on a5xx the kernel does not translate it"
                    : NULL;
}

static void source_text(struct page *p)
{
    if (p->f->source[0] == '\0') {
        return;
    }
    const char *words = is_amd(p) ? NULL : source_words(p->f->source);
    lull_str_addf(p->out, "source    %s%s%s\n", p->f->source, words != NULL ? ": " : "",
                  words != NULL ? words : "");
    units(p);
}

/* Where */

static void buffer_json(struct page *p, const char *key, const struct lull_fault_buffer *b)
{
    if (b == NULL) {
        return;
    }
    lull_json_key(p->j, key);
    lull_json_open(p->j, '{');
    lull_json_put_hex(p->j, "address", b->address);
    lull_json_put_u64(p->j, "size", b->size);
    lull_json_put_str(p->j, "name", b->name);
    lull_json_put_str(p->j, "file", b->file);
    lull_json_put_u64(p->j, "first_submit", b->first);
    lull_json_put_u64(p->j, "last_submit", b->last);
    lull_json_close(p->j, '}');
}

static void buffer_text(const struct page *p, const struct lull_fault_buffer *b)
{
    lull_str_addf(p->out, "0x%" PRIx64 ", %" PRIu64 " bytes%s%s%s", b->address, b->size,
                  b->name[0] != '\0' ? ", \"" : "", b->name, b->name[0] != '\0' ? "\"" : "");
}

/** Was it in the capture's last submit? */
static bool gone(const struct page *p, const struct lull_fault_buffer *b)
{
    return p->buffers->submits != 0 && b->name[0] == '\0' && b->last + 1 < p->buffers->submits;
}

/** What may have happened; NULL: no idea. */
static const char *hint(const struct page *p, const struct lull_fault_near *n)
{
    const uint64_t at = p->f->address;
    if (at < FIRST_PAGES) {
        return "near 0: an address that was never set, or a null pointer";
    }
    if (n->in != NULL && gone(p, n->in)) {
        return "the buffer is in earlier submits, not in the last one: freed since, or left out of "
               "the submit's list";
    }
    if (n->in != NULL && strcmp(p->f->type, "PERMISSION") == 0) {
        return "the buffer is there; it may be one that the GPU may only read "
               "(MSM_BO_GPU_READONLY)";
    }
    if (n->in != NULL) {
        return "the buffer is in the list: it was freed before, or mapped in another address space "
               "(ttbr0) than that of the fault";
    }
    if (n->below != NULL && at - lull_fault_end(n->below) < n->below->size) {
        return "an overrun: an index or a size that is too large for the buffer below";
    }
    return p->buffers->n != 0 ? "far from all buffers: an address that was read from the wrong "
                                "place, or a buffer that was freed"
                              : NULL;
}

static void where_json(struct page *p, const struct lull_fault_near *n)
{
    buffer_json(p, "in", n->in);
    if (n->in == NULL) {
        buffer_json(p, "below", n->below);
        buffer_json(p, "above", n->above);
    }
    const char *words = hint(p, n);
    if (words != NULL) {
        lull_json_put_str(p->j, "hint", words);
    }
}

static void where_text(struct page *p, const struct lull_fault_near *n)
{
    const uint64_t at = p->f->address;
    const char *words = hint(p, n);
    if (n->in != NULL) {
        lull_str_addf(p->out, "buffer    byte 0x%" PRIx64 " of ", at - n->in->address);
        buffer_text(p, n->in);
        if (p->buffers->submits != 0) {
            lull_str_addf(p->out, ", in submits %" PRIu64 " to %" PRIu64 " of 0 to %" PRIu64,
                          n->in->first, n->in->last, p->buffers->submits - 1);
        }
        lull_str_addf(p->out, "\n");
    } else if (p->buffers->n != 0) {
        lull_str_addf(p->out, "buffer    in none of the files given\n");
    }
    if (n->in == NULL && n->below != NULL) {
        lull_str_addf(p->out, "          0x%" PRIx64 " bytes past the end of ",
                      at - lull_fault_end(n->below));
        buffer_text(p, n->below);
        lull_str_addf(p->out, "\n");
    }
    if (n->in == NULL && n->above != NULL) {
        lull_str_addf(p->out, "          0x%" PRIx64 " bytes before ", n->above->address - at);
        buffer_text(p, n->above);
        lull_str_addf(p->out, "\n");
    }
    if (words != NULL) {
        lull_str_addf(p->out, "perhaps   %s\n", words);
    }
}

/* The page */

static void msm_text(struct page *p)
{
    const struct lull_faultlog *f = p->f;
    const char *words = type_words(f->type);
    lull_str_addf(p->out, "fault     0x%" PRIx64 ", %s%s%s%s%s\n", f->address, dir(f),
                  f->type[0] != '\0' ? ", " : "", f->type, words != NULL ? ": " : "",
                  words != NULL ? words : "");
    if (f->has_ttbr0) {
        lull_str_addf(p->out, "ttbr0     0x%" PRIx64 ": the page table that was in use%s\n",
                      f->ttbr0, f->ttbr0 == 0 ? ", here none" : "; of each process another");
    }
    source_text(p);
    if (f->has_scratch) {
        lull_str_addf(p->out,
                      "scratch   CP_SCRATCH_REG 4 to 7: %" PRIu32 ", %" PRIu32 ", %" PRIu32
                      ", %" PRIu32 "; freedreno's debug builds count draws in 6 and tiles in 7\n",
                      f->scratch[0], f->scratch[1], f->scratch[2], f->scratch[3]);
    }
}

static void hang_text(struct page *p)
{
    const struct lull_faultlog *f = p->f;
    lull_str_addf(p->out,
                  "hang      ring %" PRIu32 ", fence 0x%" PRIx32
                  ": the GPU's own hang detection; no address is wrong\n",
                  f->ring, f->fence);
    if (f->has_status) {
        lull_str_addf(p->out,
                      "status    RBBM_STATUS 0x%08" PRIx32 ": lull explain RBBM_STATUS=0x%" PRIx32
                      " says who is busy\n",
                      f->status, f->status);
    }
    if (f->has_ib) {
        lull_str_addf(p->out, "IB1       0x%" PRIx64 ", %" PRIu32 " dwords not fetched\n", f->ib1,
                      f->ib1_rem);
        lull_str_addf(p->out, "IB2       0x%" PRIx64 ", %" PRIu32 " dwords not fetched\n", f->ib2,
                      f->ib2_rem);
    }
    lull_str_addf(p->out, "next      lull crash show of the dump that the kernel made then\n");
}

static void amd_text(struct page *p)
{
    const struct lull_faultlog *f = p->f;
    if (f->has_address) {
        lull_str_addf(p->out,
                      "fault     page 0x%" PRIx64 ", %s; the place in the page is not told\n",
                      f->address, dir(f));
    }
    if (f->has_vmid) {
        lull_str_addf(p->out, "space     %s, vmid %" PRIu32 ", pasid %" PRIu32 "%s%s\n", f->hub,
                      f->vmid, f->pasid, f->process[0] != '\0' ? ", process " : "", f->process);
    }
    source_text(p);
    if (f->has_status) {
        const struct lull_reg_entry *e =
            lull_reg_at(&lull_regs_gc11, 0, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS);
        lull_str_addf(p->out, "status    ");
        lull_reg_show(lull_reg_of(&lull_regs_gc11, e), f->status, p->out);
        lull_str_addf(p->out, "\n          %s\n",
                      f->status == UINT32_MAX
                          ? "all ones: the GPU did not answer, it is gone from the bus"
                      : (f->status & LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__WALKER_ERROR_MASK)
                          ? "a level of the page table has no entry for the address"
                          : "the walk came to an entry that does not allow the access");
    }
    if (f->has_vmid) {
        lull_str_addf(p->out,
                      "next      lull vm walk shows the page table of a virtual GPU; umr -vm "
                      "that of a machine\n");
    }
}

static void json_put(struct page *p)
{
    const struct lull_faultlog *f = p->f;
    static const char *const kinds[] = {"none", "msm", "msm-hang", "amdgpu"};
    lull_json_open(p->j, '{');
    lull_json_put_str(p->j, "kind", kinds[f->kind]);
    if (f->has_address) {
        lull_json_put_hex(p->j, "address", f->address);
        lull_json_put_str(p->j, "access", dir(f));
    }
    if (f->has_ttbr0) {
        lull_json_put_hex(p->j, "ttbr0", f->ttbr0);
    }
    if (f->has_status) {
        lull_json_put_hex(p->j, "status", f->status);
    }
    if (f->has_vmid) {
        lull_json_put_u64(p->j, "vmid", f->vmid);
        lull_json_put_u64(p->j, "pasid", f->pasid);
        lull_json_put_str(p->j, "process", f->process);
    }
    if (f->has_scratch) {
        lull_json_key(p->j, "scratch");
        lull_json_open(p->j, '[');
        for (unsigned i = 0; i < 4; i++) {
            lull_json_u64(p->j, f->scratch[i]);
        }
        lull_json_close(p->j, ']');
    }
    if (f->has_ib) {
        lull_json_put_hex(p->j, "ib1", f->ib1);
        lull_json_put_hex(p->j, "ib2", f->ib2);
    }
    lull_json_put_str(p->j, "type", f->type);
    lull_json_put_str(p->j, "source", f->source);
    lull_json_key(p->j, "units");
    lull_json_open(p->j, '[');
    units(p);
    lull_json_close(p->j, ']');
}

static void put(struct page *p)
{
    struct lull_fault_near near = {0};
    const bool msm = p->f->kind == LULL_FAULTLOG_MSM;
    lull_fault_find(p->buffers, p->f->address, &near);
    if (p->j != NULL) {
        json_put(p);
        if (msm) {
            where_json(p, &near);
        }
        lull_json_close(p->j, '}');
        return;
    }
    if (msm) {
        msm_text(p);
        where_text(p, &near);
    } else if (is_amd(p)) {
        amd_text(p);
    } else {
        hang_text(p);
    }
}

LULL_MUST_USE static struct lull_error *explain(const struct args *a,
                                                struct lull_fault_buffers *buffers,
                                                struct lull_cur text, struct lull_str *out)
{
    struct lull_json j = {.out = out};
    struct lull_faultlog f = {0};
    unsigned n = 0;
    if (a->json) {
        lull_json_open(&j, '[');
    }
    while (lull_faultlog_next(&text, &f)) {
        struct page p = {.f = &f, .buffers = buffers, .out = out, .j = a->json ? &j : NULL};
        if (n++ != 0 && !a->json) {
            lull_str_addf(out, "\n");
        }
        put(&p);
    }
    if (a->json) {
        lull_json_close(&j, ']');
        lull_str_addf(out, "\n");
    }
    return n != 0
               ? NULL
               : lull_error_new(LULL_ERR_BAD_DATA,
                                "%s: not a line about a GPU's fault as msm and amdgpu write them",
                                strcmp(a->line, "-") == 0 ? "standard input" : "LINE");
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {0};
    struct lull_fault_buffers buffers = {0};
    struct lull_str out = {0};
    char *text = NULL;
    size_t size = 0;
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    (void)status;
    const bool input = err == NULL && strcmp(a.line, "-") == 0;
    if (input) {
        err = lull_input_read("-", &text, &size);
    }
    if (err == NULL && a.rd != NULL) {
        err = lull_fault_from_rd(&buffers, a.rd);
    }
    if (err == NULL && a.devcore != NULL) {
        err = lull_fault_from_devcore(&buffers, a.devcore);
    }
    if (err == NULL) {
        err = explain(&a, &buffers,
                      input ? lull_cur_of(text, size) : lull_cur_of(a.line, strlen(a.line)), &out);
    }
    if (err == NULL) {
        err = out.err;
        out.err = NULL;
    }
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
    }
    lull_str_free(&out);
    lull_fault_buffers_free(&buffers);
    free(text);
    return err;
}

static const struct lull_opt opts[] = {
    {"--rd", NULL, "FILE", "a capture, in whose buffers the address is looked for", LULL_OPT_IN,
     LULL_OPT_AT(struct args, rd)},
    {"--devcore", NULL, "FILE", "a crash dump, in whose buffers the address is looked for",
     LULL_OPT_IN, LULL_OPT_AT(struct args, devcore)},
    {"--json", NULL, NULL, "a list of objects", LULL_OPT_FLAG, LULL_OPT_AT(struct args, json)},
    {"LINE", .kind = LULL_OPT_TEXT, LULL_OPT_AT(struct args, line), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

const struct lull_form lull_cli_explain_fault = {
    .word = "explain-fault",
    .about = "explain-fault says what a line of the kernel's log about a GPU fault means, of msm "
             "or amdgpu. LINE may be many lines; - is standard input, as of dmesg.",
    .groups = groups,
    .run = run,
};
