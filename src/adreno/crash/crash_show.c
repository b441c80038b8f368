// SPDX-License-Identifier: MIT
// Sections of a crash dump in words, after its first page.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/crash/crash_page.h"

enum {
    ROW = 8,
    SQE_REGS = 16,
    SQE_WORDS = 1 + 2 * SQE_REGS,
    SCRATCH = 0x5000,
    SCRATCH_FIRST = 0x100,
    SCRATCH_REGS = 0x80
};

static void title(struct lull_page *p, const char *text)
{
    lull_str_addf(p->out, "\n== %s\n", text);
}

/** Rows of dwords; "*" stands for rows of zeros. */
static void hex(struct lull_page *p, const uint32_t *words, uint64_t n)
{
    bool last_zero = false;
    for (uint64_t i = 0; i < n; i += ROW) {
        bool zero = true;
        for (uint64_t j = i; zero && j < n && j < i + ROW; j++) {
            zero = words[j] == 0;
        }
        if (zero && !last_zero) {
            lull_str_addf(p->out, "    *\n");
        }
        last_zero = zero;
        if (zero) {
            continue;
        }
        lull_str_addf(p->out, "    ");
        lull_str_hex(p->out, i * 4, 6);
        lull_str_addf(p->out, ":");
        for (uint64_t j = i; j < n && j < i + ROW; j++) {
            lull_str_add(p->out, " ", 1);
            lull_str_hex(p->out, words[j], 8);
        }
        lull_str_add(p->out, "\n", 1);
    }
}

static void data(struct lull_page *p, const struct lull_store_block *b)
{
    if (b->words == NULL) {
        lull_str_addf(p->out, b->n != 0 ? "    all zero, or not written\n" : "");
        return;
    }
    hex(p, b->words, b->n);
}

static void rings(struct lull_page *p)
{
    title(p, "ring buffers");
    for (size_t i = 0; i < LULL_CRASH_RINGS; i++) {
        const struct lull_crash_ring *r = &p->k->rings[i];
        if (!r->is_there) {
            continue;
        }
        lull_str_addf(p->out,
                      "  %zu%s iova 0x%" PRIx64 ", %" PRIu64 " bytes, rptr %" PRIu64
                      ", wptr %" PRIu64 ", last fence %" PRIu64 ", retired fence %" PRIu64 "%s\n",
                      i, r->iova == p->k->seen.rb_base ? "*" : " ", r->iova, r->bytes, r->rptr,
                      r->wptr, r->last_fence, r->retired_fence,
                      r->words == NULL ? ", no data" : "");
        const uint64_t n = r->words != NULL ? r->bytes / 4 : 0;
        const uint64_t left = lull_page_unfetched(r);
        for (uint64_t j = 0; n != 0 && j < left; j++) { // around its end, too
            const uint64_t at = (r->rptr % n + j) % n;
            if (j % ROW == 0) {
                lull_str_addf(p->out, "    %06" PRIx64 ":", at * 4);
            }
            lull_str_addf(p->out, " %08" PRIx32 "%s", r->words[at],
                          j % ROW == ROW - 1 || j + 1 == left ? "\n" : "");
        }
    }
}

static int by_iova(const void *a, const void *b)
{
    const struct lull_store_bo *x = a, *y = b;
    return x->iova != y->iova ? (x->iova < y->iova ? -1 : 1) : 0;
}

static void buffers(struct lull_page *p)
{
    struct lull_store *s = p->k->store;
    title(p, "buffers");
    if (s->nbos != 0) {
        qsort(s->bos, s->nbos, sizeof s->bos[0], by_iova);
    }
    for (size_t i = 0; i < s->nbos; i++) {
        const struct lull_store_bo *b = &s->bos[i];
        const bool inside =
            p->k->has_fault && p->k->fault >= b->iova && p->k->fault - b->iova < b->size;
        lull_str_addf(p->out, "  0x%016" PRIx64 " to 0x%016" PRIx64 " %10" PRIu64 "  %s%s%s%s\n",
                      b->iova, b->iova + b->size, b->size, b->has_data ? "data" : "-",
                      b->name[0] != '\0' ? "  " : "", b->name, inside ? "  <- the fault" : "");
    }
}

