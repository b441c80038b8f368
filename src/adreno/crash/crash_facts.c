// SPDX-License-Identifier: MIT
// What text, JSON and signature say alike of a crash dump.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "adreno/crash/crash_page.h"
#include "cmd/adreno_pm4.h"

const char *const lull_page_stages[LULL_CRASH_PROGRAMS] = {"VS", "HS", "DS", "GS", "FS", "CS"};

bool lull_page_status(const struct lull_crash *k, uint32_t *ret)
{
    const struct lull_crash_seen *s = &k->seen;
    *ret = s->has_status ? s->status : s->header_status;
    return s->has_status || (s->has_header_status && s->header_status != 0);
}

/** Name of the unit that bit @p bit of RBBM_STATUS stands for; NULL: no unit, or not known. */
static const char *unit(const struct lull_crash *k, unsigned bit, int *ret_size)
{
    static const char busy[] = "_BUSY";
    uint32_t at = 0;
    if (k->cff->index == NULL || !lull_dom_find(k->cff->index, "RBBM_STATUS", &at)) {
        return NULL;
    }
    const struct lull_dom_hit hit = lull_dom_lookup(k->cff->index, at);
    for (unsigned i = 0; hit.reg != NULL && i < hit.reg->nfields; i++) {
        const struct lull_dom_field *f = &hit.reg->fields[i];
        const size_t n = strlen(f->name);
        if (f->lo == bit && n >= sizeof busy && strncmp(f->name, "GPU_", 4) != 0 &&
            strcmp(f->name + n - (sizeof busy - 1), busy) == 0) {
            *ret_size = (int)(n - (sizeof busy - 1));
            return f->name;
        }
    }
    return NULL;
}

unsigned lull_page_units(const struct lull_crash *k, const char *between, const char *skip,
                         struct lull_str *out)
{
    unsigned n = 0;
    uint32_t status = 0;
    const bool known = lull_page_status(k, &status);
    for (unsigned bit = 0; known && bit < 32; bit++) {
        int size = 0;
        const char *name = status >> bit & 1 ? unit(k, bit, &size) : NULL;
        if (name != NULL && (skip == NULL || strncmp(name, skip, strlen(skip)) != 0)) {
            lull_str_addf(out, "%s%.*s", n++ != 0 ? between : "", size, name);
        }
    }
    return n;
}

void lull_page_packet(const struct lull_crash *k, uint32_t header, struct lull_str *out)
{
    const struct lull_apkt p = lull_apkt_header(k->cff->gen, header);
    if (k->cff->index == NULL) { // a GPU that nobody knows
        lull_str_addf(out, "unknown");
        return;
    }
    if (p.type == LULL_APKT_WRITE) {
        const struct lull_dom_hit hit = lull_dom_lookup(k->cff->index, p.what);
        lull_str_addf(out, "write ");
        lull_cff_reg_name(&hit, p.what, out);
        return;
    }
    const char *name =
        p.type == LULL_APKT_OP
            ? lull_cff_enum(k->cff, LULL_ADRENO_ENUM_adreno_pm4_type3_packets, p.what)
            : NULL;
    if (name != NULL) {
        lull_str_addf(out, "%s", name);
    } else if (p.type == LULL_APKT_OP) {
        lull_str_addf(out, "opcode 0x%02" PRIx32, p.what);
    } else {
        lull_str_addf(out, "no packet");
    }
}

bool lull_page_is_packet(const struct lull_crash *k, uint32_t header)
{
    return k->cff->index != NULL && lull_apkt_header(k->cff->gen, header).type != LULL_APKT_BAD;
}

static void register_values(const struct lull_crash *k, uint32_t reg,
                            const struct lull_crash_step *s, struct lull_str *out)
{
    struct lull_dom_state state = k->cff->dom;
    for (unsigned i = 0; i < s->n; i++) {
        const struct lull_dom_hit hit = lull_dom_lookup(k->cff->index, reg + i);
        uint64_t value = s->payload[i];
        lull_str_addf(out, i != 0 ? ", " : "");
        if (i != 0) {
            lull_cff_reg_name(&hit, reg + i, out);
            lull_str_addf(out, " = ");
        }
        if (hit.reg != NULL && hit.reg->width == 64 && hit.dword == 0 && i + 1 < s->n) {
            value |= (uint64_t)s->payload[++i] << 32;
        }
        if (hit.reg != NULL && hit.reg->kind != LULL_DOM_NONE) {
            lull_dom_show(&lull_dom_adreno, &state, hit.reg, value, out);
        } else {
            lull_str_addf(out, "0x%" PRIx64, value);
        }
    }
}

