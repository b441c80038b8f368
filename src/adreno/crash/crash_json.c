// SPDX-License-Identifier: MIT
// A crash dump as one JSON object: the page, and all sections.
#include <inttypes.h>
#include <string.h>

#include "adreno/crash/crash_page.h"

static void put_text(struct lull_page *p, const char *key, struct lull_str *s)
{
    lull_json_put_str(&p->j, key, lull_str_text(s));
    lull_str_free(s);
}

static void step(struct lull_page *p, const struct lull_crash_step *s)
{
    struct lull_str name = {0}, fields = {0};
    lull_page_packet(p->k, s->header, &name);
    lull_page_fields(p->k, s, &fields);
    lull_json_open(&p->j, '{');
    lull_json_put_u64(&p->j, "level", s->ib);
    if (s->ib != 0) {
        lull_json_put_hex(&p->j, "address", s->address);
    }
    lull_json_put_hex(&p->j, "header", s->header);
    put_text(p, "packet", &name);
    put_text(p, "fields", &fields);
    lull_json_close(&p->j, '}');
}

static void levels(struct lull_page *p)
{
    lull_json_key(&p->j, "levels");
    lull_json_open(&p->j, '[');
    for (unsigned n = 1; n <= 2; n++) {
        const struct lull_crash_level *l = &p->k->seen.levels[n];
        const struct lull_cff_mark *m = &p->k->cff->marks[n];
        lull_json_open(&p->j, '{');
        lull_json_put_hex(&p->j, "base", l->base);
        lull_json_put_u64(&p->j, "rem_size", l->size);
        lull_json_put_u64(&p->j, "roq", l->roq);
        lull_json_put_hex(&p->j, "from", m->base);
        lull_json_put_u64(&p->j, "to_do", m->rem);
        lull_json_put_u64(&p->j, "dwords", m->size);
        lull_json_put_bool(&p->j, "found", m->found);
        lull_json_close(&p->j, '}');
    }
    lull_json_close(&p->j, ']');
}

static void fault(struct lull_page *p)
{
    const struct lull_crash_seen *s = &p->k->seen;
    if (!p->k->has_fault) {
        return;
    }
    lull_json_key(&p->j, "fault");
    lull_json_open(&p->j, '{');
    lull_json_put_hex(&p->j, "address", p->k->fault);
    if (s->has_inside) {
        lull_json_put_hex(&p->j, "buffer", s->inside.iova);
    }
    if (s->has_below) {
        lull_json_put_hex(&p->j, "below", s->below.iova);
    }
    if (s->has_above) {
        lull_json_put_hex(&p->j, "above", s->above.iova);
    }
    for (size_t i = 0; i < LULL_CRASH_FAULTS; i++) {
        if (s->fault[i][0] != '\0') {
            lull_json_put_str(&p->j, lull_crash_faults[i], s->fault[i]);
        }
    }
    lull_json_close(&p->j, '}');
}

/** Names with blanks between them as a list. */
static void busy(struct lull_page *p)
{
    struct lull_str names = {0};
    (void)lull_page_units(p->k, " ", NULL, &names);
    lull_json_key(&p->j, "busy");
    lull_json_open(&p->j, '[');
    const char *at = lull_str_text(&names);
    while (*at != '\0') {
        const size_t n = strcspn(at, " ");
        struct lull_str one = {0};
        lull_str_add(&one, at, n);
        lull_json_str(&p->j, lull_str_text(&one));
        lull_str_free(&one);
        at += n + (at[n] == ' ');
    }
    lull_json_close(&p->j, ']');
    lull_str_free(&names);
}

static void programs(struct lull_page *p)
{
    lull_json_key(&p->j, "shaders");
    lull_json_open(&p->j, '{');
    for (size_t i = 0; i < LULL_CRASH_PROGRAMS; i++) {
        if (p->m->programs[i].address != 0) {
            lull_json_put_hex(&p->j, lull_page_stages[i], p->m->programs[i].address);
        }
    }
    lull_json_close(&p->j, '}');
    lull_json_key(&p->j, "code");
    lull_json_open(&p->j, '{');
    for (size_t i = 0; i < LULL_CRASH_PROGRAMS; i++) {
        uint64_t hash = 0;
        if (p->m->programs[i].address != 0 && lull_page_hash(p->k, &p->m->programs[i], &hash)) {
            lull_json_key(&p->j, lull_page_stages[i]);
            lull_json_open(&p->j, '{');
            lull_json_put_u64(&p->j, "bytes", p->m->programs[i].bytes);
            lull_json_put_hex(&p->j, "hash", hash);
            lull_json_close(&p->j, '}');
        }
    }
    lull_json_close(&p->j, '}');
}