static void registers_of(struct lull_page *p, const struct lull_store_block *b)
{
    for (size_t i = 0; i < b->nregs;) {
        struct lull_str name = {0}, text = {0};
        uint64_t value = 0;
        const uint32_t at = p->k->store->regs[b->first_reg + i].offset;
        i += lull_page_register(p->k, b, i, &name, &text, &value);
        lull_str_addf(p->out, "  %05" PRIx32 " %08" PRIx64 "  %s: %s\n", at, value,
                      lull_str_text(&name), lull_str_text(&text));
        lull_str_free(&name);
        lull_str_free(&text);
    }
}

static void messages(struct lull_page *p, const struct lull_hfi *h)
{
    lull_hfi_show_domain(LULL_ADRENO_DOM_HFI_TABLE, h->words, (uint32_t)h->n, "  ", p->out);
    for (unsigned i = 0; i < lull_hfi_queues(h); i++) {
        struct lull_hfi_queue q = {0};
        (void)lull_hfi_queue(h, i, &q);
        lull_str_addf(p->out, "  queue %u%s\n", i,
                      q.ring == NULL ? ", which lies outside"
                      : q.start < 0  ? ", where no message could be made out"
                                     : "");
        lull_hfi_show_domain(LULL_ADRENO_DOM_HFI_QUEUE, q.header, LULL_HFI_QUEUE_DWORDS, "    ",
                             p->out);
        uint32_t at = (uint32_t)q.start;
        for (uint32_t n = 0; q.ring != NULL && q.start >= 0 && at != q.write_index && n < q.size;
             n++) {
            struct lull_hfi_message m = {0};
            const uint32_t here = at;
            at = lull_hfi_message(h, &q, at, &m);
            lull_str_addf(p->out, "    %5" PRIu32 ": %s, number %u, type %u, %u dwords\n", here,
                          m.name != NULL ? m.name : "unknown", m.seqnum, m.type, m.size);
            if (m.type == 0) {
                lull_hfi_show(h, &m, "           ", p->out);
            }
        }
    }
}

static void gmu(struct lull_page *p)
{
    const struct lull_store *s = p->k->store;
    struct lull_hfi h = {0};
    title(p, "power controller (GMU)");
    for (size_t i = 0; i < s->nblocks; i++) {
        const struct lull_store_block *b = &s->blocks[i];
        if (strcmp(b->section, "registers-gmu") == 0) {
            registers_of(p, b);
        } else if (b->kind == LULL_STORE_GMU) {
            lull_str_addf(p->out, " %s: iova 0x%" PRIx64 ", %" PRIu64 " dwords\n", b->section,
                          b->iova, b->n);
            if (strcmp(b->section, "gmu-hfi") == 0 && lull_page_hfi(p->k, &h)) {
                messages(p, &h);
            } else {
                data(p, b);
            }
        }
    }
}

static void sqe(struct lull_page *p, const uint32_t *w)
{
    struct lull_str name = {0};
    lull_page_packet(p->k, w[1], &name);
    lull_str_addf(p->out, "    PC 0x%04" PRIx32 ", $01 is %s\n", w[0], lull_str_text(&name));
    lull_str_free(&name);
    for (unsigned i = 1; i <= 2 * SQE_REGS; i++) {
        lull_str_addf(p->out, "%s$%02x %08" PRIx32 "%s", i % ROW == 1 ? "    " : "  ", i, w[i],
                      i % ROW == 0 ? "\n" : "");
    }
}