void lull_page_fields(const struct lull_crash *k, const struct lull_crash_step *s,
                      struct lull_str *out)
{
    const struct lull_apkt p = lull_apkt_header(k->cff->gen, s->header);
    struct lull_dom_state state = k->cff->dom;
    if (k->cff->index == NULL) {
        return;
    }
    if (p.type == LULL_APKT_WRITE) {
        register_values(k, p.what, s, out);
        return;
    }
    const struct lull_dom *d =
        p.type == LULL_APKT_OP ? k->cff->ops[p.what % LULL_CFF_OPS].dom : NULL;
    for (uint32_t i = 0; d != NULL && i < s->n; i++) {
        const struct lull_dom_hit hit = lull_dom_at(&lull_dom_adreno, &state, d, i);
        uint64_t value = s->payload[i];
        if (hit.reg == NULL) {
            break;
        }
        lull_str_addf(out, i != 0 ? ", " : "");
        if (hit.reg->width == 64 && i + 1 < s->n) {
            value |= (uint64_t)s->payload[++i] << 32;
        }
        struct lull_str text = {0};
        lull_dom_show(&lull_dom_adreno, &state, hit.reg, value, &text);
        const char *at = lull_str_text(&text);
        if (hit.reg->kind != LULL_DOM_FIELDS && hit.reg->kind != LULL_DOM_BITSET) {
            lull_str_addf(out, "%s = %s", hit.reg->name, at);
        } else if (text.size > 4 && at[0] == '{') { // without its braces
            lull_str_add(out, at + 2, text.size - 4);
        } else {
            lull_str_addf(out, "%s", at);
        }
        lull_str_free(&text);
    }
}

const struct lull_crash_step *lull_page_culprit(const struct lull_page *p)
{
    return p->m->has_in ? &p->m->in : &p->m->at;
}

bool lull_page_in_is_at(const struct lull_page *p)
{
    return p->m->has_in && p->m->in.ib == p->m->at.ib && p->m->in.address == p->m->at.address &&
           p->m->at.ib != 0;
}

unsigned lull_page_before(const struct lull_page *p, unsigned most,
                          const struct lull_crash_step **ret)
{
    const struct lull_crash_step *s = NULL, *culprit = lull_page_culprit(p);
    unsigned n = 0;
    for (uint64_t i = p->m->has_in ? p->m->in_back : 0;
         n < most && (s = lull_crash_step_back(p->m, i)) != NULL; i++) {
        const bool same = p->k->seen.place.marked && s->address == culprit->address &&
                          s->header == culprit->header && s->ib == culprit->ib;
        if (s->matters && !same) {
            ret[n++] = s;
        }
    }
    return n;
}

const char *lull_page_sure(const struct lull_page *p)
{
    const struct lull_crash *k = p->k;
    const struct lull_cff_mark *m = k->cff->marks;
    if (k->cff->index == NULL) {
        return "unknown: nothing is known of this GPU";
    }
    if (!k->seen.has_ring) {
        return "unknown: the ring that CP_RB_BASE names is not in the dump";
    }
    if (!k->seen.place.marked && m[1].base == 0) {
        return "unknown: the GPU was in no indirect buffer";
    }
    if (!k->seen.place.marked) {
        return m[1].size != 0 && m[1].rem > m[1].size
                   ? "unknown: more is left than the buffer has, and the calls before it are not "
                     "known"
                   : "unknown: what was left of the ring does not call this buffer";
    }
    if (k->cff->gen < 6) {
        return "roughly: what the CP has fetched ahead is not known before a6xx; it was there or "
               "some dwords before";
    }
    if (!m[1].found && !m[2].found) {
        return "perhaps: the buffer is the one that was fetched last, the calls before it are not "
               "known";
    }
    return p->m->has_in
               ? "surely: the rest counted back over the calls of the ring ends in this buffer, "
                 "and "
                 "the SQE holds the packet that it was in"
               : "likely: the rest counted back over the calls of the ring ends in this buffer";
}