static void rings(struct lull_page *p)
{
    lull_json_key(&p->j, "rings");
    lull_json_open(&p->j, '[');
    for (size_t i = 0; i < LULL_CRASH_RINGS; i++) {
        const struct lull_crash_ring *r = &p->k->rings[i];
        if (!r->is_there) {
            continue;
        }
        lull_json_open(&p->j, '{');
        lull_json_put_u64(&p->j, "id", i);
        lull_json_put_hex(&p->j, "iova", r->iova);
        lull_json_put_u64(&p->j, "size", r->bytes);
        lull_json_put_u64(&p->j, "rptr", r->rptr);
        lull_json_put_u64(&p->j, "wptr", r->wptr);
        lull_json_put_u64(&p->j, "not_fetched", lull_page_unfetched(r));
        lull_json_put_u64(&p->j, "last_fence", r->last_fence);
        lull_json_put_u64(&p->j, "retired_fence", r->retired_fence);
        lull_json_put_bool(&p->j, "current", r->iova == p->k->seen.rb_base);
        lull_json_put_bool(&p->j, "data", r->words != NULL);
        lull_json_close(&p->j, '}');
    }
    lull_json_close(&p->j, ']');
}

static void buffers(struct lull_page *p)
{
    const struct lull_store *s = p->k->store;
    lull_json_key(&p->j, "buffers");
    lull_json_open(&p->j, '[');
    for (size_t i = 0; i < s->nbos; i++) {
        const struct lull_store_bo *b = &s->bos[i];
        lull_json_open(&p->j, '{');
        lull_json_put_hex(&p->j, "iova", b->iova);
        lull_json_put_u64(&p->j, "size", b->size);
        if (b->name[0] != '\0') {
            lull_json_put_str(&p->j, "name", b->name);
        }
        lull_json_put_bool(&p->j, "data", b->has_data);
        lull_json_close(&p->j, '}');
    }
    lull_json_close(&p->j, ']');
}

static void registers_of(struct lull_page *p, const struct lull_store_block *b)
{
    for (size_t i = 0; i < b->nregs;) {
        struct lull_str name = {0}, text = {0};
        uint64_t value = 0;
        const uint32_t at = p->k->store->regs[b->first_reg + i].offset;
        i += lull_page_register(p->k, b, i, &name, &text, &value);
        lull_json_open(&p->j, '{');
        lull_json_put_hex(&p->j, "offset", at);
        put_text(p, "name", &name);
        lull_json_put_hex(&p->j, "value", value);
        put_text(p, "text", &text);
        lull_json_close(&p->j, '}');
    }
}

static void pool(struct lull_page *p, const uint32_t *words)
{
    const unsigned gen = p->k->cff->gen;
    lull_json_key(&p->j, "queues");
    lull_json_open(&p->j, '[');
    for (unsigned q = 0; q < lull_pool_queues(gen); q++) {
        struct lull_pool_place place = {0};
        const uint32_t *chunk = NULL;
        lull_json_open(&p->j, '{');
        lull_json_put_str(&p->j, "cluster", lull_pool_name(gen, q));
        lull_json_put_u64(&p->j, "chunks", lull_pool_length(words, q));
        lull_json_key(&p->j, "writes");
        lull_json_open(&p->j, '[');
        lull_pool_start(words, q, &place);
        while ((chunk = lull_pool_next(&place)) != NULL) {
            for (unsigned i = 0; i < 2; i++) {
                struct lull_pool_write w = {0};
                struct lull_str name = {0};
                if (!lull_pool_write(chunk, i, &w)) {
                    continue;
                }
                const struct lull_dom_index *ix = w.pipe ? p->k->pipe : p->k->cff->index;
                const struct lull_dom_hit hit =
                    ix != NULL ? lull_dom_lookup(ix, w.reg) : (struct lull_dom_hit){0};
                lull_cff_reg_name(&hit, w.reg, &name);
                lull_json_open(&p->j, '{');
                lull_json_put_hex(&p->j, "offset", w.reg);
                put_text(p, "name", &name);
                lull_json_put_hex(&p->j, "value", w.value);
                lull_json_put_u64(&p->j, "context", w.context);
                lull_json_put_bool(&p->j, "pipe", w.pipe);
                lull_json_close(&p->j, '}');
            }
        }
        lull_json_close(&p->j, ']');
        lull_json_put_bool(&p->j, "matches", place.n == lull_pool_length(words, q) && !place.bad);
        lull_json_close(&p->j, '}');
    }
    lull_json_close(&p->j, ']');
}