/** Register writes that were on their way, queue by queue. */
static void pool(struct lull_page *p, const uint32_t *words)
{
    const unsigned gen = p->k->cff->gen;
    struct lull_dom_state state = p->k->cff->dom;
    for (unsigned q = 0; q < lull_pool_queues(gen); q++) {
        struct lull_pool_place place = {0};
        const uint32_t *chunk = NULL;
        lull_str_addf(p->out, "    %s: %" PRIu32 " chunks\n", lull_pool_name(gen, q),
                      lull_pool_length(words, q));
        lull_pool_start(words, q, &place);
        while ((chunk = lull_pool_next(&place)) != NULL) {
            for (unsigned i = 0; i < 2; i++) {
                struct lull_pool_write w = {0};
                if (!lull_pool_write(chunk, i, &w)) {
                    continue;
                }
                const struct lull_dom_index *ix = w.pipe ? p->k->pipe : p->k->cff->index;
                const struct lull_dom_hit hit =
                    ix != NULL ? lull_dom_lookup(ix, w.reg) : (struct lull_dom_hit){0};
                lull_str_addf(p->out, "      %s%s ", w.pipe ? "pipe " : "",
                              gen == 6 && w.context ? "ctx 1 " : "");
                lull_cff_reg_name(&hit, w.reg, p->out);
                lull_str_addf(p->out, " = ");
                if (hit.reg != NULL && hit.reg->kind != LULL_DOM_NONE && hit.reg->width == 32) {
                    lull_dom_show(&lull_dom_adreno, &state, hit.reg, w.value, p->out);
                } else {
                    lull_str_addf(p->out, "0x%08" PRIx32, w.value);
                }
                lull_str_add(p->out, "\n", 1);
            }
        }
        if (place.bad) {
            lull_str_addf(p->out, "      leads to block 0x%" PRIx32 ", which there is not\n",
                          place.block);
        } else if (place.n != lull_pool_length(words, q)) {
            lull_str_addf(p->out, "      the pointers give %" PRIu32 " chunks\n", place.n);
        }
    }
}

/** Scratch registers of the SQE, from their place in CP_UCODE_DBG_DATA. */
static void control(struct lull_page *p, const struct lull_store_block *b)
{
    struct lull_dom_state state = p->k->cff->dom;
    for (uint32_t i = 0; p->k->control != NULL && i < SCRATCH_REGS && SCRATCH + i < b->n; i++) {
        const struct lull_dom_hit hit = lull_dom_lookup(p->k->control, SCRATCH_FIRST + i);
        const uint32_t value = b->words[SCRATCH + i];
        if (hit.reg == NULL && value == 0) {
            continue;
        }
        lull_str_addf(p->out, "    %03x %08" PRIx32 "  ", SCRATCH_FIRST + i, value);
        lull_cff_reg_name(&hit, SCRATCH_FIRST + i, p->out);
        if (hit.reg != NULL && hit.reg->width == 32 && hit.reg->kind != LULL_DOM_NONE) {
            lull_str_addf(p->out, ": ");
            lull_dom_show(&lull_dom_adreno, &state, hit.reg, value, p->out);
        }
        lull_str_add(p->out, "\n", 1);
    }
}

static void indexed(struct lull_page *p, const struct lull_store_block *b)
{
    if (lull_page_processor(b->name) >= 0 && b->words != NULL && b->n >= SQE_WORDS) {
        sqe(p, b->words);
    } else if (strcmp(b->name, "CP_MEMPOOL") == 0 && b->words != NULL && lull_pool_fits(b->n)) {
        pool(p, b->words);
    } else if (strcmp(b->name, "CP_UCODE_DBG_DATA") == 0 && b->words != NULL) {
        control(p, b);
    } else {
        data(p, b);
    }
}