void lull_page_how(const struct lull_page *p, struct lull_str *out)
{
    const struct lull_crash *k = p->k;
    const struct lull_cff_mark *marks = k->cff->marks;
    const unsigned n = marks[2].seen ? 2 : 1;
    const struct lull_cff_mark *m = &marks[n];
    const struct lull_crash_level *l = &k->seen.levels[n];
    if (!k->seen.place.marked || m->size == 0 || m->rem > m->size) {
        return;
    }
    const uint64_t total = (uint64_t)l->size + (l->roq != 0 ? l->roq - 1 : 0);
    lull_str_addf(out, "CP_IB%u_BASE 0x%" PRIx64 ", left of it %" PRIu32, n, l->base, l->size);
    if (l->roq != 0) {
        lull_str_addf(out, " + ROQ (%" PRIu32 " - 1) = %" PRIu64, l->roq, total);
    }
    if (m->base != l->base) {
        lull_str_addf(out, ", less %" PRIu64 " that were fetched ahead = %" PRIu32 " of 0x%" PRIx64,
                      total - m->rem, m->rem, m->base);
    }
    lull_str_addf(out, "; 0x%" PRIx64 " + 4 * (%" PRIu32 " - %" PRIu32 ") = 0x%" PRIx64, m->base,
                  m->size, m->rem, m->base + (uint64_t)4 * (m->size - m->rem));
}

/** Field @p name of a packet's payload. */
static bool field(const struct lull_crash *k, const struct lull_crash_step *s, const char *name,
                  uint64_t *ret)
{
    const struct lull_apkt p = lull_apkt_header(k->cff->gen, s->header);
    const struct lull_dom *d =
        p.type == LULL_APKT_OP ? k->cff->ops[p.what % LULL_CFF_OPS].dom : NULL;
    for (uint32_t i = 0; d != NULL && i < s->n; i++) {
        const struct lull_dom_hit hit = lull_dom_at(&lull_dom_adreno, &k->cff->dom, d, i);
        if (hit.reg == NULL) {
            return false;
        }
        const bool wide = hit.reg->width == 64 && i + 1 < s->n;
        const uint64_t value = s->payload[i] | (wide ? (uint64_t)s->payload[i + 1] << 32 : 0);
        if (strcmp(hit.reg->name, name) == 0) {
            *ret = value;
            return true;
        }
        if (lull_dom_field(&lull_dom_adreno, &k->cff->dom, hit.reg, name, value, ret)) {
            return true;
        }
        i += wide;
    }
    return false;
}

/** CP_WAIT_REG_MEM and its like: what is looked at, and what is there now. */
static bool poll(const struct lull_crash *k, const struct lull_crash_step *s, struct lull_str *out)
{
    uint64_t address = 0, function = 0, ref = 0, mask = UINT32_MAX, from = 0, lo = 0, hi = 0;
    const bool wide = field(k, s, "POLL_ADDR", &address);
    if (!wide) {
        if (!field(k, s, "POLL_ADDR_LO", &lo)) {
            return false;
        }
        (void)field(k, s, "POLL_ADDR_HI", &hi);
        address = lo | hi << 32;
    }
    (void)field(k, s, "REF", &ref);
    (void)field(k, s, "MASK", &mask);
    const bool has_function = field(k, s, "FUNCTION", &function);
    const char *name =
        has_function ? lull_cff_enum(k->cff, LULL_ADRENO_ENUM_cp_cond_function, function) : NULL;
    const char *kind = field(k, s, "POLL", &from)
                           ? lull_cff_enum(k->cff, LULL_ADRENO_ENUM_poll_memory_type, from)
                           : NULL;
    const bool memory = kind == NULL || strcmp(kind, "POLL_MEMORY") == 0;
    lull_str_addf(out, "for %s 0x%" PRIx64 " & 0x%" PRIx64 " to be %s 0x%" PRIx64,
                  memory ? "memory at" : kind, address, mask,
                  name != NULL ? name : "what is wanted:", ref);
    const struct lull_cff_words w =
        memory ? lull_cff_memory(k->cff, address, 1) : (struct lull_cff_words){0};
    if (w.n != 0) {
        lull_str_addf(out, "; the dump has 0x%08" PRIx32 " there", w.words[0]);
    }
    return true;
}