static void message(struct lull_page *p, const struct lull_hfi *h, const struct lull_hfi_message *m)
{
    struct lull_str text = {0};
    lull_json_open(&p->j, '{');
    lull_json_put_str(&p->j, "name", m->name != NULL ? m->name : "");
    lull_json_put_u64(&p->j, "id", m->id);
    lull_json_put_u64(&p->j, "type", m->type);
    lull_json_put_u64(&p->j, "seqnum", m->seqnum);
    lull_json_put_u64(&p->j, "dwords", m->size);
    if (m->type == 0) {
        lull_hfi_show(h, m, "", &text);
    }
    put_text(p, "text", &text);
    lull_json_close(&p->j, '}');
}

static void hfi(struct lull_page *p)
{
    struct lull_hfi h = {0};
    if (!lull_page_hfi(p->k, &h)) {
        return;
    }
    lull_json_key(&p->j, "hfi");
    lull_json_open(&p->j, '[');
    for (unsigned i = 0; i < lull_hfi_queues(&h); i++) {
        struct lull_hfi_queue q = {0};
        (void)lull_hfi_queue(&h, i, &q);
        lull_json_open(&p->j, '{');
        lull_json_put_u64(&p->j, "queue", i);
        lull_json_put_u64(&p->j, "read_index", q.header[LULL_HFI_QUEUE_read_index]);
        lull_json_put_u64(&p->j, "write_index", q.write_index);
        lull_json_put_bool(&p->j, "readable", q.ring != NULL && q.start >= 0);
        lull_json_key(&p->j, "messages");
        lull_json_open(&p->j, '[');
        uint32_t at = (uint32_t)q.start;
        for (uint32_t n = 0; q.ring != NULL && q.start >= 0 && at != q.write_index && n < q.size;
             n++) {
            struct lull_hfi_message m = {0};
            at = lull_hfi_message(&h, &q, at, &m);
            message(p, &h, &m);
        }
        lull_json_close(&p->j, ']');
        lull_json_close(&p->j, '}');
    }
    lull_json_close(&p->j, ']');
}

static void block(struct lull_page *p, const struct lull_store_block *b)
{
    const struct {
        const char *key, *text;
    } texts[] = {{"name", b->name},
                 {"pipe", b->pipe},
                 {"location", b->at},
                 {"bank", b->bank},
                 {"context", b->context}};
    lull_json_open(&p->j, '{');
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].text[0] != '\0') {
            lull_json_put_str(&p->j, texts[i].key, texts[i].text);
        }
    }
    if (b->kind == LULL_STORE_CLUSTER) {
        lull_json_key(&p->j, "registers");
        lull_json_open(&p->j, '[');
        registers_of(p, b);
        lull_json_close(&p->j, ']');
    } else {
        lull_json_put_u64(&p->j, "dwords", b->n);
        lull_json_put_bool(&p->j, "data", b->words != NULL);
    }
    const int which = b->kind == LULL_STORE_INDEXED ? lull_page_processor(b->name) : -1;
    if (which >= 0 && b->words != NULL && b->n > 1) {
        struct lull_str name = {0};
        lull_page_packet(p->k, b->words[1], &name);
        lull_json_put_hex(&p->j, "pc", b->words[0]);
        lull_json_put_hex(&p->j, "header", b->words[1]);
        put_text(p, "packet", &name);
    }
    if (strcmp(b->name, "CP_MEMPOOL") == 0 && b->words != NULL && lull_pool_fits(b->n)) {
        pool(p, b->words);
    }
    lull_json_close(&p->j, '}');
}

static void blocks(struct lull_page *p, enum lull_store_kind kind, const char *key)
{
    const struct lull_store *s = p->k->store;
    lull_json_key(&p->j, key);
    lull_json_open(&p->j, '[');
    for (size_t i = 0; i < s->nblocks; i++) {
        if (s->blocks[i].kind == kind) {
            block(p, &s->blocks[i]);
        }
    }
    lull_json_close(&p->j, ']');
}

static void registers(struct lull_page *p, const char *section, const char *key)
{
    const struct lull_store *s = p->k->store;
    lull_json_key(&p->j, key);
    lull_json_open(&p->j, '[');
    for (size_t i = 0; i < s->nblocks; i++) {
        if (s->blocks[i].kind == LULL_STORE_REGISTERS &&
            strcmp(s->blocks[i].section, section) == 0) {
            registers_of(p, &s->blocks[i]);
        }
    }
    lull_json_close(&p->j, ']');
}