static void head(struct lull_page *p, const struct lull_store_block *b)
{
    lull_str_addf(p->out, " %s", b->name);
    lull_str_addf(p->out, b->pipe[0] != '\0' ? " pipe %s" : "%s", b->pipe);
    lull_str_addf(p->out, b->at[0] != '\0' ? " at %s" : "%s", b->at);
    lull_str_addf(p->out, b->bank[0] != '\0' ? " bank %s" : "%s", b->bank);
    lull_str_addf(p->out, b->context[0] != '\0' ? " context %s" : "%s", b->context);
    if (b->kind == LULL_STORE_CLUSTER || b->kind == LULL_STORE_REGISTERS) {
        lull_str_addf(p->out, ": %zu registers\n", b->nregs);
    } else {
        lull_str_addf(p->out, ": %" PRIu64 " dwords\n", b->n);
    }
}

static void blocks(struct lull_page *p, enum lull_store_kind kind, const char *name)
{
    const struct lull_store *s = p->k->store;
    title(p, name);
    for (size_t i = 0; i < s->nblocks; i++) {
        const struct lull_store_block *b = &s->blocks[i];
        if (b->kind != kind || strcmp(b->section, "registers-gmu") == 0) {
            continue;
        }
        head(p, b);
        if (kind == LULL_STORE_CLUSTER || kind == LULL_STORE_REGISTERS) {
            registers_of(p, b);
        } else if (kind == LULL_STORE_INDEXED) {
            indexed(p, b);
        } else {
            data(p, b);
        }
    }
}

/** The shaders of the last draw, disassembled. */
static void code(struct lull_page *p)
{
    title(p, "shaders");
    for (size_t i = 0; i < LULL_CRASH_PROGRAMS; i++) {
        const struct lull_crash_program *program = &p->m->programs[i];
        const struct lull_cff_words w = lull_page_code(p->k, program);
        char *text = NULL;
        size_t size = 0;
        if (w.n == 0) {
            continue;
        }
        FILE *out = open_memstream(&text, &size);
        FILE *old = p->k->cff->out;
        lull_str_addf(p->out, " %s at 0x%" PRIx64 "\n", lull_page_stages[i], program->address);
        if (out != NULL) {
            lull_cff_flush(p->k->cff);
            p->k->cff->out = out;
            p->k->cff->work_here = UINT64_MAX;
            lull_cff_shader(p->k->cff, w, 0, false);
            lull_cff_flush(p->k->cff);
            p->k->cff->out = old;
            fclose(out);
            lull_str_add(p->out, text, size);
        }
        free(text);
    }
}

void lull_page_sections(struct lull_page *p)
{
    const unsigned wanted = p->look->sections;
    if ((wanted & LULL_CRASH_COMMANDS) != 0) {
        title(p, "command stream");
        lull_str_addf(p->out, "%s", p->commands != NULL ? p->commands : "");
    }
    if ((wanted & LULL_CRASH_CODE) != 0 && p->k->cff->index != NULL) {
        code(p);
    }
    if ((wanted & LULL_CRASH_RINGBUFFERS) != 0) {
        rings(p);
    }
    if ((wanted & LULL_CRASH_BUFFERS) != 0) {
        buffers(p);
    }
    if ((wanted & LULL_CRASH_REGISTERS) != 0) {
        blocks(p, LULL_STORE_REGISTERS, "registers");
    }
    if ((wanted & LULL_CRASH_GMU) != 0) {
        gmu(p);
    }
    if ((wanted & LULL_CRASH_INDEXED) != 0) {
        blocks(p, LULL_STORE_INDEXED, "indexed registers");
    }
    if ((wanted & LULL_CRASH_BLOCKS) != 0) {
        blocks(p, LULL_STORE_SHADER, "shader blocks");
    }
    if ((wanted & LULL_CRASH_CLUSTERS) != 0) {
        blocks(p, LULL_STORE_CLUSTER, "clusters");
    }
    if ((wanted & LULL_CRASH_DEBUGBUS) != 0) {
        blocks(p, LULL_STORE_DEBUGBUS, "debug bus");
    }
}