void lull_page_waits(const struct lull_page *p, struct lull_str *out)
{
    static const struct {
        const char *packet, *what;
    } rows[] = {
        {"CP_WAIT_MEM_WRITES", "for its writes to memory"},
        {"CP_WAIT_FOR_ME", "for the part of the CP that executes (ME)"},
        {"CP_WAIT_TIMESTAMP", "for a time stamp"},
        {"CP_THREAD_CONTROL", "for the other pipe (BV, BR)"},
    };
    const struct lull_crash *k = p->k;
    const struct lull_crash_seen *s = &k->seen;
    struct lull_str name = {0}, busy = {0};
    uint32_t status = 0;
    const unsigned others = lull_page_units(k, " ", "CP", &busy);
    if (s->place.marked) {
        lull_page_packet(k, lull_page_culprit(p)->header, &name);
    }
    const char *known = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        known = strcmp(lull_str_text(&name), rows[i].packet) == 0 ? rows[i].what : known;
    }
    if (s->stalled) {
        lull_str_addf(out, "the SMMU has stopped it at the fault");
    } else if (k->cff->gen >= 6 && s->has_sqe && s->word != 0 && !lull_page_is_packet(k, s->word)) {
        lull_str_addf(out, "nothing: the SQE has got 0x%08" PRIx32 ", which begins no packet",
                      s->word);
    } else if (s->place.marked && poll(k, lull_page_culprit(p), out)) {
    } else if (known != NULL) {
        lull_str_addf(out, "%s", known);
    } else if (others != 0) {
        lull_str_addf(out, "for what is busy behind the CP: %s", lull_str_text(&busy));
    } else {
        lull_str_addf(out, "not known: %s",
                      lull_page_status(k, &status) ? "nothing but the CP is busy"
                                                   : "the dump does not say what is busy");
    }
    lull_str_free(&name);
    lull_str_free(&busy);
}

struct lull_cff_words lull_page_code(const struct lull_crash *k,
                                     const struct lull_crash_program *program)
{
    return program->address != 0 && program->bytes != 0
               ? lull_cff_memory(k->cff, program->address, program->bytes / 4)
               : (struct lull_cff_words){0};
}

bool lull_page_hash(const struct lull_crash *k, const struct lull_crash_program *program,
                    uint64_t *ret)
{
    const struct lull_cff_words w = lull_page_code(k, program);
    uint64_t hash = 0xcbf29ce484222325; // FNV-1a of 64 bits, by dwords
    for (uint32_t i = 0; i < w.n; i++) {
        hash = (hash ^ w.words[i]) * 0x100000001b3;
    }
    *ret = hash;
    return w.n != 0;
}

uint64_t lull_page_unfetched(const struct lull_crash_ring *r)
{
    const uint64_t n = r->bytes / 4;
    return n != 0 ? (r->wptr % n + n - r->rptr % n) % n : 0;
}

const struct lull_store_block *lull_page_block(const struct lull_crash *k,
                                               enum lull_store_kind kind, const char *name)
{
    for (size_t i = 0; k->store != NULL && i < k->store->nblocks; i++) {
        const struct lull_store_block *b = &k->store->blocks[i];
        const char *is = kind == LULL_STORE_GMU ? b->section : b->name;
        if (b->kind == kind && b->words != NULL && strcmp(is, name) == 0) {
            return b;
        }
    }
    return NULL;
}

const struct lull_dom_index *lull_page_index(const struct lull_crash *k,
                                             const struct lull_store_block *b)
{
    return strcmp(b->section, "registers-gmu") == 0 && k->gmu != NULL ? k->gmu : k->cff->index;
}

size_t lull_page_register(const struct lull_crash *k, const struct lull_store_block *b, size_t i,
                          struct lull_str *name, struct lull_str *text, uint64_t *value)
{
    const struct lull_dom_index *ix = lull_page_index(k, b);
    const struct lull_store_reg *r = &k->store->regs[b->first_reg + i];
    const struct lull_dom_hit hit = ix != NULL && r->offset < LULL_CFF_REGS
                                        ? lull_dom_lookup(ix, r->offset)
                                        : (struct lull_dom_hit){0};
    struct lull_dom_state state = k->cff->dom;
    const bool typed = hit.reg != NULL && hit.reg->kind != LULL_DOM_NONE;
    const bool wide = typed && hit.reg->width == 64 && hit.dword == 0 && i + 1 < b->nregs &&
                      r[1].offset == r->offset + 1;
    *value = r->value | (wide ? (uint64_t)r[1].value << 32 : 0);
    if (hit.reg != NULL) {
        lull_dom_name(&hit, name);
    } else {
        lull_str_addf(name, "0x%" PRIx32, r->offset);
    }
    const bool half = typed && hit.reg->width == 64 && !wide;
    if (typed && !half) {
        lull_dom_show(&lull_dom_adreno, &state, hit.reg, *value, text);
    } else {
        lull_str_addf(text, "0x%" PRIx64 "%s", *value, half ? " (half of it)" : "");
    }
    return wide ? 2 : 1;
}