static void state(struct lull_page *p)
{
    const struct lull_crash_seen *s = &p->k->seen;
    if (p->m->mode != NULL) {
        lull_json_put_str(&p->j, "mode", p->m->mode);
    }
    for (unsigned i = 0; i < 4 && p->m->has_tile; i++) {
        static const char *const keys[] = {"tile_left", "tile_top", "tile_right", "tile_bottom"};
        lull_json_put_u64(&p->j, keys[i], p->m->tile[i]);
    }
    if (s->has_scratch) {
        lull_json_put_hex(&p->j, "scratch_6", s->scratch[0]);
        lull_json_put_hex(&p->j, "scratch_7", s->scratch[1]);
    }
}

static void clusters(struct lull_page *p)
{
    lull_json_key(&p->j, "clusters_at");
    lull_json_open(&p->j, '[');
    for (unsigned q = 0; q < lull_pool_queues(p->k->cff->gen); q++) {
        struct lull_page_cluster c = {0};
        if (lull_page_cluster(p, q, &c)) {
            lull_json_open(&p->j, '{');
            lull_json_put_str(&p->j, "cluster", c.name);
            lull_json_put_u64(&p->j, "waiting", c.waiting);
            lull_json_put_str(&p->j, "first", lull_str_text(&c.head));
            if (c.found) {
                lull_json_key(&p->j, "at");
                step(p, &c.at);
                lull_json_put_u64(&p->j, "back", c.back);
            }
            lull_json_close(&p->j, '}');
        }
        lull_str_free(&c.head);
    }
    lull_json_close(&p->j, ']');
}

/** What the first page says. */
static void page(struct lull_page *p)
{
    const struct lull_crash_seen *s = &p->k->seen;
    struct lull_str waits = {0};
    uint32_t status = 0;
    for (size_t i = 0; i < LULL_CRASH_TEXTS; i++) {
        lull_json_put_str(&p->j, lull_crash_texts[i], s->texts[i]);
    }
    lull_json_put_u64(&p->j, "generation", p->k->cff->gen);
    if (lull_page_status(p->k, &status)) {
        lull_json_put_hex(&p->j, "rbbm_status", status);
    }
    busy(p);
    fault(p);
    if (s->has_sqe) {
        lull_json_put_u64(&p->j, "sqe_pc", s->pc);
        lull_json_put_hex(&p->j, "sqe_header", s->word);
    }
    levels(p);
    lull_json_put_bool(&p->j, "located", s->place.marked);
    lull_json_put_str(&p->j, "sure", lull_page_sure(p));
    if (p->k->cff->index != NULL) {
        lull_page_waits(p, &waits);
    }
    put_text(p, "waits", &waits);
    struct lull_str how = {0};
    lull_page_how(p, &how);
    put_text(p, "how", &how);
    if (s->place.marked && p->m->has_in) {
        lull_json_key(&p->j, "in");
        step(p, &p->m->in);
    }
    if (s->place.marked && !lull_page_in_is_at(p)) {
        lull_json_key(&p->j, p->m->has_in ? "next" : "at");
        step(p, &p->m->at);
    }
    const struct lull_crash_step *before[LULL_PAGE_BEFORE];
    lull_json_key(&p->j, "packets");
    lull_json_open(&p->j, '[');
    for (unsigned n = lull_page_before(p, LULL_PAGE_BEFORE, before); n-- > 0;) {
        step(p, before[n]);
    }
    lull_json_close(&p->j, ']');
    state(p);
    clusters(p);
    if (p->m->draw.header != 0) {
        lull_json_key(&p->j, "draw");
        step(p, &p->m->draw);
    }
    programs(p);
}

void lull_page_json(struct lull_page *p)
{
    lull_json_open(&p->j, '{');
    page(p);
    rings(p);
    buffers(p);
    registers(p, "registers", "registers");
    registers(p, "registers-gmu", "registers_gmu");
    hfi(p);
    blocks(p, LULL_STORE_GMU, "gmu");
    blocks(p, LULL_STORE_INDEXED, "indexed");
    blocks(p, LULL_STORE_SHADER, "shader_blocks");
    blocks(p, LULL_STORE_CLUSTER, "clusters");
    blocks(p, LULL_STORE_DEBUGBUS, "debugbus");
    lull_json_close(&p->j, '}');
    lull_str_addf(p->out, "\n");
}