bool lull_page_hfi(const struct lull_crash *k, struct lull_hfi *ret)
{
    const struct lull_store_block *b = lull_page_block(k, LULL_STORE_GMU, "gmu-hfi");
    if (b == NULL) {
        return false;
    }
    *ret = (struct lull_hfi){.words = b->words,
                             .n = b->n < UINT32_MAX ? b->n : UINT32_MAX,
                             .iova = b->iova,
                             .legacy = lull_hfi_is_legacy(k->gpu_id)};
    memcpy(ret->history, k->history, sizeof ret->history);
    return true;
}

int lull_page_processor(const char *name)
{
    // With and without _ADDR: kernels differ. Source: Linux a6xx_gpu_state.h.
    static const char *const names[] = {"CP_SQE_STAT", "CP_BV_SQE_STAT", "CP_SQE_AC_STAT"};
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++) {
        const size_t n = strlen(names[i]);
        if (strncmp(name, names[i], n) == 0 &&
            (name[n] == '\0' || strcmp(name + n, "_ADDR") == 0)) {
            return i;
        }
    }
    return strncmp(name, "CP_LPAC_SQE_STAT", strlen("CP_LPAC_SQE_STAT")) == 0 ? 2 : -1;
}

void lull_page_date(const struct lull_crash *k, char *ret, size_t room)
{
    static const char *const name = "time";
    ret[0] = '\0';
    for (size_t i = 0; i < LULL_CRASH_TEXTS; i++) {
        struct tm tm = {0};
        const long long seconds = strtoll(k->seen.texts[i], NULL, 10);
        const time_t t = (time_t)seconds;
        if (strcmp(lull_crash_texts[i], name) == 0 && seconds > 0 && gmtime_r(&t, &tm) != NULL) {
            (void)strftime(ret, room, "%Y-%m-%d %H:%M:%S UTC", &tm);
        }
    }
}

/** Lines about the command stream are only counted. */
static ssize_t count_lines(void *cookie, const char *text, size_t size)
{
    uint64_t *lines = cookie;
    for (size_t i = 0; i < size; i++) {
        *lines += text[i] == '\n';
    }
    return (ssize_t)size;
}

struct lull_error *lull_page_run(struct lull_stream *s, const struct lull_crash_look *look,
                                 struct lull_str *out,
                                 struct lull_error *(*with)(struct lull_page *p, void *ctx),
                                 void *ctx)
{
    struct lull_store store = {0};
    char *commands = NULL;
    size_t size = 0;
    uint64_t missing = 0;
    FILE *log = fopencookie(&missing, "w", (cookie_io_functions_t){.write = count_lines});
    if (log == NULL) {
        return &lull_enomem;
    }
    struct lull_crash k = {.log = log,
                           .o = {.most_memory = look->most_memory, .most_bytes = look->most_bytes},
                           .store = look->style != LULL_CRASH_SIGNATURE ? &store : NULL};
    if ((look->sections & LULL_CRASH_COMMANDS) != 0 && look->style == LULL_CRASH_PAGE) {
        k.commands = open_memstream(&commands, &size);
    }
    struct lull_error *err = lull_crash_walk(&k, s, NULL);
    if (k.commands != NULL) {
        fclose(k.commands);
    }
    (void)fflush(log);
    k.seen.missing = missing;
    if (err == NULL) {
        const struct lull_crash_place *t = &k.seen.place;
        lull_crash_find_in(&k);
        struct lull_page p = {.k = &k,
                              .look = look,
                              .m = t->marked ? &t->mark : &t->now,
                              .commands = commands,
                              .out = out,
                              .j = {.out = out}};
        err = with(&p, ctx);
        if (err == NULL) {
            err = lull_error_damaged(k.damage, k.line != 0);
            k.damage = NULL;
        }
    }
    free(commands);
    fclose(log);
    lull_crash_done(&k);
    lull_store_done(&store);
    return err;
}
